package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/frondhost/frond/gateway/setting"
)

// Log has the settings of the log on stderr.
type Log struct {
	Level    slog.Level // info by default
	Format   string     // text or json; "" or auto: text on a terminal, else json
	NoAccess bool       // no line for each request
	// Slow is the shortest time of a statement of the store that has a line; 0 means 200 ms,
	// less than 0 turns the lines off.
	Slow time.Duration
}

// Settings are the rows of log. Each row reads its text into the field of c that it is bound
// to.
func (c *Log) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("log.level", "info", "debug, info, warn or error", readLevel, &c.Level).As(setting.Enum("debug", "info", "warn", "error")),
		setting.Choice("log.format", "auto", "text, json or auto: text on a terminal, else json", &c.Format, "auto", "text", "json"),
		setting.New("log.access", "true", "log one line per request", setting.Not, &c.NoAccess),
		setting.New("log.slow", "200ms", "log statements of the store that take longer, with operation, field and shape, or off", readSlow, &c.Slow).As(setting.OffOrDuration),
	}
}

// readSlow reads the setting log.slow; off is -1.
func readSlow(text string) (time.Duration, error) {
	if text == "off" || text == "0" {
		return -1, nil
	}
	d, err := setting.Duration(text)
	if err != nil || d < time.Millisecond {
		return 0, errors.New("write a duration of at least 1ms, such as 200ms, or off")
	}
	return d, nil
}

// levels are the values of the setting log.level.
var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// readLevel reads the setting log.level. Other spellings that slog has, such as INFO+2, are
// errors.
func readLevel(text string) (slog.Level, error) {
	level, ok := levels[text]
	if !ok {
		return 0, errors.New("write debug, info, warn or error")
	}
	return level, nil
}

// NewLogger writes the gateway's log to w: text on a terminal, a JSON object a line
// otherwise, unless the format is given. Only os.Stderr and other files can be terminals; a
// buffer of a test gets JSON.
func NewLogger(w io.Writer, c Log) *slog.Logger {
	opts := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "text" || c.Format != "json" && IsTerminal(w) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

// IsTerminal reports whether somebody reads w on a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// traceKey is where a log line says which trace it belongs to; facade.Report writes
// it too.
const traceKey = "trace"

// tracedLog adds the trace to every line of a request.
type tracedLog struct {
	slog.Handler
	said bool // the line says it by itself
}

// Traced is a logger whose lines say which trace they belong to: the trace of the span in the
// context of the line. Without spans it is log itself.
func (t *Telemetry) Traced(log *slog.Logger) *slog.Logger {
	if t == nil || t.tracer == nil {
		return log
	}
	return slog.New(&tracedLog{Handler: log.Handler()})
}

// Handle writes a line, and adds the trace to a line without one.
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
