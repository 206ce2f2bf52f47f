package gateway

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/resolvers"
)

// feeds are the logs of events that a host reads: its own outbox, and the logs of its remotes.
// There is one feed for each log, however many follow it, and it outlives the façades that are
// compiled while the host runs. It is the [subscriptions.Feed] of the host.
type feeds struct {
	outbox    facade.Outbox // whose events are relayed; nil: none are
	copies    bool          // rows of the store may come from copies of it
	topology  *topology.Topology
	catalog   func() *catalog.Catalog // the one that is served
	log       *slog.Logger
	retention time.Duration
	observe   func(*facade.Event) // nil: nothing

	mu     sync.Mutex
	own    *facts.Feed            // nil: nothing here is announced, or the host does not serve
	remote map[string]*facts.Feed // by Frond
	closed bool
}

// relay begins to relay the events of the host's own outbox, if one of its Fronds declares
// facts. It is called again for every new façade.
func (s *feeds) relay(c *catalog.Catalog) {
	announces := slices.ContainsFunc(c.Fronds, func(frond *catalog.Frond) bool { return frond.Remote == "" && len(frond.Facts) > 0 })
	s.mu.Lock()
	defer s.mu.Unlock()
	if announces && s.own == nil && !s.closed && s.outbox != nil {
		s.own = facts.New(s.outbox, &facts.Options{Log: s.log, Retention: s.retention, Observe: s.observe})
	}
}

// ofStore is the feed of the host's own outbox; nil before the first fact.
func (s *feeds) ofStore() *facts.Feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

// named reads the events of a Frond, as its author spells it; nil: they do not come here. The
// feeds of Fronds that share a log are the same one.
func (s *feeds) named(frond string) *facts.Feed {
	fronds := s.catalog().Fronds
	i := slices.IndexFunc(fronds, func(f *catalog.Frond) bool { return f.Name == frond })
	if i < 0 {
		return nil
	}
	return s.of(fronds[i])
}

// of is the feed of a Frond.
func (s *feeds) of(frond *catalog.Frond) *facts.Feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if frond.InStore() || s.closed {
		return s.own
	}
	if f := s.remote[frond.Name]; f != nil {
		return f
	}
	log := s.topology.Facts(frond.Name)
	if log == nil {
		return nil
	}
	if s.remote == nil {
		s.remote = map[string]*facts.Feed{}
	}
	f := facts.Follow(log, &facts.Options{Log: s.log, Remote: true}) // it reads nothing while it has no readers
	s.remote[frond.Name] = f
	return f
}

// position returns a position that the log of a Frond has reached; 0 if its events do not
// arrive here, or if the rows that ctx reads may come from a copy of the store that is behind
// it.
func (s *feeds) position(ctx context.Context, frond *catalog.Frond) facade.Position {
	if s.copies && frond.Remote == "" && consistency.Copies(ctx) != nil {
		return 0
	}
	feed := s.of(frond) //nolint:contextcheck // a feed outlives the request
	if feed == nil {
		return 0
	}
	at, err := feed.Last(ctx)
	if err != nil {
		s.log.Debug("a page has no position: the log cannot be asked", "frond", frond.Name, "error", err)
	}
	return at
}

// each calls yield with the state of every feed: own, and the remotes by their Fronds.
func (s *feeds) each(yield func(log string, status facts.Status)) {
	s.mu.Lock()
	own, remote := s.own, maps.Clone(s.remote)
	s.mu.Unlock()
	if own != nil {
		yield("own", own.Status())
	}
	for _, frond := range slices.Sorted(maps.Keys(remote)) {
		yield(frond, remote[frond].Status())
	}
}

// close ends every reader, and then the relay.
func (s *feeds) close() {
	s.mu.Lock()
	s.closed = true
	own, remote := s.own, s.remote
	s.mu.Unlock()
	for _, f := range remote {
		f.Close()
	}
	if own != nil {
		own.Close()
	}
}

// Follow implements [subscriptions.Feed].
func (s *feeds) Follow(ctx context.Context, sub *resolvers.Subscription) (subscriptions.Reader, error) {
	feed := s.named(sub.Frond) //nolint:contextcheck // a feed outlives the subscriber that comes first
	if feed == nil {
		return nil, notArriving(sub.Frond)
	}
	after := sub.After
	switch {
	case sub.Now:
		after = facts.Now
	case sub.Oldest:
		after = facts.Start
	}
	return feed.Subscribe(ctx, []string{sub.Frond + "." + sub.Fact}, after)
}

// notArriving is the error of a subscriber of a Frond that has no feed here now.
func notArriving(frond string) error {
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the events of %s do not arrive here at the moment; try again later", frond)
}

// Changes implements [subscriptions.Feed].
func (s *feeds) Changes(ctx context.Context, read *readset.Set, known map[string]bool) (readers []subscriptions.Reader, err error) {
	changes, err := read.Changes(s.catalog())
	if err != nil {
		return nil, err
	}
	names := map[*facts.Feed][]string{}
	for _, c := range changes {
		if known[c.FullName()] {
			continue
		}
		feed := s.of(c.Frond) //nolint:contextcheck // a feed outlives the subscriber that comes first
		if feed == nil {
			return nil, notArriving(c.Frond.Name)
		}
		names[feed] = append(names[feed], c.FullName())
	}
	for feed, names := range names {
		r, err := feed.Subscribe(ctx, names, facts.Now)
		if err != nil {
			for _, r := range readers {
				r.Close()
			}
			return nil, err
		}
		readers = append(readers, r)
	}
	for _, names := range names {
		for _, name := range names {
			known[name] = true
		}
	}
	return readers, nil
}
