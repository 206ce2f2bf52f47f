package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// pool hands out the connections that read. They are opened when first needed
// and the one used last goes out first: its statements are warm.
type pool struct {
	store *Store
	slots chan struct{} // one token per connection that may exist

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

func newPool(s *Store) *pool {
	return &pool{store: s, slots: make(chan struct{}, s.opts.Readers)}
}

// read runs do on a connection that do has for itself. The end of ctx interrupts
// the statement that is running.
func (p *pool) read(ctx context.Context, do func(*conn) error) (err error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.slots }()
	c, err := p.take(ctx)
	if err != nil {
		p.store.noteDisk(err)
		return explain(ctx, err)
	}
	if p.store.opts.Memory {
		p.store.gate.RLock()
		defer p.store.gate.RUnlock()
	}
	defer func() {
		if r := recover(); r != nil {
			c.discard()
			err = fmt.Errorf("sqlite: a read panicked: %v\n%s", r, debug.Stack())
		}
	}()
	c.db.SetInterrupt(ctx)
	unwatch := c.watch(ctx)
	err = do(c)
	unwatch()
	c.db.SetInterrupt(context.Background())
	p.store.noteDisk(err)
	p.give(c)
	return explain(ctx, err)
}

func (p *pool) take(ctx context.Context) (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	return p.store.dial(ctx, true)
}

func (p *pool) give(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.close() // whoever closed the pool is gone
		return
	}
	p.idle = append(p.idle, c)
}

// close waits for the reads that are running.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.close())
	}
	p.idle = nil
	for range cap(p.slots) {
		<-p.slots // a read after Close is answered errClosed, it does not hang
	}
	return err
}
