package facade

import "github.com/frondhost/frond/facade/kiterror"

// The names of [kiterror] that users of this package meet.
type (
	Error = kiterror.Error
	Code  = kiterror.Code
)

// The codes; see [kiterror.Code].
const (
	ValidationFailed    = kiterror.ValidationFailed
	BadRequest          = kiterror.BadRequest
	Unauthorized        = kiterror.Unauthorized
	Forbidden           = kiterror.Forbidden
	NotFound            = kiterror.NotFound
	MethodNotAllowed    = kiterror.MethodNotAllowed
	RequestTimeout      = kiterror.RequestTimeout
	Conflict            = kiterror.Conflict
	Gone                = kiterror.Gone
	PreconditionFailed  = kiterror.PreconditionFailed
	PayloadTooLarge     = kiterror.PayloadTooLarge
	UnprocessableEntity = kiterror.UnprocessableEntity
	Locked              = kiterror.Locked
	TooManyRequests     = kiterror.TooManyRequests
	InternalError       = kiterror.InternalError
	NotImplemented      = kiterror.NotImplemented
	BadGateway          = kiterror.BadGateway
	ServiceUnavailable  = kiterror.ServiceUnavailable
	GatewayTimeout      = kiterror.GatewayTimeout
	Unique              = kiterror.Unique
	Reference           = kiterror.Reference
	Restrict            = kiterror.Restrict
)

// The functions of [kiterror].
var (
	Errorf        = kiterror.Errorf
	Invalid       = kiterror.Invalid
	Internal      = kiterror.Internal
	AsError       = kiterror.AsError
	CodeOf        = kiterror.CodeOf
	ReviveDetails = kiterror.ReviveDetails
	Report        = kiterror.Report
	Panicked      = kiterror.Panicked
	TraceID       = kiterror.TraceID
	Taken         = kiterror.Taken
	Dangling      = kiterror.Dangling
	InUse         = kiterror.InUse
	TooCostly     = kiterror.TooCostly
)
