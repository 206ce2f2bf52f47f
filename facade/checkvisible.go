package facade

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// checkVisible holds a write to what the caller may see of the row afterwards (docs/decisions/writes-and-versions.md).
// What follows from the body alone is decided here, the rest by the store in the
// transaction that writes.
func checkVisible(ctx context.Context, x *execution, terms *Terms, unmet error) error {
	if x.doorScope.Rows == nil {
		return nil
	}
	a := writtenRow{x: x, ctx: ctx, record: x.body, new: x.id == nil}
	remaining, err := x.doorScope.Rows.Reduce(&a)
	switch {
	case err != nil:
		return err
	case remaining.Never() && a.new && len(x.points) == 0: // else the store says first whether its relations lead anywhere
		return unmet
	case remaining.Always(), remaining == x.doorScope.Rows && !a.new: // nothing is written that it is about
	default:
		terms.After, terms.Unmet = x.doorScope.Rows, unmet
	}
	return nil
}

// writtenRow is one row as it will be once it is written: what is written into it, and
// whether it is new.
type writtenRow struct {
	x      *execution
	ctx    context.Context
	record Record
	new    bool
}

// Value implements [filter.Known]: a field that is not written keeps what it has.
func (a *writtenRow) Value(p *schema.Property) (json.RawMessage, bool) {
	value := a.record.Get(p.Name)
	return value, value != nil || a.new
}

// Related implements [filter.Known]: the store looks at the other side of a relation once
// the row is written.
func (a *writtenRow) Related(f *filter.Filter) (*filter.Filter, error) { return f, nil }

// maskedConflict is a CONFLICT of the store as this caller may know it: it names neither fields
// that are hidden from them, nor relations of rows that may be.
func maskedConflict(ctx context.Context, x *viewer, err error) error {
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
