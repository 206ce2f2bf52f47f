package client

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// The numbers of docs/remotes.md.
const (
	pauseLeast = 100 * time.Millisecond // before a query is sent again
	pauseMost  = time.Second
	retryShare = 0.2 // of the requests under way may be retries,
	retriesFew = 3   // and so many in any case

	breakerWindow = 10 * time.Second
	breakerCalls  = 20  // in the window, before the breaker can open
	breakerShare  = 0.5 // of them fail: it opens
	breakerDelay  = 5 * time.Second

	// A call with less time than this does not count against the host when it times out:
	// callers choose their deadlines, and must not be able to close a host for others.
	fairTime = time.Second
)

// guard decides whether and when requests are sent to a host: retries, breaker, and a bound on
// requests in flight. All calls of one host share it.
type guard struct {
	least, most time.Duration // of the pause before a retry
	fair        time.Duration
	sending     atomic.Int32 // posts under way
	retrying    atomic.Int32 // those of them that are sent again
	breaker     circuitbreaker.CircuitBreaker[any]
	bulkhead    bulkhead.Bulkhead[any]
}

// newGuard makes the guard of one host; o has its defaults filled in. changed is called for
// every change of the breaker.
func newGuard(o *Options, changed func(from, to string)) *guard {
	g := &guard{least: pauseLeast, most: pauseMost, fair: min(fairTime, o.Attempt)}
	g.breaker = circuitbreaker.NewBuilder[any]().
		WithFailureRateThreshold(breakerShare, breakerCalls, breakerWindow).
		WithSuccessThreshold(1). // one probe
		WithDelay(breakerDelay).
		OnStateChanged(func(e circuitbreaker.StateChangedEvent) { changed(e.OldState.String(), e.NewState.String()) }).
		Build()
	g.bulkhead = bulkhead.New[any](uint(o.InFlight))
	return g
}

// retry waits before a post is sent again, and says whether it is. The wait has full jitter, so
// that callers who failed together do not return together, and is at least the one that the host
// asked for. While a host is down, retries stay a fifth of its requests, or few. The
// caller takes one off retrying after an attempt.
func (g *guard) retry(ctx context.Context, f *failure) bool {
	timer := time.NewTimer(max(g.least+rand.N(g.most-g.least), f.after))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	if n := g.retrying.Add(1) - 1; n >= retriesFew && float64(n) > retryShare*float64(g.sending.Load()+n) {
		g.retrying.Add(-1)
		return false
	}
	return true
}

// open says whether the breaker is open, before a place in the bulkhead is taken. Without it
// calls of a host that is down would wait for a place, only to be refused.
func (g *guard) open() bool { return g.breaker.RemainingDelay() > 0 }

// record reports the end of an attempt to the breaker. A failure without information about the
// host is not recorded; if the attempt was the probe, the next one becomes it.
//
//	answered                               success
//	a kind that counts                     failure
//	a short deadline ran out, or cancelled not recorded
//	another kind                           success: the host has answered
func (g *guard) record(f *failure, took time.Duration) {
	switch {
	case f == nil:
		g.breaker.RecordSuccess()
	case outcomes[f.kind].counts && (f.kind != callTimeout || took >= g.fair):
		g.breaker.RecordFailure()
	case f.kind != callerGone && f.kind != callTimeout: // the host has answered something
		g.breaker.RecordSuccess()
	case g.breaker.IsHalfOpen():
		// An unrecorded probe would block every further one.
		g.breaker.Open()
		g.breaker.HalfOpen()
	}
}

// again says whether a failed attempt is repeated: by the table of outcomes, and as long as
// there is time for more than the pause. A pause that ends after the deadline is not begun.
func (g *guard) again(ctx context.Context, command bool, f *failure) bool {
	o := &outcomes[f.kind]
	may := o.query && !command || o.command && command
	if f.kind == rateLimited && !command {
		may = f.after > 0 // the host says when
	}
	if by, ok := ctx.Deadline(); ok {
		may = may && time.Until(by) > max(f.after, g.least)
	}
	return may
}
