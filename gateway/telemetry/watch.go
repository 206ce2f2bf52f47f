package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Watch wraps a whole service. With lines, it logs a line for each request. A panic
// that reaches it is logged with a trace id and answered by fail with status 500; surfaces and
// the façade turn panics into errors of their own before, so this one is a fault of the
// gateway itself. An answer that has begun is cut off instead. work bounds the work of a request,
// see [facade.WithRequest].
//
// fail writes the error in the form of the surface that the request was for. It is called at
// most once, and only while nothing has been written.
func Watch(next http.Handler, log *slog.Logger, lines bool, work time.Duration, fail func(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error)) http.Handler {
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
					panic(p) // how a handler has net/http cut a connection
				}
				// The caller may have gone; the line is written all the same.
				failed := kiterror.Report(context.WithoutCancel(r.Context()), log.With(slog.String("method", r.Method), slog.String("path", r.URL.Path)),
					kiterror.Panicked(p), r.Header.Get("Traceparent"))
				if seen.status != 0 {
					panic(http.ErrAbortHandler) // half an answer must not look whole
				}
				fail(seen, r, http.StatusInternalServerError, failed)
			}
			line.write(log, r, seen, start)
		}()
		next.ServeHTTP(seen, r.WithContext(facade.WithRequest(r.Context(), nil, work)))
	})
}

// traceIn is the trace in a request's headers as an attribute; empty: there is none.
func traceIn(r *http.Request) slog.Attr {
	if id := kiterror.TraceID(r.Header.Get("Traceparent")); id != "" {
		return slog.String(traceKey, id)
	}
	return slog.Attr{}
}

// response counts the bytes of an answer. It is used by one goroutine, as an http.ResponseWriter
// is. status 0: nothing was written.
type response struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader notes the status of the answer; a handler may call it once only.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the body as they are sent: compressed, if they are.
func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets an http.ResponseController reach the writer below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
