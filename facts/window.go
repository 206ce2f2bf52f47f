package facts

import (
	"slices"
	"sort"

	"github.com/frondhost/frond/facade"
)

// A window keeps this much: a reader that is further behind reads the log.
const (
	windowEvents = 4096
	windowBytes  = 8 << 20
)

// window is the newest part of a log: every event with low < Position <= head. Slices that
// it has handed out stay as they are.
type window struct {
	low, head facade.Position
	events    []*facade.Event
	bytes     int
}

// reset forgets everything: the window begins behind at.
func (w *window) reset(at facade.Position) { *w = window{low: at, head: at} }

// push appends the events up to behind, and forgets the oldest beyond the bounds.
func (w *window) push(events []*facade.Event, behind facade.Position) {
	w.events = append(w.events, events...)
	for _, e := range events {
		w.bytes += weight(e)
	}
	w.head = max(w.head, behind)
	n := 0
	for ; n < len(w.events) && (len(w.events)-n > windowEvents || w.bytes > windowBytes); n++ {
		w.bytes -= weight(w.events[n])
		w.low = w.events[n].Position
		w.events[n] = nil
	}
	w.events = w.events[n:]
}

// forget drops the events up to a position, which the log does not keep any more.
func (w *window) forget(oldest facade.Position) {
	n := 0
	for ; n < len(w.events) && w.events[n].Position <= oldest; n++ {
		w.bytes -= weight(w.events[n])
		w.events[n] = nil
	}
	w.events = w.events[n:]
	w.low, w.head = max(w.low, oldest), max(w.head, oldest)
}

// after are at most limit events behind a position that meet wanted, nil: all, and the
// position up to which they are complete. at is not before low; it may be behind head, where
// it was read of the log itself.
func (w *window) after(at facade.Position, wanted func(*facade.Event) bool, limit int) (events []*facade.Event, upto facade.Position) {
	from := sort.Search(len(w.events), func(i int) bool { return w.events[i].Position > at })
	rest := w.events[from:]
	if wanted == nil {
		if len(rest) > limit {
			return slices.Clone(rest[:limit]), rest[limit-1].Position
		}
		return slices.Clone(rest), max(w.head, at)
	}
	for _, e := range rest {
		if !wanted(e) {
			continue
		}
		if len(events) == limit {
			return events, events[limit-1].Position
		}
		events = append(events, e)
	}
	return events, max(w.head, at)
}

// weight is about how many bytes an event holds.
func weight(e *facade.Event) int {
	return 256 + len(e.ID) + len(e.Frond) + len(e.Name) + len(e.Entity) + len(e.Key) + len(e.Data) + len(e.Before) + len(e.Trace)
}
