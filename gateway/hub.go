package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway/graphqlws"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/resolvers"
)

// callers says of a caller what connections need that outlive a request.
type callers struct {
	expires func(facade.State) time.Time
	refuse  func(address, user string) error
	address func(*http.Request) string
}

// key is who a caller counts for: a user by the id, whoever is anonymous by the address.
func (c *callers) key(address string, state facade.State) string {
	if id := identity.UserID(state); id != "" {
		return "user " + id
	}
	return "at " + address
}

// closed logs the end of a websocket. Its upgrade has a line of its own.
func (h *Host) closed(s graphqlws.Summary) {
	if h.config.Log.NoAccess {
		return
	}
	attrs := []slog.Attr{slog.Int("operations", s.Operations), slog.Int("code", s.Code), slog.Duration("took", s.Took), slog.String("from", s.Address)}
	if s.Reason != "" {
		attrs = append(attrs, slog.String("reason", s.Reason))
	}
	if s.Caller != "" {
		attrs = append(attrs, slog.String("caller", s.Caller))
	}
	h.log.LogAttrs(context.Background(), slog.LevelInfo, "websocket closed", attrs...)
}

// awaitSockets waits until the websockets have ended, which outlive the requests that opened
// them, or until ctx is done.
func (h *Host) awaitSockets(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		h.ending.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// newHub is what all subscriptions of the host share.
func (h *Host) newHub() *subscriptions.Hub {
	hub := subscriptions.NewHub(subscriptions.Options{Feed: follower{h}, Limits: h.config.Limits.Subscriptions, Log: h.log})
	h.telemetry.CollectSubscriptions(func() telemetry.Subscriptions { return telemetry.Subscriptions(hub.Numbers()) })
	return hub
}

// follower reads the feeds of a host for subscriptions.
type follower struct{ host *Host }

// Follow implements [subscriptions.Feed].
func (f follower) Follow(ctx context.Context, s *resolvers.Subscription) (subscriptions.Reader, error) {
	feed := f.host.Feed(s.Frond)
	if feed == nil {
		return nil, facade.Errorf(facade.ServiceUnavailable, "the events of %s do not arrive here at the moment; try again later", s.Frond)
	}
	after := s.After
	switch {
	case s.Now:
		after = facts.Now
	case s.Oldest:
		after = facts.Start
	}
	r, err := feed.Subscribe(ctx, []string{fmt.Sprintf("%s.%s", s.Frond, s.Fact)}, after)
	if err != nil {
		return nil, err
	}
	return r, nil
}
