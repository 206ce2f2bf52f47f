package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/rest"
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
	return subscriptions.NewEventServer(subscriptions.EventOptions{
		Requests: handler, Hub: h.hub, Ending: g.streaming, Expires: h.callers.expires, Patience: h.config.Limits.Write, Work: h.config.Limits.Work, Room: h.room, Closed: streamClosed(h.log, h.config.Log.NoAccess),
		Caller: func(r *http.Request, state access.State) string { return h.callers.key(h.callers.address(r), state) },
	})
}

// sockets accepts websockets for the GraphQL handler of a place. They end with the generation:
// clients connect again, to the new generation.
func (g *generation) sockets(handler *graphqlhttp.Handler) http.Handler {
	h := g.host
	closed := func(s subscriptions.SocketSummary) { logClosed(h.log, s) }
	if h.config.Log.NoAccess {
		closed = nil
	}
	s := subscriptions.NewSocketServer(subscriptions.SocketOptions{
		Operations: handler, Hub: h.hub, Session: g.session, Expires: h.callers.expires,
		Allow: func(address string, state access.State) error {
			return h.callers.refuse(address, state.UserID())
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

// streams is the source of facts for the surfaces of a generation.
type streams struct {
	host   *Host
	facade *facade.Facade
}

// Watch admits a subscriber.
func (s streams) Watch(ctx context.Context, sub *facade.Subscription) (*facade.Watch, error) {
	return s.facade.Watch(ctx, sub)
}

// Subscribe reads the events of a fact after a position as text; see [rest.Facts].
func (s streams) Subscribe(ctx context.Context, f *catalog.Fact, after string) (rest.FactReader, error) {
	at := facts.Now
	switch after {
	case "":
	case "start":
		at = facts.Start
	default:
		var err error
		if at, err = facade.ParsePosition(after); err != nil {
			return nil, err
		}
	}
	feed := s.host.feeds.of(f.Frond) //nolint:contextcheck // a feed lives as long as its host
	if feed == nil {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "the events of %s are not kept here", f.Frond.Name)
	}
	return feed.Subscribe(ctx, []string{f.FullName()}, at)
}

// place counts a stream among the subscriptions of its caller.
func (g *generation) place(r *http.Request, state access.State) (leave func(), err error) {
	caller := g.host.callers.key(g.host.callers.address(r), state)
	if err := g.host.hub.Take(subscriptions.OfStream, caller); err != nil {
		return nil, err
	}
	return func() { g.host.hub.Leave(subscriptions.OfStream, caller) }, nil
}

// onToken is how old the state of a stream's caller may be if it comes from a token, whose
// claims do not change before it expires.
const onToken = time.Second

// streams are how the generation's surfaces stream facts.
func (g *generation) streams() rest.StreamOptions {
	o := rest.StreamOptions{
		Facts: streams{g.host, g.facade}, Ending: g.streaming, Patience: g.host.config.Limits.Write,
		Again: g.again, AgainAfter: onToken, Expires: g.host.callers.expires, Place: g.place, Budget: g.host.streamed, Room: g.host.room, Answers: g.host.hub.Answers(), Closed: streamClosed(g.host.log, g.host.config.Log.NoAccess),
	}
	if g.host.options.Session != nil {
		o.AgainAfter = 0 // whatever the session goes by may change at any time
	}
	return o
}

// logClosed logs the end of a websocket. Its upgrade has a line of its own.
func logClosed(log *slog.Logger, s subscriptions.SocketSummary) {
	attrs := []slog.Attr{slog.Int("operations", s.Operations), slog.Int("code", s.Code), slog.Duration("took", s.Took), slog.String("from", s.Address)}
	if s.Reason != "" {
		attrs = append(attrs, slog.String("reason", s.Reason))
	}
	if s.Caller != "" {
		attrs = append(attrs, slog.String("caller", s.Caller))
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "websocket closed", attrs...)
}

// streamClosed logs the end of an event stream, which may be long after its request; nil: it has
// no line.
func streamClosed(log *slog.Logger, noLine bool) func(sse.Summary, access.State) {
	if noLine {
		return nil
	}
	return func(was sse.Summary, state access.State) {
		attrs := []slog.Attr{slog.String("path", was.Path), slog.Int64("bytes", was.Sent), slog.Duration("took", was.Took), slog.String("from", was.Address)}
		if id := state.UserID(); id != "" {
			attrs = append(attrs, slog.String("caller", id))
		}
		log.LogAttrs(context.Background(), slog.LevelInfo, "stream closed", attrs...)
	}
}
