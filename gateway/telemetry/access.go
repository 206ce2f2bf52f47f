package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// mostNamed is how many operations of one request a line names.
const mostNamed = 5

// did notes an operation of a request.
func (q *request) did(operation string) {
	if q == nil || q.log == nil || operation == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.operations) == mostNamed {
		q.more++
		return
	}
	q.operations = append(q.operations, cut(operation))
}

// by notes the caller. The last one noted counts; all frames of a batch have one caller.
func (q *request) by(id string) {
	if q != nil && q.log != nil && id != "" {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.caller = cut(id)
	}
}

// cut bounds a text of the caller's that goes into the log. A rune that is cut in two is
// dropped.
func cut(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// levelOf is the level of a request's line: debug for probes and scrapes, which come by the
// clock. A gateway at info has no line for them.
func levelOf(r *http.Request) slog.Level {
	switch r.URL.Path {
	case "/livez", "/readyz", "/metrics":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// write writes the line.
//
//	level=INFO msg=request method=POST path=/graphql operation=Orders status=200 took=1.2ms
//	bytes=512 caller=ada from=127.0.0.1:5231 trace=4bf92f35…
//
// The query of the address is left out: it may hold values of the caller's.
func (q *request) write(r *http.Request, status int, bytes int64, took time.Duration) {
	if q.log == nil {
		return
	}
	// A handler that timed out may still note operations.
	q.mu.Lock()
	defer q.mu.Unlock()
	attrs := make([]slog.Attr, 0, 9)
	attrs = append(attrs, slog.String("method", cut(r.Method)), slog.String("path", cut(r.URL.Path)))
	if len(q.operations) > 0 {
		names := strings.Join(q.operations, ", ")
		if q.more > 0 {
			names += fmt.Sprintf(" and %d more", q.more)
		}
		attrs = append(attrs, slog.String("operation", names))
	}
	attrs = append(attrs, slog.Int("status", status), slog.Duration("took", took), slog.Int64("bytes", bytes))
	if q.caller != "" {
		attrs = append(attrs, slog.String("caller", q.caller))
	}
	attrs = append(attrs, slog.String("from", r.RemoteAddr), traceIn(r))
	q.log.LogAttrs(r.Context(), levelOf(r), "request", attrs...)
}

// Called notes, for the access line of the request that ctx belongs to, an operation that it
// calls and the id of its caller; "" is not noted. It does nothing where the access log is
// off, and may be called from many goroutines.
func Called(ctx context.Context, operation, caller string) {
	q := requestOf(ctx)
	q.did(operation)
	q.by(caller)
}

// traceIn is the trace in a request's headers as an attribute; empty: there is none.
func traceIn(r *http.Request) slog.Attr {
	if id := kiterror.TraceID(r.Header.Get("Traceparent")); id != "" {
		return slog.String(traceKey, id)
	}
	return slog.Attr{}
}
