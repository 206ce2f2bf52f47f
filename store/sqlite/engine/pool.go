package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/frondhost/frond/facade"
)

// pool hands out the connections that read. They are opened when they are first needed; the
// one that was used last goes out first, because its statements are warm.
//
// Some are kept for reads that are short whatever the table's size: rows of given keys, and
// pages in the order of an index. Searches, which may use up a statement's time, share the
// others, and one request holds half of all at most (docs/decisions/220). Of n connections:
//
//	all        n
//	searches   n minus a quarter, one at least is kept for short reads
//	request    half, one at least
type pool struct {
	db *DB
	// most is what may run at once. It never changes.
	most share

	mu sync.Mutex
	// now is what runs. mu guards it and everything below.
	now share
	// ofRequest is how many connections each request holds; a request without one is not in
	// it.
	ofRequest map[any]int
	// waiting are the turns without a connection, in the order they came.
	waiting []waiter
	// done is signalled when a connection came back; close waits for it.
	done   *sync.Cond
	idle   []*Conn
	closed bool
}

// share is a number of connections: of all, of those that run searches, of one request.
type share struct{ all, searches, request int }

// Turn describes one read that waits for a connection or has one.
type Turn struct {
	// Search says that the read may take a statement's whole time: it cannot have the
	// connections that are kept for short reads.
	Search bool
	// Request is the call it belongs to, as [facade.RequestOf] has it. nil is no request,
	// whose share is not bounded.
	Request any
}

// waiter is a turn in the queue; granted is closed when it has a connection.
type waiter struct {
	Turn
	granted chan struct{}
}

// newPool returns a pool without connections for d.opts.Readers of them.
func newPool(d *DB) *pool {
	n := d.opts.Readers
	p := &pool{db: d, ofRequest: map[any]int{}, most: share{n, max(1, n-max(1, n/4)), max(1, n/2)}}
	p.done = sync.NewCond(&p.mu)
	return p
}

// run runs do on a connection that do has for itself. The end of ctx interrupts the statement
// that is running. A panic in do costs the connection and becomes an error with its
// stack; where SQLite's memory was not enough, it is the caller's BAD_REQUEST.
func (p *pool) run(ctx context.Context, t Turn, do func(*Conn) error) (err error) {
	if err := p.enter(ctx, t); err != nil {
		return err
	}
	defer p.leave(t)
	// Without WAL a read and the writer's transaction would meet as SQLITE_BUSY
	// (docs/decisions/030).
	if p.db.opts.Memory {
		if err := p.db.gate.enter(ctx); err != nil {
			return Public(ctx, err)
		}
		defer p.db.gate.leave()
	}
	c, err := p.take(ctx)
	if err != nil {
		p.db.noteDisk(err)
		return Public(ctx, err)
	}
	defer func() {
		if r := recover(); r != nil {
			c.discard() // and its memory with it
			if outOfMemory(r) {
				err = errSort()
				return
			}
			err = fmt.Errorf("sqlite: a read panicked: %v\n%s", r, debug.Stack())
		}
	}()
	err = c.within(ctx, do)
	p.db.noteDisk(err)
	p.give(c)
	return Public(ctx, err)
}

// enter waits until the turn may have a connection, or until ctx ends. Turns that could run
// are let in in the order in which they came; one that cannot, such as a search while all of
// the searches' share is in use, does not hold up those behind it.
func (p *pool) enter(ctx context.Context, t Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	if p.admits(t) { // whoever waits could not have it
		p.grant(t, 1)
		p.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	p.waiting = append(p.waiting, waiter{t, granted})
	p.mu.Unlock()
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	i := slices.IndexFunc(p.waiting, func(w waiter) bool { return w.granted == granted })
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 { // it was granted at the same moment
		p.leave(t)
	}
	return ctx.Err()
}

// admits says whether the turn may have a connection now. The caller holds mu.
func (p *pool) admits(t Turn) bool {
	return p.now.all < p.most.all && (!t.Search || p.now.searches < p.most.searches) &&
		(t.Request == nil || p.ofRequest[t.Request] < p.most.request)
}

// grant counts a turn in with 1 and out with -1. The caller holds mu.
func (p *pool) grant(t Turn, n int) {
	p.now.all += n
	if t.Search {
		p.now.searches += n
	}
	if t.Request == nil {
		return
	}
	if held := p.ofRequest[t.Request] + n; held > 0 {
		p.ofRequest[t.Request] = held
	} else {
		delete(p.ofRequest, t.Request)
	}
}

// leave ends a turn and lets those in who can have what it held, the first that came first.
func (p *pool) leave(t Turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grant(t, -1)
	p.waiting = slices.DeleteFunc(p.waiting, func(w waiter) bool {
		if !p.admits(w.Turn) {
			return false
		}
		p.grant(w.Turn, 1)
		close(w.granted)
		return true
	})
	p.done.Broadcast()
}

// take returns an idle connection or opens one. The turn has been counted in, so there are
// never more than Readers.
func (p *pool) take(ctx context.Context) (*Conn, error) {
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
	return p.db.dial(ctx, true)
}

// give returns a connection to the pool.
func (p *pool) give(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.Close() // whoever closed the pool is gone
		return
	}
	p.idle = append(p.idle, c)
}

// close waits for the reads that run, then closes every connection. Reads that come later, and
// reads that waited, fail with errClosed.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for p.now.all > 0 {
		p.done.Wait()
	}
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.Close())
	}
	p.idle = nil
	return err
}

// Read runs do, which takes a short time whatever the rows, on a connection that do has for
// itself and must not keep. The end of ctx interrupts the statement that is running. Errors
// are as [Public] makes them. It may be called from many goroutines. In a transaction
// ([DB.Transact]) it runs on the transaction's connection.
func (d *DB) Read(ctx context.Context, do func(*Conn) error) error {
	return d.ReadAs(ctx, Turn{Request: facade.RequestOf(ctx)}, do)
}

// ReadAs is Read for work of any length: see [Turn]. The caller says what the work is.
func (d *DB) ReadAs(ctx context.Context, t Turn, do func(*Conn) error) error {
	if l := d.level(ctx); l != nil {
		return l.read(ctx, do)
	}
	return d.pool.run(ctx, t, do)
}
