package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
)

// writer owns the one connection that writes (docs/decisions/transactions.md). Writes that wait at
// the same time become one transaction: a write that arrives during a commit joins the next one, so
// a busy store pays one fsync for many.
//
//	do → queue → loop → commit → transaction: BEGIN IMMEDIATE
//	                                savepoint: SAVEPOINT w, op.Run, RELEASE w or ROLLBACK TO w
//	                                … for each write of the group
//	                              COMMIT, then every caller is answered
//
// Only the goroutine of loop uses conn.
type writer struct {
	db *DB
	// conn is nil while it could not be opened again after a panic.
	conn *Conn
	// queue holds writes in the order they came, maxQueue at most.
	queue chan *Op
	// done is closed when the goroutine has ended.
	done chan struct{}

	// relieveAt is the size of the log, in bytes, from which it is emptied under load.
	relieveAt int64

	// mu is held for reading to send, so that close closes a queue without senders.
	mu     sync.RWMutex
	closed bool
}

const (
	// maxGroup is how many writes are in one transaction at most.
	maxGroup = 256
	// groupTime is how long a group has lasted when no further Op that lends is begun in it.
	groupTime = 10 * time.Millisecond
	// maxQueue is how many writes wait before their callers do.
	maxQueue = 1024
)

// newWriter starts the goroutine that writes on c; close ends it.
func newWriter(d *DB, c *Conn) *writer {
	w := &writer{db: d, conn: c, queue: make(chan *Op, maxQueue), done: make(chan struct{}), relieveAt: largeWAL}
	go w.loop()
	return w
}

// do queues op and returns when it is done. A caller whose ctx ends before op has begun leaves
// it undone; one whose ctx ends later waits for the outcome, because it may be committed.
func (w *writer) do(op *Op) error {
	op.done = make(chan struct{})
	if err := w.send(op); err != nil {
		return err
	}
	select {
	case <-op.done:
	case <-op.Ctx.Done():
		if op.state.CompareAndSwap(waiting, abandoned) {
			return op.Ctx.Err()
		}
		<-op.done
	}
	if op.err == nil && op.Committed != nil {
		op.Committed()
	}
	return op.err
}

// soon queues op without waiting for it; taken is false where the queue is full or closed.
func (w *writer) soon(op *Op) (taken bool) {
	op.done = make(chan struct{})
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return false
	}
	select {
	case w.queue <- op:
		return true
	default:
		return false
	}
}

// send queues op, and waits where the queue is full.
func (w *writer) send(op *Op) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return unavailable(errClosed)
	}
	select {
	case w.queue <- op:
		return nil
	case <-op.Ctx.Done():
		return op.Ctx.Err()
	}
}

// close refuses further writes, waits until the queued ones are done and closes the connection.
// Later calls return at once.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.queue)
	w.mu.Unlock()
	<-w.done
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}

// loop takes the waiting writes, at most maxGroup, and commits them as one transaction; then it
// empties a large log. When no write has come for a while, it empties the log altogether.
func (w *writer) loop() {
	defer close(w.done)
	group := make([]*Op, 0, maxGroup)
	var lending lendings
	idle := time.NewTimer(idleBefore) // opening may have written
	for {
		var last *Op
		if len(lending.ops) == 0 {
			select {
			case op, ok := <-w.queue:
				if !ok {
					return
				}
				last = op
			case <-idle.C:
				if !w.checkpoint(0) {
					idle.Reset(idleBefore)
				}
				continue
			}
		}
		// Those who were answered a moment ago and write again are ready to run but have
		// not run yet; let them, and their writes share this commit.
		runtime.Gosched()
		group = group[:0]
	gather:
		for {
			switch {
			case last == nil: // only transactions wait, so far
			case last.Alone:
				break gather
			case last.lends:
				lending.add(last)
			default:
				group = append(group, last)
			}
			if len(group) == maxGroup {
				break
			}
			select {
			case op, ok := <-w.queue:
				if !ok {
					break gather
				}
				last = op
			default:
				break gather
			}
		}
		// Ordinary writes come first: they do not wait for somebody's function, and when one function has
		// taken its time, the writes that have come since are next.
		w.commit(group)
		w.lend(&lending)
		if last != nil && last.Alone && last.begin() {
			last.answer(w.outside(last))
		}
		w.relieve()
		idle.Reset(idleBefore)
	}
}

