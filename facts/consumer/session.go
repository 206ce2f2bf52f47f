package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
)

// session is one stretch of consuming, while this process holds the lease.
type session struct {
	*Consumer
	*delivery.Session
	aside aside
	// looked is when the events set aside were read. A replay adds to them.
	looked time.Time
}

const (
	// maxAside is how many events are set aside before the consumer reads no further.
	maxAside = 10_000
	// lookEvery is how often a busy consumer looks for events that a replay has set aside.
	lookEvery = 30 * time.Second
)

// run consumes until ctx is done, the store fails, or there is no work left.
func (s *session) run(ctx context.Context) error {
	for {
		if time.Since(s.looked) >= lookEvery {
			if err := s.look(ctx); err != nil {
				return err
			}
		}
		if err := s.retry(ctx); err != nil {
			return err
		}
		if err := s.read(ctx); err != nil {
			return err
		}
	}
}

// look reads the events set aside.
func (s *session) look(ctx context.Context) error {
	all, err := s.Store.Dead(ctx, delivery.Retrying(s.Name), 2*maxAside)
	if err != nil {
		return err
	}
	s.aside.fill(all)
	s.looked = time.Now()
	s.count()
	return nil
}

// read waits for the next events, until an event set aside is due, and consumes them.
func (s *session) read(ctx context.Context) error {
	wait := s.IdleTime()
	if due, some := s.aside.due(); some {
		wait = min(wait, max(0, time.Until(due)))
	}
	if s.aside.n >= maxAside {
		facade.Pause(ctx, wait)
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	events, behind, err := s.Next(limited)
	cancel()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		if s.aside.n == 0 {
			return s.Idle()
		}
		return nil
	case err != nil:
		return err
	}
	s.Stats.Change(func(state *delivery.State) { state.Waiting, state.Oldest = len(events), events[0].At })
	for _, e := range events {
		if err := s.consume(ctx, e); err != nil {
			return err
		}
	}
	s.count()
	return s.Save(ctx, behind)
}

// consume hands one event to the function, or sets it aside: where the function fails, where
// an earlier event of its key is aside, and the first event of a process, before it is tried.
func (s *session) consume(ctx context.Context, e *facade.Event) error {
	move := func(ctx context.Context) error { return s.Within(ctx, e.Position) }
	dead := &facade.DeadEvent{Consumer: delivery.Retrying(s.Name), Event: *e}
	isCounted := false
	switch {
	case s.aside.waits(e):
		dead.Reason = "an earlier event of the same row has failed"
	case !s.proven:
		dead.Tries, dead.Reason, isCounted = 1, endedProcess, true
	default:
		err := s.attempt(ctx, e, move)
		if err == nil {
			s.done(e.Position)
			return nil
		}
		if !errors.As(err, new(errHandle)) {
			return err
		}
		dead.Tries++
		s.failed(dead, err)
	}
	dead.At = time.Now().UTC()
	err := s.Store.Transact(ctx, func(ctx context.Context) error {
		if err := move(ctx); err != nil {
			return err
		}
		return s.Store.Bury(ctx, dead)
	})
	if err != nil {
		return err
	}
	s.Moved(e.Position)
	s.aside.add(dead)
	if isCounted {
		return s.tryAgain(ctx, dead, true)
	}
	return nil
}

// retry tries the events that are due, the first of each key.
func (s *session) retry(ctx context.Context) error {
	for _, dead := range s.aside.ready(time.Now()) {
		if err := s.again(ctx, dead); err != nil {
			return err
		}
	}
	s.count()
	return nil
}

// endedProcess is the stored reason of an attempt while it runs: a later reader of it knows
// that the process ended before it could write another.
const endedProcess = "the process ended while the consumer handled it"

// again tries one event set aside.
//
// An attempt that may end the process (os.Exit, a panic of another goroutine, out of memory) is
// counted in the store before it begins, since it could not be recorded afterwards. These are
// the attempts of an event that has failed before, and all of a process until one of them has
// returned: the next process begins with the event that ended the last one. Other attempts cost
// no write in addition to their transaction.
func (s *session) again(ctx context.Context, dead *facade.DeadEvent) error {
	if dead.Tries > 0 && dead.Reason == endedProcess {
		s.failed(dead, errors.New(endedProcess))
	}
	if dead.Tries >= s.limit() {
		return s.giveUp(ctx, dead)
	}
	isCounted := dead.Tries > 0 || !s.proven
	dead.Tries++
	if isCounted {
		dead.Reason = endedProcess
		if err := s.keep(ctx, dead); err != nil {
			return err
		}
	}
	return s.tryAgain(ctx, dead, isCounted)
}

