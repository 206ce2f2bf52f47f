package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// injected holds the faults that a mock injects: it makes calls slow, and some of them fail, so
// that a client meets the failures it has to handle. Discovery is excepted: a gateway always
// learns the catalog. It may be used from many goroutines. The numbers come from --seed: two
// runs with the same calls in the same order meet the same faults.
type injected struct {
	// least and most bound the wait of a call; fail is the share of calls that fail, from 0 to
	// 1.
	least, most time.Duration
	fail        float64

	mu   sync.Mutex
	rand *rand.Rand
}

// draw returns how long the next call takes, and whether it fails. The wait is between least
// and most, both included.
func (t *injected) draw() (time.Duration, bool) {
	// A rand.Rand is not safe for concurrent use.
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := t.least
	if room := t.most - t.least; room > 0 {
		wait += time.Duration(t.rand.Int64N(int64(room) + 1))
	}
	return wait, t.rand.Float64() < t.fail
}

// injectedKey marks the context of a call that has had its share of faults.
type injectedKey struct{}

// middleware injects the faults into calls from outside. A failed call does not reach next; a
// delayed one ends with its context. A call that fails waits first, as a host that fails does.
func (t *injected) middleware(next facade.Caller) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		// Once for each call from outside: otherwise an operation that calls ten others would
		// fail ten times as often.
		if ctx.Value(injectedKey{}) != nil {
			return next.Call(ctx, c) // an operation that calls others is one call
		}
		ctx = context.WithValue(ctx, injectedKey{}, true)
		wait, fails := t.draw()
		if wait > 0 {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				return nil, kiterror.AsError(ctx.Err()).At(c.Entity, c.Operation)
			}
		}
		if fails {
			return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "this mock fails as --fail says").At(c.Entity, c.Operation)
		}
		return next.Call(ctx, c)
	})
}
