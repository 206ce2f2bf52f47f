package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/outlet"
	"github.com/frondhost/frond/facts/sse"
)

// factGroup is several streams in one answer. Each message names its stream:
//
//	event: open
//	data: {"heartbeat":15}
//
//	event: position
//	data: {"stream":"1","position":"1kq0i4c0vg004"}
//
//	event: event
//	data: {"stream":"1","event":{"id":"0199…","position":"1kq0i4c0vg005",…}}
//
//	event: end
//	data: {"stream":"2","error":{"code":"GONE",…}}
//
// A stream that ends leaves the others open; the answer ends with the last one. A position is a
// sign of life, which each stream sends once in a heartbeat of so many seconds.
type factGroup struct {
	Options *StreamOptions
	State   access.State // of the caller
	// Begun is called when the head was sent, or cannot be.
	Begun func()

	members []*groupMember
	opened  bool
	next    int      // the member whose turn is first
	turns   []turnOf // the parts of the batch on its way
}

// groupMember is one stream of a group.
type groupMember struct {
	id     json.RawMessage
	stream *factStream // nil: it was refused
	failed *kiterror.Error
	woken  atomic.Bool
	at     time.Time // when it has something to do if it is not woken
}

// turnOf is how many messages of a batch are a member's; nil: the first message of the group.
type turnOf struct {
	member   *groupMember
	messages int
}

// Add adds a stream under an id, which is JSON, or why it cannot begin.
func (g *factGroup) Add(id json.RawMessage, s *factStream, refused *kiterror.Error) {
	if s != nil {
		s.member, s.Begun = id, func() {}
	}
	g.members = append(g.members, &groupMember{id: id, stream: s, failed: refused})
}

// Serve answers a request with the streams, as [factStream] does with one.
func (g *factGroup) Serve(w http.ResponseWriter, r *http.Request) {
	for _, m := range g.members {
		if m.stream != nil {
			m.stream.of(r)
		}
	}
	o := g.Options
	closed := func(was sse.Summary) {
		if o.Closed != nil {
			o.Closed(was, g.State)
		}
	}
	sse.Serve(w, r, &sse.Options{Patience: o.Patience, Room: o.Room, Ending: o.Ending, Closed: closed}, g)
}

// Begin implements [sse.Source].
func (g *factGroup) Begin(wake func()) {
	for _, m := range g.members {
		if m.stream != nil {
			m.stream.Reader.Notify(func() {
				m.woken.Store(true)
				wake()
			})
		}
	}
}

// Next implements [sse.Source]: one turn of each stream that has something to do, as far as the
// batch has room.
func (g *factGroup) Next(ctx context.Context, b *outlet.Batch) (at time.Time, err error) {
	g.turns = g.turns[:0]
	if !g.opened {
		(&sse.Event{Name: "open", Data: append(strconv.AppendInt([]byte(`{"heartbeat":`), int64(sse.Interval/time.Second), 10), '}')}).Write(b)
		g.turns = append(g.turns, turnOf{nil, 1})
	}
	now := time.Now()
	for range g.members {
		if b.Full() {
			break
		}
		m := g.members[g.next%len(g.members)]
		g.next++
		if m.woken.Swap(false) || !now.Before(m.at) {
			before := b.Len()
			if err := m.turn(ctx, b); err != nil {
				return at, err
			}
			if n := b.Len() - before; n > 0 {
				g.turns = append(g.turns, turnOf{m, n})
				m.woken.Store(true) // for the events after it
			}
		}
		if at.IsZero() || m.at.Before(at) {
			at = m.at
		}
	}
	if !slices.ContainsFunc(g.members, func(m *groupMember) bool { return m.failed == nil }) && !b.Full() {
		return at, errEnded
	}
	return at, nil
}

// turn writes the next messages of a stream, or why it ends.
func (m *groupMember) turn(ctx context.Context, b *outlet.Batch) (err error) {
	if m.failed == nil {
		m.at, m.failed, err = m.stream.turn(ctx, b)
	}
	if m.failed != nil {
		m.at = time.Time{} // until the message has left
		appendMember(b, "end", m.id, "error", m.failed.AppendJSON(nil))
	}
	return err
}

// Sent implements [sse.Source].
func (g *factGroup) Sent(n int) (more bool) {
	if n > 0 {
		g.begun()
	}
	for _, t := range g.turns {
		sent := min(n, t.messages)
		n -= sent
		switch m := t.member; {
		case m == nil:
			g.opened = sent > 0
		case m.failed == nil:
			m.stream.Sent(sent)
		case sent == t.messages:
			m.close()
			g.members = slices.DeleteFunc(g.members, func(other *groupMember) bool { return other == m })
		}
	}
	return true
}

// Close implements [sse.Source].
func (g *factGroup) Close() {
	g.begun()
	for _, m := range g.members {
		m.close()
	}
}

func (m *groupMember) close() {
	if m.stream != nil {
		m.stream.Close()
	}
}

// begun returns the memory of the request to the budget.
func (g *factGroup) begun() {
	if g.Begun != nil {
		g.Begun()
		g.Begun = nil
	}
}

// appendMember adds a message about a member of a group to a batch.
func appendMember(b *outlet.Batch, name string, id json.RawMessage, what string, value []byte) {
	data := append(append([]byte(`{"stream":`), id...), `,"`+what+`":`...)
	(&sse.Event{Name: name, Data: append(append(data, value...), '}')}).Write(b)
}
