package facade

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

type requestKey struct{}

// Request is one caller's request: what is done for it, on every surface, shares its bounds. It
// is a context as well. The methods of a nil Request bound nothing.
type Request struct {
	context.Context
	caller any           // comparable; nil: not known
	work   time.Duration // that everything it does may take together; 0 or less: any time
	spent  atomic.Int64  // of work
}

// What a call costs beside its statements: for itself, and for each condition of its filter. Both
// are about what they take.
const (
	callWork      = 50 * time.Microsecond
	conditionWork = 10 * time.Microsecond
)

// Value is the request itself for its key.
func (r *Request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// WithRequest marks everything that is done for ctx as one request of a caller, so that it cannot
// take what all share. caller is a comparable value, and work the time that its statements, and
// what else it does, may take together; less than 0 is any time. Where ctx is a part of another
// request, nil and 0 stand for the caller and the bound of that one; else for a caller that
// [Request.By] names later, and for any time.
func WithRequest(ctx context.Context, caller any, work time.Duration) context.Context {
	r := &Request{Context: ctx, caller: caller, work: work}
	if of := RequestOf(ctx); of != nil {
		if caller == nil {
			r.caller = of.caller
		}
		if work == 0 {
			r.work = of.work
		}
	}
	return r
}

// RequestOf returns the request of ctx, or nil outside of requests.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// By says who has sent the request, before its first call.
func (r *Request) By(caller any) {
	if r != nil {
		r.caller = caller
	}
}

// Shares returns what the connections of a store are shared between: comparable values for who
// has sent the request and for the request; nil where they are not known.
func (r *Request) Shares() (caller, request any) {
	if r == nil {
		return nil, nil
	}
	return r.caller, r
}

// Spend adds work that was done. The error is [Request.Exhausted].
func (r *Request) Spend(d time.Duration) error {
	if r == nil || r.work <= 0 {
		return nil
	}
	r.spent.Add(int64(d))
	return r.Exhausted()
}

// Remaining returns how long a statement may run that has a limit of its own, 0 for none. The error is
// [Request.Exhausted].
func (r *Request) Remaining(limit time.Duration) (time.Duration, error) {
	if r == nil || r.work <= 0 {
		return limit, nil
	}
	rest := r.work - time.Duration(r.spent.Load())
	if rest <= 0 {
		return 0, r.Exhausted()
	}
	if limit > 0 {
		rest = min(rest, limit)
	}
	return rest, nil
}

// Exhausted returns UNPROCESSABLE_ENTITY where the request has done all the work that it may.
func (r *Request) Exhausted() error {
	if r == nil || r.work <= 0 || time.Duration(r.spent.Load()) < r.work {
		return nil
	}
	return kiterror.TooMuchWork(r.work)
}
