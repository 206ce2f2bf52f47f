package gateway

import (
	"container/list"
	"sync"
)

// memory keeps documents by their hash, the ones used last: automatic persisted
// queries. It is this process's alone; a client sends a text again where it is gone.
type memory struct {
	mu    sync.Mutex
	order *list.List // of kept, the one used last in front
	byKey map[string]*list.Element
	bytes int
}

type kept struct{ hash, text string }

// What a memory holds at most: both numbers are for each GraphQL surface.
const (
	maxKept      = 1000
	maxKeptBytes = 8 << 20
)

func newMemory() *memory { return &memory{order: list.New(), byKey: map[string]*list.Element{}} }

func (m *memory) get(hash string) (text string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	el := m.byKey[hash]
	if el == nil {
		return "", false
	}
	m.order.MoveToFront(el)
	return el.Value.(kept).text, true
}

// put keeps a text, unless it alone would take all the room.
func (m *memory) put(hash, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byKey[hash] != nil || len(text) > maxKeptBytes {
		return
	}
	m.byKey[hash] = m.order.PushFront(kept{hash, text})
	m.bytes += len(text)
	for m.order.Len() > maxKept || m.bytes > maxKeptBytes {
		old := m.order.Remove(m.order.Back()).(kept)
		delete(m.byKey, old.hash)
		m.bytes -= len(old.text)
	}
}
