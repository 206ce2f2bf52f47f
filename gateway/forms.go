package gateway

import (
	"net/http"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
)

// formOf is how a surface says that: as a GraphQL response, as a frame, and anywhere
// else as a problem.
func formOf(surface facade.Surface) guard.Fail {
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
		guard.WriteProblem(w, status, err)
	}
}

// formOfPath is the form of a request that has not come to a surface yet.
func formOfPath(w http.ResponseWriter, r *http.Request, status int, err *facade.Error) {
	surface := facade.Surface("")
	if strings.HasSuffix(r.URL.Path, envelope.Path) {
		surface = facade.OnEnvelope
	}
	formOf(surface)(w, r, status, err)
}
