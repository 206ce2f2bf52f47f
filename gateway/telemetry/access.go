package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// access has the members of a request's log line besides the HTTP fields. Surfaces find it in
// the context and fill it in; the frames of a batch do so concurrently. A nil access notes and
// writes nothing: the line is off, or below the level.
type access struct {
	mu         sync.Mutex
	operations []string // the first few
	more       int      // how many others
	caller     string   // state.user.id; "": anonymous
}

// accessKey is the key of the *access in the context of a request.
type accessKey struct{}

// accessOf is the line of a request; nil: none will be written.
func accessOf(ctx context.Context) *access {
	a, _ := ctx.Value(accessKey{}).(*access)
	return a
}

// mostNamed is how many operations of one request a line names.
const mostNamed = 5

// did notes an operation of a request.
func (a *access) did(operation string) {
	if a == nil || operation == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.operations) == mostNamed {
		a.more++
		return
	}
	a.operations = append(a.operations, cut(operation))
}

// by notes the caller. The last one noted counts; all frames of a batch have one caller.
func (a *access) by(id string) {
	if a != nil && id != "" {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.caller = cut(id)
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

// logged begins the line of a request. Where none will be written it is nil, and the
// request is r itself.
func logged(r *http.Request, log *slog.Logger) (*access, *http.Request) {
	if !log.Enabled(r.Context(), levelOf(r)) {
		return nil, r
	}
	a := &access{}
	return a, r.WithContext(context.WithValue(r.Context(), accessKey{}, a))
}

// write writes the line.
//
//	level=INFO msg=request method=POST path=/graphql operation=Orders status=200 took=1.2ms
//	bytes=512 caller=ada from=127.0.0.1:5231 trace=4bf92f35…
//
// The query of the address is left out: it may hold values of the caller's.
func (a *access) write(log *slog.Logger, r *http.Request, seen *response, began time.Time) {
	if a == nil {
		return
	}
	// A handler that timed out may still note operations.
	a.mu.Lock()
	defer a.mu.Unlock()
	attrs := make([]slog.Attr, 0, 9)
	attrs = append(attrs, slog.String("method", cut(r.Method)), slog.String("path", cut(r.URL.Path)))
	if len(a.operations) > 0 {
		names := strings.Join(a.operations, ", ")
		if a.more > 0 {
			names += fmt.Sprintf(" and %d more", a.more)
		}
		attrs = append(attrs, slog.String("operation", names))
	}
	status := seen.status
	if status == 0 {
		status = http.StatusOK // net/http's own, where the handler set none
	}
	attrs = append(attrs, slog.Int("status", status), slog.Duration("took", time.Since(began)), slog.Int64("bytes", seen.bytes))
	if a.caller != "" {
		attrs = append(attrs, slog.String("caller", a.caller))
	}
	attrs = append(attrs, slog.String("from", r.RemoteAddr), traceIn(r))
	log.LogAttrs(r.Context(), levelOf(r), "request", attrs...)
}

// Called notes, for the access line of the request that ctx belongs to, an operation that it
// calls and the id of its caller; "" is not noted. It does nothing where the access log is
// off, and may be called from many goroutines.
func Called(ctx context.Context, operation, caller string) {
	a := accessOf(ctx)
	a.did(operation)
	a.by(caller)
}
