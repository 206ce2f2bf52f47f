package subscriptions

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/readset"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/resolvers"
)

// Feed begins to read the events of a subscription's fact, from the subscription's position on.
type Feed interface {
	Follow(ctx context.Context, s *resolvers.Subscription) (Reader, error)
	// Changes begins to read, from now on, the facts that announce changes of the rows in read,
	// but for the facts in known, and notes them there by their full names. The error is
	// NOT_IMPLEMENTED if no fact announces them.
	Changes(ctx context.Context, read *readset.Set, known map[string]bool) ([]Reader, error)
}

// Reader reads events without waiting. If Poll returns no events, it calls wake once when there are
// new ones. Waiting reports that it will, which may be so behind the last events too. It is called by
// one goroutine at a time, Close by any.
type Reader interface {
	Notify(wake func())
	Poll(ctx context.Context) ([]*facade.Event, facade.Position, error)
	Waiting() bool
	// Rewind goes back behind a position that Poll has passed, Position is the one it is at.
	Rewind(to facade.Position)
	Position() facade.Position
	Close()
}

// Limits bound how many subscriptions there are at once. The same numbers bound open
// connections. Zero is the default, a negative number means no limit.
type Limits struct {
	Connection int // of one connection: 100
	Caller     int // of one caller: 1,000
	Process    int // of all: 20,000
	Live       int // live queries of one caller, which are subscriptions too: 100
}

// WithDefaults is l with every empty field filled in.
func (l Limits) WithDefaults() Limits {
	l.Connection, l.Caller = cmp.Or(l.Connection, 100), cmp.Or(l.Caller, 1000)
	l.Process, l.Live = cmp.Or(l.Process, 20_000), cmp.Or(l.Live, 100)
	return l
}

// Settings are the rows of limits.subscriptions.
func (l *Limits) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("limits.subscriptions.connection", "100", "GraphQL operations that one websocket may have open at once", setting.Count, &l.Connection),
		setting.New("limits.subscriptions.live", "100", "live queries that one caller may have open at once", setting.Count, &l.Live),
		setting.New("limits.subscriptions.caller", "1000", "GraphQL subscriptions, and likewise connections, that one caller may have open, counted by user id or else by address", setting.Count, &l.Caller),
		setting.New("limits.subscriptions.process", "20000", "GraphQL subscriptions, and likewise connections, that may be open at once", setting.Count, &l.Process),
	}
}

// HubOptions of [NewHub]; Feed is required.
type HubOptions struct {
	Feed   Feed
	Limits Limits
	Memory *budget.Budget // bounds what everything that is open holds; nil: nothing does
	Log    *slog.Logger   // nil means slog.Default()
}

// Hub opens streams, and bounds how many there are. It may be used from many goroutines.
type Hub struct {
	options HubOptions
	// memory is the share of the budget for stored answers; the rest is for answers in flight.
	memory  *budget.Budget
	answers *facts.Answers
	queries atomic.Int64 // executions of live queries

	mu     sync.Mutex
	places [3]places // by Kind
	live   map[any]*live
	lane   *lane
}

// Kind is the purpose of a place.
type Kind int

// The kinds of places, each with a count of its own.
const (
	ofConnection Kind = iota
	ofSubscription
	ofLive
	// OfStream is a subscription with a connection of its own. It counts among subscriptions.
	OfStream
)

// sizes are about how many bytes a place of each kind takes.
var sizes = [...]int{ofConnection: 10 << 10, ofSubscription: 2 << 10, ofLive: 0, OfStream: 12 << 10}

// counted is the kind that a kind counts among.
func (k Kind) counted() Kind {
	if k == OfStream {
		return ofSubscription
	}
	return k
}

// ByAddress begins the name of a caller that is known by its address alone. All of those have three
// quarters of the places, so that identified callers find some however many addresses there are.
const ByAddress = "at "

func (k Kind) String() string { return [...]string{"connections", "subscriptions", "live queries"}[k] }

// places counts open connections or streams.
type places struct {
	all, byAddress int
	caller         map[string]int
}

// Numbers are the numbers of a hub, for metrics.
type Numbers struct {
	Connections, Subscriptions int
	// Evaluated counts events that a subscription judged and executed; Shared counts events
	// whose answer another subscription had already.
	Evaluated, Shared int64
}

// NewHub returns a hub without streams.
func NewHub(o HubOptions) *Hub {
	o.Limits = o.Limits.WithDefaults()
	if o.Log == nil {
		o.Log = slog.Default()
	}
	h := &Hub{options: o, memory: o.Memory.Part(2), live: map[any]*live{}, lane: newLane()}
	h.answers = facts.NewAnswers(h.memory)
	for i := range h.places {
		h.places[i].caller = map[string]int{}
	}
	return h
}

// limits are the limits of the hub, with their defaults.
func (h *Hub) limits() Limits { return h.options.Limits }

// Answers are the shared answers, for streams that do not come from the hub.
func (h *Hub) Answers() *facts.Answers { return h.answers }

