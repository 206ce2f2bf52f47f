package facade

import "sync"

// Broadcast wakes everybody who waits. Its zero value is ready; it may be used from many
// goroutines.
type Broadcast struct {
	mu      sync.Mutex
	waiting chan struct{} // nil: nobody waits
}

// Wait returns a channel that the next Send closes.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}

// Send closes the channels that Wait has returned.
func (b *Broadcast) Send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}
