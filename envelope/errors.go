package envelope

import (
	"context"

	"github.com/frondhost/frond/facade"
)

// report is err as it may leave this process.
func (h *Handler) report(ctx context.Context, err error, trace string) *facade.Error {
	return facade.Report(ctx, h.options.Log, err, trace)
}

// panicked is a panic that no façade caught as a failure like any other.
func (h *Handler) panicked(ctx context.Context, v any, trace string) *facade.Error {
	return h.report(ctx, facade.Panicked(v), trace)
}
