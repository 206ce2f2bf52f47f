package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/gateway/graphqlws"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/gateway/telemetry"
)

// callers says of a caller what connections need that outlive a request.
type callers struct {
	expires func(access.State) time.Time
	refuse  func(address, user string) error
	network func(*http.Request) netip.Prefix

	mu sync.Mutex
	// keys are those that requests were sent by, mostKeys at most: making one for each request
	// costs allocations.
	keys map[sender]any
}

// sender is a user or, where user is "", a network.
type sender struct {
	user    string
	network netip.Prefix
}

const mostKeys = 10_000

// of is the key of a request's caller, ready for [facade.Request.By].
func (c *callers) of(r *http.Request, state access.State) any {
	s := sender{user: identity.UserID(state)}
	if s.user == "" {
		s.network = c.network(r)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key, ok := c.keys[s]
	if !ok {
		key = c.key(guard.Address(s.network, r), state)
	}
	if !ok && (s.user != "" || s.network.IsValid()) {
		if len(c.keys) >= mostKeys {
			clear(c.keys)
		}
		c.keys[s] = key
	}
	return key
}

// address is where a request comes from, as text.
func (c *callers) address(r *http.Request) string { return guard.Address(c.network(r), r) }

// key identifies the caller for the limits: a user by the id, an anonymous caller by the address.
func (c *callers) key(address string, state access.State) string {
	if id := identity.UserID(state); id != "" {
		return "user " + id
	}
	return subscriptions.ByAddress + address
}

// logClosed logs the end of a websocket. Its upgrade has a line of its own.
func logClosed(log *slog.Logger, s graphqlws.Summary) {
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
		if id := identity.UserID(state); id != "" {
			attrs = append(attrs, slog.String("caller", id))
		}
		log.LogAttrs(context.Background(), slog.LevelInfo, "stream closed", attrs...)
	}
}

// awaitAll waits for a group, or until ctx is done.
func awaitAll(ctx context.Context, group *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// newHub is what all subscriptions of a host share.
func newHub(feed subscriptions.Feed, limits subscriptions.Limits, memory *budget.Budget, t *telemetry.Telemetry, log *slog.Logger) *subscriptions.Hub {
	hub := subscriptions.NewHub(subscriptions.Options{Feed: feed, Limits: limits, Memory: memory, Log: log})
	t.CollectSubscriptions(func() telemetry.Subscriptions { return telemetry.Subscriptions(hub.Numbers()) })
	return hub
}
