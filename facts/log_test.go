package facts_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
)

// memory is an outbox without transactions: what is emitted is committed.
type memory struct {
	facade.Outbox // what a feed does not call

	mu        sync.Mutex
	events    []*facade.Event // with positions
	waiting   []*facade.Event // committed, without
	first     facade.Position // before the first event
	last      facade.Position
	oldest    facade.Position
	committed chan struct{}
	down      error
	data      []byte // of what is emitted
	follower  bool   // another process relays
	quiet     bool   // the log can say that nobody has written

	relays, logs, spans int
}

func newMemory() *memory {
	m := &memory{committed: make(chan struct{}), first: facade.NewLog(time.Now())}
	m.last, m.oldest = m.first, m.first
	return m
}

// at is the position of the nth event.
func (m *memory) at(n int) facade.Position { return m.first + facade.Position(n) }

// emit commits events, named FROND.NAME, here; elsewhere they are committed without a hint.
func (m *memory) emit(names ...string) {
	m.elsewhere(names...)
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.committed)
	m.committed = make(chan struct{})
}

func (m *memory) elsewhere(names ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, text := range names {
		frond, name, _ := strings.Cut(text, ".")
		m.waiting = append(m.waiting, &facade.Event{Frond: frond, Name: name, At: time.Now(), Data: m.data})
	}
}

func (m *memory) set(change func(*memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

func (m *memory) counts() (relays, logs int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.relays, m.logs
}

func (m *memory) Committed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.committed
}

func (*memory) Records() bool { return false }

func (m *memory) Quiet(time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.quiet
}

func (m *memory) Relay(context.Context) (facade.Position, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.relays++
	if m.down != nil {
		return 0, false, m.down
	}
	for _, e := range m.waiting {
		m.last++
		e.Position = m.last
	}
	m.events = append(m.events, m.waiting...)
	m.waiting = nil
	return m.last, !m.follower, nil
}

func (m *memory) Log(_ context.Context, after facade.Position, names []string, limit int) (found []*facade.Event, behind facade.Position, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs++
	if m.down != nil {
		return nil, 0, m.down
	}
	bytes := 0
	for _, e := range m.events {
		if e.Position <= after || names != nil && !slices.Contains(names, e.Frond+"."+e.Name) {
			continue
		}
		if len(found) == limit || bytes >= facade.LogBytes {
			return found, found[len(found)-1].Position, nil
		}
		found = append(found, e)
		bytes += len(e.Data)
	}
	if len(m.events) > 0 {
		after = max(after, m.events[len(m.events)-1].Position)
	}
	return found, after, nil
}

func (m *memory) Span(context.Context) (oldest, last facade.Position, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spans++
	return m.oldest, m.last, m.down
}

func (m *memory) Trim(_ context.Context, before time.Time, limit int) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for n < len(m.events) && n < limit && m.events[n].At.Before(before) {
		m.oldest = m.events[n].Position
		n++
	}
	m.events = m.events[n:]
	return n, nil
}

// onlyLog is the log of a remote: it cannot be relayed here.
type onlyLog struct{ m *memory }

func (l onlyLog) Log(ctx context.Context, after facade.Position, names []string, limit int) ([]*facade.Event, facade.Position, error) {
	return l.m.Log(ctx, after, names, limit)
}

func (onlyLog) Committed() <-chan struct{} { return nil }

func (l onlyLog) Span(ctx context.Context) (oldest, last facade.Position, err error) {
	return l.m.Span(ctx)
}

var errDown = errors.New("the store is down")

// many repeats a name.
func many(n int, name string) []string { return slices.Repeat([]string{name}, n) }
