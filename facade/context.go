package facade

import (
	"context"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
)

type stateKey struct{}

// WithState puts the caller's state into ctx, for code that has no Call at hand:
// hand-written resolvers and handlers.
func WithState(ctx context.Context, s access.State) context.Context {
	return context.WithValue(ctx, stateKey{}, s)
}

// StateFrom is the state WithState put into ctx, or nil.
func StateFrom(ctx context.Context) access.State {
	s, _ := ctx.Value(stateKey{}).(access.State)
	return s
}

// callContext is what a context says about the calls it stands in: which façade runs them,
// for whom, and how many stand within each other.
type callContext struct {
	host    *host
	state   access.State
	trace   string
	depth   int
	inside  bool // the next call is the author's own
	kept    bool // it gets values as they are kept (see FromKept)
	pending *pendingPrecondition
	op      *boundOperation // whose handler, hook or presenter runs
	// transaction is that of the command whose calls these are; nil: they are none's.
	transaction *transaction
}

type callContextKey struct{}

// callContextOf is the call context of ctx, or nil outside of calls.
func callContextOf(ctx context.Context) *callContext {
	s, _ := ctx.Value(callContextKey{}).(*callContext)
	return s
}

// maxDepth is how many calls may stand within each other: handlers that call each
// other in a circle end here and not on the stack.
const maxDepth = 32

// transactionOf is the transaction of h that calls with ctx are part of, or nil.
func (h *host) transactionOf(ctx context.Context) *transaction {
	if s := callContextOf(ctx); s != nil && s.transaction != nil && s.transaction.host == h {
		return s.transaction
	}
	return nil
}

// InTransaction reports whether calls with ctx are part of a command's transaction. What
// they read may be rolled back: nobody keeps it beyond the command.
func InTransaction(ctx context.Context) bool {
	s := callContextOf(ctx)
	return s != nil && s.transaction != nil
}

// errOutside is why a call that leaves the transaction it is made in is not made: it could
// wait for that transaction to end.
var errOutside = kiterror.Errorf(kiterror.InternalError, "this call would be outside of the transaction it is made in; hand on the context that the handler was given, "+
	"or attach the handler as detached")

// From is, within a handler, a hook or a presenter, a Caller with the rights of whoever
// called: their state, their collectors, and answers as they would get them. A Call that
// brings a State of its own keeps it. Outside of a handler's context every call fails with
// INTERNAL_ERROR.
func From(ctx context.Context) Caller { return caller{at: callContextOf(ctx)} }

// FromKept is [From] for values that go on into Go code: the same rows and fields, but not
// encoded, so that a handler that answers them has them encoded once. Rows of a Frond that
// runs elsewhere arrive encoded.
func FromKept(ctx context.Context) Caller { return caller{at: callContextOf(ctx), kept: true} }

// Inside is, within a handler or a presenter, a Caller for the author's own code.
// It stands on the inner side of the boundary: fields that are closed or immutable
// for callers may be written and read, nothing is decoded or encoded, collectors
// do not scope, and computed fields come only where Select names them. Of an
// operation that a handler overrides it calls the built-in one.
func Inside(ctx context.Context) Caller { return caller{at: callContextOf(ctx), inside: true} }

// caller is From and Inside: a façade, as seen from one of its handlers.
type caller struct {
	at     *callContext
	inside bool
	kept   bool
}

// Call implements [Caller]: it fills in state and trace of the call that the context
// stands in.
func (c caller) Call(ctx context.Context, call *Call) (*Result, error) {
	if c.at == nil {
		return nil, kiterror.Errorf(kiterror.InternalError, "this context is not a handler's; hand on the one the handler was given")
	}
	if call.Invocation.State == nil || call.Invocation.Trace == "" {
		copied := *call
		if copied.Invocation.State == nil {
			copied.Invocation.State = c.at.state
		}
		if copied.Invocation.Trace == "" {
			copied.Invocation.Trace = c.at.trace
		}
		call = &copied
	}
	next := *c.at
	next.inside, next.kept = c.inside, c.kept
	if next.transaction = c.at.host.transactionOf(ctx); next.transaction == nil && c.at.transaction != nil {
		return nil, errOutside
	}
	return c.at.host.Call(context.WithValue(ctx, callContextKey{}, &next), call)
}
