package facade

import "context"

type stateKey struct{}

// WithState puts the caller's state into ctx, for code that has no Call at hand:
// hand-written resolvers and handlers.
func WithState(ctx context.Context, s State) context.Context {
	return context.WithValue(ctx, stateKey{}, s)
}

// StateFrom is the state WithState put into ctx, or nil.
func StateFrom(ctx context.Context) State {
	s, _ := ctx.Value(stateKey{}).(State)
	return s
}
