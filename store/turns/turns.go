// Package turns shares a number of connections between the calls that need one. It knows no
// connections: a call takes a turn, opens or takes a connection, and ends its turn.
//
// Each call is in a lane, which says how long it may take. The slower lanes leave connections
// to the faster ones, and neither one caller nor one request holds more than half of all
// (docs/decisions/budgets.md). Of n connections:
//
//	keyed reads                 n
//	short calls and searches    n-1 together, or 2 of 2
//	searches                    n less a quarter, and less two at least
//	one caller, one request     half; of these one less for searches
//
// Every number is at least 1. A connection that comes free goes to the caller that holds the
// fewest, then to the request that holds the fewest, then to the call that has waited longest.
package turns

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Lane says how long a call may take.
type Lane uint8

// The lanes, the fastest first.
const (
	Keyed  Lane = iota // rows of given keys
	Short              // a bounded number of rows in the order of an index, and writes
	Search             // as long as a statement may take
)

// Turn describes one call that waits for a connection or has one.
type Turn struct {
	Lane Lane
	// Caller is who sent the call's request, and Request that request: comparable values. The
	// share of nil is not bounded.
	Caller, Request any
	// Writes says that the call writes, and cannot simply be made again where its connection
	// breaks.
	Writes bool
}

// ErrLate is the error of a call that has waited too long.
var ErrLate = errors.New("no connection came free in time")

// Queue lets calls in. Its methods may be called from many goroutines.
type Queue struct {
	most share // what may run at once
	each share // what one caller, and one request, may hold of it

	mu sync.Mutex
	// now is what runs. mu guards it and everything below.
	now share
	// held is what each caller and each request holds, by Turn.Caller and Turn.Request. Those
	// that hold nothing are not in it.
	held map[any]share
	// waiting are the turns without a connection, in the order they came.
	waiting  []waiter
	released *sync.Cond // signalled when a turn ends
}

// share is a number of connections by lane: that of a lane counts the slower ones too.
type share [3]int

// admits reports whether a call of a lane may be added to held, where s is the most.
func (s share) admits(held share, l Lane) bool {
	for lane := Keyed; lane <= l; lane++ {
		if held[lane] >= s[lane] {
			return false
		}
	}
	return true
}

// add returns s with n calls more of a lane.
func (s share) add(l Lane, n int) share {
	for lane := Keyed; lane <= l; lane++ {
		s[lane] += n
	}
	return s
}

// waiter is a turn in the queue; granted is closed when it has a connection.
type waiter struct {
	Turn
	granted chan struct{}
}

// New returns a queue for n connections.
func New(n int) *Queue {
	half, short := max(1, n/2), n-1
	if n <= 2 { // a connection kept would leave writes one at a time
		short = n
	}
	q := &Queue{
		held: map[any]share{},
		most: share{n, short, max(1, n-max(2, n/4))},
		each: share{half, half, max(1, half-1)},
	}
	q.released = sync.NewCond(&q.mu)
	return q
}

// Enter waits until the turn may have a connection, until ctx ends or, with a patience above 0,
// until it has waited so long: ErrLate. A turn that cannot run, such as a search while all of the
// searches' share is in use, does not hold up those after it. Each Enter without an error is
// followed by Leave.
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

// holders are the keys of held that a turn counts for, nil for none.
func (t *Turn) holders() [2]any { return [2]any{t.Caller, t.Request} }

// admits reports whether the turn may have a connection now. The caller holds mu.
func (q *Queue) admits(t Turn) bool {
	for _, key := range t.holders() {
		if key != nil && !q.each.admits(q.held[key], t.Lane) {
			return false
		}
	}
	return q.most.admits(q.now, t.Lane)
}

// grant counts a turn in with 1 and out with -1. The caller holds mu.
func (q *Queue) grant(t Turn, by int) {
	q.now = q.now.add(t.Lane, by)
	for _, key := range t.holders() {
		if key == nil {
			continue
		}
		if s := q.held[key].add(t.Lane, by); s != (share{}) {
			q.held[key] = s
		} else {
			delete(q.held, key)
		}
	}
}

// Leave ends a turn and admits those who wait for its place.
func (q *Queue) Leave(t Turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.grant(t, -1)
	for i := q.next(); i >= 0; i = q.next() {
		w := q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.grant(w.Turn, 1)
		close(w.granted)
	}
	q.released.Broadcast()
}

// next returns the place of the waiter that is let in next, -1 for none. The caller holds mu.
func (q *Queue) next() int {
	best, fewest := -1, [2]int{}
	for i, w := range q.waiting {
		if q.now[Keyed] >= q.most[Keyed] {
			break
		}
		holds := [2]int{q.held[w.Caller][Keyed], q.held[w.Request][Keyed]} // nothing of nil
		if best >= 0 && slices.Compare(holds[:], fewest[:]) >= 0 || !q.admits(w.Turn) {
			continue
		}
		if best, fewest = i, holds; holds == ([2]int{}) {
			break
		}
	}
	return best
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
	for q.now[Keyed] > 0 {
		q.released.Wait()
	}
}
