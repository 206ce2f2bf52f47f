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
		on.Requests(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { say(r.Context(), log) })).
			ServeHTTP(httptest.NewRecorder(), headed())
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

// TestRequestLinesSayTheirTrace, with spans and without: without, the one the request
// names.
func TestRequestLinesSayTheirTrace(t *testing.T) {
	provider := sdktrace.NewTracerProvider()
	defer func() { _ = provider.Shutdown(t.Context()) }()
	for name, on := range map[string]*Telemetry{"on": {tracer: provider.Tracer("test")}, "off": nil} {
		var text bytes.Buffer
		log := on.Traced(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})))
		h := on.Requests(Watch(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }), log, true, 0, problem))
		h.ServeHTTP(httptest.NewRecorder(), headed())
		if n := strings.Count(text.String(), " trace="+headersTrace); n != 2 || strings.Count(text.String(), "trace=") != 2 {
			t.Errorf("%s: %d of two lines say their trace: %s", name, n, &text)
		}
		text.Reset()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if got, want := strings.Count(text.String(), "trace="), map[string]int{"on": 2, "off": 1}[name]; got != want { // a failure always has one
			t.Errorf("%s: without a header %d lines name a trace, want %d: %s", name, got, want, &text)
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
