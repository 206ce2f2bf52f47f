package frond

import "github.com/frondhost/frond/facade/kiterror"

// Error is the failure of a call: a code, a message for the caller, and details. On the
// wire it is the KitError.
type Error = kiterror.Error

// Code is the kind of an [Error]; each surface has its own form of it, such as REST's
// status.
type Code = kiterror.Code

// The codes that programs answer most; package kiterror has all of them. REST answers each
// with the HTTP status of the same name, such as 409 for Conflict.
const (
	ValidationFailed    = kiterror.ValidationFailed
	BadRequest          = kiterror.BadRequest
	Unauthorized        = kiterror.Unauthorized
	Forbidden           = kiterror.Forbidden
	NotFound            = kiterror.NotFound
	Conflict            = kiterror.Conflict
	Gone                = kiterror.Gone
	PreconditionFailed  = kiterror.PreconditionFailed
	UnprocessableEntity = kiterror.UnprocessableEntity
	Locked              = kiterror.Locked
	TooManyRequests     = kiterror.TooManyRequests
	InternalError       = kiterror.InternalError
	NotImplemented      = kiterror.NotImplemented
	BadGateway          = kiterror.BadGateway
	ServiceUnavailable  = kiterror.ServiceUnavailable
	GatewayTimeout      = kiterror.GatewayTimeout
)

// Errorf is an error with a code and a message for the caller, made by fmt. %w keeps a cause
// for errors.Is and errors.As. The cause is logged and never sent: its text is not in the
// message, and a colon before it goes with it. Any other error that a function of the program
// returns is [InternalError]: its text is logged and does not leave.
func Errorf(code Code, format string, args ...any) *Error {
	return kiterror.Because(code, format, args...)
}

// CodeOf is the code of err: "" for nil, [InternalError] for an error without one.
func CodeOf(err error) Code { return kiterror.CodeOf(err) }
