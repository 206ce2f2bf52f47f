package facts

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// The pace of a feed. A round reads the new events. While there are some, rounds follow one
// another every leastGap, so that a thousand commits a second are a hundred rounds. After an
// empty round the next one comes after pollBusy, and then after twice as long each time, up to
// pollIdle; a hint of a commit in this process begins one at once. A failed round is repeated
// after firstPause, then after twice as long, up to lastPause.
const (
	leastGap   = 10 * time.Millisecond
	pollBusy   = 50 * time.Millisecond
	pollIdle   = 500 * time.Millisecond
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second

	roundEvents = 512
)

// run makes rounds until ctx is done.
func (f *Feed) run(ctx context.Context) {
	poll, pause := pollBusy, firstPause
	for ctx.Err() == nil {
		if f.outbox == nil && !f.followed() {
			// A log without a relay here is of no interest without readers.
			select {
			case <-f.kicked:
			case <-ctx.Done():
			}
			continue
		}
		committed := f.log.Committed() // before the round: later commits give a hint
		began := time.Now()
		grown, err := f.round(ctx)
		if ctx.Err() != nil {
			return
		}
		f.report(err)
		wait := poll
		switch {
		case err != nil:
			// Commits give no hint of a store that is back.
			facade.Pause(ctx, jittered(pause))
			pause = min(2*pause, lastPause)
			continue
		case grown:
			wait, poll, pause = leastGap, pollBusy, firstPause
		default:
			poll, pause = min(2*poll, pollIdle), firstPause
		}
		f.await(ctx, wait, began, committed)
	}
}

// await waits for the next round. It may skip a round if the log knows that it has not grown
// since the last one.
func (f *Feed) await(ctx context.Context, wait time.Duration, began time.Time, committed <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-committed:
			facade.Pause(ctx, time.Until(began.Add(leastGap)))
		case <-timer.C:
			if f.outbox != nil && f.outbox.Quiet(began) {
				timer.Reset(pollIdle)
				continue
			}
		case <-f.kicked:
		case <-ctx.Done():
		}
		return
	}
}

// followed reports whether there are readers. Without readers the window is cleared, since it
// is not kept at the end of the log.
func (f *Feed) followed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers == 0 {
		f.follows = false
		f.window.reset(0)
	}
	return f.readers > 0
}

// round relays, and reads the log up to its end. grown reports whether there was anything.
func (f *Feed) round(ctx context.Context) (grown bool, err error) {
	var last facade.Position
	if f.outbox != nil {
		var leads bool
		if last, leads, err = f.outbox.Relay(ctx); err != nil {
			return false, err
		}
		if done, grown := f.relayed(last, leads); done {
			return grown, nil
		}
	}
	for {
		after, broke := f.head()
		if broke {
			// Events may have been trimmed before they were read here.
			oldest, last, err := f.log.Span(ctx)
			if err != nil {
				return grown, err
			}
			switch kiterror.CodeOf(facade.Resumable(after, oldest, last)) {
			case kiterror.Gone:
				f.skip(oldest)
				after = oldest
			case kiterror.ValidationFailed:
				f.replace(last)
				after = last
			}
		}
		events, behind, err := f.log.Log(ctx, after, nil, roundEvents)
		if err != nil {
			return grown, err
		}
		end := len(events) == 0
		if end {
			behind = max(behind, last) // last was given before the read
		}
		if f.options.Observe != nil {
			for _, e := range events {
				f.options.Observe(e)
			}
		}
		f.mu.Lock()
		f.publish(events, behind)
		f.notify()
		f.status.Last = max(f.status.Last, behind)
		f.mu.Unlock()
		grown = grown || len(events) > 0
		if f.outbox == nil || end || behind >= last { // the log of a remote waits for more
			return grown, nil
		}
	}
}

// relayed records the last position. done: there are no events to read, because all were read,
// or because there are no readers; the window then stays at the end of the log.
func (f *Feed) relayed(last facade.Position, leads bool) (done, grown bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	grown = last > f.status.Last
	f.status.Last, f.status.Leads = last, leads
	switch {
	case f.readers == 0 && f.options.Observe == nil || !f.follows:
		f.follows = true
		f.window.reset(last)
		return true, grown
	case last <= f.window.head:
		return true, grown
	}
	return false, grown
}

// head is the end of the window. broke reports whether a round has failed since the last one
// that did not.
func (f *Feed) head() (at facade.Position, broke bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.window.head, f.status.Failure != nil
}

// skip moves the window over events that are gone. Readers for whom there may have been some
// then read the log, which answers GONE.
func (f *Feed) skip(to facade.Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.topics {
		f.woken = t.wake(f.window.head, f.woken)
	}
	f.window.reset(to)
	f.notify()
}

// replace continues in another log, which replaced the one that was read: a host was rebuilt.
// Readers of the old one cannot continue.
func (f *Feed) replace(at facade.Position) {
	f.mu.Lock()
	f.replaced++
	f.mu.Unlock()
	f.skip(at)
}

// jittered is a time around d, so that processes that failed together do not come back
// together.
func jittered(d time.Duration) time.Duration { return d/2 + rand.N(d) }
