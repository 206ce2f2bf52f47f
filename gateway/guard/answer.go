package guard

import (
	"net/http"
	"time"

	"github.com/frondhost/frond/facade/consistency"
)

// answer is the one writer between a connection and a surface. It counts the answer, compresses it,
// and completes its headers just before they leave. One goroutine uses it, as any http.ResponseWriter.
type answer struct {
	http.ResponseWriter
	record   *consistency.Record // nil: the answer carries no tokens
	accepts  []string            // Accept-Encoding of the request
	coding   *coding
	encoder  encoder // nil: bytes pass as they are
	bytes    int64   // of the body, as they were sent
	status   int     // 0: nothing was written
	head     bool    // the request is a HEAD: there is no body
	compress bool    // where that is of use
	varies   bool    // the answer depends on Origin
	decided  bool    // the headers are complete
}

// newAnswer returns the answer to a request.
func newAnswer(w http.ResponseWriter, r *http.Request) answer {
	return answer{ResponseWriter: w, accepts: r.Header["Accept-Encoding"], head: r.Method == http.MethodHead}
}

// WriteHeader completes the headers, the first time that the status is no 1xx. Surfaces write an
// answer when its calls have ended, so that every token is there.
func (a *answer) WriteHeader(status int) {
	if !a.decided && status >= http.StatusOK {
		a.decide(status)
	}
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// decide completes the headers of an answer.
func (a *answer) decide(status int) {
	a.decided = true
	if text := a.record.Answer(); text != "" {
		a.Header()[consistency.Header] = []string{text}
	}
	if a.varies {
		varyOn(a.Header(), "Origin")
	}
	if a.compress {
		a.encode(status)
	}
}

// Write passes bytes on, through the encoder if the answer has one.
func (a *answer) Write(b []byte) (int, error) {
	if !a.decided {
		a.WriteHeader(http.StatusOK)
	}
	if a.encoder != nil {
		return a.encoder.Write(b)
	}
	return (*sent)(a).Write(b)
}

// sent is an answer below its encoder.
type sent answer

// Write counts the bytes that leave.
func (s *sent) Write(b []byte) (int, error) {
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	return n, err
}

// FlushError sends the bytes written so far, for an http.ResponseController.
func (a *answer) FlushError() error {
	if !a.decided {
		a.WriteHeader(http.StatusOK)
	}
	if a.encoder != nil {
		if err := a.encoder.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap lets an http.ResponseController reach the writer below.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// finish ends an answer and gives its encoder back. It is not called after a panic: half an answer
// must not look whole.
func (a *answer) finish() {
	if !a.decided { // nothing was written, as for a HEAD: net/http sends the headers next
		a.decide(http.StatusOK)
	}
	if a.encoder == nil {
		return
	}
	_ = a.encoder.Close() // the client may be gone
	a.encoder.Reset(nil)  // the pool must not keep the connection alive
	a.coding.pool.Put(a.encoder)
	a.encoder = nil
}

// paceChunk is the part of an answer, in bytes, that a client has limits.write to read.
const paceChunk = 64 << 10

// Pace cuts off clients that do not read: an answer is written in parts of 64 KiB, and each has
// limit to be accepted by the connection; 0 or less: as long as the server allows for the whole
// answer. One deadline for a whole answer would be too long for a client that stops reading and too
// short for one that reads slowly (docs/decisions/http-guards.md).
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
