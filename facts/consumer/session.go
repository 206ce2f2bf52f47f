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
	// looked is when the events that are set aside were read, which a replay adds to.
	looked time.Time
}

const (
	// maxAside is how many events are set aside before the consumer reads no further.
	maxAside = 10_000
	// lookEvery is how often a busy consumer looks for events that a replay has set aside.
	lookEvery = 30 * time.Second
)

// run consumes until ctx is done, the store fails, or there is nothing to do.
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

// look reads the events that are set aside.
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

// read waits for the next events, until one that is set aside is due, and consumes them.
func (s *session) read(ctx context.Context) error {
	wait := s.IdleTime()
	if due, some := s.aside.due(); some {
		wait = min(wait, max(0, time.Until(due)))
	}
	if s.aside.n >= maxAside {
		delivery.Pause(ctx, wait)
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

// consume hands one event to the function, or sets it aside: where the function fails, and
// where an earlier event of its key is aside.
func (s *session) consume(ctx context.Context, e *facade.Event) error {
	move := func(ctx context.Context) error { return s.Within(ctx, e.Position) }
	dead := &facade.DeadEvent{Consumer: delivery.Retrying(s.Name), Event: *e}
	if s.aside.waits(e) {
		dead.Reason = "an earlier event of the same row has failed"
	} else {
		err := s.attempt(ctx, e, move)
		if err == nil {
			s.done(e.Position)
			return nil
		}
		if !errors.As(err, new(errHandle)) {
			return err
		}
		s.failed(dead, err)
	}
	dead.At = time.Now().UTC()
	err := s.Store.Transact(ctx, func(ctx context.Context) error {
		if err := move(ctx); err != nil {
			return err
		}
		return s.Store.Bury(ctx, dead)
	})
	if err == nil {
		s.Moved(e.Position)
		s.aside.add(dead)
	}
	return err
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

// again tries one event that is set aside.
func (s *session) again(ctx context.Context, dead *facade.DeadEvent) error {
	revive := func(ctx context.Context) error {
		there, err := s.Store.Revive(ctx, dead.Consumer, dead.Event.ID)
		if err == nil && !there {
			return delivery.ErrLost
		}
		return err
	}
	err := s.attempt(ctx, &dead.Event, revive)
	if err == nil {
		s.aside.pop(dead)
		s.done(0)
		return nil
	}
	if !errors.As(err, new(errHandle)) {
		return err
	}
	s.failed(dead, err)
	dead.At = time.Now().UTC()
	if dead.Tries < cmp.Or(s.Tries, DefaultTries) {
		return s.Store.Bury(ctx, dead)
	}
	err = s.Store.Transact(ctx, func(ctx context.Context) error {
		if err := revive(ctx); err != nil {
			return err
		}
		final := *dead
		final.Consumer = s.Name
		return s.Store.Bury(ctx, &final)
	})
	if err != nil {
		return err
	}
	s.Log.Error("an event is dead: it was tried too often", "consumer", s.Name, "fact", dead.Event.Frond+"."+dead.Event.Name, "event", dead.Event.ID, "tries", dead.Tries, "error", dead.Reason)
	s.aside.pop(dead)
	s.Stats.Change(func(state *delivery.State) { state.Dead++ })
	return nil
}

// done counts an event that was handled; at is its position where the cursor has moved to it.
func (s *session) done(at facade.Position) {
	if at > 0 {
		s.Moved(at)
	}
	s.Stats.Change(func(state *delivery.State) { state.Delivered++ })
}

// failed notes a failure of the function in dead, and logs it.
func (s *session) failed(dead *facade.DeadEvent, err error) {
	dead.Tries++
	dead.Reason = reason(err)
	s.Log.Warn("an event is set aside: its consumer has failed", "consumer", s.Name, "fact", dead.Event.Frond+"."+dead.Event.Name, "event", dead.Event.ID, "tries", dead.Tries, "error", dead.Reason)
	s.Stats.Change(func(state *delivery.State) { state.Failed++ })
}

// count shows what waits.
func (s *session) count() {
	s.Stats.Change(func(state *delivery.State) {
		state.Waiting, state.Retrying, state.Oldest = s.aside.n, s.aside.n, s.aside.oldest()
		if state.Problem = ""; s.aside.n >= maxAside {
			state.Problem = fmt.Sprintf("%d events have failed and are tried again; nothing further is read until some are done", s.aside.n)
		}
	})
}
