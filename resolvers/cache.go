package resolvers

import (
	"container/list"
	"sync"
)

// cache keeps the documents used last, by their text, so that a text seen before costs one
// look-up. It is bounded by number and by memory. It may be used from many goroutines.
type cache struct {
	most int

	mu    sync.Mutex
	order *list.List // of *prepared, the one used last in front
	byKey map[string]*list.Element
	bytes int // of all that is kept, see prepared.bytes
}

// maxCached bounds the memory of a cache, counted as text: clients decide how many documents
// there are, and how much their fragments expand to.
const maxCached = 2 << 20

func newCache(most int) *cache {
	if most == 0 {
		most = 1000
	}
	return &cache{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

func (c *cache) get(text string) *prepared {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byKey[text]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*prepared)
}

func (c *cache) put(d *prepared) {
	if c.most < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[d.text] != nil {
		return // another request was faster
	}
	c.byKey[d.text] = c.order.PushFront(d)
	c.bytes += d.bytes
	c.shrink()
}

// grow adds n bytes to the size of a document, whether it is in the cache or not.
func (c *cache) grow(d *prepared, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.bytes += n
	if el := c.byKey[d.text]; el != nil && el.Value.(*prepared) == d {
		c.bytes += n
		c.shrink()
	}
}

// shrink removes the documents used longest ago. The caller holds the lock.
func (c *cache) shrink() {
	for c.order.Len() > c.most || c.bytes > maxCached && c.order.Len() > 1 {
		last := c.order.Back()
		old := c.order.Remove(last).(*prepared)
		delete(c.byKey, old.text)
		c.bytes -= old.bytes
	}
}
