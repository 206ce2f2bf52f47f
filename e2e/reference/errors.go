package reference

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/frondhost/frond/facade/kiterror"
)

// fieldError is the error that every resolver of this package returns: its message is public,
// and its extensions are the members of the façade's error. graphql-go copies extensions only
// from an error whose own type has them, so a fieldError must not be wrapped.
type fieldError struct{ err *kiterror.Error }

// Error returns the message. That of an INTERNAL_ERROR hides its cause.
func (e *fieldError) Error() string { return e.err.Message }

// Extensions returns code, entity, operation and details, for extensions in the response
// (specification 7.1.2).
func (e *fieldError) Extensions() map[string]any {
	// The names are those that package language writes, so that both executors give equal
	// responses.
	x := map[string]any{"code": string(e.err.Code)}
	// Members that do not apply are left out and not empty.
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

// Unwrap returns the *facade.Error, which is never nil.
func (e *fieldError) Unwrap() error { return e.err }

// asFieldError returns err as a *fieldError; nil stays nil. An error without a code becomes
// INTERNAL_ERROR, without its text.
func asFieldError(err error) error {
	var already *fieldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already):
		return already
	}
	return &fieldError{kiterror.AsError(err)}
}

// recovered turns a panic into an error, by defer: graphql-go would send its text to the
// client.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = panicError(p)
	}
}

// panicError returns a recovered value as an error. The panics of thunks are FieldErrors
// already and stay unchanged.
func panicError(p any) error {
	if err, ok := p.(error); ok {
		var e *fieldError
		if errors.As(err, &e) {
			return e
		}
	}
	return asFieldError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}

// thunk wraps a function that graphql-go runs when the level is resolved. graphql-go
// drops the extensions of an error that a thunk returns, and keeps those of an error that
// it panics with. So the thunk panics with its errors.
func thunk(later func() (any, error)) func() (any, error) {
	return func() (any, error) {
		value, err := func() (value any, err error) {
			defer recovered(&err)
			return later()
		}()
		if err != nil {
			panic(asFieldError(err))
		}
		return value, nil
	}
}
