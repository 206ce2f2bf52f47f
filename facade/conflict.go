package facade

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The codes of a CONFLICT's details: what a store alone can know.
const (
	Unique    = "unique"    // the value, or the values together, are another row's
	Reference = "reference" // the relation points at no row
	Restrict  = "restrict"  // other rows point at this one, and their relation forbids its removal
)

// Taken is the CONFLICT a store answers where a unique constraint is broken;
// fields are the constraint's members, and each of them gets a detail.
func Taken(fields ...*schema.Property) *Error {
	names := make([]string, len(fields))
	for i, p := range fields {
		names[i] = p.Name
	}
	what := "the " + strings.Join(names, " and ")
	err := &Error{Code: Conflict, Message: what + " is already taken; send another"}
	if len(fields) > 1 {
		err.Message = what + " together are already taken; change one of them"
	}
	details := make([]schema.Detail, len(fields))
	for i, p := range fields {
		details[i] = schema.Detail{Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: Unique, Message: err.Message}
		if len(fields) > 1 {
			details[i].Params = map[string]any{"fields": names}
		}
	}
	err.Details = details
	return err
}

// Dangling is the CONFLICT a store answers where a relation points at no row.
func Dangling(field *schema.Property) *Error {
	message := fmt.Sprintf("%s names a row that does not exist; send the id of one that does", field.Name)
	if field.Link != nil {
		message = fmt.Sprintf("%s names a %s that does not exist; send the id of one that does", field.Name, field.Link.Target.Name)
	}
	return &Error{Code: Conflict, Message: message, Details: []schema.Detail{
		{Path: field.Name, Pointer: "/body/" + jsontext.Token(field.Name), Code: Reference, Message: message},
	}}
}

// InUse is the CONFLICT a store answers where a row cannot go because others
// point at it; by is the relation whose onDelete restricts it.
func InUse(by *schema.Property) *Error {
	message := fmt.Sprintf("rows of %s still point here by %s; remove or change them first", by.Owner.Name, by.Name)
	return &Error{Code: Conflict, Message: message, Details: []schema.Detail{
		{Path: "id", Pointer: "/params/id", Code: Restrict, Message: message,
			Params: map[string]any{"entity": by.Owner.Key, "field": by.Name}},
	}}
}
