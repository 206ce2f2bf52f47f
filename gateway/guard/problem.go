package guard

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/frondhost/frond/facade/kiterror"
)

// Fail writes the refusal of a whole request, in the form of the guarded surface's own
// failures. The guard writes no part of the answer itself.
type Fail func(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error)

// problem is a failure as RFC 9457 has it, with the whole error under data.
type problem struct {
	Data   *kiterror.Error `json:"data"`
	Detail string          `json:"detail"`
	// Instance is the path of the request; "" if it could not be read.
	Instance string `json:"instance,omitempty"`
	Status   int    `json:"status"`
	Title    string `json:"title"`
	Type     string `json:"type"`
}

// appendProblem is the body of a problem; nil: err has details that are no JSON.
func appendProblem(status int, instance string, err *kiterror.Error) []byte {
	body, bad := json.Marshal(&problem{err, err.Message, instance, status, http.StatusText(status), "about:blank"})
	if bad != nil { // details that are no JSON; ours are plain strings
		return nil
	}
	return body
}

// WriteProblem writes a failure as application/problem+json (RFC 9457), which is also
// REST's form. err is sent whole: it must not say more than the caller may know.
func WriteProblem(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
	head := w.Header()
	if after := err.RetryAfter(); after != "" {
		head.Set("Retry-After", after)
	}
	head.Set("Content-Type", "application/problem+json")
	head.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(appendProblem(status, r.URL.EscapedPath(), err)) // the client may be gone
}

// WriteJSON writes an answer that is for operators, or the problem that an error is.
func WriteJSON(w http.ResponseWriter, r *http.Request, log *slog.Logger, answer any, err error) {
	if err != nil {
		e := kiterror.Report(r.Context(), log, err, "")
		WriteProblem(w, r, e.Code.Status(), e)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(answer) // the caller is gone
}
