package envelope

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/frondhost/frond/facade"
)

// report is err as it may leave this process.
func (h *Handler) report(ctx context.Context, err error, trace string) *facade.Error {
	return facade.Report(ctx, h.options.Log, err, trace)
}

// panicked is a panic that no façade caught as a failure like any other: its text
// and stack are the cause, for the log.
func (h *Handler) panicked(ctx context.Context, v any, trace string) *facade.Error {
	return h.report(ctx, facade.Internal(fmt.Errorf("panic: %v\n%s", v, debug.Stack())), trace)
}
