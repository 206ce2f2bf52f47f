package facade

import (
	"context"
	"log/slog"
	"time"
)

// Statement is what a store is about to do, in its own language.
type Statement struct {
	Text string `json:"text"`
	Args []any  `json:"args"`
	// Plan is how the store runs it, for [ObservePlans]; complete when the statement has ended.
	Plan *Plan `json:"plan,omitempty"`
}

// Plan is how a store runs one statement.
type Plan struct {
	Scans []Scan `json:"scans"` // in the store's order
	// Read is how many rows were read, as far as the store counts them: SQLite counts those of
	// whole tables.
	Read int64         `json:"read"`
	Took time.Duration `json:"took"`
}

// Scan is one step of a plan that reads or sorts rows.
type Scan struct {
	Text string `json:"text"` // in the store's words
	// Whole says that an index would spare it: it reads a table from its beginning, or sorts.
	Whole bool `json:"whole,omitempty"`
	// Rows is how many rows it read; 0 where the store does not count them.
	Rows int64 `json:"rows,omitempty"`
}

type observerKey struct{}

// Observe has every statement that a store runs for ctx reported to watch before it runs,
// from whatever goroutine runs it. It replaces an observer that was set before.
func Observe(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(ctx, observerKey{}, watch)
}

type plansKey struct{}

// ObservePlans is Observe for statements with their plans. A store asks its database for each,
// and some run the statement twice.
func ObservePlans(ctx context.Context, watch func(Statement)) context.Context {
	return context.WithValue(Observe(ctx, watch), plansKey{}, true)
}

// PlansObserved reports whether the observer of ctx wants plans: for stores.
func PlansObserved(ctx context.Context) bool { return ctx.Value(plansKey{}) != nil }

// ObserverOf is the observer of ctx, or nil: for stores.
func ObserverOf(ctx context.Context) func(Statement) {
	watch, _ := ctx.Value(observerKey{}).(func(Statement))
	return watch
}

type dryRunKey struct{}

// DryRun has a store with [Abilities.DryRuns] undo what it writes for ctx, once it knows
// whether the write succeeds.
func DryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, dryRunKey{}, true)
}

// InDryRun reports whether writes for ctx have to be undone: for stores.
func InDryRun(ctx context.Context) bool { return ctx.Value(dryRunKey{}) != nil }

type originKey struct{}

// origin is a context that knows the call that its statements are run for.
type origin struct {
	context.Context
	call *Call
}

// enter makes o the origin of a call and returns it as the context of its statements.
func (o *origin) enter(ctx context.Context, c *Call) context.Context {
	o.Context, o.call = ctx, c
	return o
}

// Value is the origin itself for its key.
func (o *origin) Value(key any) any {
	if key == (originKey{}) {
		return o
	}
	return o.Context.Value(key)
}

// LogSlow writes a line about a statement that took longer than log.slow: for which operation and
// GraphQL field it ran, and its shape, which has no values of the caller. It is for stores.
func LogSlow(ctx context.Context, log *slog.Logger, shape string, took time.Duration) {
	attrs := make([]slog.Attr, 0, 4)
	if o, _ := ctx.Value(originKey{}).(*origin); o != nil {
		attrs = append(attrs, slog.String("operation", o.call.Entity+"."+o.call.Operation))
		if o.call.Field != "" {
			attrs = append(attrs, slog.String("field", o.call.Field))
		}
	}
	attrs = append(attrs, slog.Duration("took", took), slog.String("shape", shape))
	log.LogAttrs(ctx, slog.LevelWarn, "slow statement", attrs...)
}
