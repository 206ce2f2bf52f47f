package facade

import (
	"context"
	"sync"
)

// transaction is a store's transaction as the façade knows it: one try of a command whose
// author's code may make several calls ([Transactor]).
type transaction struct {
	host *host
	// base is the context that the outermost command began with. It stands in no
	// transaction.
	base context.Context

	mu sync.Mutex
	// after is what runs once the outermost command is committed.
	after []func()
}

// committed runs what waits for the commit, or leaves it to the transaction around.
func (t *transaction) committed(outer *transaction) {
	for _, do := range t.after {
		if outer != nil {
			outer.later(do)
		} else {
			do()
		}
	}
}

// later keeps do until the transaction is committed; where there is none it runs at once.
func (t *transaction) later(do func()) {
	if t == nil {
		do()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = append(t.after, do)
}

// HandlerOption changes how a handler is attached.
type HandlerOption uint8

// Detached says that the calls of a command's handler are no transaction: each commits by
// itself, and the handler runs once. It is for handlers that call other services, which
// nobody rolls back. A detached command cannot be called within a transaction.
const Detached HandlerOption = 1

type triesKey struct{}

// WatchTries has count called with the number of times that a command ran, with the answer
// of each call that is a transaction, calls within it left out.
func WatchTries(ctx context.Context, count func(tries int)) context.Context {
	return context.WithValue(ctx, triesKey{}, count)
}

// triesOf is the function that WatchTries put into ctx, or nil.
func triesOf(ctx context.Context) func(int) {
	count, _ := ctx.Value(triesKey{}).(func(int))
	return count
}
