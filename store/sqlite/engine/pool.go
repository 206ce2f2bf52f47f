package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/turns"
)

// pool hands out the connections that read. It opens a connection at its first use; the most
// recently used one goes out first, because its statements are warm.
type pool struct {
	db *DB
	// turns queues the readers that wait for a connection.
	turns *turns.Queue

	mu     sync.Mutex // guards what follows
	idle   []*Conn
	closed bool
}

// newPool returns a pool without connections for d.opts.Readers of them.
func newPool(d *DB) *pool { return &pool{db: d, turns: turns.New(d.opts.Readers)} }

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
	p.closed = true
	p.mu.Unlock()
	p.turns.Drain()
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, c := range p.idle {
		err = errors.Join(err, c.Close())
	}
	p.idle = nil
	return err
}

// Read is [DB.ReadAs] for rows of given keys.
func (d *DB) Read(ctx context.Context, do func(*Conn) error) error {
	return d.ReadAs(ctx, turns.Keyed, do)
}

// ReadAs runs do, which reads, on a connection that do has for itself and must not keep. lane says how
// long it may take. The end of ctx interrupts the statement that is running. A panic in do costs the
// connection and becomes an error with its stack; where SQLite's memory was not enough, it is the
// caller's BAD_REQUEST. Errors are as [Public] makes them. It may be called from many goroutines. In
// a transaction ([DB.Transact]) it runs on the transaction's connection.
func (d *DB) ReadAs(ctx context.Context, lane turns.Lane, do func(*Conn) error) (err error) {
	if l := d.level(ctx); l != nil {
		return l.read(ctx, do)
	}
	if s, _ := ctx.Value(snapshotKey{d}).(*snapshot); s != nil {
		return s.read(ctx, do)
	}
	t := turns.Turn{Lane: lane}
	t.Caller, t.Request = facade.RequestOf(ctx).Shares()
	if err := d.pool.turns.Enter(ctx, t, 0); err != nil {
		return err
	}
	defer d.pool.turns.Leave(t)
	// Without WAL a read and the writer's transaction would meet as SQLITE_BUSY
	// (docs/decisions/sqlite.md).
	if d.opts.Memory {
		if err := d.gate.Acquire(ctx, 1); err != nil {
			return Public(ctx, err)
		}
		defer d.gate.Release(1)
	}
	c, err := d.pool.take(ctx)
	if err != nil {
		d.noteDisk(err)
		return Public(ctx, err)
	}
	defer func() {
		if r := recover(); r != nil {
			err = c.panicked(r)
		}
	}()
	if err = c.begin(ctx); err == nil {
		err = c.end(do(c))
	}
	d.noteDisk(err)
	d.pool.give(c)
	return Public(ctx, err)
}

// panicked discards a connection, and its memory, after a read that panicked with r, and returns the
// error of the read.
func (c *Conn) panicked(r any) error {
	c.discard()
	if outOfMemory(r) {
		return errSort()
	}
	return fmt.Errorf("sqlite: a read panicked: %v\n%s", r, debug.Stack())
}
