package publish

import (
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
)

// message is an event on its way to the receiver.
type message struct {
	event *facade.Event
	tries int
	kept  bool // in the store among those that are tried again; the cursor may pass it
	done  func()
}

// lane is the messages of one key, in their order. The first one is sent, and the others wait
// for it. A fact about no row is a lane of its own.
type lane struct {
	key      string
	messages []*message
	busy     bool      // the first one is under way
	due      time.Time // of the first one, after a failure; zero: at once
}

// lanes are all messages that wait or are under way. Lanes are served in turns: the one that
// became ready first is first.
type lanes struct {
	byKey map[string]*lane
	ready []*lane   // their first message may be sent
	later []*lane   // it failed, and waits
	due   time.Time // of the first of later; zero: none waits
	count int       // of messages
}

func newLanes() *lanes { return &lanes{byKey: map[string]*lane{}} }

// laneKey is what events have in common that keep their order.
func laneKey(e *facade.Event) string {
	if e.Entity == "" {
		return "\x00" + e.ID
	}
	return e.Entity + "\x00" + string(e.Key)
}

// add puts a message at the end of its key's lane and returns the lane.
func (l *lanes) add(m *message) *lane {
	key := laneKey(m.event)
	at := l.byKey[key]
	if at == nil {
		at = &lane{key: key}
		l.byKey[key] = at
		l.ready = append(l.ready, at)
	}
	at.messages = append(at.messages, m)
	l.count++
	return at
}

// next is the lane whose first message is the next to send, which is then under way; nil if no
// lane is ready.
func (l *lanes) next() *lane {
	if len(l.ready) == 0 {
		return nil
	}
	at := l.ready[0]
	l.ready[0] = nil
	l.ready = l.ready[1:]
	at.busy = true
	return at
}

// settle removes the first message of a lane, after its delivery or its last try.
func (l *lanes) settle(at *lane) {
	at.messages[0] = nil
	at.messages = at.messages[1:]
	at.busy, at.due = false, time.Time{}
	l.count--
	if len(at.messages) == 0 {
		delete(l.byKey, at.key)
	} else {
		l.ready = append(l.ready, at)
	}
}

// delay keeps a lane until its first message is due.
func (l *lanes) delay(at *lane, due time.Time) {
	at.busy, at.due = false, due
	l.later = append(l.later, at)
	if l.due.IsZero() || due.Before(l.due) {
		l.due = due
	}
}

// wake makes the lanes ready that are due, and returns when the next one is; zero if no lane
// waits.
func (l *lanes) wake(now time.Time) (next time.Time) {
	if l.due.IsZero() || l.due.After(now) {
		return l.due
	}
	rest := l.later[:0]
	for _, at := range l.later {
		switch {
		case !at.due.After(now):
			l.ready = append(l.ready, at)
			continue
		case next.IsZero() || at.due.Before(next):
			next = at.due
		}
		rest = append(rest, at)
	}
	clear(l.later[len(rest):])
	l.later, l.due = rest, next
	return next
}

// oldest is when the first remaining message was emitted.
func (l *lanes) oldest() (first time.Time) {
	for _, at := range l.byKey {
		if e := at.messages[0].event; first.IsZero() || e.At.Before(first) {
			first = e.At
		}
	}
	return first
}

// withdraw takes a lane out of those that are ready.
func (l *lanes) withdraw(at *lane) {
	l.ready = slices.DeleteFunc(l.ready, func(o *lane) bool { return o == at })
}

// window knows up to where everything that was read is done with: delivered, dead, or kept in
// the store to be tried again.
type window struct {
	marks []*mark // in the order of positions
	upto  facade.Position
}

// mark is a position to pass once its event is done with.
type mark struct {
	at   facade.Position
	done bool
}

// add appends a position and returns its mark.
func (w *window) add(at facade.Position) *mark {
	m := &mark{at: at}
	w.marks = append(w.marks, m)
	return m
}

// pass moves over finished events and returns the position.
func (w *window) pass() facade.Position {
	n := 0
	for ; n < len(w.marks) && w.marks[n].done; n++ {
		w.upto = w.marks[n].at
	}
	w.marks = w.marks[n:]
	return w.upto
}
