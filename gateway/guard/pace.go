package guard

import (
	"net/http"
	"time"
)

// paceChunk is the part of an answer, in bytes, that a client has limits.write to read.
const paceChunk = 64 << 10

// Pace cuts off clients that do not read: an answer is written in parts of 64 KiB, and
// each has limit to be accepted by the connection; 0 or less: as long as the server
// allows for the whole answer. One deadline for a whole answer would be too long for a
// client that reads nothing and too short for one that reads slowly (docs/decisions/http-guards.md).
func Pace(next http.Handler, limit time.Duration) http.Handler {
	if limit <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&paced{w, limit}, r)
	})
}

// paced writes one answer in parts.
type paced struct {
	http.ResponseWriter
	limit time.Duration
}

// Write extends the deadline of the connection before each part.
func (w *paced) Write(b []byte) (n int, err error) {
	for first := true; first || len(b) > 0; first = false {
		part := b[:min(len(b), paceChunk)]
		// A writer without deadlines belongs to another server, whose matter they are.
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
