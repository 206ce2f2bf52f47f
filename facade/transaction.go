package facade

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// Transactor is a [Store] on which several calls can be one serializable transaction.
type Transactor interface {
	// Transact runs fn and commits the writes of its calls, or none of them. Calls of fn are
	// those with the context that fn is given, or one made of it. They see what was
	// written before them, run one after the other on any goroutines, and leave
	// nothing behind where they fail: fn may go on after an error.
	//
	// The transaction begins with the first call, a read included; without one there is
	// none. fn runs again, from the beginning and in a transaction of its own, where
	// another one came between ([Retry]), also where fn hid that error. Otherwise an error
	// of fn, its panic, or the end of ctx rolls back, and the error is fn's. A nil error
	// means that everything is durable. In a dry run ([InDryRun]) everything is rolled back
	// at the end, and not after each call.
	//
	// A Transact with the context of another one's fn joins it: its calls are committed
	// with those of the outer one, and only an error of its own fn undoes them alone. Calls
	// of the outer fn wait until it is over.
	//
	// A transaction that lasts longer than the store allows is rolled back, its context is
	// cancelled, and the error is [Overlong]. A call that comes when its transaction is over,
	// from a goroutine that outlived fn, is [Outlived] and writes nothing.
	Transact(ctx context.Context, fn func(ctx context.Context) error) error
}

// The policy of Retry: 32 runs, with a random pause of up to 4 ms before the second, 8 ms before
// the third and 16 ms before each further one. The pauses take 240 ms on average. A run loses
// against first runs of others about every second time while they keep coming.
const (
	maxTries   = 32
	firstPause = 4 * time.Millisecond
	maxPause   = 16 * time.Millisecond
)

// Retry runs try until its error is no conflict with another transaction: up to 32 times,
// after a random pause. try is given the number of its run, from 1. The error of
// the last run is then CONFLICT with details {retryable: true, tries: 32}, and the error of a
// ctx that ends during a pause is ctx's. For stores; conflict is nil-safe and knows their
// errors.
func Retry(ctx context.Context, conflict func(error) bool, try func(run int) error) error {
	pause := firstPause
	for run := 1; ; run++ {
		err := try(run)
		if err == nil || !conflict(err) {
			return err
		}
		if run == maxTries {
			return contended(run, err)
		}
		timer := time.NewTimer(1 + rand.N(pause))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		pause = min(2*pause, maxPause)
	}
}

// contended is the CONFLICT of a transaction that others came between, on every one of its
// tries. Nothing was written; the same call may succeed later. cause is logged where it is.
func contended(tries int, cause error) *kiterror.Error {
	err := kiterror.Errorf(kiterror.Conflict, "other writes came between, %d times in a row; nothing was written, so send it again%w", tries, hiddenCause{cause})
	err.Details = map[string]any{"retryable": true, "tries": float64(tries)} // as encoding/json would decode it
	return err
}

// Overlong is the SERVICE_UNAVAILABLE of a transaction that lasted longer than limit, the
// setting limits.transaction. Nothing was written.
func Overlong(limit time.Duration) *kiterror.Error {
	err := kiterror.Errorf(kiterror.ServiceUnavailable, "the transaction lasted longer than %s, which is its limit (limits.transaction); nothing was written; "+
		"a handler that waits for other services is attached as detached", limit)
	err.Details = map[string]any{"limit": "limits.transaction", "budget": limit.String()}
	return err
}

// Outlived is the INTERNAL_ERROR of a call whose transaction is over.
func Outlived() *kiterror.Error {
	return kiterror.Errorf(kiterror.InternalError, "this call came when its transaction was over, and does nothing; a handler waits for the goroutines that it starts")
}

// hiddenCause keeps a cause for errors.Is without repeating its text.
type hiddenCause struct{ error }

func (hiddenCause) Error() string   { return "" }
func (h hiddenCause) Unwrap() error { return h.error }

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

// raced is the CONFLICT of an upsert whose row was created by another call between its look-up and
// its write: the transaction runs again, and finds the row.
type raced struct{ err *kiterror.Error }

func (r *raced) Error() string { return r.err.Error() }
func (r *raced) Unwrap() error { return r.err }

// retryRaces runs a transaction, again where an upsert in it was raced. A transaction within another
// one is run again with that one.
func retryRaces(ctx context.Context, outer *transaction, t Transactor, fn func(context.Context) error) error {
	if outer != nil {
		return t.Transact(ctx, fn)
	}
	was := func(err error) bool {
		var r *raced
		return errors.As(err, &r)
	}
	return Retry(ctx, was, func(int) error { return t.Transact(ctx, fn) })
}
