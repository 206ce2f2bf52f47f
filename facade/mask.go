package facade

import (
	"context"
	"errors"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// masked is a CONFLICT of the store as this caller may know it: it names neither fields
// that are hidden from them, nor relations of rows that may be.
func (x *viewer) masked(ctx context.Context, err error) error {
	var v *kiterror.Violation
	if x.inside || !errors.As(err, &v) {
		return err
	}
	if v.Kind == kiterror.Restrict {
		by := v.Fields[0]
		scope, ok := x.scopeBehind(ctx, by.Owner)
		if ok && scope.Rows == nil && x.readable(scope, by) {
			return err
		}
		const message = "is still pointed at by other rows; remove or change them first"
		veiled := kiterror.Errorf(kiterror.Conflict, "the row %s", message).WithCause(err)
		veiled.Details = []schema.Detail{{Path: "id", Pointer: "/params/id", Code: kiterror.Restrict, Message: message}}
		return veiled
	}
	var seen []*schema.Property
	for _, p := range v.Fields {
		if x.readable(x.doorScope, p) || jsontext.Get(x.call.Invocation.Body, p.Name) != nil { // who sent it knows it
			seen = append(seen, p)
		}
	}
	switch {
	case len(seen) == len(v.Fields):
		return err
	case len(seen) > 0: // of the constraint's members the caller knows these
		return kiterror.Taken(seen...)
	case v.Kind == kiterror.Unique:
		return kiterror.Errorf(kiterror.Conflict, "a value that is not yours to send is already taken").WithCause(err)
	}
	return kiterror.Errorf(kiterror.Conflict, "a value that is not yours to send names a row that does not exist").WithCause(err)
}