// enter prepares the connection for a transaction: it replaces a connection that was discarded after
// a panic, and in memory it waits until no reader is inside. A failure is the error of the write at
// hand; the next one tries again.
func (w *writer) enter() (err error) {
	if w.conn == nil {
		w.db.file.walGone()
		if w.conn, err = w.db.dial(context.Background(), false); err != nil {
			return unavailable(err)
		}
	}
	if w.db.opts.Memory {
		return w.db.gate.Acquire(context.Background(), readersInside)
	}
	return nil
}

// leave is the counterpart of enter: it lets readers in again.
func (w *writer) leave() {
	if w.db.opts.Memory {
		w.db.gate.Release(readersInside)
	}
}

// lend runs transactions that wait, as one of SQLite's, for the time of a group.
func (w *writer) lend(l *lendings) {
	if len(l.ops) == 0 {
		return
	}
	ops := l.inTurns()
	l.ops = w.commit(ops)
	l.last = callerOf(ops[len(ops)-len(l.ops)-1])
}

// commit runs a group as one transaction and answers each of its callers. It returns the lending Ops
// that did not begin in the time of a group. If the failure of one statement has ended the whole
// transaction (an interrupt, a full disk), the others run again without that one, unnoticed: no caller
// has an answer yet. Each round is one write shorter, so it ends. It uses the memory of group.
func (w *writer) commit(group []*Op) (later []*Op) {
	ops := group[:0]
	for _, op := range group {
		if op.lends || op.begin() {
			ops = append(ops, op)
		}
	}
	for len(ops) > 0 {
		again, later, err := w.transaction(ops)
		if again == nil {
			answerAll(ops[:len(ops)-len(later)], err)
			return later
		}
		ops = again
	}
	return nil
}

// transaction tries ops once. If one of them lost the transaction, it answers that one and returns
// again, the ops to try once more. Otherwise each op has its own error, err is the error of the
// commit, and later are the last of ops, which did not begin.
func (w *writer) transaction(ops []*Op) (again, later []*Op, err error) {
	if err := w.enter(); err != nil {
		return nil, nil, err
	}
	defer w.leave()
	for _, op := range ops {
		op.err = nil
	}
	file := w.db.file
	if err := file.lost(); err != nil {
		file.note(err)
		return nil, nil, unavailable(err)
	}
	if err := w.conn.Exec("BEGIN IMMEDIATE"); err != nil {
		w.db.noteDisk(err)
		return nil, nil, Public(context.Background(), err)
	}
	good := 0
	began := time.Now()
	for i, op := range ops {
		if op.lends && i > 0 && time.Since(began) > groupTime {
			later = ops[i:] // the others, and the writes in the queue, have waited long enough
			break
		}
		if op.lends && !op.claim() {
			continue // its caller has gone
		}
		// A write whose caller has gone is dropped: its error means that the write did not happen.
		// An Op that lends checks by itself.
		if op.err = op.Ctx.Err(); op.err != nil && !op.lends {
			continue
		}
		op.err = w.savepoint(op, facade.InDryRun(op.Ctx))
		// The transaction has ended under the write: this caller is answered, and the others begin
		// again.
		if w.conn == nil || w.conn.db.GetAutocommit() {
			op.answer(op.err)
			return append(append(make([]*Op, 0, len(ops)), ops[:i]...), ops[i+1:]...), nil, nil
		}
		if op.err == nil && !op.idle {
			good++
		}
	}
	return nil, later, w.finish(good > 0)
}

