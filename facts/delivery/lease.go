package delivery

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/frondhost/frond/facade"
)

// leaseTime is how long an unrenewed lease stays with its holder.
const leaseTime = 15 * time.Second

// ErrLost is why a session ends whose lease another process has, or whose cursor somebody else
// has moved.
var ErrLost = errors.New("another process delivers now")

// lease lets one process at a time deliver for a consumer. It is a counter among the store's
// cursors: even while it is free, odd while a process holds it, and greater after every
// renewal. A process takes over a counter that has not changed for [leaseTime] of its own
// clock, so that the clocks of processes need not agree.
//
// It is used by one goroutine.
type lease struct {
	store facade.Cursors
	name  string

	seen  facade.Position // the counter when it was last read or written
	since time.Time       // when this process first saw it at that
	held  bool
}

// newLease is the lease of a consumer. It is not held.
func newLease(store facade.Cursors, consumer string) *lease {
	return &lease{store: store, name: "lease:" + consumer, seen: -1}
}

// Take takes the lease if it is free, or its holder has not renewed it for leaseTime, and
// reports whether it is held now.
func (l *lease) Take(ctx context.Context) (bool, error) {
	at, _, err := l.store.Cursor(ctx, l.name)
	if err != nil {
		return false, err
	}
	if at != l.seen {
		l.seen, l.since = at, time.Now()
	}
	isFree := at%2 == 0
	if !isFree && time.Since(l.since) < leaseTime {
		return false, nil
	}
	next := at + 2 // another one's, which is over
	if isFree {
		next = at + 1
	}
	return l.move(ctx, next)
}

// Renew keeps a lease that is held. false: another process has it.
func (l *lease) Renew(ctx context.Context) (bool, error) { return l.move(ctx, l.seen+2) }

// Release gives a lease back that is held, so that another process may take it at once.
func (l *lease) Release(ctx context.Context) error {
	_, err := l.move(ctx, l.seen+1)
	l.held = false
	return err
}

// move writes the counter unless another process has changed it.
func (l *lease) move(ctx context.Context, to facade.Position) (bool, error) {
	moved, err := l.store.Advance(ctx, l.name, l.seen, to)
	if err != nil {
		return false, err
	}
	if l.held = moved; moved {
		l.seen, l.since = to, time.Now()
	}
	return moved, nil
}

// keep renews a held lease until ctx is done. It calls lost if it cannot: another process has
// the lease, or the store did not answer for so long that another one may. The lease belongs to
// keep until it returns.
func (l *lease) keep(ctx context.Context, log *slog.Logger, lost func(error)) {
	tick := time.NewTicker(leaseTime / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		by := l.since.Add(leaseTime - leaseTime/5) // before another process counts it as over
		attempt, cancel := context.WithDeadline(ctx, by)
		held, err := l.Renew(attempt)
		cancel()
		switch {
		case err == nil && held, ctx.Err() != nil:
		case err == nil:
			lost(ErrLost)
			return
		case time.Now().Before(by):
			log.Warn("the lease of a way out could not be renewed yet", "lease", l.name, "error", err)
		default:
			lost(err)
			return
		}
	}
}
