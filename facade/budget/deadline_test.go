package budget_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade/budget"
)

// TestWithin: the context ends as one of [context.WithTimeoutCause], whether somebody waits for it or asks.
func TestWithin(t *testing.T) {
	type key struct{}
	late, gone := errors.New("late"), errors.New("gone")
	for name, seen := range map[string]func(ctx context.Context){
		"nobody looks":                  func(context.Context) {},
		"somebody asks":                 func(ctx context.Context) { _ = ctx.Err() },
		"somebody waits":                func(ctx context.Context) { ctx.Done() },
		"a context below is waited for": func(ctx context.Context) { below, end := context.WithCancel(ctx); below.Done(); end() },
	} {
		for end, want := range map[string][2]error{
			"nothing": {nil, nil}, "time": {context.DeadlineExceeded, late}, "the parent": {context.Canceled, gone}, "a call": {context.Canceled, context.Canceled},
			"a call, after time": {context.DeadlineExceeded, late}, "the parent's time": {context.DeadlineExceeded, context.DeadlineExceeded},
		} {
			t.Run(name+", ended by "+end, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					parent, leave := context.WithCancelCause(context.WithValue(t.Context(), key{}, 1))
					defer leave(nil)
					by := time.Now().Add(time.Second)
					if end == "the parent's time" {
						by = time.Now().Add(500 * time.Millisecond)
						var stop context.CancelFunc
						parent, stop = context.WithDeadline(parent, by)
						defer stop()
					}
					ctx, cancel := budget.Within(parent, time.Second, late)
					defer cancel()
					seen(ctx)
					if got, is := ctx.Deadline(); !is || !got.Equal(by) {
						t.Errorf("the deadline is %s, want %s", got, by)
					}
					switch end {
					case "nothing":
						time.Sleep(499 * time.Millisecond)
					case "time", "the parent's time":
						time.Sleep(time.Second)
					case "the parent":
						leave(gone)
					case "a call":
						cancel()
					case "a call, after time":
						time.Sleep(2 * time.Second)
						_ = ctx.Err()
						cancel()
					}
					synctest.Wait()
					if got, cause := ctx.Err(), context.Cause(ctx); !errors.Is(got, want[0]) || !errors.Is(cause, want[1]) || got == nil != (want[0] == nil) {
						t.Errorf("%v because of %v, want %v", got, cause, want)
					}
					below, stop := context.WithCancel(ctx)
					defer stop()
					for _, c := range []context.Context{ctx, below} {
						over := false
						select {
						case <-c.Done():
							over = true
						default:
						}
						if over != (want[0] != nil) || c.Value(key{}) != 1 {
							t.Errorf("over: %t, the value is %v", over, c.Value(key{}))
						}
					}
				})
			})
		}
	}
}

// TestWithinWakes: those who wait are woken at the time.
func TestWithinWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := budget.Within(t.Context(), time.Second, nil)
		defer cancel()
		began := time.Now()
		<-ctx.Done()
		if waited := time.Since(began); waited != time.Second || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("after %s: %v", waited, context.Cause(ctx))
		}
	})
}

// TestWithinAllocations: a context that nobody waits for takes itself and the function that ends it.
func TestWithinAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		ctx, cancel := budget.Within(context.Background(), time.Second, nil)
		_ = ctx.Err()
		cancel()
	}); n > 2 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkWithin(b *testing.B) {
	for name, make := range map[string]func() (context.Context, context.CancelFunc){
		"within": func() (context.Context, context.CancelFunc) { return budget.Within(b.Context(), time.Second, nil) },
		"timer":  func() (context.Context, context.CancelFunc) { return context.WithTimeout(b.Context(), time.Second) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ctx, cancel := make()
				_ = ctx.Err()
				cancel()
			}
		})
	}
}
