package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/frondhost/frond/gateway/gatewaytest"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/telemetry"
)

// frontOf is the front of a service with one handler and no telemetry but its log.
func frontOf(handler http.Handler, log *slog.Logger) *guard.Front {
	h, path := &Host{log: log}, &guard.Path{Handler: handler}
	f := h.around(func(*http.Request) *guard.Path { return path })
	f.Compress = true
	return f
}

func TestFrontAnswersPanics(t *testing.T) {
	var log bytes.Buffer
	h := frontOf(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the key is hunter2") }), slog.New(slog.NewTextHandler(&log, nil)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	var problem struct{ Data struct{ Code string } }
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Data.Code != "INTERNAL_ERROR" {
		t.Errorf("%v %s", err, w.Body)
	}
	if !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "front_test.go") {
		t.Errorf("the log does not tell what happened where: %s", log.String())
	}
}

// Half an answer is cut off, so that nobody takes it for a whole one.
func TestFrontCutsOffHalfAnAnswer(t *testing.T) {
	gatewaytest.CutOff(t, frontOf(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic("and then")
	}), slog.New(slog.DiscardHandler)))
}

// TestGuardsShareOneWriter: between the server's writer and a surface lies one other.
func TestGuardsShareOneWriter(t *testing.T) {
	server := httptest.NewRecorder()
	frontOf(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if below, ok := w.(interface{ Unwrap() http.ResponseWriter }); !ok || below.Unwrap() != http.ResponseWriter(server) {
			t.Errorf("a %T is not around the server's writer", w)
		}
	}), slog.New(slog.DiscardHandler)).ServeHTTP(server, httptest.NewRequest("GET", "/", nil))
}

// TestRequestLinesNameTheirTrace, with spans and without: without, the one the request
// names.
func TestRequestLinesNameTheirTrace(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	provider := sdktrace.NewTracerProvider()
	defer func() { _ = provider.Shutdown(t.Context()) }()
	spans, err := telemetry.New(t.Context(), &telemetry.Options{Provider: provider, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for name, on := range map[string]*telemetry.Telemetry{"on": spans, "off": nil} {
		var text bytes.Buffer
		log := on.Traced(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})))
		h := frontOf(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }), log)
		h.Begin = func(ctx context.Context, r *http.Request) (guard.Report, *http.Request) { return on.Begin(ctx, r, log) }
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if n := strings.Count(text.String(), " trace="+trace); n != 2 || strings.Count(text.String(), "trace=") != 2 {
			t.Errorf("%s: %d of two lines say their trace: %s", name, n, &text)
		}
		text.Reset()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if got, want := strings.Count(text.String(), "trace="), map[string]int{"on": 2, "off": 1}[name]; got != want { // a failure always has one
			t.Errorf("%s: without a header %d lines name a trace, want %d: %s", name, got, want, &text)
		}
	}
}
