package envelope

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
)

// Event is one call of a remote as it went, for metrics and traces; or, where
// Breaker is set, a change of the remote's breaker, and the rest is empty.
type Event struct {
	Remote    string // RemoteOptions.Name
	Frond     string // whose door it is, where a catalog says so
	Entity    string // rpc for discovery
	Operation string // discover for discovery
	Kind      facade.Kind
	Trace     string // the invocation's traceparent

	Began     time.Time
	Duration  time.Duration // with what was waited for another flight
	Code      facade.Code   // "": it was answered
	Posts     int           // HTTP requests it made; 0 for one that rode along
	Keys      int           // of a call with Each; 0: a single one
	Aboard    int           // callers who share the answer, this one among them
	RodeAlong bool          // another caller's flight brought the answer

	Breaker string // the breaker is now closed, open or half-open
}

// RemoteStatus is what is known of a remote at a moment.
type RemoteStatus struct {
	Name         string
	Breaker      string      // closed, open or half-open
	LastError    facade.Code // of the last call that failed on the way; "": none did
	LastErrorAt  time.Time
	LastAnswerAt time.Time // of the last trip that was answered

	Batches     string   // of JSON-RPC: "taken", "refused" or "" where nobody has asked yet
	NoFindByIDs []string // methods that turned out not to be served, though they are in the catalog

	Calls     int64 // made of the remote, those that rode along included
	Posts     int64 // HTTP requests
	Again     int64 // of them sent again
	RodeAlong int64 // calls that were answered by another's flight
	Failed    int64 // trips that failed: not those the host answered with a failure
	InFlight  int64 // HTTP requests under way
}

// counters are the numbers of a RemoteStatus.
type counters struct {
	calls, posts, again, rodeAlong, failed, inFlight atomic.Int64

	mu       sync.Mutex
	code     facade.Code
	failedAt time.Time
	answered time.Time
}

func (c *counters) trip(a *accident) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a == nil {
		c.answered = time.Now()
	} else {
		c.failed.Add(1)
		c.code, c.failedAt = fates[a.what].code, time.Now()
	}
}

// Status is what is known of the remote now.
func (r *Remote) Status() RemoteStatus {
	c := &r.counters
	s := RemoteStatus{
		Name: r.options.Name, Breaker: r.guard.breaker.State().String(),
		Calls: c.calls.Load(), Posts: c.posts.Load(), Again: c.again.Load(), RodeAlong: c.rodeAlong.Load(),
		Failed: c.failed.Load(), InFlight: c.inFlight.Load(),
	}
	s.Batches, s.NoFindByIDs = r.peer.learned()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.LastError, s.LastErrorAt, s.LastAnswerAt = c.code, c.failedAt, c.answered
	return s
}

// breakerChanged tells of a breaker's new state, once for every change.
func (l *link) breakerChanged(from, to string) {
	switch {
	case from == "closed" && to == "open": // a probe that failed is no news
		l.options.Log.Warn("a remote keeps failing and is let rest", "remote", l.options.Name, "breaker", to)
	case to == "closed":
		l.options.Log.Info("a remote answers again", "remote", l.options.Name, "breaker", to)
	}
	if l.options.Observe != nil {
		l.options.Observe(context.Background(), Event{Remote: l.options.Name, Breaker: to, Began: time.Now()})
	}
}

// observe tells of a call; ctx is the one it came with.
func (l *link) observe(ctx context.Context, e *Event, err *facade.Error) {
	if l.options.Observe == nil {
		return
	}
	e.Duration = time.Since(e.Began)
	if err != nil {
		e.Code = err.Code
	}
	l.options.Observe(ctx, *e)
}
