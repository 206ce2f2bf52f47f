package facts

import (
	"sort"

	"github.com/frondhost/frond/facade"
)

// The bounds of a window: a reader that lags further reads the log.
const (
	windowEvents = 4096
	windowBytes  = 8 << 20
)

// [Reader.Next] returns up to batchEvents events, of about batchBytes bytes, or one larger
// event.
const (
	batchEvents = 256
	batchBytes  = facade.LogBytes
)

// window is the newest part of a log: every event with low < Position <= head. Slices that
// it has handed out stay as they are.
type window struct {
	low, head facade.Position
	events    []*facade.Event
	bytes     int
}

// reset clears the window, which then begins after at.
func (w *window) reset(at facade.Position) { *w = window{low: at, head: at} }

// push appends the events up to behind, and drops the oldest beyond the bounds.
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

// after returns a batch of the events after a position that wanted accepts, and the position up
// to which it is complete. at is not before low; it may be before head, if it was read from the
// log itself.
func (w *window) after(at facade.Position, wanted func(*facade.Event) bool) (events []*facade.Event, upto facade.Position) {
	from := sort.Search(len(w.events), func(i int) bool { return w.events[i].Position > at })
	bytes := 0
	for _, e := range w.events[from:] {
		if !wanted(e) {
			continue
		}
		if full(len(events), bytes) {
			return events, events[len(events)-1].Position
		}
		events = append(events, e)
		bytes += weight(e)
	}
	return events, max(w.head, at)
}

// full reports whether a batch of so many events and bytes takes no more.
func full(events, bytes int) bool { return events >= batchEvents || bytes >= batchBytes }

// weight is about how many bytes an event holds.
func weight(e *facade.Event) int {
	return 256 + len(e.ID) + len(e.Frond) + len(e.Name) + len(e.Entity) + len(e.Key) + len(e.Data) + len(e.Before) + len(e.Trace)
}
