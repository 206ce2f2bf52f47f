package kiterror

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
)

// AtCall returns the error in the form of one call of a transaction (docs/atomic.md): it carries the call's index,
// and the pointers of its details begin with it. The error is its cause.
func (e *Error) AtCall(i int) *Error {
	own := *e
	own.Call = &i
	switch details := e.Details.(type) {
	case []schema.Detail:
		details = slices.Clone(details)
		for j := range details {
			details[j].Pointer = callPointer(i) + details[j].Pointer
		}
		own.Details = details
	case map[string]any:
		with := maps.Clone(details)
		with["call"] = float64(i)
		own.Details = with
	case nil:
		own.Details = map[string]any{"call": float64(i)}
	}
	return own.WithCause(e)
}

// WithoutCall returns the error as it was before [Error.AtCall], and the index of the call; -1: it is of no call.
func (e *Error) WithoutCall() (*Error, int) {
	if e.Call == nil {
		return e, -1
	}
	own, i := *e, *e.Call
	own.Call = nil
	switch details := e.Details.(type) {
	case []schema.Detail:
		details = slices.Clone(details)
		for j := range details {
			details[j].Pointer = strings.TrimPrefix(details[j].Pointer, callPointer(i))
		}
		own.Details = details
	case map[string]any:
		if len(details) == 1 {
			own.Details = nil
			break
		}
		without := maps.Clone(details)
		delete(without, "call")
		own.Details = without
	}
	return own.WithCause(e), i
}

func callPointer(i int) string { return "/calls/" + strconv.Itoa(i) }
