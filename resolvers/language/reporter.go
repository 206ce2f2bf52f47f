package language

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
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
		details:   e.Details,
	}
	if d, ok := f.details.(map[string]any); ok && e.Code == kiterror.InternalError {
		f.trace, _ = d["traceId"].(string) // extensions have a member of its own for it
		if f.details = nil; len(d) > 1 {
			rest := maps.Clone(d)
			delete(rest, "traceId")
			f.details = rest
		}
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
