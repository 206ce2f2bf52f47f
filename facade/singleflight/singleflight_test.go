package singleflight_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/frondhost/frond/facade/singleflight"
)

// TestNobodyJoinsARunningCall: three callers that arrive during a run share the next one.
func TestNobodyJoinsARunningCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g singleflight.Group[string, int]
		var runs atomic.Int64
		hold := make(chan struct{})
		fn := func(context.Context) int {
			n := runs.Add(1)
			<-hold
			return int(n)
		}
		type answer struct{ value, shared int }
		answers := make([]answer, 4)
		var all sync.WaitGroup
		ask := func(i int) {
			all.Go(func() {
				v, shared, err := g.Do(t.Context(), "k", fn)
				if err != nil {
					t.Error(err)
				}
				answers[i] = answer{v, shared}
			})
		}
		ask(0)
		synctest.Wait()
		for i := 1; i < 4; i++ {
			ask(i)
		}
		synctest.Wait()
		if n := runs.Load(); n != 1 {
			t.Fatalf("%d runs are under way, want 1", n)
		}
		hold <- struct{}{}
		synctest.Wait()
		if n := runs.Load(); n != 2 {
			t.Fatalf("%d runs started, want 2", n)
		}
		hold <- struct{}{}
		all.Wait()
		if want := (answer{1, 1}); answers[0] != want {
			t.Errorf("the first has %+v, want %+v", answers[0], want)
		}
		for _, a := range answers[1:] {
			if want := (answer{2, 3}); a != want {
				t.Errorf("a later caller has %+v, want %+v", a, want)
			}
		}
	})
}

// TestCallersLeave: one of two callers may leave and the other keeps the run; the last
// one cancels it; a run whose only caller leaves before it starts does not start.
func TestCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g singleflight.Group[int, string]
		first := make(chan struct{})
		var started atomic.Int64
		go g.Do(t.Context(), 1, func(context.Context) string { <-first; return "" })
		synctest.Wait()

		fn := func(ctx context.Context) string {
			started.Add(1)
			<-ctx.Done()
			return "ended"
		}
		gone := errors.New("gone")
		var cancels []context.CancelCauseFunc
		errs := make(chan error, 2)
		for range 2 {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancels = append(cancels, cancel)
			go func() {
				_, _, err := g.Do(ctx, 1, fn)
				errs <- err
			}()
		}
		synctest.Wait()
		close(first)
		synctest.Wait()
		for i, cancel := range cancels {
			cancel(gone)
			if err := <-errs; !errors.Is(err, gone) {
				t.Errorf("caller %d left with %v", i, err)
			}
		}
		synctest.Wait() // the run's context has ended: else this test hangs at its end
		if n := started.Load(); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}

		hold := make(chan struct{})
		go g.Do(t.Context(), 1, func(context.Context) string { <-hold; return "" })
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, _, err := g.Do(ctx, 1, fn)
			errs <- err
		}()
		synctest.Wait()
		cancel(gone)
		<-errs
		close(hold)
		synctest.Wait()
		if n := started.Load(); n != 1 {
			t.Errorf("a run started whose only caller had left")
		}
	})
}

// TestAPanicReachesEverybody: and the key stays usable.
func TestAPanicReachesEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g singleflight.Group[string, int]
		hold := make(chan struct{})
		panics := make(chan any, 3)
		ask := func() {
			go func() {
				defer func() { panics <- recover() }()
				_, _, _ = g.Do(t.Context(), "k", func(context.Context) int { <-hold; panic("no") })
			}()
			synctest.Wait()
		}
		ask()
		ask()
		ask()
		close(hold)
		for range 3 {
			if p := <-panics; p != "no" {
				t.Errorf("recovered %v", p)
			}
		}
		synctest.Wait()
		if v, shared, err := g.Do(t.Context(), "k", func(context.Context) int { return 7 }); v != 7 || shared != 1 || err != nil {
			t.Errorf("%d %d %v", v, shared, err)
		}
	})
}

// TestReadersGetTheirWrites: a caller that calls after a write receives the value of a
// run that started after it.
func TestReadersGetTheirWrites(t *testing.T) {
	var g singleflight.Group[string, int64]
	var stored atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 500 {
				wrote := stored.Add(1)
				read, _, err := g.Do(t.Context(), "k", func(context.Context) int64 { return stored.Load() })
				if err != nil || read < wrote {
					t.Errorf("wrote %d and read %d (%v)", wrote, read, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestReadyCallersJoin: on one processor, where work that never blocks lets no other
// goroutine run, callers that are ready still share one run.
func TestReadyCallersJoin(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var g singleflight.Group[string, int]
	var runs atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			_, _, _ = g.Do(t.Context(), "k", func(context.Context) int { return int(runs.Add(1)) })
		})
	}
	all.Wait()
	if n := runs.Load(); n > 8 {
		t.Errorf("%d runs for 16 callers at once, want one, or a few where the runtime preempts", n)
	}
}

// TestEveryValueIsReceived: exactly as many callers receive a value as Do reports; a value
// without receivers is dropped.
func TestEveryValueIsReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dropped []int
		g := singleflight.Group[string, int]{Drop: func(v int) { dropped = append(dropped, v) }}
		for _, c := range []struct{ join, leave, receive, dropped int }{{3, 1, 2, 0}, {3, 3, 0, 1}, {1, 0, 1, 0}} {
			dropped = nil
			hold := make(chan struct{})
			fn := func(context.Context) int { <-hold; return 7 } // it ignores its context
			var all sync.WaitGroup
			all.Go(func() { _, _, _ = g.Do(t.Context(), "k", fn) })
			synctest.Wait()
			var received atomic.Int64
			var cancels []context.CancelFunc
			for range c.join {
				ctx, cancel := context.WithCancel(t.Context())
				cancels = append(cancels, cancel)
				all.Go(func() {
					_, shared, err := g.Do(ctx, "k", fn)
					if err == nil && shared != c.receive {
						t.Errorf("%+v: %d share the value", c, shared)
					}
					if err == nil {
						received.Add(1)
					}
				})
			}
			synctest.Wait()
			hold <- struct{}{} // the first run ends, the next starts
			synctest.Wait()
			for _, cancel := range cancels[:c.leave] {
				cancel()
			}
			synctest.Wait()
			close(hold)
			all.Wait()
			synctest.Wait()
			if int(received.Load()) != c.receive || len(dropped) != c.dropped {
				t.Errorf("%+v: %d received the value, %d were dropped", c, received.Load(), len(dropped))
			}
			for _, cancel := range cancels {
				cancel()
			}
		}
	})
}
