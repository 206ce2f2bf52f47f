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

// formOfPath is the form for a request that has not reached a surface: the form of its path.
func formOfPath(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
	surface := catalog.Surface("")
	if strings.HasSuffix(r.URL.Path, envelope.Path) {
		surface = catalog.OnEnvelope
	}
	formOf(surface)(w, r, status, err)
}

// around is the front of a service: the guards before the path that find returns.
func (h *Host) around(find func(*http.Request) *guard.Path) *guard.Front {
	lines := h.log
	if h.config.Log.NoAccess {
		lines = nil
	}
	return &guard.Front{
		Find: find, Hosts: guard.NewHosts(h.config.Hosts), Fail: formOfPath, Work: h.config.Limits.Work, Log: h.log,
		Begin: func(ctx context.Context, r *http.Request) (guard.Report, *http.Request) {
			return h.telemetry.Begin(ctx, r, lines)
		},
	}
}

// copies reports whether reads may go to copies of a store: of the own one, or of a remote's.
func (h *Host) copies() bool { return h.store.can.Copies || h.topology != nil }

// executed reports the GraphQL operation of a request.
func (h *Host) executed(ctx context.Context, res *resolvers.Response) {
	h.telemetry.Operation(ctx, telemetry.GraphQLOperation{Name: res.Name, Kind: res.Type, Executed: res.Executed, Coalesced: res.Coalesced})
}

// calledFrame reports the operation of a JSON-RPC frame.
func calledFrame(ctx context.Context, method string, state access.State) {
	telemetry.Called(ctx, method, state.UserID())
}
