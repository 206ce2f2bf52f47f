package sqlite

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
)

// writer owns the one connection that writes. Writes that wait at the same time
// become one transaction: whoever comes while a commit is on its way to the disk
// joins the next one, so a busy store pays one fsync for many.
type writer struct {
	store *Store
	conn  *conn // nil while it could not be opened again after a panic
	queue chan *write
	done  chan struct{} // closed when the goroutine has ended

	relieveAt int64 // the size of the log from which it is emptied under load

	mu     sync.RWMutex // held to send, so that close closes an idle queue
	closed bool
}

// write is one caller's part of a transaction.
type write struct {
	ctx context.Context
	// run does the work. It may be run again, when the transaction it was in had to
	// be begun anew; so it begins by forgetting what it answered before.
	run func(*conn) error
	// blame finds what a foreign key violation is about, in the state it left behind.
	blame func(*conn, error) error
	// alone is work outside any transaction that no other may share: a migration.
	alone bool

	state atomic.Int32 // waiting, begun or abandoned
	err   error
	done  chan struct{}
}

const (
	waiting int32 = iota
	begun
	abandoned
)

const (
	maxGroup = 256  // writes in one transaction at most
	maxQueue = 1024 // writes that wait before their callers do
)

func newWriter(s *Store, c *conn) *writer {
	w := &writer{store: s, conn: c, queue: make(chan *write, maxQueue), done: make(chan struct{}), relieveAt: largeWAL}
	go w.loop()
	return w
}

// do has op done and answers after it is durable. A caller whose ctx ends before
// op has begun leaves it undone; one whose ctx ends later is told how it came out.
func (w *writer) do(op *write) error {
	op.done = make(chan struct{})
	if err := w.send(op); err != nil {
		return err
	}
	select {
	case <-op.done:
	case <-op.ctx.Done():
		if op.state.CompareAndSwap(waiting, abandoned) {
			return op.ctx.Err()
		}
		<-op.done
	}
	return op.err
}

// soon has op done without anybody waiting for it. taken is false where the writer
// has too much to do already.
func (w *writer) soon(op *write) (taken bool) {
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

func (w *writer) send(op *write) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return unavailable(errClosed)
	}
	select {
	case w.queue <- op:
		return nil
	case <-op.ctx.Done():
		return op.ctx.Err()
	}
}

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
	return w.conn.close()
}

func (w *writer) loop() {
	defer close(w.done)
	group := make([]*write, 0, maxGroup)
	idle := time.NewTimer(idleBefore) // opening may have written
	for {
		var first *write
		select {
		case op, ok := <-w.queue:
			if !ok {
				return
			}
			first = op
		case <-idle.C:
			if !w.checkpoint(0) {
				idle.Reset(idleBefore)
			}
			continue
		}
		// Those who were answered a moment ago and write again are ready to run but have
		// not run yet; let them, and their writes share this commit.
		runtime.Gosched()
		group = append(group[:0], first)
	gather:
		for len(group) < maxGroup && !group[len(group)-1].alone {
			select {
			case op, ok := <-w.queue:
				if !ok {
					break gather
				}
				group = append(group, op)
			default:
				break gather
			}
		}
		last := group[len(group)-1]
		if last.alone {
			group = group[:len(group)-1]
		}
		w.commit(group)
		if last.alone && last.begin() {
			last.answer(w.outside(last))
		}
		w.relieve()
		idle.Reset(idleBefore)
	}
}

// reopen opens the connection anew that was discarded after a panic.
func (w *writer) reopen() (err error) {
	w.store.file.walGone()
	w.conn, err = w.store.dial(context.Background(), false)
	return err
}

// begin claims a write that is still wanted.
func (op *write) begin() bool { return op.state.CompareAndSwap(waiting, begun) }

func (op *write) answer(err error) {
	op.err = err
	close(op.done)
}

