package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/turns"
)

// pool hands out connections. They are opened when they are first needed; the one that was
// used last goes out first, because its statements are warm.
type pool struct {
	db *DB
	// turns queues the calls that wait for a connection.
	turns *turns.Queue
	// open is how many connections there are, idle or in use.
	open atomic.Int32

	mu     sync.Mutex // guards what follows
	idle   []*Conn
	closed bool
	// complained is when the log said that calls wait in vain.
	complained time.Time
	// sweep closes connections that have been idle for a while.
	sweep *time.Timer
}

// turnOf returns the turn of a call with this ctx.
func turnOf(ctx context.Context, lane turns.Lane, writes bool) turns.Turn {
	t := turns.Turn{Lane: lane, Writes: writes}
	t.Caller, t.Request = facade.RequestOf(ctx).Shares()
	return t
}

// unused is how long an idle connection stays open, and lifetime how long any does, so that a
// new server behind the address gets its share.
const (
	complainEvery = 10 * time.Second // between lines of the log about calls that wait in vain

	unused   = 5 * time.Minute
	lifetime = time.Hour
)

// newPool returns a pool without connections for d.opts.Connections of them.
func newPool(d *DB) *pool {
	p := &pool{db: d, turns: turns.New(d.opts.Connections)}
	p.sweep = time.AfterFunc(unused, p.clean)
	return p
}

// get waits for the turn and returns a connection that seems to be open; put gives it back.
func (p *pool) get(ctx context.Context, t turns.Turn) (c *Conn, err error) {
	if p.isClosed() {
		return nil, errClosed
	}
	began := time.Now()
	defer func() {
		if measure := p.db.opts.Measure; err != nil && measure != nil {
			measure(time.Since(began), failureOf(err))
		}
	}()
	if err := p.turns.Enter(ctx, t, p.db.opts.Wait); err != nil {
		p.complain(err)
		return nil, err
	}
	if c, err = p.take(ctx, t); err != nil {
		p.turns.Leave(t)
		return nil, err
	}
	return c, nil
}

// complain writes to the log that a call has waited in vain, every ten seconds at most.
func (p *pool) complain(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !errors.Is(err, turns.ErrLate) || time.Since(p.complained) <= complainEvery {
		return
	}
	p.complained = time.Now()
	p.db.log.Warn("every connection to the database is in use, and calls are refused; write connections=… in the store's URL, or look for statements that wait for locks",
		"connections", p.db.opts.Connections, "waiting", 1+p.turns.Waiting(), "waited", p.db.opts.Wait.String())
}

// isClosed says whether the pool gives no connections any more.
func (p *pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// put gives a connection back and ends its turn.
func (p *pool) put(c *Conn, t turns.Turn) {
	p.give(c)
	p.turns.Leave(t)
}

// take returns an idle connection that is open or opens one. The turn has been counted in, so
// there are never more than Connections. If the server opens no connection just now, one that
// others give back serves as well. Without others the server is down, and the call fails at
// once.
func (p *pool) take(ctx context.Context, t turns.Turn) (*Conn, error) {
	var began time.Time
	for {
		if c, err := p.pop(t.Writes); c != nil || err != nil {
			return c, err
		}
		if began.IsZero() {
			began = time.Now()
		}
		c, err := p.db.dial(ctx)
		if err == nil {
			p.open.Add(1)
			return c, nil
		}
		passes := codeOf(err) == tooManyConnections || p.open.Load() > 0 && Unavailable(err) && p.db.Refusal(err) == nil
		if !passes || time.Since(began) > p.db.opts.Wait {
			return nil, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// pop takes an idle connection that is open, or returns nil.
func (p *pool) pop(writes bool) (*Conn, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, errClosed
		}
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return nil, nil
		}
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if c.alive(writes) {
			return c, nil
		}
		p.drop(c)
	}
}

// drop closes a connection of the pool.
func (p *pool) drop(c *Conn) {
	c.close()
	p.open.Add(-1)
}

// give returns a connection to the pool, or closes one that cannot be used further.
func (p *pool) give(c *Conn) {
	c.scope = nil
	p.mu.Lock()
	if p.closed || c.broken != nil || c.state != 'I' || c.used.Sub(c.opened) > lifetime {
		p.mu.Unlock()
		p.drop(c)
		return
	}
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

// clean closes the connections that have been idle for a while; it runs by its timer.
func (p *pool) clean() {
	p.mu.Lock()
	var old []*Conn
	p.idle = slices.DeleteFunc(p.idle, func(c *Conn) bool {
		if time.Since(c.used) < unused {
			return false
		}
		old = append(old, c)
		return true
	})
	if !p.closed {
		p.sweep.Reset(unused / 2)
	}
	p.mu.Unlock()
	for _, c := range old {
		p.drop(c)
	}
}

// close waits for the calls that run, then closes every connection. Calls that come later, and
// calls that waited, fail with errClosed.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.sweep.Stop()
	p.mu.Unlock()
	p.turns.Drain()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		p.drop(c)
	}
	p.idle = nil
	return nil
}
