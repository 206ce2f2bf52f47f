package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/turns"
)

// transaction is one Transact. Its first call takes a connection from the pool and begins; each
// call has a savepoint of its own, so that one that fails leaves no writes and the transaction goes
// on:
//
//	first call    BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL lock_timeout; SAVEPOINT w; …; RELEASE w
//	next call     SAVEPOINT w; …; RELEASE w
//	fn returned   the deferred statements; COMMIT
type transaction struct {
	db *DB
	// ctx is fn's context; cancel ends it.
	ctx    context.Context
	cancel context.CancelFunc
	// first is the level of fn.
	first *level

	// late says that the limit was reached.
	late atomic.Bool

	// mu is held for each call, and to end the transaction. It guards all below.
	mu sync.Mutex
	// conn is nil before the first call and at the end.
	conn *Conn
	turn turns.Turn
	// timer ends a transaction that lasts too long.
	timer *time.Timer
	// lead goes ahead of the next call: BEGIN, and the savepoints of levels.
	lead []string
	// over is why no further call is taken; nil while calls are.
	over error
	// lost is why the transaction cannot be committed: another one came between, or the
	// connection broke.
	lost error
	// nested is how many levels within the first have begun and not ended.
	nested int
}

// level is a transaction as one fn sees it: the first, or one that joined it and has a
// savepoint of its own.
type level struct {
	tx *transaction
	// outer is the level that this one joined; nil for the first.
	outer *level
	// turn holds a value while a call or an inner level runs, so that they run one after the
	// other.
	turn chan struct{}
	// saved says that the savepoint is made, and ended that fn has returned; tx.mu guards both and
	// deferred.
	saved, ended bool
	// deferred goes ahead of the commit.
	deferred []deferred
}

// deferred is a statement whose answer is ignored, or nil, and the function to call after its
// commit.
type deferred struct {
	query     *Query
	committed func()
}

// levelKey is the key of a database's level in a context. A context may be in transactions of
// several databases.
type levelKey struct{ *DB }

// level returns the level of ctx, or nil outside of transactions.
func (d *DB) level(ctx context.Context) *level {
	l, _ := ctx.Value(levelKey{d}).(*level)
	return l
}

// errUnended fails a transaction whose fn returned before the Transact of a goroutine that it
// started.
var errUnended = errors.New("a handler returned before its calls ended; wait for the goroutines it starts")

// Transact runs fn with a context whose calls of Read, ReadAs, Once and Write are one
// serializable transaction; see [facade.Transactor] for the contract.
func (d *DB) Transact(ctx context.Context, fn func(context.Context) error) error {
	if l := d.level(ctx); l != nil {
		return l.join(ctx, fn)
	}
	broken := 0
	var own error
	err := d.retry(ctx, func(err error) bool {
		if again(err) {
			broken++
			return broken < 3
		}
		return conflict(err)
	}, func() (err error) {
		own, err = d.transact(ctx, fn)
		return err
	})
	if err == nil {
		return own
	}
	return d.Public(ctx, err)
}

// transact runs fn once. own is the error of fn, returned unchanged: it is not the store's, even
// if it wraps a store's error. err says why the transaction has another outcome than fn, and is
// raw if another transaction came between.
func (d *DB) transact(ctx context.Context, fn func(context.Context) error) (own, err error) {
	t := &transaction{db: d, lead: []string{begin, impatient}, turn: turnOf(ctx, turns.Short, true)}
	dry := facade.InDryRun(ctx)
	ctx, t.cancel = context.WithCancel(ctx)
	defer t.cancel()
	t.first = &level{tx: t, turn: make(chan struct{}, 1)}
	t.ctx = context.WithValue(ctx, levelKey{d}, t.first)
	returned := false
	defer func() {
		if !returned { // fn panicked
			_ = t.end(false)
		}
	}()
	own = fn(t.ctx)
	returned = true
	if err := t.end(own == nil && !dry); err != nil {
		return nil, err
	}
	if own == nil && !dry {
		for _, one := range t.first.deferred {
			one.committed()
		}
	}
	return own, nil
}

// Defer runs a statement without rows with the commit of the transaction of ctx, so that it takes
// no round trip; its failure is the commit's failure. If the level of ctx is undone, it does not
// run. Without a transaction it is [DB.Once]. committed is called after the commit; with a nil
// statement it belongs to the writes before.
func (d *DB) Defer(ctx context.Context, q *Query, committed func()) error {
	l := d.level(ctx)
	if l == nil {
		if q != nil {
			if err := d.Once(ctx, q); err != nil {
				return err
			}
		}
		if !facade.InDryRun(ctx) {
			committed()
		}
		return nil
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	l.tx.mu.Lock()
	defer l.tx.mu.Unlock()
	if err := l.usable(); err != nil {
		return d.Public(ctx, err)
	}
	l.deferred = append(l.deferred, deferred{q, committed})
	return nil
}

// end commits or rolls back, at fn's return or at the limit, whichever is first. The error says why
// the transaction has another outcome than fn: another one came between, the commit failed, or the
// limit was reached.
func (t *transaction) end(commits bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return t.over
	}
	t.over = facade.Outlived()
	if t.timer != nil {
		t.timer.Stop()
	}
	late := t.late.Load()
	if late {
		t.over, commits = facade.Overlong(t.db.opts.Transaction), false
	}
	if commits && t.nested > 0 {
		t.over, commits = kiterror.Internal(errUnended), false
	}
	c, err := t.conn, t.lost
	if c == nil && commits && err == nil && len(t.first.deferred) > 0 { // there was no call
		if c, err = t.db.pool.get(t.ctx, t.turn); err != nil {
			return err
		}
	}
	if c == nil {
		return nil
	}
	t.conn = nil
	defer t.db.pool.put(c, t.turn)
	if err == nil && commits {
		if err = t.ctx.Err(); err == nil {
			err = t.commit(c)
		}
	}
	if c.broken == nil && c.state != 'I' {
		_ = c.finish(rollback) // a connection that is not idle is closed
	}
	if late || err == nil && t.nested > 0 {
		err = t.over
	}
	return err
}

