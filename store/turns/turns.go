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
	// held are the holders that have turns, by Turn.Caller and Turn.Request.
	held map[any]*holder
	// spare are holders that have no turn any more, for the next ones.
	spare []*holder
	// waiting are the turns without a connection, in the order they came; looking says that look is due.
	waiting  []*waiter
	looking  bool
	unused   sync.Pool  // of waiters
	released *sync.Cond // signalled when a turn ends
}

// share is a number of connections by lane. The number of a lane includes the slower lanes.
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

// holder is the share that a caller or a request holds. turns counts its turns, those that wait too.
type holder struct {
	share
	turns int
}

// waiter is a turn in the queue, with its holders. ended gets one value: nil with a connection.
type waiter struct {
	Turn
	holders [2]*holder
	ctx     context.Context //nolint:containedctx // of Enter, which waits
	until   time.Time       // zero: no end
	ended   chan error
}

// glance is the time from one look at the contexts of those who wait to the next.
const glance = 20 * time.Millisecond

// New returns a queue for n connections.
func New(n int) *Queue {
	half, short := max(1, n/2), n-1
	if n <= 2 { // a connection kept would leave writes one at a time
		short = n
	}
	q := &Queue{
		held: map[any]*holder{},
		most: share{n, short, max(1, n-max(2, n/4))},
		each: share{half, half, max(1, half-1)},
	}
	q.released = sync.NewCond(&q.mu)
	return q
}

// Enter waits until the turn may have a connection, until ctx ends or, with a patience above 0,
// until it has waited so long: ErrLate. It notices an end within a [glance]. A turn that cannot run,
// such as a search while all of the searches' share is in use, does not hold up those after it. Each
// Enter without an error is followed by Leave.
func (q *Queue) Enter(ctx context.Context, t Turn, patience time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	holders := q.holders(&t, 1)
	if q.admits(t.Lane, holders) { // whoever waits could not have it
		q.grant(t.Lane, holders, 1)
		q.mu.Unlock()
		return nil
	}
	w, _ := q.unused.Get().(*waiter)
	if w == nil {
		w = &waiter{ended: make(chan error, 1)}
	}
	*w = waiter{Turn: t, holders: holders, ctx: ctx, ended: w.ended}
	if patience > 0 {
		w.until = time.Now().Add(patience)
	}
	q.waiting = append(q.waiting, w)
	if !q.looking {
		q.looking = true
		time.AfterFunc(glance, q.look)
	}
	q.mu.Unlock()
	err := <-w.ended
	*w = waiter{ended: w.ended}
	q.unused.Put(w)
	return err
}

// look ends the waiting of turns whose context has ended or whose patience is over. It runs now and
// then while turns wait, so that a turn pays for no timer and no channel of its context.
func (q *Queue) look() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.waiting = slices.DeleteFunc(q.waiting, func(w *waiter) bool {
		err := w.ctx.Err()
		if err == nil && !w.until.IsZero() && !now.Before(w.until) {
			err = ErrLate
		}
		if err != nil {
			q.holders(&w.Turn, -1)
			w.ended <- err
		}
		return err != nil
	})
	if q.looking = len(q.waiting) > 0; q.looking {
		time.AfterFunc(glance, q.look)
	}
}

// holders returns the caller and the request that a turn counts for, each of which may be nil,
// and counts the turn in with 1 and out with -1. The caller holds mu.
func (q *Queue) holders(t *Turn, by int) (of [2]*holder) {
	for i, key := range [2]any{t.Caller, t.Request} {
		if key == nil {
			continue
		}
		h := q.held[key]
		if h == nil {
			if n := len(q.spare); n > 0 {
				h, q.spare = q.spare[n-1], q.spare[:n-1]
			} else {
				h = new(holder)
			}
			q.held[key] = h
		}
		if h.turns += by; h.turns == 0 {
			delete(q.held, key)
			q.spare = append(q.spare, h) // for the next turn, which comes under mu
		}
		of[i] = h
	}
	return of
}

// admits reports whether a turn may have a connection now. The caller holds mu.
func (q *Queue) admits(l Lane, of [2]*holder) bool {
	for _, h := range of {
		if h != nil && !q.each.admits(h.share, l) {
			return false
		}
	}
	return q.most.admits(q.now, l)
}

// grant gives a turn a connection with 1 and takes it with -1. The caller holds mu.
func (q *Queue) grant(l Lane, of [2]*holder, by int) {
	q.now = q.now.add(l, by)
	for _, h := range of {
		if h != nil {
			h.share = h.add(l, by)
		}
	}
}

// Leave ends a turn and admits those who wait for its place.
func (q *Queue) Leave(t Turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.grant(t.Lane, q.holders(&t, -1), -1)
	for i := q.next(); i >= 0; i = q.next() {
		w := q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.grant(w.Lane, w.holders, 1)
		w.ended <- nil
	}
	q.released.Broadcast()
}

// next returns the index of the next waiter to let in, or -1. The caller holds mu.
func (q *Queue) next() int {
	best, fewest := -1, [2]int{}
	for i, w := range q.waiting {
		if q.now[Keyed] >= q.most[Keyed] {
			break
		}
		var holds [2]int // nothing of nil
		for k, h := range w.holders {
			if h != nil {
				holds[k] = h.share[Keyed]
			}
		}
		if best >= 0 && slices.Compare(holds[:], fewest[:]) >= 0 || !q.admits(w.Lane, w.holders) {
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

// InUse returns how many turns have a connection.
func (q *Queue) InUse() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.now[Keyed]
}

// Drain waits until every turn has ended.
func (q *Queue) Drain() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.now[Keyed] > 0 {
		q.released.Wait()
	}
}
