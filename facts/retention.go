package facts

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade"
)

// Events past retention are removed every trimEvery, trimEvents at a time, with a pause after
// each so that commands are not held up.
const (
	trimEvery  = time.Minute
	trimEvents = 1000
	trimPause  = 50 * time.Millisecond
)

// sweep removes events past retention every minute, from the log where this process is the
// one that relays, and from memory where anybody has removed them from the log.
func (f *Feed) sweep(ctx context.Context) {
	for facade.Pause(ctx, trimEvery) {
		if f.outbox != nil && f.Status().Leads {
			f.trim(ctx)
		}
		if !f.following() {
			continue
		}
		if oldest, _, err := f.log.Span(ctx); err == nil { // or in a minute
			f.forget(oldest)
		}
	}
}

// trim removes old events from the outbox.
func (f *Feed) trim(ctx context.Context) {
	for {
		n, err := f.outbox.Trim(ctx, time.Now().Add(-f.options.Retention), trimEvents)
		if err != nil && ctx.Err() == nil {
			f.options.Log.Warn("events past retention cannot be removed; it is tried again in a minute", "error", err)
		}
		if err != nil || n < trimEvents || !facade.Pause(ctx, trimPause) {
			return
		}
	}
}

// following reports whether there is anything in memory.
func (f *Feed) following() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.follows
}

// forget drops events from memory that the log does not keep any more. Readers that have not
// read them are refused by the log; those that wait have.
func (f *Feed) forget(oldest facade.Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.follows && oldest <= f.window.head {
		f.window.forget(oldest)
	}
}
