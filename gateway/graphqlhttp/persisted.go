package graphqlhttp

import (
	"container/list"
	"sync"
)

// persisted keeps the most recently used documents by their hash: automatic persisted
// queries. It is local to the process; a client sends a text again if it is gone.
type persisted struct {
	mu    sync.Mutex
	order *list.List // of persistedDocument, the one used last in front
	byKey map[string]*list.Element
	bytes int
}

// persistedDocument is one document with its hash, in lower-case hexadecimal.
type persistedDocument struct{ hash, text string }

// The bounds of the kept documents, for each GraphQL surface.
const (
	maxPersisted      = 1000
	maxPersistedBytes = 8 << 20
)

// newPersisted returns an empty store of texts.
func newPersisted() *persisted {
	return &persisted{order: list.New(), byKey: map[string]*list.Element{}}
}

// get is the text of a hash, which becomes the most recently used one.
func (p *persisted) get(hash string) (text string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	el := p.byKey[hash]
	if el == nil {
		return "", false
	}
	p.order.MoveToFront(el)
	return el.Value.(persistedDocument).text, true
}

// put keeps a text, unless it alone exceeds the bound, and drops the least recently used. A
// known hash keeps its place: its text is the same. The caller has compared hash and text.
func (p *persisted) put(hash, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey[hash] != nil || len(text) > maxPersistedBytes {
		return
	}
	p.byKey[hash] = p.order.PushFront(persistedDocument{hash, text})
	p.bytes += len(text)
	for p.order.Len() > maxPersisted || p.bytes > maxPersistedBytes {
		old := p.order.Remove(p.order.Back()).(persistedDocument)
		delete(p.byKey, old.hash)
		p.bytes -= len(old.text)
	}
}
