package kiterror

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Because is [Errorf] for authors of programs: the text of what %w names is not in the message,
// so that it does not leave the process, and a colon before it goes with it. [Report] logs it.
func Because(code Code, format string, args ...any) *Error {
	var causes []error
	switch wrapped := fmt.Errorf(format, args...).(type) { //nolint:errorlint // what %w made of it
	case interface{ Unwrap() error }:
		causes = []error{wrapped.Unwrap()}
	case interface{ Unwrap() []error }:
		causes = wrapped.Unwrap()
	default:
		return Errorf(code, format, args...)
	}
	shown := make([]any, len(args))
	for i, arg := range args {
		shown[i] = arg
		for _, cause := range causes {
			if err, ok := arg.(error); ok && reflect.DeepEqual(err, cause) {
				shown[i] = silent{err}
			}
		}
	}
	message := strings.TrimRight(fmt.Errorf(format, shown...).Error(), " :")
	if message == "" {
		message = strings.ToLower(strings.ReplaceAll(string(code), "_", " "))
	}
	return &Error{Code: code, Message: message, cause: because{errors.Join(causes...)}}
}

// Logged is a cause that [Report] logs of any code; see [Error.WithCause].
func Logged(cause error) error { return because{cause} }

// silent is an error without a text.
type silent struct{ error }

func (silent) Error() string { return "" }

// because is the cause that an author has given, which the log has.
type because struct{ error }

func (b because) Unwrap() error { return b.error }
