package gateway

import (
	"context"
	"net/http"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/graphqlsse"
	"github.com/frondhost/frond/gateway/graphqlws"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/resolvers"
)

// watch admits the subscribers of a place: they see the operations of its surface.
func (g *generation) watch(p *place) func(context.Context, *facade.Subscription) (resolvers.Watch, error) {
	return func(ctx context.Context, s *facade.Subscription) (resolvers.Watch, error) {
		own := *s
		own.View = p.view
		return g.facade.Watch(ctx, &own)
	}
}

// events answers with event streams for the GraphQL handler of a place.
func (g *generation) events(handler *graphqlhttp.Handler) http.Handler {
	h := g.host
	return graphqlsse.New(graphqlsse.Options{
		Requests: handler, Hub: h.hub, Ending: g.streaming, Expires: h.callers.expires, Patience: h.config.Limits.Write, Work: h.config.Limits.Work, Room: h.room, Closed: streamClosed(h.log, h.config.Log.NoAccess),
		Caller: func(r *http.Request, state access.State) string { return h.callers.key(h.callers.address(r), state) },
	})
}

// sockets accepts websockets for the GraphQL handler of a place. They end with the generation:
// clients connect again, to the new generation.
func (g *generation) sockets(handler *graphqlhttp.Handler) http.Handler {
	h := g.host
	closed := func(s graphqlws.Summary) { logClosed(h.log, s) }
	if h.config.Log.NoAccess {
		closed = nil
	}
	s := graphqlws.New(graphqlws.Options{
		Operations: handler, Hub: h.hub, Session: g.session, Expires: h.callers.expires,
		Allow: func(address string, state access.State) error {
			return h.callers.refuse(address, identity.UserID(state))
		},
		Caller: h.callers.key, Address: h.callers.address, Refuse: graphqlhttp.Refuse, Closed: closed,
		MaxMessage: h.config.Limits.Body, Patience: h.config.Limits.Write, Room: h.room, Work: h.config.Limits.Work, Log: h.log,
	})
	h.ending.Add(1)
	context.AfterFunc(g.streaming, func() {
		defer h.ending.Done()
		ctx, cancel := context.WithTimeout(context.Background(), h.config.Shutdown.Timeout)
		defer cancel()
		s.Shutdown(ctx, h.streaming.Err() == nil)
	})
	return s
}
