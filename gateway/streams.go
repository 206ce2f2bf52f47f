package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/rest/stream"
)

// streams is the source of facts for the surfaces of a generation.
type streams struct {
	host   *Host
	facade *facade.Facade
}

// Watch admits a subscriber.
func (s streams) Watch(ctx context.Context, sub *facade.Subscription) (*facade.Watch, error) {
	return s.facade.Watch(ctx, sub)
}

// Subscribe reads the events of a fact after a position as text; see [stream.Facts].
func (s streams) Subscribe(ctx context.Context, f *catalog.Fact, after string) (stream.Reader, error) {
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
	feed := s.host.feed(f.Frond) //nolint:contextcheck // a feed lives as long as its host
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

// onToken is how old the state of a stream's caller may be where it comes from a token, whose
// claims do not change before it expires.
const onToken = time.Second

// streams are how the generation's surfaces stream facts.
func (g *generation) streams() stream.Options {
	o := stream.Options{
		Facts: streams{g.host, g.facade}, Ending: g.streaming, Patience: g.host.config.Limits.Write,
		Again: g.again, AgainAfter: onToken, Expires: g.host.callers.expires, Place: g.place, Budget: g.host.streamed, Room: g.host.room, Answers: g.host.hub.Answers(), Closed: streamClosed(g.host.log, g.host.config.Log.NoAccess),
	}
	if g.host.options.Session != nil {
		o.AgainAfter = 0 // whatever the session goes by may change at any time
	}
	return o
}
