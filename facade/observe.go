package facade

import "context"

// Statement is what a store is about to do, in its own language.
type Statement struct {
	Text string `json:"text"`
	Args []any  `json:"args"`
}

type observerKey struct{}

// Observe has every statement that a store runs for ctx reported to watch before it runs,
// from whatever goroutine runs it. It replaces an observer that was set before.
func Observe(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(ctx, observerKey{}, watch)
}

// ObserverOf is the observer of ctx, or nil: for stores.
func ObserverOf(ctx context.Context) func(Statement) {
	watch, _ := ctx.Value(observerKey{}).(func(Statement))
	return watch
}

type dryRunKey struct{}

// DryRun has a store that is a [DryRunner] undo what it writes for ctx, once it knows
// whether the write succeeds.
func DryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, dryRunKey{}, true)
}

// InDryRun reports whether writes for ctx have to be undone: for stores.
func InDryRun(ctx context.Context) bool { return ctx.Value(dryRunKey{}) != nil }

// DryRunner is a store that undoes its writes where [InDryRun] says so. A store that is
// none is not called to write during a dry run.
type DryRunner interface{ RunsDry() bool }
