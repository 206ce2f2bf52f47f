package engine

import (
	"context"
	"slices"
	"sync"
)

// gate lets readers in together or one writer alone, as a sync.RWMutex does, but a reader that
// waits heeds its context. A writer that waits holds up new readers, and those that waited for a
// writer go before the next one. The zero value is open.
type gate struct {
	mu      sync.Mutex
	readers int             // inside
	writing bool            // a writer is inside
	waiting []chan struct{} // readers; each is closed to let it in
	writers []chan struct{} // likewise
}

// enter lets a reader in. The error is that of ctx.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if !g.writing && len(g.writers) == 0 {
		g.readers++
		g.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	g.waiting = append(g.waiting, granted)
	g.mu.Unlock()
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	i := slices.Index(g.waiting, granted)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	g.mu.Unlock()
	if i < 0 { // it was let in at the same moment
		g.leave()
	}
	return ctx.Err()
}

// leave is the end of a reader.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.readers--; g.readers == 0 {
		g.next()
	}
}

// next lets in the writer that has waited longest. The caller holds mu, and the gate is empty.
func (g *gate) next() {
	if len(g.writers) > 0 {
		g.writing = true
		close(g.writers[0])
		g.writers = g.writers[1:]
	}
}

// close waits until every reader is out, and keeps others from coming in.
func (g *gate) close() {
	g.mu.Lock()
	if g.readers == 0 && !g.writing {
		g.writing = true
		g.mu.Unlock()
		return
	}
	granted := make(chan struct{})
	g.writers = append(g.writers, granted)
	g.mu.Unlock()
	<-granted
}

// open is the end of a writer.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writing = false
	g.readers = len(g.waiting)
	for _, granted := range g.waiting {
		close(granted)
	}
	if g.waiting = nil; g.readers == 0 {
		g.next()
	}
}
