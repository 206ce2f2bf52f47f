package envelope

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/frondhost/frond/facade"
)

// report is err as it may leave this process. What nobody coded is logged here and
// says no more outside.
func (h *Handler) report(ctx context.Context, err error, trace string) *facade.Error {
	e := facade.AsError(err)
	if e.Code != facade.InternalError {
		return e
	}
	if ended := ctx.Err(); ended != nil {
		return facade.AsError(ended) // whatever it is called: time ran out, or the client has gone away
	}
	h.options.Log.LogAttrs(ctx, slog.LevelError, "call failed",
		slog.String("entity", e.Entity), slog.String("operation", e.Operation),
		slog.String("trace", trace), slog.Any("error", err), slog.Any("cause", errors.Unwrap(e)))
	return e
}

// panicked is a panic as a failure: its text and stack go to the log alone.
func (h *Handler) panicked(ctx context.Context, v any) *facade.Error {
	h.options.Log.LogAttrs(ctx, slog.LevelError, "call panicked",
		slog.String("panic", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
	return facade.Internal(fmt.Errorf("panic: %v", v))
}
