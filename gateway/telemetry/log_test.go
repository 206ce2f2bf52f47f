package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const headersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// TestLinesSayTheirTrace: every line of a request says its trace, once; others none.
func TestLinesSayTheirTrace(t *testing.T) {
	provider := sdktrace.NewTracerProvider()
	defer func() { _ = provider.Shutdown(t.Context()) }()
	on := &Telemetry{tracer: provider.Tracer("test")}
	logged := func(say func(ctx context.Context, log *slog.Logger)) string {
		var text bytes.Buffer
		log := on.Traced(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: timeless})))
		_, r := on.Begin(t.Context(), headed(), nil)
		say(r.Context(), log)
		return strings.TrimSpace(text.String())
	}
	for want, say := range map[string]func(context.Context, *slog.Logger){
		`msg=m a=1 trace=` + headersTrace: func(ctx context.Context, log *slog.Logger) { log.InfoContext(ctx, "m", "a", 1) },
		`msg=n trace=another`:             func(ctx context.Context, log *slog.Logger) { log.InfoContext(ctx, "n", "trace", "another") },
		`msg=o trace=its`:                 func(ctx context.Context, log *slog.Logger) { log.With("trace", "its").InfoContext(ctx, "o") },
		`msg=p b=2 trace=` + headersTrace: func(ctx context.Context, log *slog.Logger) { log.With("b", 2).InfoContext(ctx, "p") },
		`msg=q g.trace=` + headersTrace:   func(ctx context.Context, log *slog.Logger) { log.WithGroup("g").InfoContext(ctx, "q") },
		`msg=r`:                           func(_ context.Context, log *slog.Logger) { log.Info("r") },
	} {
		if got := logged(say); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func headed() *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Traceparent", "00-"+headersTrace+"-00f067aa0ba902b7-01")
	return r
}

func timeless(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}
