package client

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
)

// Event is one call of a remote once it has ended, for metrics and traces. Where Breaker
// is set it is instead a change of the remote's breaker, and the other fields but Remote
// and Began are empty.
type Event struct {
	Remote    string // Options.Name
	Frond     string // whose door it is, where a catalog says so
	Entity    string // rpc for discovery
	Operation string // discover for discovery
	Kind      facade.Kind
	Trace     string // the invocation's traceparent

	Began    time.Time
	Duration time.Duration // with the time spent waiting for a shared call
	Code     facade.Code   // "": it was answered
	Posts    int           // HTTP requests it made; 0 where Joined
	Keys     int           // of a call with Each; 0: a single one
	Waiters  int           // callers who share the answer, this one among them
	Joined   bool          // another caller's requests brought the answer

	Breaker string // the breaker is now closed, open or half-open
}

// Status is what is known of a remote at one moment.
type Status struct {
	Name         string
	Breaker      string      // closed, open or half-open
	LastError    facade.Code // of the last round trip that failed; "": none did
	LastErrorAt  time.Time
	LastAnswerAt time.Time // of the last round trip that was answered

	Batches     string   // of JSON-RPC: "taken", "refused", or "" before the first one
	NoFindByIDs []string // methods that turned out not to be served, though they are in the catalog

	Calls    int64 // made of the remote, joined ones included
	Posts    int64 // HTTP requests
	Retries  int64 // of them, sent again
	Joined   int64 // calls that were answered by another caller's requests
	Failed   int64 // round trips that failed; an answer with a failure is not one of them
	InFlight int64 // HTTP requests under way
}

// counters are the numbers of a Status.
type counters struct {
	calls, posts, retries, joined, failed, inFlight atomic.Int64

	mu       sync.Mutex
	code     facade.Code
	failedAt time.Time
	answered time.Time
}

// ended counts a round trip with all its retries; code is that of its failure, or "".
func (c *counters) ended(code facade.Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if code == "" {
		c.answered = time.Now()
		return
	}
	c.failed.Add(1)
	c.code, c.failedAt = code, time.Now()
}

// read adds the counters to a status.
func (c *counters) read(s *Status) {
	s.Calls, s.Posts, s.Retries = c.calls.Load(), c.posts.Load(), c.retries.Load()
	s.Joined, s.Failed, s.InFlight = c.joined.Load(), c.failed.Load(), c.inFlight.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.LastError, s.LastErrorAt, s.LastAnswerAt = c.code, c.failedAt, c.answered
}

// observe reports a call that has ended; ctx is the caller's.
func (o *Options) observe(ctx context.Context, e *Event, err *facade.Error) {
	if o.Observe == nil {
		return
	}
	e.Duration = time.Since(e.Began)
	if err != nil {
		e.Code = err.Code
	}
	o.Observe(ctx, *e)
}

// breakerChanged reports a breaker's new state, once for every change.
func (o *Options) breakerChanged(from, to string) {
	switch {
	case from == "closed" && to == "open": // a failed probe is no news
		o.Log.Warn("a remote keeps failing: its breaker is open", "remote", o.Name, "breaker", to)
	case to == "closed":
		o.Log.Info("a remote answers again", "remote", o.Name, "breaker", to)
	}
	if o.Observe != nil {
		o.Observe(context.Background(), Event{Remote: o.Name, Breaker: to, Began: time.Now()})
	}
}
