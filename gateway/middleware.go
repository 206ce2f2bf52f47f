package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
)

// around is what stands around a whole service, surfaces and all: outermost what
// tells of requests.
func (h *Host) around(next http.Handler) http.Handler {
	return h.telemetry.requests(watch(guard.NewHosts(h.config.Hosts).Guard(next, formOfPath), h.log, !h.config.Log.NoAccess))
}

// watch wraps the whole service: with lines, one for each request, and a panic that reaches this far becomes an answer. Surfaces and the façade turn panics
// into their own errors first; what arrives here is a fault in the house itself.
func watch(next http.Handler, log *slog.Logger, lines bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &response{ResponseWriter: w}
		start := time.Now()
		var line *access
		if lines {
			line, r = logged(r, log)
		}
		defer func() {
			if p := recover(); p != nil {
				if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(p) // net/http's own way to cut a connection
				}
				failed := facade.Report(context.WithoutCancel(r.Context()), log.With(slog.String("method", r.Method), slog.String("path", r.URL.Path)),
					facade.Panicked(p), r.Header.Get("Traceparent"))
				if seen.status != 0 {
					panic(http.ErrAbortHandler) // half an answer is out: better none than a wrong one
				}
				guard.WriteProblem(seen, http.StatusInternalServerError, failed)
			}
			line.write(log, r, seen, start)
		}()
		next.ServeHTTP(seen, r.WithContext(facade.WithRequest(r.Context())))
	})
}

// traceIn is the trace that a request names; where it names none, no attribute.
func traceIn(r *http.Request) slog.Attr {
	if id := facade.TraceID(r.Header.Get("Traceparent")); id != "" {
		return slog.String(traceKey, id)
	}
	return slog.Attr{}
}

// response remembers what was answered.
type response struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets an http.ResponseController reach what lies below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
