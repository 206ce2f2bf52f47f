package facts

import (
	"context"
	"errors"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// errClosed is the error of a closed reader or feed.
var errClosed = errors.New("the feed is closed")

// Reader reads the events of some facts in order. One goroutine at a time uses it; Close may
// be called from any.
type Reader struct {
	feed  *Feed
	topic *topic
	came  chan struct{} // of Next; nil: it was not called yet

	// Guarded by the feed's mutex.
	wake   func()          // of Notify; nil: no call
	at     facade.Position // everything up to it was read; while parked, up to the window's head
	log    int             // [Feed.replaced] when it began
	parked int             // 1 + its place among the topic's idle readers; 0: it may have something to read
	closed bool
}

// Next returns the next events, at least one, at most 256 and about 64 KiB, and the position of
// the last. Events are shared: they must not be changed. It waits for new events, and while the
// store cannot be reached. The error is ctx's, errClosed, or GONE if unread events are past
// retention. It replaces Notify.
func (r *Reader) Next(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	if r.came == nil {
		came := make(chan struct{}, 1)
		r.came = came
		r.Notify(func() {
			select {
			case came <- struct{}{}:
			default:
			}
		})
	}
	pause := firstPause
	for {
		events, at, err := r.Poll(ctx)
		switch {
		case len(events) > 0, err != nil && !temporary(err):
			return events, at, err
		case err != nil:
			if !facade.Pause(ctx, jittered(pause)) {
				return nil, at, context.Cause(ctx)
			}
			pause = min(2*pause, lastPause)
			continue
		}
		select {
		case <-r.came:
		case <-ctx.Done():
			return nil, at, context.Cause(ctx)
		}
	}
}

// Notify has wake called each time that there is something to read after Poll returned no
// events, or the last ones, and when the feed closes: once, until Poll is called again. wake is
// called from the goroutine of the feed and must not block. It is for connections that serve many
// readers with one goroutine.
func (r *Reader) Notify(wake func()) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.wake = wake
}

// Poll is Next without waiting: without new events it returns an empty list, and the position
// up to which it has looked. Its error may be temporary, if the store cannot be reached; the
// position is then valid too, and a later call continues from it.
func (r *Reader) Poll(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	f := r.feed
	for {
		f.mu.Lock()
		switch {
		case r.closed || f.closed:
			at := r.position()
			f.mu.Unlock()
			return nil, at, errClosed
		case r.log != f.replaced:
			at := r.at
			f.mu.Unlock()
			return nil, at, errReplaced
		case r.parked > 0:
			at := r.position()
			f.mu.Unlock()
			return nil, at, nil
		case r.at >= f.window.low:
			events, upto := r.topic.after(&f.window, r.at)
			r.at = max(r.at, upto) // a position of another process may be ahead of the window
			if len(events) == 0 || r.at >= f.window.head {
				r.topic.park(r)
			}
			f.mu.Unlock()
			return events, upto, nil
		}
		at, known := r.at, f.window.low
		f.mu.Unlock()
		events, behind, err := f.backlog.read(ctx, r.topic, at, known)
		if err != nil {
			return nil, at, err
		}
		f.mu.Lock()
		r.at = behind
		f.mu.Unlock()
		if len(events) > 0 {
			return events, behind, nil
		}
	}
}

// Rewind sets the reader back to a position of events that Next or Poll has returned: unsent
// events are read again later, and not held until then.
func (r *Reader) Rewind(to facade.Position) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	if to >= r.position() || r.closed {
		return
	}
	if r.parked > 0 {
		r.topic.unpark(r)
	}
	r.at = to
}

// Waiting reports whether the reader is at the end, so that a new event calls wake.
func (r *Reader) Waiting() bool {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	return r.parked > 0
}

// Position is the position from which to resume.
func (r *Reader) Position() facade.Position {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	return r.position()
}

func (r *Reader) position() facade.Position {
	if r.parked > 0 {
		return max(r.at, r.feed.window.head)
	}
	return r.at
}

// Close ends the reader. Closing twice is fine.
func (r *Reader) Close() { r.feed.leave(r) }

// errReplaced is the error of a reader whose log is there no more.
var errReplaced = kiterror.Errorf(kiterror.Gone, "the log was replaced at its host; read the rows again for a new position")

// temporary reports whether reading may succeed later.
func temporary(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errClosed) {
		return false
	}
	return kiterror.CodeOf(err) != kiterror.Gone
}
