package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// traceKey is where a log line says which trace it belongs to; facade.Report writes
// it too.
const traceKey = "trace"

// tracedLog adds the trace to every line of a request.
type tracedLog struct {
	slog.Handler
	said bool // the line says it by itself
}

// Traced is a logger whose lines say which trace they belong to. The trace is that of the span
// in the context that a line is logged with. Without spans it is log itself.
func (t *Telemetry) Traced(log *slog.Logger) *slog.Logger {
	if t == nil || t.tracer == nil {
		return log
	}
	return slog.New(&tracedLog{Handler: log.Handler()})
}

// Handle writes a line, with the trace where it does not name one.
func (h *tracedLog) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() && !h.said && !names(&r) {
		// Records share the array of their attributes (slog.Record.Clone).
		r = r.Clone()
		r.AddAttrs(slog.String(traceKey, span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// names reports whether a line has a trace of its own.
func names(r *slog.Record) (named bool) {
	r.Attrs(func(a slog.Attr) bool {
		named = named || a.Key == traceKey
		return !named
	})
	return named
}

// WithAttrs is the handler of a logger that says more on every line.
func (h *tracedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	said := h.said
	for _, a := range attrs {
		said = said || a.Key == traceKey
	}
	return &tracedLog{h.Handler.WithAttrs(attrs), said}
}

// WithGroup is the handler of a logger that says everything under a name; the trace
// is then said there too.
func (h *tracedLog) WithGroup(name string) slog.Handler {
	return &tracedLog{h.Handler.WithGroup(name), h.said}
}
