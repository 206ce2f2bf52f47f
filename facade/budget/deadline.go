package budget

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Within is [context.WithTimeoutCause] for contexts that few wait for: the timer runs from the first call of
// Done on. Until then Err reads the clock. nil as cause means [context.DeadlineExceeded].
func Within(ctx context.Context, limit time.Duration, cause error) (context.Context, context.CancelFunc) {
	d := &deadline{Context: ctx, by: time.Now().Add(limit), cause: cause}
	return d, d.end
}

// deadline is a context that ends at a time.
type deadline struct {
	context.Context
	by    time.Time
	cause error

	ended  atomic.Bool
	mu     sync.Mutex // guards the change of waited, and that of ended
	waited atomic.Pointer[waited]
}

// waited is the context with a timer.
type waited struct {
	context.Context
	cancel context.CancelFunc
}

// Deadline implements [context.Context].
func (d *deadline) Deadline() (time.Time, bool) {
	if by, is := d.Context.Deadline(); is && by.Before(d.by) {
		return by, true
	}
	return d.by, true
}

// Done implements [context.Context].
func (d *deadline) Done() <-chan struct{} { return d.wait().Done() }

// Err implements [context.Context].
func (d *deadline) Err() error {
	w := d.waited.Load()
	if w == nil {
		if !d.ended.Load() && d.Context.Err() == nil && time.Now().Before(d.by) {
			return nil
		}
		w = d.wait()
	}
	return w.Err()
}

// Value implements [context.Context]. [context.Cause] and contexts below find the one with the timer by it.
func (d *deadline) Value(key any) any {
	if w := d.waited.Load(); w != nil {
		return w.Value(key)
	}
	return d.Context.Value(key)
}

// wait returns the context with a timer. It is over at once where d is.
func (d *deadline) wait() *waited {
	if w := d.waited.Load(); w != nil {
		return w
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.waited.Load()
	if w == nil {
		w = &waited{}
		w.Context, w.cancel = context.WithDeadlineCause(d.Context, d.by, d.cause)
		if d.ended.Load() {
			w.cancel()
		}
		d.waited.Store(w)
	}
	return w
}

// end cancels the context.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended.Store(true)
	if w := d.waited.Load(); w != nil {
		w.cancel()
	}
}
