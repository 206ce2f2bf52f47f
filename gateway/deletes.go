package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// deletes finishes deletes of rows whose followers at other hosts have not followed, because a host could not be
// reached or a process ended. Every process over a store looks for them: finishing one twice has no further effect.
type deletes struct {
	current func() *facade.Facade
	log     *slog.Logger
	alone   bool // no other process serves the store

	known map[string]*unfinished
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// unfinished is a delete that was found in the store.
type unfinished struct {
	since, next time.Time     // when it was found, and when it is tried
	rest        time.Duration // after a failure
}

const (
	// deletesEvery is how often the store is read.
	deletesEvery = 5 * time.Second
	// settledAfter is how long after it is found no host works at a delete any more: a call has ten seconds.
	settledAfter = 2 * time.Minute
	// maxDeleteRest is the longest time between two tries.
	maxDeleteRest = 5 * time.Minute
)

// start looks for unfinished deletes until close.
func (d *deletes) start() {
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.done.Go(func() {
		for first := d.alone; ; first = false {
			d.look(ctx, time.Now(), first)
			if !facade.Pause(ctx, deletesEvery) {
				return
			}
		}
	})
}

// look tries the deletes that are due, which are read at the start, and later where new ones may be. One that is found for the first time is probably under way and waits for the next look,
// unless ended says that the process which began it has ended.
func (d *deletes) look(ctx context.Context, now time.Time, ended bool) {
	f := d.current()
	if d.known != nil && len(d.known) == 0 && !f.FollowsDeletes() {
		return
	}
	all, err := f.UnfinishedDeletes(ctx)
	if err != nil {
		d.log.Debug("the unfinished deletes cannot be read", "error", err)
		return
	}
	was := d.known
	d.known = map[string]*unfinished{}
	for key, text := range all {
		u := was[key]
		if u == nil {
			u = &unfinished{since: now, next: now, rest: deletesEvery}
			if !ended {
				u.next = now.Add(deletesEvery)
			}
		}
		d.known[key] = u
		if now.Before(u.next) || ctx.Err() != nil {
			continue
		}
		if err := f.FinishDelete(ctx, key, text, now.Sub(u.since) > settledAfter); err != nil && ctx.Err() == nil {
			u.rest = min(2*u.rest, maxDeleteRest)
			d.log.Warn("a row is deleted, and rows at other hosts that point at it are not changed yet", "delete", key, "again", u.rest.String(), "error", kiterror.Report(ctx, d.log, err, ""))
		}
		u.next = now.Add(u.rest)
	}
}

// close ends a try under way. It may be called before start.
func (d *deletes) close() {
	if d.stop != nil {
		d.stop()
	}
	d.done.Wait()
}
