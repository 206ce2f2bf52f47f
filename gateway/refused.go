package gateway

import (
	"net/http"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
)

// failing writes a failure of a whole request, which no surface has looked at.
type failing func(w http.ResponseWriter, r *http.Request, status int, err *facade.Error)

// formOf is how a surface says that: as a GraphQL response, as a frame, and anywhere
// else as a problem.
func formOf(surface facade.Surface) failing {
	switch surface.Kind() {
	case facade.OnGraphQL:
		return func(w http.ResponseWriter, r *http.Request, status int, err *facade.Error) {
			w.Header()["Vary"], w.Header()["X-Content-Type-Options"] = variesByAccept, noSniff
			refused := refusal{status: status, code: err.Code, text: err.Message, after: err.RetryAfter()}
			refused.write(w, accepted(r, false))
		}
	case facade.OnEnvelope:
		return func(w http.ResponseWriter, _ *http.Request, status int, err *facade.Error) {
			envelope.Refuse(w, status, err)
		}
	}
	return func(w http.ResponseWriter, _ *http.Request, status int, err *facade.Error) {
		if after := err.RetryAfter(); after != "" {
			w.Header().Set("Retry-After", after)
		}
		writeProblem(w, status, err.Code, err.Message)
	}
}