// commit runs a group as one transaction and answers each of its callers. When a
// statement's failure has taken the whole transaction with it (an interrupt, a
// full disk), the others are run again without that one.
func (w *writer) commit(group []*write) {
	ops := make([]*write, 0, len(group))
	for _, op := range group {
		if op.begin() {
			ops = append(ops, op)
		}
	}
	for len(ops) > 0 {
		again, err := w.transaction(ops)
		if again == nil {
			for _, op := range ops {
				if op.err == nil {
					op.err = err
				}
				close(op.done)
			}
			return
		}
		ops = again
	}
}

// transaction tries ops once. It answers the ops that are to be tried again where
// the transaction was lost, having answered the one that lost it; else nil, with
// each op's own error in it, and the error of the transaction itself.
func (w *writer) transaction(ops []*write) (again []*write, err error) {
	if w.conn == nil {
		if err = w.reopen(); err != nil {
			return nil, unavailable(err)
		}
	}
	if w.store.opts.Memory {
		w.store.gate.Lock()
		defer w.store.gate.Unlock()
	}
	for _, op := range ops {
		op.err = nil
	}
	file := w.store.file
	if err := file.lost(); err != nil {
		file.note(err)
		return nil, unavailable(err)
	}
	if err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		w.store.noteDisk(err)
		return nil, explain(context.Background(), err)
	}
	good := 0
	for i, op := range ops {
		if op.err = op.ctx.Err(); op.err != nil {
			continue
		}
		op.err = w.savepoint(op)
		if w.conn == nil || w.conn.db.GetAutocommit() {
			op.answer(op.err)
			return append(append(make([]*write, 0, len(ops)), ops[:i]...), ops[i+1:]...), nil
		}
		if op.err == nil {
			good++
		}
	}
	end := "COMMIT"
	if good == 0 {
		end = "ROLLBACK"
	}
	if err := w.conn.exec(end); err != nil {
		if !w.conn.db.GetAutocommit() {
			_ = w.conn.exec("ROLLBACK") // the error at hand is the one to tell
		}
		w.store.noteDisk(err)
		return nil, explain(context.Background(), fmt.Errorf("commit: %w", err))
	}
	if good > 0 {
		if err := file.committed(); err != nil { // written into a file that nobody will find
			file.note(err)
			return nil, unavailable(err)
		}
	}
	return nil, nil
}

// savepoint runs one write so that its failure undoes it and nothing else.
func (w *writer) savepoint(op *write) (err error) {
	c := w.conn
	defer func() {
		if r := recover(); r != nil {
			c.discard()
			w.conn = nil // the next transaction opens another
			err = fmt.Errorf("sqlite: a write panicked: %v\n%s", r, debug.Stack())
		}
	}()
	if err := c.exec("SAVEPOINT w"); err != nil {
		return explain(op.ctx, err)
	}
	err = c.within(op.ctx, op.run)
	w.store.noteDisk(err)
	if c.db.GetAutocommit() {
		return explain(op.ctx, err)
	}
	if err == nil {
		// Foreign keys are deferred to the end of the transaction, which is shared: so
		// each write is asked here whether it leaves any of them broken.
		if pending, _, _ := c.db.Status(sqlite3.DBSTATUS_DEFERRED_FKS, false); pending != 0 {
			err = errForeignKey
		}
	}
	if err != nil && op.blame != nil {
		err = op.blame(c, err)
	}
	if err != nil || facade.Rehearsing(op.ctx) {
		if undo := c.exec("ROLLBACK TO w"); undo != nil {
			_ = c.exec("ROLLBACK") // the error at hand is the one to tell
			return explain(op.ctx, undo)
		}
	}
	if release := c.exec("RELEASE w"); release != nil && err == nil {
		_ = c.exec("ROLLBACK") // the error at hand is the one to tell
		err = release
	}
	return explain(op.ctx, err)
}

// outside runs a write that makes its own transaction.
func (w *writer) outside(op *write) (err error) {
	if w.conn == nil {
		if err = w.reopen(); err != nil {
			return unavailable(err)
		}
	}
	if w.store.opts.Memory {
		w.store.gate.Lock()
		defer w.store.gate.Unlock()
	}
	c := w.conn
	defer func() {
		if r := recover(); r != nil {
			c.discard()
			w.conn = nil
			err = fmt.Errorf("sqlite: a migration panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return op.run(c)
}
