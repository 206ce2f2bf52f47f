package kiterror

// Code is the semantic code of an Error (docs/calls.md). The spec shows two of them
// (7.4); the rest, and every status, is docs/decisions/errors.md.
type Code string

// The code table.
const (
	// ValidationFailed: params, query or body do not fit their cards; the details are []schema.Detail.
	ValidationFailed Code = "VALIDATION_FAILED"
	// BadRequest: the request cannot be read as a call at all.
	BadRequest Code = "BAD_REQUEST"
	// Unauthorized: the caller is anonymous, and the operation needs a known one.
	Unauthorized Code = "UNAUTHORIZED"
	// Forbidden: the caller is known and may not do this.
	Forbidden Code = "FORBIDDEN"
	// NotFound: no such door, operation or row, or the caller may not see it.
	NotFound Code = "NOT_FOUND"
	// MethodNotAllowed: the path is served, under another verb (spec 4.2.3).
	MethodNotAllowed Code = "METHOD_NOT_ALLOWED"
	// RequestTimeout: the caller left before there was an answer.
	RequestTimeout Code = "REQUEST_TIMEOUT"
	// Conflict: a precondition of the domain fails: a value is taken, a row is in use (spec 7.4).
	Conflict Code = "CONFLICT"
	// Gone: it was there once, and will not be again.
	Gone Code = "GONE"
	// PreconditionFailed: the row is not in the state the caller named (If-Match).
	PreconditionFailed Code = "PRECONDITION_FAILED"
	// PayloadTooLarge: the body is over the cap (spec 8).
	PayloadTooLarge Code = "PAYLOAD_TOO_LARGE"
	// UnprocessableEntity: well formed and fitting its card, and still refused by a handler, or for the work it would be (limits.statement).
	UnprocessableEntity Code = "UNPROCESSABLE_ENTITY"
	// Locked: someone else holds the row.
	Locked Code = "LOCKED"
	// TooManyRequests: the caller has to slow down.
	TooManyRequests Code = "TOO_MANY_REQUESTS"
	// InternalError: a failure without a code of its own. Its text never leaves the process.
	InternalError Code = "INTERNAL_ERROR"
	// NotImplemented: the operation is declared, and has no implementation.
	NotImplemented Code = "NOT_IMPLEMENTED"
	// BadGateway: a remote answered something that is no answer.
	BadGateway Code = "BAD_GATEWAY"
	// ServiceUnavailable: a remote or the store cannot be reached (spec 7.4).
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE"
	// GatewayTimeout: the time set for the call ran out.
	GatewayTimeout Code = "GATEWAY_TIMEOUT"
)

// statuses is the HTTP column of the code table. The numbers are of RFC 9110; this package does
// not use the network.
var statuses = map[Code]int{
	ValidationFailed:    400,
	BadRequest:          400,
	Unauthorized:        401,
	Forbidden:           403,
	NotFound:            404,
	MethodNotAllowed:    405,
	RequestTimeout:      408,
	Conflict:            409,
	Gone:                410,
	PreconditionFailed:  412,
	PayloadTooLarge:     413,
	UnprocessableEntity: 422,
	Locked:              423,
	TooManyRequests:     429,
	InternalError:       500,
	NotImplemented:      501,
	BadGateway:          502,
	ServiceUnavailable:  503, // spec 7.4
	GatewayTimeout:      504,
}

// Status is the HTTP status of the code; 500 for an unknown one.
func (c Code) Status() int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return statuses[InternalError]
}

// Known says whether the code is in the table.
func (c Code) Known() bool { _, ok := statuses[c]; return ok }
