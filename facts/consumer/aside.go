package consumer

import (
	"cmp"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
)

// aside are the events set aside, by their keys and in the order of the log.
type aside struct {
	queues map[string][]*facade.DeadEvent
	n      int
}

// keyOf is what events have in common that must not overtake one another.
func keyOf(e *facade.Event) string {
	if e.Entity == "" {
		return e.ID
	}
	return e.Frond + " " + e.Entity + " " + string(e.Key)
}

func (a *aside) fill(all []*facade.DeadEvent) {
	a.queues, a.n = map[string][]*facade.DeadEvent{}, 0
	slices.SortStableFunc(all, func(x, y *facade.DeadEvent) int { return cmp.Compare(x.Event.Position, y.Event.Position) })
	for _, d := range all {
		a.add(d)
	}
}

func (a *aside) add(d *facade.DeadEvent) {
	key := keyOf(&d.Event)
	a.queues[key] = append(a.queues[key], d)
	a.n++
}

// pop removes the first event of its key.
func (a *aside) pop(d *facade.DeadEvent) {
	key := keyOf(&d.Event)
	if a.queues[key] = a.queues[key][1:]; len(a.queues[key]) == 0 {
		delete(a.queues, key)
	}
	a.n--
}

// waits reports whether an event has to wait for an earlier one.
func (a *aside) waits(e *facade.Event) bool { return len(a.queues[keyOf(e)]) > 0 }

// dueAt is when an event is tried next. One that only waited is due at once.
func dueAt(d *facade.DeadEvent) time.Time {
	if d.Tries == 0 {
		return time.Time{}
	}
	return d.At.Add(pauseAfter(d.Tries))
}

// due is when the first event is due.
func (a *aside) due() (first time.Time, some bool) {
	for _, q := range a.queues {
		if at := dueAt(q[0]); !some || at.Before(first) {
			first, some = at, true
		}
	}
	return first, some
}

// ready are the events that are due, in the order of the log.
func (a *aside) ready(now time.Time) (all []*facade.DeadEvent) {
	for _, q := range a.queues {
		if !dueAt(q[0]).After(now) {
			all = append(all, q[0])
		}
	}
	slices.SortFunc(all, func(x, y *facade.DeadEvent) int { return cmp.Compare(x.Event.Position, y.Event.Position) })
	return all
}

// oldest is when the first event set aside was emitted, or zero.
func (a *aside) oldest() (first time.Time) {
	for _, q := range a.queues {
		if at := q[0].Event.At; first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}
