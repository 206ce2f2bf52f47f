package reference

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/frondhost/frond/facade"
)

// FieldError is how a failure leaves a graphql-go resolver: its message is what a
// caller may read, its extensions are the KitError's members. graphql-go copies
// extensions only from an error of this very type, so nothing may be wrapped around it.
type FieldError struct{ err *facade.Error }

// Error is the message; an INTERNAL_ERROR says no more than that it is one.
func (e *FieldError) Error() string { return e.err.Message }

// Extensions are the errors' extensions in the response.
func (e *FieldError) Extensions() map[string]any {
	x := map[string]any{"code": string(e.err.Code)}
	if e.err.Entity != "" {
		x["entity"] = e.err.Entity
	}
	if e.err.Operation != "" {
		x["operation"] = e.err.Operation
	}
	if e.err.Details != nil {
		x["details"] = e.err.Details
	}
	return x
}

// Unwrap is the *facade.Error.
func (e *FieldError) Unwrap() error { return e.err }

// fieldError is err as a *FieldError; nil stays nil.
func fieldError(err error) error {
	var already *FieldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already):
		return already
	}
	return &FieldError{facade.AsError(err)}
}

// rescue turns a panic into an error, so that graphql-go does not send its text.
func twinRescue(err *error) {
	if p := recover(); p != nil {
		*err = twinPanic(p)
	}
}

func twinPanic(p any) error {
	if err, ok := p.(error); ok {
		var e *FieldError
		if errors.As(err, &e) {
			return e
		}
	}
	return fieldError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}

// thunk is later as graphql-go runs it after the level. graphql-go drops the
// extensions of an error that a thunk returns, and keeps those of one it panics
// with, so that is how errors leave.
func twinThunk(later func() (any, error)) func() (any, error) {
	return func() (any, error) {
		value, err := func() (value any, err error) {
			defer twinRescue(&err)
			return later()
		}()
		if err != nil {
			panic(fieldError(err))
		}
		return twinValue(value), nil
	}
}
