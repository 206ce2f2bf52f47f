package kiterror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Error is a failure of a call, on the wire the KitError (spec 7): the same
// fields, whichever surface it leaves by.
type Error struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Entity    string `json:"entity,omitempty"`
	Operation string `json:"operation,omitempty"`
	Call      *int   `json:"call,omitempty"`    // the index of the call that failed, of an atomic batch
	Details   any    `json:"details,omitempty"` // plain JSON values, or []schema.Detail where something in the call is refused

	cause error           // logged here, never sent
	after time.Duration   // see After
	sent  json.RawMessage // Details off the wire as their text, with all digits in the order of the members
}

// Errorf is an Error with a code and a message made by fmt. %w keeps a cause for errors.Is and
// errors.As; its text is a part of the message, as fmt has it, and is sent: see [Because].
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Invalid is VALIDATION_FAILED with its details.
func Invalid(message string, details ...schema.Detail) *Error {
	return &Error{Code: ValidationFailed, Message: message, Details: details}
}

// ours is all that a caller learns about a failure without a code.
const ours = "something went wrong on our side"

// Internal wraps a failure without a code: its text stays in the process.
func Internal(cause error) *Error {
	return &Error{Code: InternalError, Message: ours, cause: cause}
}

func (e *Error) Error() string {
	where := e.Entity
	if e.Operation != "" {
		where += "." + e.Operation
	}
	if where != "" {
		where += ": "
	}
	text := where + string(e.Code) + ": " + e.Message
	if e.Code == InternalError && e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// UnmarshalJSON revives a KitError off the wire with its original form (spec 7.3): a list of
// schema.Detail in the details is one again. An unknown code becomes INTERNAL_ERROR with the
// details {originalCode, details}.
func (e *Error) UnmarshalJSON(data []byte) error {
	var wire struct {
		Code      Code
		Message   string
		Entity    string
		Operation string
		Call      *int
		Details   json.RawMessage
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*e = Error{Code: wire.Code, Message: wire.Message, Entity: wire.Entity, Operation: wire.Operation, Call: wire.Call}
	if e.Code.Known() {
		e.ReviveDetails(wire.Details)
	} else {
		e.Foreign(jsontext.Quote(string(wire.Code)), wire.Details)
	}
	return nil
}

// Foreign makes e an INTERNAL_ERROR with the code, as JSON, and the details that another host gave a failure.
func (e *Error) Foreign(code, details json.RawMessage) {
	e.Code = InternalError
	if len(details) == 0 {
		details = json.RawMessage("null")
	}
	e.ReviveDetails(schema.Object{{Name: "details", Value: details}, {Name: "originalCode", Value: code}}.AppendJSON(nil))
}

// ReviveDetails sets the details of an error off the wire. [Error.AppendJSON] writes their text as long as Details
// has the same content.
func (e *Error) ReviveDetails(text json.RawMessage) {
	e.Details, e.sent = revive(e.Code, text), bytes.Clone(text)
}

// revive returns details off the wire in their original form: a list of schema.Detail if they are one, else plain
// JSON values. A number that no double holds is lost, and leaves the rest.
func revive(code Code, text json.RawMessage) any {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var details []schema.Detail
	if dec.Decode(&details) == nil && len(details) > 0 && !slices.ContainsFunc(details, func(d schema.Detail) bool { return d.Code == "" || d.Message == "" }) {
		return details
	}
	var plain any
	_ = json.Unmarshal(text, &plain)
	if m, _ := plain.(map[string]any); code == PreconditionFailed && m["row"] != nil {
		m["row"] = jsontext.Get(text, "row") // with all digits
	}
	return plain
}

// DetailsJSON returns Details as JSON, or nil without details in JSON.
func (e *Error) DetailsJSON() json.RawMessage {
	if e.Details == nil {
		return nil
	}
	if e.sent != nil && reflect.DeepEqual(e.Details, revive(e.Code, e.sent)) {
		return e.sent
	}
	text, err := jsontext.Marshal(e.Details)
	if err != nil {
		return nil
	}
	return text
}

// WithCause returns a copy of e with the cause: it is logged and never sent.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Unwrap is the cause, for errors.Is and errors.As in this process.
func (e *Error) Unwrap() error { return e.cause }

// Challenge is the WWW-Authenticate header of a 401 (RFC 9110, section 11.6.1): how to
// authenticate. It is Bearer, unless a cause of e knows better and says so with a method of
// this name. It is "" for any other code.
func (e *Error) Challenge() string {
	if e == nil || e.Code != Unauthorized {
		return ""
	}
	var cause interface{ Challenge() string }
	if e.cause != nil && errors.As(e.cause, &cause) {
		return cause.Challenge()
	}
	return "Bearer"
}

// After is e with the time after which the same call may succeed.
func (e *Error) After(wait time.Duration) *Error {
	c := *e
	c.after = wait
	return &c
}

// RetryAfter is the value of the header Retry-After (RFC 9110, section 10.2.3): whole
// seconds, rounded up, where [Error.After] said how long to wait; else "".
func (e *Error) RetryAfter() string {
	if e == nil || e.after <= 0 {
		return ""
	}
	return strconv.FormatInt(int64((e.after+time.Second-1)/time.Second), 10)
}

// At is e with entity and operation filled in if it lacks them.
func (e *Error) At(entity, operation string) *Error {
	if e.Entity != "" || entity == "" {
		return e
	}
	c := *e
	c.Entity, c.Operation = entity, operation
	return &c
}

// AsError is err as an *Error: itself; for a context that ended GATEWAY_TIMEOUT (its deadline
// passed) or REQUEST_TIMEOUT (the caller left); or INTERNAL_ERROR around an error without a
// code. A nil error is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: GatewayTimeout, Message: "the time set for the call ran out", cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: RequestTimeout, Message: "the caller left before there was an answer", cause: err}
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
	if e.Call != nil {
		dst = strconv.AppendInt(append(dst, `,"call":`...), int64(*e.Call), 10)
	}
	if text := e.DetailsJSON(); text != nil {
		dst = append(append(dst, `,"details":`...), text...)
	}
	return append(dst, '}')
}

// Refused is the VALIDATION_FAILED of a call with these refusals: at least one, and of
// more than schema.MaxDetails the first.
func Refused(details []schema.Detail) *Error {
	if len(details) == 1 {
		return Invalid(Sentence(details[0]), details...)
	}
	n := min(len(details), schema.MaxDetails)
	return Invalid(fmt.Sprintf("%d things are refused, each with a detail; the first: %s", n, Sentence(details[0])), details[:n]...)
}

// Sentence is a detail as a sentence: its message completes the sentence that its path begins.
func Sentence(d schema.Detail) string {
	if d.Path == "." {
		return strings.TrimPrefix(d.Pointer, "/") + " " + d.Message
	}
	return d.Path + " " + d.Message
}

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
