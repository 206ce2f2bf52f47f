package envelope

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

// What DESIGN 8 says of the care a host is called with.
const (
	pauseLeast = 100 * time.Millisecond // before a query is sent again
	pauseMost  = time.Second
	retryShare = 0.2 // of what is under way may be sent again

	breakerWindow = 10 * time.Second
	breakerCalls  = 20  // in the window, before the breaker says anything
	breakerShare  = 0.5 // of them fail: it opens
	breakerRest   = 5 * time.Second

	// What a caller with less time than this did not get is no word against the host:
	// callers choose their deadlines, and must not be able to close a host for others.
	fairTime = time.Second
)

// guard is the care all calls of one host share.
type guard struct {
	least, most time.Duration // of a pause
	retries     failsafe.Executor[any]
	breaker     circuitbreaker.CircuitBreaker[any]
	bulkhead    bulkhead.Bulkhead[any]
	fair        time.Duration
}

func newGuard(o *RemoteOptions, changed func(from, to string)) *guard {
	g := &guard{}
	*g = guard{
		least: pauseLeast, most: pauseMost,
		retries: failsafe.With(retrypolicy.NewBuilder[any]().
			HandleIf(func(_ any, err error) bool {
				a := accidentOf(err)
				return a != nil && a.again
			}).
			WithMaxRetries(o.Retries).
			WithDelayFunc(g.pause).
			WithBudget(budget.NewBuilder().WithMaxRate(retryShare).Build()).
			ReturnLastFailure().
			Build()),
		breaker: circuitbreaker.NewBuilder[any]().
			WithFailureRateThreshold(breakerShare, breakerCalls, breakerWindow).
			WithSuccessThreshold(1). // one probe
			WithDelay(breakerRest).
			OnStateChanged(func(e circuitbreaker.StateChangedEvent) { changed(e.OldState.String(), e.NewState.String()) }).
			Build(),
		bulkhead: bulkhead.New[any](uint(o.InFlight)),
		fair:     min(fairTime, o.Attempt),
	}
	return g
}

// pause is how long to wait before sending again: full jitter, so that callers who
// failed together do not come back together, and what the host asked for at least.
func (g *guard) pause(exec failsafe.ExecutionAttempt[any]) time.Duration {
	d := g.least + rand.N(g.most-g.least)
	if a := accidentOf(exec.LastError()); a != nil {
		d = max(d, a.after)
	}
	return d
}

func accidentOf(err error) *accident {
	if err == nil {
		return nil
	}
	var a *accident
	_ = errors.As(err, &a)
	return a
}

// send sends frames until they are answered or there is no more use in it. Nil: p
// has read the answer.
func (l *link) send(ctx context.Context, p *post) *accident {
	if l.broken != nil {
		return &accident{what: noAddress, cause: l.broken}
	}
	var last *accident
	tries := 0
	_, err := l.guard.retries.WithContext(ctx).Get(func() (any, error) {
		if tries++; tries > 1 {
			l.counters.again.Add(1)
		}
		if last = l.attempt(ctx, p); last == nil {
			return nil, nil
		}
		return nil, last
	})
	switch {
	case err == nil:
	case last == nil: // answered just as the call's time ran out
		last = unanswered(ctx, ctx, err, true)
	case errors.Is(ctx.Err(), context.Canceled):
		last.what = left
	}
	l.counters.trip(last)
	return last // why it was not answered, whatever ended the retries
}

// attempt sends frames once, if there is room and the host is not let rest.
func (l *link) attempt(ctx context.Context, p *post) (a *accident) {
	g := l.guard
	if !p.aside && g.breaker.RemainingDelay() > 0 {
		return &accident{what: resting}
	}
	if err := g.bulkhead.AcquirePermit(ctx); err != nil {
		if errors.Is(err, context.Canceled) {
			return &accident{what: left}
		}
		return &accident{what: full}
	}
	defer g.bulkhead.ReleasePermit()
	if !p.aside && !g.breaker.TryAcquirePermit() {
		return &accident{what: resting}
	}
	l.counters.posts.Add(1)
	l.counters.inFlight.Add(1)
	defer l.counters.inFlight.Add(-1)
	began := time.Now()
	a = &accident{what: lost} // should the transport panic
	defer func() {
		if !p.aside {
			g.record(a, time.Since(began))
		}
	}()
	if a = l.exchange(ctx, p); a != nil {
		a.again = g.again(ctx, p, a)
	}
	return a
}

// record tells the breaker how a trip went. What says nothing about the host is not
// told, and where it was the probe the next call is one.
func (g *guard) record(a *accident, took time.Duration) {
	switch {
	case a == nil:
		g.breaker.RecordSuccess()
	case fates[a.what].counts && (a.what != tooLate || took >= g.fair):
		g.breaker.RecordFailure()
	case a.what != left && a.what != tooLate: // the host has answered something
		g.breaker.RecordSuccess()
	case g.breaker.IsHalfOpen():
		g.breaker.Open()
		g.breaker.HalfOpen()
	}
}

// again says whether what failed is sent again: by the table, and as long as there
// is time for the pause and more.
func (g *guard) again(ctx context.Context, p *post, a *accident) bool {
	f := &fates[a.what]
	may := f.query && !p.command || f.command && p.command
	if a.what == slowDown && !p.command {
		may = a.after > 0 // it says when
	}
	if by, ok := ctx.Deadline(); ok {
		may = may && time.Until(by) > max(a.after, g.least)
	}
	return may
}
