package gateway

import (
	"net/http"
	"time"
)

// paceChunk is the part of an answer that a client has limits.write to take.
const paceChunk = 64 << 10

// pace cuts off clients that do not read: an answer goes out in parts, and each part
// has a time of its own. Without that a server can only set one time for an answer as
// a whole, which is too long for who reads nothing and too short for who reads slowly.
func pace(next http.Handler, limit time.Duration) http.Handler {
	if limit <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&paced{w, limit}, r)
	})
}

type paced struct {
	http.ResponseWriter
	limit time.Duration
}

func (w *paced) Write(b []byte) (n int, err error) {
	for first := true; first || len(b) > 0; first = false {
		part := b[:min(len(b), paceChunk)]
		// A writer without deadlines belongs to a server that is not ours.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.limit))
		m, err := w.ResponseWriter.Write(part)
		n += m
		if err != nil {
			return n, err
		}
		b = b[len(part):]
	}
	return n, nil
}

// Unwrap lets an http.ResponseController reach what lies below.
func (w *paced) Unwrap() http.ResponseWriter { return w.ResponseWriter }
