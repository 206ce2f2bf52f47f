package graphqlhttp

import (
	"fmt"
	"net/http"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
)

// refusal is an answer to a request that did not reach the engine.
//
//	{"errors":[{"message":"…","extensions":{"code":"BAD_REQUEST"}}]}
//
// There is no data member: the request was refused before execution (GraphQL spec 7.1).
type refusal struct {
	status int
	code   kiterror.Code
	text   string
	allow  string // of a 405
	// expected marks a refusal that clients of persisted queries react to: as application/json
	// its status is 200, as for a document that the engine refuses.
	expected bool

	challenge string // of a 401
	after     string // Retry-After; "": there is none
	trace     string // the id of an internal failure in the log
}

// crowded is the answer where the budget has no room for a request. The client may send the
// request again after Retry-After.
func crowded(err error) *refusal {
	e := kiterror.AsError(err)
	return &refusal{status: e.Code.Status(), code: e.Code, text: e.Message, after: e.RetryAfter()}
}

// badRequest is the refusal of a request that is no GraphQL request.
func badRequest(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: kiterror.BadRequest, text: fmt.Sprintf(format, args...)}
}

// Refuse answers a request with an error as a GraphQL response. It is the form in which a
// guard in front of a handler refuses. It may be called concurrently, once for each request,
// before anything was written to w.
func Refuse(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
	w.Header()["Vary"], w.Header()["X-Content-Type-Options"] = variesByAccept, noSniff
	refused := refusal{status: status, code: err.Code, text: err.Message, after: err.RetryAfter()}
	refused.write(w, accepted(r, false))
}

// Headers of every answer, shared between them: an added value makes a copy.
var (
	variesByAccept = []string{"Accept"}
	noSniff        = []string{"nosniff"}
)

// state identifies the caller by the session hook, whose panics are internal failures.
func (h *Handler) state(r *http.Request) (state access.State, refused *refusal) {
	defer func() {
		if p := recover(); p != nil {
			refused = h.refusedBy(r, kiterror.Panicked(p))
		}
	}()
	state, err := h.Session(r)
	if err == nil {
		return state, nil
	}
	return nil, h.refusedBy(r, err)
}

// refusedBy is the error of a session hook as an answer. An internal failure is logged with a
// trace id here, and the answer has the id in place of the cause.
func (h *Handler) refusedBy(r *http.Request, err error) *refusal {
	return reported(kiterror.Report(r.Context(), h.Log, err, r.Header.Get("Traceparent")))
}

// reported is an error that [kiterror.Report] has logged, as an answer.
func reported(e *kiterror.Error) *refusal {
	details, _ := e.Details.(map[string]any)
	trace, _ := details["traceId"].(string)
	return &refusal{status: e.Code.Status(), code: e.Code, text: e.Message, challenge: e.Challenge(), after: e.RetryAfter(), trace: trace}
}

// write writes a refusal as a GraphQL response, in media; "" is written as JSON, which
// most clients can read.
func (f *refusal) write(w http.ResponseWriter, media string) {
	if media == "" {
		media = mediaJSON
	}
	if f.allow != "" {
		w.Header().Set("Allow", f.allow)
	}
	if f.challenge != "" {
		w.Header().Set("WWW-Authenticate", f.challenge)
	}
	if f.after != "" {
		w.Header().Set("Retry-After", f.after)
	}
	status := f.status
	if f.expected && media != mediaResponse {
		status = http.StatusOK
	}
	w.Header()["Content-Type"] = contentTypes[media]
	w.WriteHeader(status)
	_, _ = w.Write(f.body())
}
