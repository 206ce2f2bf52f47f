package guard

import (
	"net/http"

	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
)

// Consistent hands the tokens of a request's X-Frond-Consistency to what next calls, and
// those of its writes to the caller, in the header of the answer. It is the same for every
// surface: all of them are HTTP. fail writes the refusal of a header that cannot be read.
func Consistent(next http.Handler, fail Fail) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record, err := consistency.Read(r.Header[consistency.Header])
		if err != nil {
			refusal := kiterror.AsError(err)
			fail(w, r, refusal.Code.Status(), refusal)
			return
		}
		answer := &consistentWriter{ResponseWriter: w, record: record}
		next.ServeHTTP(answer, r.WithContext(consistency.With(r.Context(), record)))
		answer.decide() // nothing was written, as for a HEAD: net/http sends the headers next
	})
}

// consistentWriter is the writer of one answer.
type consistentWriter struct {
	http.ResponseWriter
	record  *consistency.Record
	decided bool
}

// decide sets the header. Surfaces write an answer when its calls have ended, so that every
// token is there.
func (w *consistentWriter) decide() {
	if w.decided {
		return
	}
	w.decided = true
	if text := w.record.Answer(); text != "" {
		w.Header()[consistency.Header] = []string{text}
	}
}

// WriteHeader sets the header before the status, unless that is a 1xx.
func (w *consistentWriter) WriteHeader(status int) {
	if status >= http.StatusOK {
		w.decide()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes bytes on.
func (w *consistentWriter) Write(b []byte) (int, error) {
	w.decide()
	return w.ResponseWriter.Write(b)
}

// Unwrap lets an http.ResponseController reach what lies below.
func (w *consistentWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
