package gateway

import (
	"context"
	"net/http"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/resolvers"
)

// formOf is the form in which a guard refuses requests of a surface: a GraphQL response, a
// frame, and for all others a problem.
func formOf(surface catalog.Surface) guard.Fail {
	switch surface.Kind() {
	case catalog.OnGraphQL:
		return graphqlhttp.Refuse
	case catalog.OnEnvelope:
		return func(w http.ResponseWriter, _ *http.Request, status int, err *kiterror.Error) {
			envelope.Refuse(w, status, err)
		}
	}
	return guard.WriteProblem
}

// formOfPath is the form for a request that has not reached a surface: that of its path.
func formOfPath(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
	surface := catalog.Surface("")
	if strings.HasSuffix(r.URL.Path, envelope.Path) {
		surface = catalog.OnEnvelope
	}
	formOf(surface)(w, r, status, err)
}

// around is the list of guards around a whole service, surfaces and all. The outermost
// reports requests: those that a guard refuses, too.
func (h *Host) around(next http.Handler) http.Handler {
	return h.telemetry.Requests(h.watch(guard.NewHosts(h.config.Hosts).Guard(next, formOfPath)))
}

// compressed compresses the answers of next, unless the setting says otherwise.
func (h *Host) compressed(next http.Handler) http.Handler {
	if h.config.NoCompression {
		return next
	}
	return guard.Compress(next)
}

// consistent reads and answers X-Frond-Consistency where the store's reads may go to copies
// of it, and where there are remote Fronds, whose stores may be such.
func (h *Host) consistent(next http.Handler, fail guard.Fail) http.Handler {
	if h.store.can.Copies || h.topology != nil {
		return guard.Consistent(next, fail)
	}
	return next
}

// watch logs the requests that next answers and turns its panics into problems.
func (h *Host) watch(next http.Handler) http.Handler {
	return telemetry.Watch(next, h.log, !h.config.Log.NoAccess, h.config.Limits.Work, formOf(""))
}

// executed reports the GraphQL operation of a request.
func (h *Host) executed(ctx context.Context, res *resolvers.Response) {
	h.telemetry.Operation(ctx, telemetry.GraphQLOperation{Name: res.Name, Kind: res.Type, Executed: res.Executed, Coalesced: res.Coalesced})
}

// calledFrame reports the operation of a JSON-RPC frame.
func calledFrame(ctx context.Context, method string, state access.State) {
	telemetry.Called(ctx, method, identity.UserID(state))
}
