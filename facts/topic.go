package facts

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
)

// name is a fact by its Frond.
type name struct{ frond, fact string }

// nameOf is FROND.NAME as a name.
func nameOf(text string) name {
	frond, fact, _ := strings.Cut(text, ".")
	return name{frond, fact}
}

// topic is the shared part of the readers of the same names: the waiting readers, and the batch
// that was read last. It is guarded by the mutex of its feed.
type topic struct {
	key     string   // of the names, sorted
	names   []string // as [facade.EventLog] takes them; nil: all
	set     map[name]bool
	readers int       // those that are open
	idle    []*Reader // those without events up to the head of the window

	// The batch of the window that was read last. Readers of a topic are mostly at the same
	// position, and then get the same slice.
	batch struct {
		after, head, upto facade.Position
		events            []*facade.Event
	}
}

// keyOf sorts names and makes one text of them; nil is all facts.
func keyOf(names []string) (key string, sorted []string) {
	if names == nil {
		return "*", nil
	}
	sorted = slices.Compact(slices.Sorted(slices.Values(names)))
	return strings.Join(sorted, " "), sorted
}

func newTopic(key string, names []string) *topic {
	t := &topic{key: key, names: names}
	if names != nil {
		t.set = make(map[name]bool, len(names))
		for _, n := range names {
			t.set[nameOf(n)] = true
		}
	}
	return t
}

// wants reports whether an event has one of the topic's names.
func (t *topic) wants(e *facade.Event) bool { return t.set == nil || t.set[name{e.Frond, e.Name}] }

// after are the topic's events of the window after a position, and the position up to which
// they are complete.
func (t *topic) after(w *window, at facade.Position) ([]*facade.Event, facade.Position) {
	b := &t.batch
	if b.events == nil || b.after != at || b.head != w.head {
		events, upto := w.after(at, t.wants)
		b.after, b.head, b.upto, b.events = at, w.head, upto, events
	}
	return b.events, b.upto
}

// park adds a reader that has read everything.
func (t *topic) park(r *Reader) {
	r.parked = len(t.idle) + 1
	t.idle = append(t.idle, r)
}

// unpark removes a reader from those that wait.
func (t *topic) unpark(r *Reader) {
	last := t.idle[len(t.idle)-1]
	t.idle[r.parked-1], last.parked = last, r.parked
	t.idle[len(t.idle)-1] = nil
	t.idle = t.idle[:len(t.idle)-1]
	r.parked = 0
}

// wake ends the waiting of every reader: its unread events begin after at. The readers are
// appended to woken, which the caller calls without the mutex.
func (t *topic) wake(at facade.Position, woken []*Reader) []*Reader {
	for i, r := range t.idle {
		r.parked, r.at = 0, max(r.at, at)
		t.idle[i] = nil
		woken = append(woken, r)
	}
	t.idle = t.idle[:0]
	return woken
}
