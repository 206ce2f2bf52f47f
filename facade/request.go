package facade

import "context"

type requestKey struct{}

// request is a context that is one caller's request.
type request struct{ context.Context }

func (r *request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// WithRequest marks everything that is done for ctx as one caller's request, so that a
// store can keep one request from taking what all of them share.
func WithRequest(ctx context.Context) context.Context {
	return &request{ctx}
}

// RequestOf identifies the request of ctx for a store: a comparable value, or nil outside
// of requests.
func RequestOf(ctx context.Context) any { return ctx.Value(requestKey{}) }
