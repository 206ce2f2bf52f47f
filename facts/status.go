package facts

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade"
)

// Size is a number of events, and when the first of them was emitted: zero for no events.
type Size struct {
	Events int
	Oldest time.Time
}

// Age is how long ago the first was emitted.
func (s Size) Age() time.Duration {
	if s.Oldest.IsZero() {
		return 0
	}
	return max(0, time.Since(s.Oldest))
}

// Status is the state of a feed.
type Status struct {
	// Last is the last position that is known, and Leads whether this process gives them.
	Last  facade.Position
	Leads bool
	// Failure is why the last round failed, and Since when the first of several did; nil: it
	// did not.
	Failure error
	Since   time.Time
	// Readers is the number of open readers.
	Readers int
}

// Status is the current state of the feed.
func (f *Feed) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	s.Readers = f.readers
	return s
}

// lastEvery is the interval at which [Feed.Last] asks a log without readers.
const lastEvery = time.Second

// Last returns a position that the log has reached: a reader that begins after it receives
// every event committed after the call. It may lag the last position a little.
func (f *Feed) Last(ctx context.Context) (facade.Position, error) {
	f.mu.Lock()
	known, fresh := f.status.Last, f.outbox != nil || f.follows || time.Since(f.spanned) < lastEvery
	f.mu.Unlock()
	if known != 0 && fresh {
		return known, nil
	}
	_, last, err := f.log.Span(ctx)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status.Last, f.spanned = last, time.Now()
	return last, nil
}

// report notes how a round ended, and logs the first failure of several and the recovery.
func (f *Feed) report(err error) {
	f.mu.Lock()
	before := f.status.Failure
	f.status.Failure = err
	if before == nil {
		f.status.Since = time.Now()
	}
	since := f.status.Since
	f.mu.Unlock()
	switch {
	case err != nil && before == nil:
		f.options.Log.Warn("the log of facts cannot be read; events wait in the store", "error", err)
	case err == nil && before != nil:
		f.options.Log.Info("the log of facts is read again", "after", time.Since(since).Round(time.Millisecond).String())
	}
}
