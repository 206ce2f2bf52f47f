package kiterror

import (
	"github.com/frondhost/frond/schema/jsontext"
)

// AppendJSON appends the KitError as every surface writes it: members in the
// order of the fields, empty ones left out, HTML characters as they are. Details
// that are no JSON (a channel, a NaN) are left out rather than losing the error.
func (e *Error) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = jsontext.AppendString(dst, string(e.Code))
	dst = append(dst, `,"message":`...)
	dst = jsontext.AppendString(dst, e.Message)
	if e.Entity != "" {
		dst = append(dst, `,"entity":`...)
		dst = jsontext.AppendString(dst, e.Entity)
	}
	if e.Operation != "" {
		dst = append(dst, `,"operation":`...)
		dst = jsontext.AppendString(dst, e.Operation)
	}
	if e.Details != nil {
		if text, err := jsontext.Marshal(e.Details); err == nil {
			dst = append(dst, `,"details":`...)
			dst = append(dst, text...)
		}
	}
	return append(dst, '}')
}
