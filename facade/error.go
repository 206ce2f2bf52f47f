package facade

import (
	"errors"
	"fmt"

	"github.com/frondhost/frond/schema"
)

// Error is a failure of a call, on the wire the KitError (spec 7): the same
// fields, whichever surface it leaves by.
type Error struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Entity    string `json:"entity,omitempty"`
	Operation string `json:"operation,omitempty"`
	Details   any    `json:"details,omitempty"` // plain JSON values; a validation's are []schema.Detail

	cause error // logged here, never sent
}

// Code is the semantic code of an Error (DESIGN 5).
type Code string

// The code table. HTTP statuses stand in [Code.Status].
const (
	ValidationFailed    Code = "VALIDATION_FAILED"
	BadRequest          Code = "BAD_REQUEST"
	Unauthorized        Code = "UNAUTHORIZED"
	Forbidden           Code = "FORBIDDEN"
	NotFound            Code = "NOT_FOUND"
	MethodNotAllowed    Code = "METHOD_NOT_ALLOWED"
	RequestTimeout      Code = "REQUEST_TIMEOUT"
	Conflict            Code = "CONFLICT"
	Gone                Code = "GONE"
	PreconditionFailed  Code = "PRECONDITION_FAILED"
	PayloadTooLarge     Code = "PAYLOAD_TOO_LARGE"
	UnprocessableEntity Code = "UNPROCESSABLE_ENTITY"
	Locked              Code = "LOCKED"
	TooManyRequests     Code = "TOO_MANY_REQUESTS"
	InternalError       Code = "INTERNAL_ERROR"
	NotImplemented      Code = "NOT_IMPLEMENTED"
	BadGateway          Code = "BAD_GATEWAY"
	ServiceUnavailable  Code = "SERVICE_UNAVAILABLE"
	GatewayTimeout      Code = "GATEWAY_TIMEOUT"
)

// Errorf is an Error with a code and a message made by fmt; %w keeps a cause,
// which is logged and never sent.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Invalid is VALIDATION_FAILED with its details.
func Invalid(message string, details ...schema.Detail) *Error {
	return &Error{Code: ValidationFailed, Message: message, Details: details}
}

// Internal wraps a failure nobody coded: its text stays in the process.
func Internal(cause error) *Error {
	return &Error{Code: InternalError, Message: "something went wrong on our side", cause: cause}
}

func (e *Error) Error() string {
	where := e.Entity
	if e.Operation != "" {
		where += "." + e.Operation
	}
	if where != "" {
		where += ": "
	}
	return where + string(e.Code) + ": " + e.Message
}

// Unwrap is the cause, for errors.Is and errors.As in this process.
func (e *Error) Unwrap() error { return e.cause }

// At is e with entity and operation filled in where it names none.
func (e *Error) At(entity, operation string) *Error {
	if e.Entity != "" || entity == "" {
		return e
	}
	c := *e
	c.Entity, c.Operation = entity, operation
	return &c
}

// AsError is err as an *Error: itself, or INTERNAL_ERROR around what nobody coded.
// A nil error is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Internal(err)
}

// CodeOf is the code of err, or "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}
