package client

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Event is one call of a remote once it has ended, for metrics and traces. Where Breaker
// is set it is instead a change of the remote's breaker, and the other fields but Remote
// and Began are empty.
type Event struct {
	// Remote is Options.Name; Frond the Frond whose door it is, "" if no catalog says so.
	Remote string
	Frond  string
	// Entity and Operation name the call; of discovery they are rpc and discover.
	Entity    string
	Operation string
	Kind      catalog.Kind
	// Trace is the traceparent of the invocation.
	Trace string

	// Duration is the time from Began, with that spent waiting for a shared call.
	Began    time.Time
	Duration time.Duration
	// Code is the code of the failure; "": the call was answered.
	Code kiterror.Code
	// Posts is how many HTTP requests the call made; 0 where Joined.
	Posts int
	// Keys is how many keys a call with Each has; 0: a single call.
	Keys int
	// Waiters is how many callers share the answer, this one among them. Joined: another
	// caller's requests brought it.
	Waiters int
	Joined  bool

	// Breaker is the breaker's new state: closed, open or half-open.
	Breaker string
}

// Status is the state of a remote at one moment. The counts begin with the process.
type Status struct {
	Name string
	// Breaker is closed, open or half-open.
	Breaker string
	// LastError is the code of the last failed round trip, and LastErrorAt its end; "" if all
	// succeeded.
	LastError   kiterror.Code
	LastErrorAt time.Time
	// LastAnswerAt is the end of the last answered round trip.
	LastAnswerAt time.Time

	// Batches is how the host answers JSON-RPC batches: taken, refused, or "" before the
	// first one.
	Batches string
	// NoFindByIDs are methods that turned out not to be served, though the catalog has them.
	NoFindByIDs []string

	// Calls counts the calls made of the remote. Joined of them were answered by another
	// caller's requests.
	Calls  int64
	Joined int64
	// Posts counts HTTP requests. Retries of them were sent again, InFlight are under way.
	Posts    int64
	Retries  int64
	InFlight int64
	// Failed counts round trips that failed, with all their retries. A failure that the host
	// answers with does not count.
	Failed int64
}

// counters are the numbers of a Status.
type counters struct {
	calls, posts, retries, joined, failed, inFlight atomic.Int64

	mu       sync.Mutex
	code     kiterror.Code
	failedAt time.Time
	answered time.Time
}

// ended counts a round trip with all its retries; code is the code of its failure, or "".
func (c *counters) ended(code kiterror.Code) {
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
func (o *Options) observe(ctx context.Context, e *Event, err *kiterror.Error) {
	if o.Observe == nil {
		return
	}
	e.Duration = time.Since(e.Began)
	if err != nil {
		e.Code = err.Code
	}
	o.Observe(ctx, *e)
}

// breakerChanged reports a breaker's new state, once for every change. It has no context of a
// call: the breaker belongs to all of them.
func (o *Options) breakerChanged(from, to string) {
	switch {
	case from == "closed" && to == "open": // a failed probe is not reported again
		o.Log.Warn("a remote keeps failing: its breaker is open", "remote", o.Name, "breaker", to)
	case to == "closed":
		o.Log.Info("a remote answers again", "remote", o.Name, "breaker", to)
	}
	if o.Observe != nil {
		o.Observe(context.Background(), Event{Remote: o.Name, Breaker: to, Began: time.Now()})
	}
}
