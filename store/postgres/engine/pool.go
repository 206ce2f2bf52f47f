package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// pool hands out connections. They are opened when they are first needed; the one that was
// used last goes out first, because its statements are warm.
//
// Some are kept for calls that are short whatever the table's size: rows of given keys, pages
// in the order of an index, and writes. Searches, which may use up a statement's time, share
// the others, and one request holds half of all at most (docs/decisions/220). Of n connections:
//
//	all        n
//	searches   n minus a quarter, one at least is kept for short calls
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
	// complained is when the log said that calls wait in vain.
	complained time.Time
	// sweep closes connections that nobody has used for a while.
	sweep *time.Timer
}

// share is a number of connections: of all, of those that run searches, of one request.
type share struct{ all, searches, request int }

// Turn describes one call that waits for a connection or has one.
type Turn struct {
	// Search says that the call may take a statement's whole time: it cannot have the
	// connections that are kept for short calls.
	Search bool
	// Request is the call it belongs to, as [facade.RequestOf] has it. nil is no request,
	// whose share is not bounded.
	Request any
	// Writes says that the call writes, and cannot simply be made again where its connection
	// breaks.
	Writes bool
}

// waiter is a turn in the queue; granted is closed when it has a connection.
type waiter struct {
	Turn

	granted chan struct{}
}

// unused is how long a connection stays open that nobody uses, and lifetime how long any does,
// so that a server that was replaced, or joined a balanced set, gets its share.
const (
	complainEvery = 10 * time.Second // between lines of the log about calls that wait in vain

	unused   = 5 * time.Minute
	lifetime = time.Hour
)

// newPool returns a pool without connections for d.opts.Connections of them.
func newPool(d *DB) *pool {
	n := d.opts.Connections
	p := &pool{db: d, ofRequest: map[any]int{}, most: share{n, max(1, n-max(1, n/4)), max(1, n/2)}}
	p.done = sync.NewCond(&p.mu)
	p.sweep = time.AfterFunc(unused, p.clean)
	return p
}

// get waits for the turn and returns a connection that is open, as far as that can be known;
// put gives it back.
func (p *pool) get(ctx context.Context, t Turn) (*Conn, error) {
	if err := p.enter(ctx, t); err != nil {
		return nil, err
	}
	c, err := p.take(ctx, t)
	if err != nil {
		p.leave(t)
		return nil, err
	}
	return c, nil
}

// put gives a connection back and ends its turn.
func (p *pool) put(c *Conn, t Turn) {
	p.give(c)
	p.leave(t)
}

// enter waits until the turn may have a connection, until ctx ends or the wait is too long.
// Turns that could run are let in in the order in which they came; one that cannot, such as a
// search while all of the searches' share is in use, does not hold up those behind it.
func (p *pool) enter(ctx context.Context, t Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return errClosed
	}
	if p.admits(t) { // whoever waits could not have it
		p.grant(t, 1)
		p.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	p.waiting = append(p.waiting, waiter{t, granted})
	p.mu.Unlock()
	late := time.NewTimer(p.db.opts.Wait)
	defer late.Stop()
	var err error
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = errExhausted
	}
	p.mu.Lock()
	if err == errExhausted && time.Since(p.complained) > complainEvery { //nolint:errorlint // it is our own
		p.complained = time.Now()
		p.db.log.Warn("every connection to the database is in use, and calls are refused; write connections=… in the store's URL, or look for statements that wait for locks",
			"connections", p.most.all, "waiting", len(p.waiting), "waited", p.db.opts.Wait.String())
	}
	i := slices.IndexFunc(p.waiting, func(w waiter) bool { return w.granted == granted })
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 { // it was granted at the same moment
		p.leave(t)
	}
	return err
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

// take returns an idle connection that is open or opens one. The turn has been counted in, so
// there are never more than Connections. Where the server has none to spare, one that others
// give back serves as well.
func (p *pool) take(ctx context.Context, t Turn) (*Conn, error) {
	began := time.Now()
	for {
		if c, err := p.pop(t.Writes); c != nil || err != nil {
			return c, err
		}
		c, err := p.db.dial(ctx)
		if codeOf(err) != tooManyConnections || time.Since(began) > p.db.opts.Wait {
			return c, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// pop takes an idle connection; nil: there is none that is open.
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
		c.close()
	}
}

// give returns a connection to the pool, or closes one that cannot be used further.
func (p *pool) give(c *Conn) {
	c.used, c.scope = time.Now(), nil
	p.mu.Lock()
	if p.closed || c.broken != nil || c.state != 'I' || time.Since(c.opened) > lifetime {
		p.mu.Unlock()
		c.close()
		return
	}
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

// clean closes the connections that nobody has used for a while; it runs by its timer.
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
		c.close()
	}
}

// close waits for the calls that run, then closes every connection. Calls that come later, and
// calls that waited, fail with errClosed.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.sweep.Stop()
	for p.now.all > 0 {
		p.done.Wait()
	}
	for _, c := range p.idle {
		c.close()
	}
	p.idle = nil
	return nil
}
