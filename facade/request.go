package facade

import "context"

type requestKey struct{}

// Request is one caller's request: what is done for it, on every surface, shares its bounds. It
// is a context as well. The methods of a nil Request bound nothing.
type Request struct {
	context.Context
	caller any // comparable; nil: not known
}

// Value is the request itself for its key.
func (r *Request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// WithRequest marks everything that is done for ctx as one request of a caller, so that a store
// can keep one of them from taking what all share. caller is a comparable value; nil is that of
// the request that ctx is a part of, if there is one, or one that [Request.By] says later.
func WithRequest(ctx context.Context, caller any) context.Context {
	r := &Request{Context: ctx, caller: caller}
	if of := RequestOf(ctx); of != nil && caller == nil {
		r.caller = of.caller
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
