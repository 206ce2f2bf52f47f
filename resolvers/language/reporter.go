package language

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// ErrTimeout is the cause of a context whose execution took longer than it may.
var ErrTimeout = errors.New("the execution took too long")

// Reporter turns Go errors into errors of a response, and logs those whose text must not be
// sent. It may be used from many goroutines.
type Reporter struct {
	Logger  *slog.Logger
	Timeout time.Duration // how long an execution may take, for the message of [ErrTimeout]
	// Newer reports whether newer cards have changed the store; nil: they have not.
	Newer func(context.Context) bool
}

// Failed is the error of a failed call, without locations and path. An error without a code is
// logged, and only its trace id is sent. If ctx ended by [ErrTimeout], that is the error.
func (r *Reporter) Failed(ctx context.Context, trace string, err error) *Error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		return &Error{
			Message: "The operation took longer than " + r.Timeout.String() + "; ask for less at a time.",
			Code:    codeExecution,
			details: map[string]any{"limit": r.Timeout.Milliseconds()},
		}
	}
	e := kiterror.Report(ctx, r.Logger, err, trace)
	f := &Error{
		Message:   e.Message,
		Code:      string(e.Code),
		entity:    e.Entity,
		operation: e.Operation,
	}
	text := e.DetailsJSON()
	if e.Code == kiterror.InternalError && jsontext.KindOf(text) == jsontext.Object {
		f.trace = jsontext.Unquote(jsontext.Get(text, "traceId")) // extensions have a member of its own for it
		var rest schema.Object
		for name, value := range jsontext.Members(text) {
			if name != "traceId" {
				rest = append(rest, schema.Member{Name: name, Value: value})
			}
		}
		if text = nil; rest != nil {
			text = rest.AppendJSON(nil)
		}
	}
	if text != nil {
		f.details = text
	}
	return f
}

// Panicked is the error of a recovered panic: INTERNAL_ERROR to the client, the stack to the
// log.
func (r *Reporter) Panicked(ctx context.Context, trace string, p any) *Error {
	return r.Failed(ctx, trace, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
}

// Broken is the error of a value that does not fit the type of its field. message names the
// field and is sent; it is logged with the trace id. It is SERVICE_UNAVAILABLE where newer cards, which may allow the value, have changed
// the store.
func (r *Reporter) Broken(ctx context.Context, trace, message string) *Error {
	if r.Newer != nil && r.Newer(ctx) {
		return r.Failed(ctx, trace, kiterror.Errorf(kiterror.ServiceUnavailable, "%s Newer cards than those of this service allow it; try again when the service has been replaced.", message))
	}
	f := r.Failed(ctx, trace, kiterror.Internal(errors.New(message)))
	if f.Code == string(kiterror.InternalError) {
		f.Message = message
	}
	return f
}
