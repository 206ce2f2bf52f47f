// Package turns shares a number of connections between the calls that need one. It knows no
// connections: a call takes a turn, opens or takes a connection, and ends its turn.
//
// Some connections are kept for calls that are short whatever the table's size: rows of given
// keys, pages in the order of an index, and writes. Searches, which may use up a statement's
// time, share the others, and one request holds half of all at most (docs/decisions/budgets.md). Of n
// connections:
//
//	all        n
//	searches   n minus a quarter, one at least is kept for short calls
//	request    half, one at least
package turns

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Turn describes one call that waits for a connection or has one.
type Turn struct {
	// Search says that the call may take a statement's whole time: it cannot have the
	// connections that are kept for short calls.
	Search bool
	// Request is the call it belongs to, as facade.RequestOf has it. nil is no request, whose
	// share is not bounded.
	Request any
	// Writes says that the call writes, and cannot simply be made again where its connection
	// breaks.
	Writes bool
}

// ErrLate is the error of a call that has waited too long.
var ErrLate = errors.New("no connection came free in time")

// Queue lets calls in. Its methods may be called from many goroutines.
type Queue struct {
	most share // what may run at once

	mu sync.Mutex
	// now is what runs. mu guards it and everything below.
	now share
	// ofRequest is how many connections each request holds; a request without one is not in
	// it.
	ofRequest map[any]int
	// waiting are the turns without a connection, in the order they came.
	waiting  []waiter
	released *sync.Cond // signalled when a turn ends
}

// share is a number of connections: of all, of those that run searches, of one request.
type share struct{ all, searches, request int }

// waiter is a turn in the queue; granted is closed when it has a connection.
type waiter struct {
	Turn
	granted chan struct{}
}

// New returns a queue for n connections.
func New(n int) *Queue {
	q := &Queue{ofRequest: map[any]int{}, most: share{n, max(1, n-max(1, n/4)), max(1, n/2)}}
	q.released = sync.NewCond(&q.mu)
	return q
}

// Enter waits until the turn may have a connection, until ctx ends or, with a patience above 0,
// until it has waited so long: ErrLate. Turns that could run are let in in the order in which
// they came; one that cannot, such as a search while all of the searches' share is in use, does
// not hold up those behind it. Whoever is let in calls Leave.
func (q *Queue) Enter(ctx context.Context, t Turn, patience time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	if q.admits(t) { // whoever waits could not have it
		q.grant(t, 1)
		q.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	q.waiting = append(q.waiting, waiter{t, granted})
	q.mu.Unlock()
	var late <-chan time.Time // nil: never
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	err := ErrLate
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late:
	}
	q.mu.Lock()
	i := slices.IndexFunc(q.waiting, func(w waiter) bool { return w.granted == granted })
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // it was granted at the same moment
		q.Leave(t)
	}
	return err
}

// admits says whether the turn may have a connection now. The caller holds mu.
func (q *Queue) admits(t Turn) bool {
	return q.now.all < q.most.all && (!t.Search || q.now.searches < q.most.searches) &&
		(t.Request == nil || q.ofRequest[t.Request] < q.most.request)
}

// grant counts a turn in with 1 and out with -1. The caller holds mu.
func (q *Queue) grant(t Turn, n int) {
	q.now.all += n
	if t.Search {
		q.now.searches += n
	}
	if t.Request == nil {
		return
	}
	if held := q.ofRequest[t.Request] + n; held > 0 {
		q.ofRequest[t.Request] = held
	} else {
		delete(q.ofRequest, t.Request)
	}
}

// Leave ends a turn and lets those in who can have what it held, the first that came first.
func (q *Queue) Leave(t Turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.grant(t, -1)
	q.waiting = slices.DeleteFunc(q.waiting, func(w waiter) bool {
		if !q.admits(w.Turn) {
			return false
		}
		q.grant(w.Turn, 1)
		close(w.granted)
		return true
	})
	q.released.Broadcast()
}

// Waiting returns how many turns have no connection yet.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Drain waits until nobody has a turn.
func (q *Queue) Drain() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.now.all > 0 {
		q.released.Wait()
	}
}
