package kiterror

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The codes of a CONFLICT's details, which a store alone can know.
const (
	Unique    = "unique"    // the value, or the values together, are another row's
	reference = "reference" // the relation points at no row
	Restrict  = "restrict"  // other rows point at this one, and their relation forbids its removal
)

// Taken is the CONFLICT a store answers where a unique constraint is broken;
// fields are the constraint's members, and each of them gets a detail.
func Taken(fields ...*schema.Property) *Error {
	names := make([]string, len(fields))
	for i, p := range fields {
		names[i] = p.Name
	}
	message := "is already taken; send another"
	if len(fields) > 1 {
		message = "are already taken together; change one of them"
	}
	err := &Error{Code: Conflict, Message: strings.Join(names, " and ") + " " + message}
	list := make([]any, len(names)) // as encoding/json would decode it
	for i, n := range names {
		list[i] = n
	}
	details := make([]schema.Detail, len(fields))
	for i, p := range fields {
		details[i] = schema.Detail{Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: Unique, Message: message}
		if len(fields) > 1 {
			details[i].Message = "is already taken together with the others of " + strings.Join(names, ", ") + "; change one of them"
			details[i].Params = map[string]any{"fields": list}
		}
	}
	err.Details = details
	err.cause = &Violation{Kind: Unique, Fields: fields}
	return err
}

// Dangling is the CONFLICT a store answers where a relation points at no row.
func Dangling(field *schema.Property) *Error {
	message := "names a row that does not exist; send the id of one that does"
	if field.Link != nil {
		message = fmt.Sprintf("names a %s that does not exist; send the id of one that does", field.Link.Target.Name)
	}
	return &Error{Code: Conflict, Message: field.Name + " " + message, Details: []schema.Detail{
		{Path: field.Name, Pointer: "/body/" + jsontext.Token(field.Name), Code: reference, Message: message},
	}, cause: &Violation{Kind: reference, Fields: []*schema.Property{field}}}
}

// InUse is the CONFLICT a store answers where a row cannot go because others
// point at it; by is the relation whose onDelete restricts it.
func InUse(by *schema.Property) *Error {
	message := fmt.Sprintf("is still pointed at by rows of %s, in %s; remove or change them first", by.Owner.Name, by.Name)
	return &Error{Code: Conflict, Message: "the row " + message, Details: []schema.Detail{
		{
			Path: "id", Pointer: "/params/id", Code: Restrict, Message: message,
			Params: map[string]any{"entity": by.Owner.Key, "field": by.Name},
		},
	}, cause: &Violation{Kind: Restrict, Fields: []*schema.Property{by}}}
}

// Violation is the constraint that a CONFLICT of a store is about. It is the cause of the
// error, so that a caller without access to one of the fields does not learn of it.
type Violation struct {
	Kind   string // Unique, Reference or Restrict
	Fields []*schema.Property
}

func (v *Violation) Error() string {
	names := make([]string, len(v.Fields))
	for i, p := range v.Fields {
		names[i] = p.Owner.Name + "." + p.Name
	}
	return v.Kind + " " + strings.Join(names, ", ")
}

// TooMuchWork is the UNPROCESSABLE_ENTITY of a call whose request has worked for longer than it
// may; limit is the setting limits.work. Sending the request again would cost the same.
func TooMuchWork(limit time.Duration) *Error {
	return &Error{
		Code:    UnprocessableEntity,
		Message: fmt.Sprintf("the request works for more than %s in all, which is its limit (limits.work); send fewer fields or frames in one request, or leave out totals", limit),
		Details: map[string]any{"limit": "limits.work", "budget": limit.String()},
	}
}

// SumOverflow is the UNPROCESSABLE_ENTITY that a store answers where a sum is beyond the range of
// its numbers.
func SumOverflow() *Error {
	e := Errorf(UnprocessableEntity, "a sum exceeds its field's numbers; narrow the filter, or group by more fields")
	e.Details = map[string]any{"limit": "sum"}
	return e
}

// IsSumOverflow reports whether an error is one of [SumOverflow].
func IsSumOverflow(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Code != UnprocessableEntity {
		return false
	}
	details, _ := e.Details.(map[string]any)
	return details["limit"] == "sum"
}

// TooCostly is the UNPROCESSABLE_ENTITY that a store answers where a statement ran
// longer than it may: limit is the setting limits.statement. total says that the
// statement counted rows as well. Sending the call again would cost the same.
func TooCostly(limit time.Duration, total bool) *Error {
	remedy := "narrow the filter, or sort by a field with an index"
	if total {
		remedy += "; where it is the total that takes long, send count: estimated or count: none"
	}
	return &Error{
		Code:    UnprocessableEntity,
		Message: fmt.Sprintf("the store would work on this for more than %s, which is its limit (limits.statement); %s", limit, remedy),
		Details: map[string]any{"limit": "limits.statement", "budget": limit.String()},
	}
}

// OutOfTime is the SERVICE_UNAVAILABLE that a store answers where rows of given keys were not read or written in the
// time that a statement has: limit is the setting limits.statement.
func OutOfTime(limit time.Duration) *Error {
	e := Errorf(ServiceUnavailable, "the statement exceeded %s (limits.statement); nothing was written, send it again", limit)
	e.Details = map[string]any{"limit": "limits.statement", "budget": limit.String()}
	return e.After(time.Second)
}

// Blocked is the SERVICE_UNAVAILABLE that a store answers where another transaction has locked rows, or a table, for
// too long.
func Blocked() *Error {
	return Errorf(ServiceUnavailable, "another transaction has locked rows for too long; nothing was written, send it again").After(time.Second)
}

// IsOutOfTime reports whether a call ended because it took longer than a limit, so that a part of it may succeed.
func IsOutOfTime(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	details, _ := e.Details.(map[string]any)
	limit, _ := details["limit"].(string)
	return limit == "limits.statement" || limit == "limits.transaction" || limit == "limits.work"
}

// IsTooCostly reports whether an error is one of [TooCostly].
func IsTooCostly(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.Code != UnprocessableEntity {
		return false
	}
	details, _ := e.Details.(map[string]any)
	return details["limit"] == "limits.statement"
}