// finish ends the transaction: with a commit where something was written, which would cost an
// fsync without.
func (w *writer) finish(wrote bool) error {
	end := "COMMIT"
	if !wrote {
		end = "ROLLBACK"
	}
	if err := w.conn.Exec(end); err != nil {
		if !w.conn.db.GetAutocommit() {
			_ = w.conn.Exec("ROLLBACK") // the error at hand is the one to report
		}
		w.db.noteDisk(err)
		return Public(context.Background(), fmt.Errorf("commit: %w", err))
	}
	if wrote {
		if err := w.db.file.committed(); err != nil { // written into a file that nobody will find
			w.db.file.note(err)
			return unavailable(err)
		}
	}
	return nil
}

// savepoint runs one write so that its failure undoes that write alone. A panic costs the
// connection and fails this write alone. With undo, as in a dry run (facade.DryRun), it is
// undone after it has succeeded.
func (w *writer) savepoint(op *Op, undo bool) (err error) {
	c := w.conn
	defer func() {
		if r := recover(); r != nil {
			c.discard()
			w.conn = nil // the next transaction opens another
			err = fmt.Errorf("sqlite: a write panicked: %v\n%s", r, debug.Stack())
		}
	}()
	if err := c.Exec("SAVEPOINT w"); err != nil {
		return Public(op.Ctx, err)
	}
	if op.lends {
		err = op.Run(c) // its calls are within their own contexts
	} else {
		if err = c.begin(op.Ctx); err == nil {
			err = c.end(op.Run(c))
		}
		w.db.noteDisk(err)
	}
	if w.conn == nil { // a call panicked
		return err
	}
	if c.db.GetAutocommit() {
		return Public(op.Ctx, err)
	}
	if err == nil {
		// The group shares the end of the transaction, which checks deferred foreign keys, so
		// each write is asked here whether it leaves any of them broken.
		if pending, _, _ := c.db.Status(sqlite3.DBSTATUS_DEFERRED_FKS, false); pending != 0 {
			err = errForeignKey
		}
	}
	// Blame reads the state after the write, so it runs before the rollback.
	if err != nil && op.Blame != nil {
		err = op.Blame(c, err)
	}
	if err != nil || undo {
		if undone := c.Exec("ROLLBACK TO w"); undone != nil {
			_ = c.Exec("ROLLBACK") // the error at hand is the one to report
			return Public(op.Ctx, undone)
		}
	}
	if release := c.Exec("RELEASE w"); release != nil && err == nil {
		_ = c.Exec("ROLLBACK") // the error at hand is the one to report
		err = release
	}
	return Public(op.Ctx, err)
}

// errRoom is the error of work that works alone and takes more memory than SQLite may have.
var errRoom = errors.New("sqlite: the change exceeds SQLite's memory; set a temporary folder, such as TMPDIR=/var/tmp")

// outside runs an Op that works alone and makes its own transaction. No other write runs beside it,
// and the limits of statements do not apply.
func (w *writer) outside(op *Op) (err error) {
	if err := w.enter(); err != nil {
		return err
	}
	defer w.leave()
	c := w.conn
	defer func() {
		if r := recover(); r != nil {
			c.discard()
			w.conn = nil
			if err = errRoom; !outOfMemory(r) {
				err = fmt.Errorf("sqlite: a write panicked: %v\n%s", r, debug.Stack())
			}
		}
	}()
	return op.Run(c)
}

// Write does op and returns after it is durable, or, in a transaction ([DB.Transact]), after
// it is done. A caller whose ctx ends before op has begun leaves it undone; one whose ctx ends
// later learns how it came out. An error means that the store's file does not hold what op
// wrote.
func (d *DB) Write(op *Op) error {
	if l := d.level(op.Ctx); l != nil {
		return l.write(op)
	}
	return d.writer.do(op)
}

// Soon queues op and returns at once. It returns false, and drops op, if the writer is closed
// or has too much to do already.
func (d *DB) Soon(op *Op) (taken bool) { return d.writer.soon(op) }