// Numbers returns the current numbers.
func (h *Hub) Numbers() (n Numbers) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n.Connections, n.Subscriptions = h.places[ofConnection].all, h.places[ofSubscription].all
	n.Evaluated, n.Shared = h.answers.Counts()
	n.Evaluated += h.queries.Load()
	return n
}

// Take takes a place for a caller: its id, or its address behind [ByAddress]. The error is
// TOO_MANY_REQUESTS, which names the exceeded limit, or SERVICE_UNAVAILABLE without memory.
// [Hub.Leave] gives the place back.
func (h *Hub) Take(k Kind, caller string) error {
	if err := h.options.Memory.Take(sizes[k]); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.take(k.counted(), caller)
	if err != nil {
		h.options.Memory.Give(sizes[k])
	}
	return err
}

// take counts one more place. h.mu is held.
func (h *Hub) take(k Kind, caller string) error {
	p, most, each := &h.places[k], h.options.Limits.Process, h.options.Limits.Caller
	if k == ofLive {
		each = h.options.Limits.Live
	}
	byAddress := strings.HasPrefix(caller, ByAddress)
	switch n := p.caller[caller]; {
	case most >= 0 && p.all >= most:
		return kiterror.Errorf(kiterror.TooManyRequests, "this host has %d open %s, and no more are accepted; try again later", p.all, k)
	case most >= 0 && byAddress && p.byAddress >= most-most/4:
		return kiterror.Errorf(kiterror.TooManyRequests, "this host has %d open %s of anonymous callers, its limit; sign in, or try again later", p.byAddress, k)
	case each >= 0 && n >= each:
		return kiterror.Errorf(kiterror.TooManyRequests, "this caller has %d open %s, its limit; end some first", n, k)
	}
	p.add(caller, 1)
	return nil
}

// add counts n more places of a caller.
func (p *places) add(caller string, n int) {
	p.all += n
	if strings.HasPrefix(caller, ByAddress) {
		p.byAddress += n
	}
	if p.caller[caller] += n; p.caller[caller] == 0 {
		delete(p.caller, caller)
	}
}

// move gives a place to another caller: who it is was not known when the place was taken. After an
// error, as of Take, the place still is the first one's.
func (h *Hub) move(k Kind, from, to string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.places[k.counted()].add(from, -1)
	err := h.take(k.counted(), to)
	if err != nil {
		h.places[k.counted()].add(from, 1)
	}
	return err
}

// Leave gives back a place of a caller.
func (h *Hub) Leave(k Kind, caller string) {
	h.options.Memory.Give(sizes[k])
	h.mu.Lock()
	defer h.mu.Unlock()
	h.places[k.counted()].add(caller, -1)
}

// Open begins a stream for a subscription of a caller. wake is called each time that there may
// be something for [Stream.Next]; it must not block, and may be called before Open returns. The
// error is TOO_MANY_REQUESTS, or the feed's error: a position that it does not know, or one
// whose events are gone.
func (h *Hub) Open(ctx context.Context, s *resolvers.Subscription, caller string, wake func()) (*Stream, error) {
	if err := h.Take(ofSubscription, caller); err != nil {
		return nil, err
	}
	if s.Live {
		return h.openLive(s, caller, wake)
	}
	r, err := h.options.Feed.Follow(ctx, s)
	if err != nil {
		h.Leave(ofSubscription, caller)
		return nil, err
	}
	st := &Stream{hub: h, subscription: s, caller: caller, reader: r, wake: wake, shared: h.answers.Join(s.Key, respond(s))}
	r.Notify(wake)
	wake() // there may be something already
	return st, nil
}

// openLive begins a stream for a live query, whose place as a subscription is taken.
func (h *Hub) openLive(s *resolvers.Subscription, caller string, wake func()) (*Stream, error) {
	if err := h.Take(ofLive, caller); err != nil {
		h.Leave(ofSubscription, caller)
		return nil, err
	}
	st := &Stream{hub: h, subscription: s, caller: caller, wake: wake}
	h.mu.Lock()
	if st.live = h.live[s.Key]; st.live == nil {
		st.live = &live{hub: h, subscription: s, members: map[*Stream]struct{}{}}
		if s.Key != nil {
			h.live[s.Key] = st.live
		}
	}
	st.live.enter(st) // before anybody else finds that it has no members
	h.mu.Unlock()
	wake()
	return st, nil
}

// partLive takes a stream from the streams of a live query.
func (h *Hub) partLive(st *Stream) {
	h.mu.Lock()
	if st.live.leave(st) && h.live[st.subscription.Key] == st.live {
		delete(h.live, st.subscription.Key)
	}
	h.mu.Unlock()
	h.Leave(ofLive, st.caller)
}

// respond executes a subscription for the events of its fact.
func respond(s *resolvers.Subscription) facts.Respond {
	return func(ctx context.Context, events []*facade.Event, add func(facade.Position, []byte)) (done int, err error) {
		answers, done, err := s.Respond(ctx, events)
		for _, a := range answers {
			add(a.Position, a.Body)
		}
		return done, err
	}
}
