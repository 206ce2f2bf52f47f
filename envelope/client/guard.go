package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// The numbers of docs/remotes.md.
const (
	pauseLeast  = 100 * time.Millisecond // before a query is sent again
	pauseMost   = time.Second
	retryBudget = 0.2 // the share of the requests under way that may be retries

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
	retries     failsafe.Executor[any]
	breaker     circuitbreaker.CircuitBreaker[any]
	bulkhead    bulkhead.Bulkhead[any]
}

// newGuard makes the guard of one host; o has its defaults filled in. changed is called for
// every change of the breaker. The retry budget is shared by all calls: while a host is down,
// retries stay a fifth of its requests.
func newGuard(o *Options, changed func(from, to string)) *guard {
	g := &guard{least: pauseLeast, most: pauseMost, fair: min(fairTime, o.Attempt)}
	g.retries = failsafe.With(retrypolicy.NewBuilder[any]().
		HandleIf(func(_ any, err error) bool {
			f := failureOf(err)
			return f != nil && f.retry
		}).
		WithMaxRetries(o.Retries).
		WithDelayFunc(g.pause).
		WithBudget(budget.NewBuilder().WithMaxRate(retryBudget).Build()).
		ReturnLastFailure().
		Build())
	g.breaker = circuitbreaker.NewBuilder[any]().
		WithFailureRateThreshold(breakerShare, breakerCalls, breakerWindow).
		WithSuccessThreshold(1). // one probe
		WithDelay(breakerDelay).
		OnStateChanged(func(e circuitbreaker.StateChangedEvent) { changed(e.OldState.String(), e.NewState.String()) }).
		Build()
	g.bulkhead = bulkhead.New[any](uint(o.InFlight))
	return g
}

// pause is the wait before a retry: full jitter, so that callers who failed together do not
// return together, and at least the wait that the host asked for.
func (g *guard) pause(exec failsafe.ExecutionAttempt[any]) time.Duration {
	d := g.least + rand.N(g.most-g.least)
	if f := failureOf(exec.LastError()); f != nil {
		d = max(d, f.after)
	}
	return d
}

// failureOf is the failure in an error of the retry policy, or nil.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	var f *failure
	_ = errors.As(err, &f)
	return f
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
		// A probe that was not recorded would block every further one.
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
