package facade

import (
	"context"
	"log/slog"
	"time"
)

type originKey struct{}

// origin is a context that knows the call that its statements are run for.
type origin struct {
	context.Context
	call *Call
}

// enter makes o the origin of a call and returns it as the context of its statements.
func (o *origin) enter(ctx context.Context, c *Call) context.Context {
	o.Context, o.call = ctx, c
	return o
}

// Value is the origin itself for its key.
func (o *origin) Value(key any) any {
	if key == (originKey{}) {
		return o
	}
	return o.Context.Value(key)
}

// LogSlow writes a line about a statement that took longer than log.slow: for which operation and
// GraphQL field it ran, and its shape, which has no values of the caller. It is for stores.
func LogSlow(ctx context.Context, log *slog.Logger, shape string, took time.Duration) {
	attrs := make([]slog.Attr, 0, 4)
	if o, _ := ctx.Value(originKey{}).(*origin); o != nil {
		attrs = append(attrs, slog.String("operation", o.call.Entity+"."+o.call.Operation))
		if o.call.Field != "" {
			attrs = append(attrs, slog.String("field", o.call.Field))
		}
	}
	attrs = append(attrs, slog.Duration("took", took), slog.String("shape", shape))
	log.LogAttrs(ctx, slog.LevelWarn, "slow statement", attrs...)
}
