package engine

import (
	"cmp"
	"context"
	"sync/atomic"
)

// Op is one caller's part of a transaction. Use it once.
type Op struct {
	// Ctx is the caller's: its end interrupts the statement that runs for it.
	Ctx context.Context
	// Run does the work, on the writer's connection. It may run again, when its transaction had to
	// begin again; so it first resets its results. An error undoes its writes.
	Run func(*Conn) error
	// Blame, where set, replaces an error of Run by one that names its cause, such as the relation
	// of a foreign key. It runs in the state after the write, before that is undone.
	Blame func(*Conn, error) error
	// Committed, where set, is called once the writes of Run are durable: in a transaction when
	// that is. It is not called for writes that are undone.
	Committed func()
	// Alone is work outside any transaction that no other write may share: a migration. It
	// makes its own transaction.
	Alone bool
	// lends says that Run lends the connection to another goroutine (see transaction), and idle
	// that the borrower wrote no rows.
	lends, idle bool

	// state is waiting, begun or abandoned. The first change from waiting decides: the writer
	// begins it, or the caller abandons it.
	state atomic.Int32
	err   error
	// done is closed when err is final.
	done chan struct{}
}

const (
	// The states of an Op.
	waiting int32 = iota
	begun
	abandoned
)

// begin claims a write that is still wanted; false where its caller has gone.
func (op *Op) begin() bool { return op.state.CompareAndSwap(waiting, begun) }

// claim is begin for an Op that may have begun in a lost transaction.
func (op *Op) claim() bool { return op.begin() || op.state.Load() == begun }

// answer makes err the outcome and wakes the caller.
func (op *Op) answer(err error) {
	op.err = err
	close(op.done)
}

// answerAll answers the callers of a transaction whose end had this error.
func answerAll(ops []*Op, err error) {
	for _, op := range ops {
		op.answer(cmp.Or(op.err, err))
	}
}
