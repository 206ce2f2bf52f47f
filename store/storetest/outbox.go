package storetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
)

// The outbox of the reference store: lists that a transaction copies and goes back to, as it
// does with rows. Transactions run one after the other, so pending has the order of commits.

// outbox is the events and what consumers left behind.
type outbox struct {
	log          []*facade.Event // with positions
	pending      []*facade.Event // committed, or of the transaction that holds the store
	oldest, last facade.Position
	cursors      map[string]facade.Position
	dead         []*facade.DeadEvent
}

var _ facade.Outbox = (*Store)(nil)

func newOutbox() outbox {
	p := facade.NewLog(time.Now())
	return outbox{oldest: p, last: p, cursors: map[string]facade.Position{}}
}

func (o outbox) copied() outbox {
	o.log, o.pending, o.dead = slices.Clone(o.log), slices.Clone(o.pending), slices.Clone(o.dead)
	o.cursors = maps.Clone(o.cursors)
	return o
}

// Emit implements [facade.Outbox].
func (s *Store) Emit(ctx context.Context, events []facade.Event) error {
	release, err := s.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if ctx.Value(levelKey{s}) == nil {
		if facade.InDryRun(ctx) {
			return nil
		}
		defer s.committed.Send()
	}
	for _, e := range events {
		e.Position = 0
		s.outbox.pending = append(s.outbox.pending, &e)
	}
	return nil
}

// Committed implements [facade.Outbox].
func (s *Store) Committed() <-chan struct{} { return s.committed.Wait() }

// Records implements [facade.Outbox]: it does not.
func (s *Store) Records() bool { return false }

// Quiet implements [facade.Outbox]. Committed announces everything, and this says nothing.
func (s *Store) Quiet(time.Time) bool { return false }

// Behind implements [facade.Outbox].
func (s *Store) Behind(ctx context.Context, at facade.Position, names []string, retrying string) (events int, since time.Time, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return 0, since, err
	}
	defer release()
	count := func(e *facade.Event) {
		if events++; since.IsZero() || e.At.Before(since) {
			since = e.At
		}
	}
	for _, e := range slices.Concat(s.outbox.log, s.outbox.pending) {
		if (e.Position > at || e.Position == 0) && (names == nil || slices.Contains(names, e.Frond+"."+e.Name)) {
			count(e)
		}
	}
	for _, d := range s.outbox.dead {
		if d.Consumer == retrying && d.Event.Position <= at {
			count(&d.Event)
		}
	}
	return events, since, nil
}

// Relay implements [facade.Outbox]: every event that is pending gets the next position.
func (s *Store) Relay(ctx context.Context) (last facade.Position, leads bool, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return 0, false, err
	}
	defer release()
	for _, e := range s.outbox.pending {
		s.outbox.last++
		placed := *e // the event may be in the copy that a transaction goes back to
		placed.Position = s.outbox.last
		s.outbox.log = append(s.outbox.log, &placed)
	}
	s.outbox.pending = nil
	return s.outbox.last, true, nil
}

// Trim implements [facade.Outbox].
func (s *Store) Trim(ctx context.Context, before time.Time, limit int) (int, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	n := slices.IndexFunc(s.outbox.log, func(e *facade.Event) bool { return !e.At.Before(before) })
	if n < 0 {
		n = len(s.outbox.log)
	}
	if n = min(n, limit); n > 0 {
		s.outbox.oldest = s.outbox.log[n-1].Position
		s.outbox.log = slices.Clone(s.outbox.log[n:])
	}
	return n, nil
}

// Log implements [facade.EventLog].
func (s *Store) Log(ctx context.Context, after facade.Position, names []string, limit int) (events []*facade.Event, behind facade.Position, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, after, err
	}
	defer release()
	bytes := 0
	for _, e := range s.outbox.log {
		switch {
		case e.Position <= after:
		case len(events) == limit || bytes >= facade.LogBytes:
			return events, behind, nil
		default:
			behind = e.Position
			if names == nil || slices.Contains(names, e.Frond+"."+e.Name) {
				one := *e
				events = append(events, &one)
				bytes += len(e.Data) + len(e.Before)
			}
		}
	}
	return events, max(after, s.outbox.last), nil
}

// Span implements [facade.EventLog].
func (s *Store) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer release()
	return s.outbox.oldest, s.outbox.last, nil
}

// Cursor implements [facade.Cursors].
func (s *Store) Cursor(ctx context.Context, consumer string) (at facade.Position, known bool, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return 0, false, err
	}
	defer release()
	at, known = s.outbox.cursors[consumer]
	return at, known, nil
}

// Advance implements [facade.Cursors].
func (s *Store) Advance(ctx context.Context, consumer string, from, to facade.Position) (moved bool, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if s.outbox.cursors[consumer] != from {
		return false, nil
	}
	s.outbox.cursors[consumer] = to
	return true, nil
}

// Bury implements [facade.DeadLetters].
func (s *Store) Bury(ctx context.Context, dead *facade.DeadEvent) error {
	release, err := s.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.outbox.exhume(dead.Consumer, dead.Event.ID)
	one := *dead
	s.outbox.dead = append(s.outbox.dead, &one)
	slices.SortStableFunc(s.outbox.dead, func(a, b *facade.DeadEvent) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Event.Position, b.Event.Position))
	})
	return nil
}

// Dead implements [facade.DeadLetters].
func (s *Store) Dead(ctx context.Context, consumer string, limit int) ([]*facade.DeadEvent, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var out []*facade.DeadEvent
	for _, d := range s.outbox.dead {
		if (consumer == "" || d.Consumer == consumer) && len(out) < limit {
			one := *d
			out = append(out, &one)
		}
	}
	return out, nil
}

// Revive implements [facade.DeadLetters].
func (s *Store) Revive(ctx context.Context, consumer, id string) (bool, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	return s.outbox.exhume(consumer, id), nil
}

// exhume takes an event out of the dead ones, and reports whether it was there.
func (o *outbox) exhume(consumer, id string) bool {
	n := len(o.dead)
	o.dead = slices.DeleteFunc(slices.Clone(o.dead), func(d *facade.DeadEvent) bool { return d.Consumer == consumer && d.Event.ID == id })
	return len(o.dead) < n
}
