package facade

import (
	"context"
	"fmt"
	"time"
)

type requestKey struct{}

// request is a context that is one caller's request.
type request struct{ context.Context }

func (r *request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// WithRequest marks everything that is done for ctx as one caller's request, so that
// a store can keep one request from taking what all of them share.
func WithRequest(ctx context.Context) context.Context {
	return &request{ctx}
}

// RequestOf is what tells the request of ctx from others, or nil: for stores.
func RequestOf(ctx context.Context) any { return ctx.Value(requestKey{}) }

// TooCostly is the UNPROCESSABLE_ENTITY that a store answers where a statement ran
// longer than it may: limit is the setting limits.statement. total says that the
// statement counted rows as well. Sending the call again would cost the same.
func TooCostly(limit time.Duration, total bool) *Error {
	remedy := "narrow the filter, or sort by a field with an index"
	if total {
		remedy += "; where it is the total that takes long, send count: estimated or count: none"
	}
	return &Error{
		Code:    UnprocessableEntity,
		Message: fmt.Sprintf("the store would work on this for more than %s, which is its limit (limits.statement); %s", limit, remedy),
		Details: map[string]any{"limit": "limits.statement", "budget": limit.String()},
	}
}