// commit runs the deferred statements and commits, in one round trip. The caller holds mu.
func (t *transaction) commit(c *Conn) error {
	var all []*Query
	if deferred := t.first.deferred; len(deferred) > 0 {
		defer c.watchdog.watch(c.watchdog.watch(t.ctx))
		for _, text := range t.lead {
			all = append(all, bare(text))
		}
		for _, one := range deferred {
			if one.query != nil {
				all = append(all, one.query)
			}
		}
	}
	s := scope{end: bare(commit)}
	var note func()
	s.after, note = t.db.copies.position(t.ctx)
	err := committedBefore(c.send(s.last(all)), s.end, s.after)
	if err == nil {
		note()
	}
	return err
}

// call runs do in the transaction, when the calls before it are over, and undoes its writes where
// it fails.
func (l *level) call(ctx context.Context, do func(*Conn) error) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	t := l.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := l.open(ctx); err != nil {
		return err
	}
	c := t.conn
	s := &scope{end: bare(release)}
	for _, text := range append(t.lead, savepoint) {
		s.lead = append(s.lead, bare(text))
	}
	c.scope = s
	err := c.begin(ctx)
	if err == nil {
		err = c.end(do(c))
	}
	c.scope = nil
	if s.begun {
		t.lead = t.lead[:0]
	} else if len(t.lead) > 0 && c.state != 'I' {
		// A part of the lead was done; the rest of the transaction cannot run.
		t.lost = errors.Join(err, t.lost)
	}
	switch {
	case c.broken != nil || conflict(err) || stale(err):
		t.lost = err
		if err == nil {
			t.lost = &lost{c.broken, false}
		}
	case !s.begun, s.end.Done:
	case err != nil:
		if undone := c.finish(undo, release); undone != nil {
			t.lost = undone
		}
	default:
		if err = c.send([]*Query{s.end}); err != nil {
			t.lost = err
		}
	}
	return err
}

// usable is why the level takes no call. The caller holds mu.
func (l *level) usable() error {
	switch t := l.tx; {
	case t.over != nil:
		return t.over
	case l.ended:
		return facade.Outlived()
	default:
		return t.lost
	}
}

// open makes sure that the level takes a call: it has not ended, there is a connection, and the
// savepoints of the levels around it are made or go ahead of the call. The caller holds mu.
func (l *level) open(ctx context.Context) error {
	t := l.tx
	if err := l.usable(); err != nil {
		return err
	}
	if t.conn == nil {
		c, err := t.db.pool.get(ctx, t.turn)
		if err != nil {
			return err
		}
		t.conn = c
		if limit := t.db.opts.Transaction; limit > 0 {
			t.timer = time.AfterFunc(limit, func() {
				t.late.Store(true)
				t.cancel() // a statement that is running is cancelled
				_ = t.end(false)
			})
		}
	}
	for _, one := range l.unsaved() {
		t.lead = append(t.lead, "SAVEPOINT l")
		one.saved = true
	}
	return nil
}

// unsaved are the levels from the outside to this one whose savepoint is not made.
func (l *level) unsaved() []*level {
	if l.outer == nil {
		return nil
	}
	all := l.outer.unsaved()
	if !l.saved {
		all = append(all, l)
	}
	return all
}

// join runs fn as a part of the transaction: its error undoes only the writes of its calls. Calls
// of the outer fn wait until it returns.
func (l *level) join(ctx context.Context, fn func(context.Context) error) (err error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.turn }()
	t := l.tx
	t.mu.Lock()
	if t.over != nil || l.ended {
		defer t.mu.Unlock()
		if t.over != nil {
			return t.over
		}
		return facade.Outlived()
	}
	t.nested++
	t.mu.Unlock()
	inner := &level{tx: t, outer: l, turn: make(chan struct{}, 1)}
	returned := false
	defer func() {
		if failed := inner.leave(returned && err == nil); err == nil {
			err = failed
		}
	}()
	err = fn(context.WithValue(ctx, levelKey{t.db}, inner))
	returned = true
	return err
}

// leave ends a level that joined another: its writes stay, or are undone.
func (l *level) leave(keep bool) error {
	t := l.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	l.ended = true
	t.nested--
	if keep {
		l.outer.deferred = append(l.outer.deferred, l.deferred...)
	}
	if !l.saved || t.conn == nil || t.lost != nil {
		if keep && t.lost != nil {
			return t.lost
		}
		return nil
	}
	if n := len(t.lead); n > 0 { // nothing was run since its savepoint was wanted
		t.lead = t.lead[:n-1]
		return nil
	}
	statements := []string{"RELEASE SAVEPOINT l"}
	if !keep {
		statements = []string{"ROLLBACK TO SAVEPOINT l", "RELEASE SAVEPOINT l"}
	}
	if err := t.conn.finish(statements...); err != nil {
		t.lost = err
		return err
	}
	return nil
}