// tryAgain makes an attempt that dead.Tries includes already. isCounted says that the store does
// too.
func (s *session) tryAgain(ctx context.Context, dead *facade.DeadEvent, isCounted bool) error {
	err := s.attempt(ctx, &dead.Event, func(ctx context.Context) error { return s.revive(ctx, dead) })
	if err != nil && !errors.As(err, new(errHandle)) {
		if isCounted && ctx.Err() != nil && !errors.Is(context.Cause(ctx), delivery.ErrLost) {
			// A stop of the gateway does not count as a failure of the event.
			dead.Tries--
			dead.Reason = "the gateway was stopped while the consumer handled it"
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = s.keep(last, dead) // or it has one try less
		}
		return err
	}
	s.proven = true
	if err == nil {
		s.aside.pop(dead)
		s.done(0)
		return nil
	}
	if s.failed(dead, err); dead.Tries >= s.limit() {
		return s.giveUp(ctx, dead)
	}
	return s.keep(ctx, dead)
}

// limit is how often an event is tried.
func (s *session) limit() int { return cmp.Or(s.Tries, defaultTries) }

// revive takes an event out of the events set aside. ErrLost: another process has.
func (s *session) revive(ctx context.Context, dead *facade.DeadEvent) error {
	there, err := s.Store.Revive(ctx, dead.Consumer, dead.Event.ID)
	if err == nil && !there {
		return delivery.ErrLost
	}
	return err
}

// replace writes a letter in the place of a failed event, unless another process has handled
// that in between.
func (s *session) replace(ctx context.Context, dead, letter *facade.DeadEvent) error {
	return s.Store.Transact(ctx, func(ctx context.Context) error {
		if err := s.revive(ctx, dead); err != nil {
			return err
		}
		return s.Store.Bury(ctx, letter)
	})
}

// keep writes down how often an event was tried, and when.
func (s *session) keep(ctx context.Context, dead *facade.DeadEvent) error {
	dead.At = time.Now().UTC()
	return s.replace(ctx, dead, dead)
}

// giveUp makes an event dead. The events that wait for it go on.
func (s *session) giveUp(ctx context.Context, dead *facade.DeadEvent) error {
	dead.At = time.Now().UTC()
	final := *dead
	final.Consumer = s.Name
	if err := s.replace(ctx, dead, &final); err != nil {
		return err
	}
	s.Log.Error("an event is dead: it was tried too often", "consumer", s.Name, "fact", dead.Event.Frond+"."+dead.Event.Name, "event", dead.Event.ID, "tries", dead.Tries, "error", dead.Reason)
	s.aside.pop(dead)
	s.Stats.Change(func(state *delivery.State) { state.Dead++ })
	return nil
}

// done counts a handled event; at is its position if the cursor has moved to it.
func (s *session) done(at facade.Position) {
	if at > 0 {
		s.Moved(at)
	}
	s.Stats.Change(func(state *delivery.State) { state.Delivered++ })
}

// failed notes a failure of the function in dead, and logs it.
func (s *session) failed(dead *facade.DeadEvent, err error) {
	dead.Reason = reason(err)
	s.Log.Warn("an event was moved to the dead events: its consumer has failed", "consumer", s.Name, "fact", dead.Event.Frond+"."+dead.Event.Name, "event", dead.Event.ID, "tries", dead.Tries, "error", dead.Reason)
	s.Stats.Change(func(state *delivery.State) { state.Failed++ })
}

// count shows what waits.
func (s *session) count() {
	s.Stats.Change(func(state *delivery.State) {
		state.Waiting, state.Retrying, state.Oldest = s.aside.n, s.aside.n, s.aside.oldest()
		if state.Problem = ""; s.aside.n >= maxAside {
			state.Problem = fmt.Sprintf("%d events have failed and are tried again; reading continues once some are done", s.aside.n)
		}
	})
}
