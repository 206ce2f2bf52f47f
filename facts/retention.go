package facts

import (
	"context"
	"time"
)

// Events past retention are removed every trimEvery, trimEvents at a time, with a pause after
// each so that commands are not held up.
const (
	trimEvery  = time.Minute
	trimEvents = 1000
	trimPause  = 50 * time.Millisecond
)

// trim removes old events, where this process is the one that relays.
func (f *Feed) trim(ctx context.Context) {
	for sleep(ctx, trimEvery) == nil {
		if !f.Status().Leads {
			continue
		}
		for {
			n, err := f.outbox.Trim(ctx, time.Now().Add(-f.options.Retention), trimEvents)
			if err != nil && ctx.Err() == nil {
				f.options.Log.Warn("events past retention cannot be removed; it is tried again in a minute", "error", err)
			}
			if err != nil || n < trimEvents || sleep(ctx, trimPause) != nil {
				break
			}
		}
	}
}
