package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// transaction is one Transact (docs/decisions/transactions.md). Its first call queues an Op that lends the
// writer's connection. When its turn comes, in a group of such Ops, the writer waits until fn
// has returned, its ctx has ended or the time is over, and goes on with the next one; the
// group is committed together, as ordinary writes are:
//
//	fn's goroutine                       writer
//	call → begin → queue                 … groups that came before
//	                                     BEGIN IMMEDIATE, SAVEPOINT w, serve: lent
//	call: SAVEPOINT w, op.Run, RELEASE   waits for verdict, ctx or limit
//	call: …
//	fn returns → verdict                 RELEASE w or ROLLBACK TO w; the next one; COMMIT
//
// Every wait ends: a caller in the queue leaves when its ctx ends, and the writer takes its
// connection back at the limit.
type transaction struct {
	db *DB
	// ctx is fn's context; cancel ends it.
	ctx    context.Context
	cancel context.CancelFunc
	// lent is closed when conn is there.
	lent chan struct{}
	// outcome is the error of lend. The writer alone uses it.
	outcome error
	// verdict is given once, when fn has returned: true commits.
	verdict chan bool

	// mu is held for each call, and by the writer to end the transaction. It guards all below.
	mu sync.Mutex
	// op is queued by the first call; nil before.
	op *Op
	// conn is the writer's, while it is lent.
	conn *Conn
	// over is why no further call is taken; nil while calls are.
	over error
	// wrote says that a call has written something, late that the limit was reached.
	wrote, late bool
	// nested is how many levels within the first have begun and not ended.
	nested int
	// committed are the functions of the Ops that were done.
	committed []func()
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
	// saved says that the savepoint is made, and ended that fn has returned; tx.mu guards both.
	saved, ended bool
	// committed is how many of tx.committed there were when the savepoint was made.
	committed int
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

// errAgain is the outcome of a transaction that was released and then lost with its group,
// because another one has ended SQLite's transaction.
var errAgain = errors.New("the group of the transaction was lost")

// Transact runs fn with a context whose calls of Read, ReadAs and Write are one transaction; see
// [facade.Transactor] for the contract. The database lock is taken before the first call, so no
// other write comes between: fn runs again only where its group was lost.
func (d *DB) Transact(ctx context.Context, fn func(context.Context) error) error {
	if l := d.level(ctx); l != nil {
		return l.join(ctx, fn)
	}
	if facade.IsReadOnly(ctx) && !d.opts.Memory { // in memory a writer would wait for the reader
		return d.snapshot(ctx, fn)
	}
	lost := func(err error) bool { return errors.Is(err, errAgain) }
	return facade.Retry(ctx, lost, func(int) error { return d.transact(ctx, fn) })
}

// transact runs fn once.
func (d *DB) transact(ctx context.Context, fn func(context.Context) error) error {
	t := &transaction{db: d, lent: make(chan struct{}), verdict: make(chan bool, 1)}
	ctx, t.cancel = context.WithCancel(ctx)
	defer t.cancel()
	t.ctx = context.WithValue(ctx, levelKey{d}, &level{tx: t, turn: make(chan struct{}, 1)})
	returned := false
	defer func() {
		if !returned { // fn panicked
			_ = t.end(false)
		}
	}()
	err := fn(t.ctx)
	returned = true
	if ended := t.end(err == nil); ended != nil {
		return ended
	}
	if err == nil {
		for _, do := range t.committed {
			do()
		}
	}
	return err
}

// end hands the outcome of fn to the writer, and returns why the transaction is not what fn
// returned: a commit that failed, the end of ctx, or the limit.
func (t *transaction) end(commit bool) error {
	t.mu.Lock()
	op, over := t.op, t.over
	if over == nil && (op == nil || op.state.CompareAndSwap(waiting, abandoned)) {
		t.over = facade.Outlived()
		op = nil
	}
	t.mu.Unlock()
	late := false
	switch {
	case op == nil: // no call was made
	case op.state.Load() == abandoned: // it never began
	default:
		t.verdict <- commit
		<-op.done
		over, late = op.err, t.late
	}
	if commit || late {
		return over
	}
	return nil // the error of fn says it
}

// begin waits until the connection is lent; the first caller queues the transaction. The end of ctx
// ends the waiting alone. Only the holder of the turn calls it.
func (t *transaction) begin(ctx context.Context) error {
	t.mu.Lock()
	op, over := t.op, t.over
	if op == nil && over == nil {
		t.op = &Op{Ctx: t.ctx, lends: true, Run: t.serve, done: make(chan struct{})}
	}
	queued := t.op
	t.mu.Unlock()
	if over != nil {
		return over
	}
	var err error
	if op == nil {
		if err = t.db.writer.send(queued); err != nil {
			queued.state.Store(abandoned)
		}
	}
	if err == nil {
		select {
		case <-t.lent:
			return nil
		case <-queued.done: // it could not begin
			err = queued.err
		case <-t.ctx.Done():
			queued.state.CompareAndSwap(waiting, abandoned)
			err = t.ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil {
		t.over = err
	}
	return t.over
}

// serve is the transaction on the writer's goroutine: it lends the connection until fn has
// returned. An error undoes what fn wrote. Where the group was lost it is called again, and fn
// has to run again.
func (t *transaction) serve(c *Conn) error {
	select {
	case <-t.lent:
		if t.outcome == nil {
			t.outcome = errAgain
		}
	default:
		t.outcome = t.lend(c)
	}
	return t.outcome
}

// lend lends the connection once. The error is the reason against a commit.
func (t *transaction) lend(c *Conn) error {
	t.mu.Lock()
	t.conn = c
	t.mu.Unlock()
	close(t.lent)

	limit := t.db.opts.Transaction
	var timer <-chan time.Time
	if limit > 0 {
		timeout := time.NewTimer(limit)
		defer timeout.Stop()
		timer = timeout.C
	}
	commit, late, ended := false, false, error(nil)
	select {
	case commit = <-t.verdict:
		ended = t.ctx.Err() // both may have come
	case <-t.ctx.Done():
		ended = t.ctx.Err()
	case <-timer:
		late, ended = true, facade.Overlong(limit)
	}
	t.cancel() // a statement that is running is interrupted
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conn, t.late = nil, late
	switch {
	case late:
		t.over = ended
	case t.over != nil: // a call has lost it, or nobody waits for it any more
	case ended != nil:
		t.over = ended
	case commit && t.nested > 0:
		t.over = kiterror.Internal(errUnended)
	default:
		t.over = facade.Outlived()
		t.op.idle = !t.wrote
		if !commit {
			return t.over // nobody looks at it: fn has an error of its own
		}
		return nil
	}
	return t.over
}

// call runs do on the lent connection, which it has for itself. An error that ended SQLite's
// transaction ends this one, even where fn ignores it.
func (l *level) call(ctx context.Context, do func(*Conn) error) error {
	t := l.tx
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()
	if err := t.begin(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	c := t.conn
	err := l.save(c)
	if err == nil {
		err = do(c)
	}
	if t.db.writer.conn == nil || c.db.GetAutocommit() {
		if err == nil {
			err = kiterror.Internal(errors.New("sqlite: the transaction ended under a call"))
		}
		t.over = err
	}
	return err
}

// usable is why the level takes no call. The caller holds tx.mu.
func (l *level) usable() error {
	switch {
	case l.tx.over != nil:
		return l.tx.over
	case l.ended:
		return facade.Outlived()
	}
	return nil
}

// enter waits for the turn of a call, or until ctx or the transaction ends.
func (l *level) enter(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.tx.ctx.Done():
		return l.tx.ctx.Err()
	}
}

// leave gives the turn to the next call.
func (l *level) leave() { <-l.turn }

// save makes the missing savepoints of this level and the levels around it. The caller holds
// tx.mu.
func (l *level) save(c *Conn) error {
	if l.outer == nil || l.saved {
		return nil
	}
	if err := l.outer.save(c); err != nil {
		return err
	}
	if err := c.Exec("SAVEPOINT n"); err != nil {
		return Public(l.tx.ctx, err)
	}
	l.saved, l.committed = true, len(l.tx.committed)
	l.tx.nested++
	return nil
}

// join runs fn as a level within l, which takes no other call until fn returns. Where fn fails, its
// writes are undone and the transaction goes on.
func (l *level) join(ctx context.Context, fn func(context.Context) error) (err error) {
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer l.leave()
	inner := &level{tx: l.tx, outer: l, turn: make(chan struct{}, 1)}
	returned := false
	defer func() {
		if ended := inner.end(returned && err == nil); err == nil {
			err = ended
		}
	}()
	err = fn(context.WithValue(ctx, levelKey{l.tx.db}, inner))
	returned = true
	return err
}

// end releases the savepoint of a level, undone before where keep is false. The error is why
// the transaction is over.
func (l *level) end(keep bool) error {
	t := l.tx
	t.mu.Lock()
	defer t.mu.Unlock()
	l.ended = true
	if !l.saved || t.over != nil {
		return t.over
	}
	t.nested--
	err := error(nil)
	if !keep {
		err = t.conn.Exec("ROLLBACK TO n")
		t.committed = t.committed[:l.committed]
	}
	if err == nil {
		err = t.conn.Exec("RELEASE n")
	}
	if err != nil {
		_ = t.conn.Exec("ROLLBACK") // the error at hand is the one to report
		t.over = Public(t.ctx, err)
	}
	return t.over
}

// write does op as part of the transaction.
func (l *level) write(op *Op) error {
	t := l.tx
	return l.call(op.Ctx, func(*Conn) error {
		err := t.db.writer.savepoint(op, false)
		t.wrote = t.wrote || err == nil
		if err == nil && op.Committed != nil {
			t.committed = append(t.committed, op.Committed)
		}
		return err
	})
}

// read runs do, which reads, as part of the transaction. A panic costs the connection, and the
// transaction with it.
func (l *level) read(ctx context.Context, do func(*Conn) error) error {
	t := l.tx
	return l.call(ctx, func(c *Conn) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = c.panicked(r)
				t.db.writer.conn = nil // the next transaction opens another
			}
		}()
		if err = c.begin(ctx); err == nil {
			err = c.end(do(c))
		}
		t.db.noteDisk(err)
		return Public(ctx, err)
	})
}
