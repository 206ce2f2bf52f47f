package gateway

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
)

// Facts are the settings of facts.
type Facts struct {
	Retention time.Duration // how long events are kept; 0 means seven days
}

// settings are the rows of facts.
func (f *Facts) settings() []setting.Setting {
	return []setting.Setting{
		setting.New("facts.retention", "168h", "how long events of facts are kept; a reader that comes back later misses some", readRetention, &f.Retention),
	}
}

// readRetention reads how long events are kept: long enough to come back after an outage, and
// not for ever.
func readRetention(text string) (time.Duration, error) {
	d, err := setting.Duration(text)
	if err != nil || d < time.Second || d > 366*24*time.Hour {
		return 0, errors.New("write a duration such as 168h, of at least 1s and at most 8784h")
	}
	return d, nil
}

// feeds are the logs of events that a host reads: its own outbox, and those of its remotes.
// There is one feed for each log, however many follow it, and it outlives the façades that
// are compiled while the host runs.
type feeds struct {
	mu     sync.Mutex
	own    *facts.Feed            // nil: nothing here is announced, or the host does not serve
	remote map[string]*facts.Feed // by Frond
	closed bool
}

// relay begins to relay the events of the host's own outbox, where one of its Fronds announces
// something. It is called again for every new façade.
func (h *Host) relay(f *facade.Facade) {
	announces := slices.ContainsFunc(f.Catalog().Fronds, func(frond *catalog.Frond) bool { return frond.Remote == "" && len(frond.Facts) > 0 })
	h.feeds.mu.Lock()
	defer h.feeds.mu.Unlock()
	if !h.serving || !announces || h.feeds.own != nil || h.feeds.closed || h.store.can.Outbox == nil {
		return
	}
	h.feeds.own = facts.New(h.store.can.Outbox, &facts.Options{Log: h.log, Retention: h.config.Facts.Retention, Observe: h.telemetry.Events()})
}

// Feed reads the events of a Frond, as its author spells it; nil: they do not come here. The
// feeds of Fronds that share a log are the same one.
func (h *Host) Feed(frond string) *facts.Feed {
	fronds := h.Catalog().Fronds
	i := slices.IndexFunc(fronds, func(f *catalog.Frond) bool { return f.Name == frond })
	if i < 0 {
		return nil
	}
	return h.feed(fronds[i])
}

// feed is the feed of a Frond.
func (h *Host) feed(frond *catalog.Frond) *facts.Feed {
	h.feeds.mu.Lock()
	defer h.feeds.mu.Unlock()
	if frond.Remote == "" || h.feeds.closed {
		return h.feeds.own
	}
	if f := h.feeds.remote[frond.Name]; f != nil {
		return f
	}
	log := h.topology.Facts(frond.Name)
	if log == nil {
		return nil
	}
	if h.feeds.remote == nil {
		h.feeds.remote = map[string]*facts.Feed{}
	}
	f := facts.Follow(log, &facts.Options{Log: h.log, Remote: true}) // it reads nothing while it has no readers
	h.feeds.remote[frond.Name] = f
	return f
}

// factsWithoutTables are the faults of facts whose events no store keeps: the rows are in another program's
// SQLite database, in which this one makes no tables (docs/decisions/outbox.md).
func (h *Host) factsWithoutTables(f *facade.Facade) (faults schema.Faults) {
	_, memory, err := h.config.storeFile() // an error: it is on PostgreSQL, or open reports it
	if h.options.Store != nil || memory || err != nil || !h.mapped(f) {
		return nil
	}
	for fact := range f.Catalog().Facts() {
		if fact.Frond.Remote == "" && (fact.On != nil || fact.Changes) {
			faults = append(faults, schema.Fault{
				File: "fronds/" + fact.Frond.Name + "/frond.yaml", Pointer: "/facts",
				Message: fmt.Sprintf("the fact %s cannot be kept: its rows are in another program's SQLite database, in which this program makes no tables", fact.Name),
				Remedy:  "leave the fact out, or copy the rows into a store of this program",
			})
		}
	}
	return faults
}

// position returns a position that the log of a Frond has reached; 0: none of its events arrive
// here, or the rows that ctx reads may come from a copy of the store that is behind it.
func (h *Host) position(ctx context.Context, frond *catalog.Frond) facade.Position {
	if h.store.can.Copies && frond.Remote == "" && consistency.Copies(ctx) != nil {
		return 0
	}
	feed := h.feed(frond) //nolint:contextcheck // a feed outlives the request
	if feed == nil {
		return 0
	}
	at, err := feed.Last(ctx)
	if err != nil {
		h.log.Debug("a page has no position: the log cannot be asked", "frond", frond.Name, "error", err)
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

// follower reads the feeds of a host for GraphQL subscriptions.
type follower struct{ *Host }

// Follow implements [subscriptions.Feed].
func (f follower) Follow(ctx context.Context, s *resolvers.Subscription) (subscriptions.Reader, error) {
	feed := f.Feed(s.Frond) //nolint:contextcheck // a feed outlives the subscriber that comes first
	if feed == nil {
		return nil, notArriving(s.Frond)
	}
	after := s.After
	switch {
	case s.Now:
		after = facts.Now
	case s.Oldest:
		after = facts.Start
	}
	return feed.Subscribe(ctx, []string{s.Frond + "." + s.Fact}, after)
}

// notArriving is the error of a subscriber of a Frond that has no feed here now.
func notArriving(frond string) error {
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the events of %s do not arrive here at the moment; try again later", frond)
}

// Changes implements [subscriptions.Feed].
func (f follower) Changes(ctx context.Context, read *readset.Set, known map[string]bool) (readers []subscriptions.Reader, err error) {
	changes, err := facade.ChangesOf(f.Catalog(), read)
	if err != nil {
		return nil, err
	}
	names := map[*facts.Feed][]string{}
	for _, c := range changes {
		if known[c.FullName()] {
			continue
		}
		feed := f.feed(c.Frond) //nolint:contextcheck // a feed outlives the subscriber that comes first
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
