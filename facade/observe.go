package facade

import "context"

// Statement is what a store is about to do, in its own language.
type Statement struct {
	Text string `json:"text"`
	Args []any  `json:"args"`
}

type observerKey struct{}

// Observe has every statement that a store runs for ctx told to watch before it
// runs, from whatever goroutine runs it. It replaces an observer set before.
func Observe(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(ctx, observerKey{}, watch)
}

// ObserverOf is the observer of ctx, or nil: for stores.
func ObserverOf(ctx context.Context) func(Statement) {
	watch, _ := ctx.Value(observerKey{}).(func(Statement))
	return watch
}

type dryRunKey struct{}

// Rehearse has a store that is a [Rehearser] undo what it writes for ctx once it
// knows how it came out.
func DryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, dryRunKey{}, true)
}

// Rehearsing says whether what is written for ctx has to be undone: for stores.
func InDryRun(ctx context.Context) bool { return ctx.Value(dryRunKey{}) != nil }

// Rehearser is a store that looks at [Rehearsing]. One that is none is not asked to
// write where nothing may be written.
type DryRunner interface{ RunsDry() bool }
