package facade

import (
	"context"
	"errors"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// violation is what a store's CONFLICT is about, kept beside the words for it: who
// may not see a field is not told of it (DESIGN 5: one predicate, error text too).
type violation struct {
	kind   string // Unique, Reference or Restrict
	fields []*schema.Property
}

func (v *violation) Error() string {
	names := make([]string, len(v.fields))
	for i, p := range v.fields {
		names[i] = p.Owner.Name + "." + p.Name
	}
	return v.kind + " " + strings.Join(names, ", ")
}

// veiled is a store's CONFLICT as this caller may be told it: neither fields that
// are hidden from them are named, nor relations of rows that may be.
func (t *trip) veiled(ctx context.Context, err error) error {
	var v *violation
	if t.inside || !errors.As(err, &v) {
		return err
	}
	if v.kind == Restrict {
		by := v.fields[0]
		see, ok := t.reached(ctx, by.Owner)
		if ok && see.Rows == nil && t.readable(see, by) {
			return err
		}
		const message = "is still pointed at by other rows; remove or change them first"
		return &Error{Code: Conflict, Message: "the row " + message, cause: err, Details: []schema.Detail{
			{Path: "id", Pointer: "/params/id", Code: Restrict, Message: message},
		}}
	}
	var seen []*schema.Property
	for _, p := range v.fields {
		if t.readable(t.see, p) || jsontext.Get(t.call.Invocation.Body, p.Name) != nil { // who sent it knows it
			seen = append(seen, p)
		}
	}
	switch {
	case len(seen) == len(v.fields):
		return err
	case len(seen) > 0: // of the constraint's members the caller knows these
		return Taken(seen...)
	case v.kind == Unique:
		return &Error{Code: Conflict, Message: "a value that is not yours to send is already taken", cause: err}
	}
	return &Error{Code: Conflict, Message: "a value that is not yours to send names a row that does not exist", cause: err}
}
