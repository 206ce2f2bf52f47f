package flight_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/frondhost/frond/internal/flight"
)

// TestNobodyJoinsWhatHasBegun: one is under way, three come and share the next.
func TestNobodyJoinsWhatHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flight.Group[string, int]
		var flights atomic.Int64
		hold := make(chan struct{})
		fly := func(context.Context) int {
			n := flights.Add(1)
			<-hold
			return int(n)
		}
		type answer struct{ value, aboard int }
		answers := make([]answer, 4)
		var all sync.WaitGroup
		ask := func(i int) {
			all.Go(func() {
				v, aboard, err := g.Do(t.Context(), "k", fly)
				if err != nil {
					t.Error(err)
				}
				answers[i] = answer{v, aboard}
			})
		}
		ask(0)
		synctest.Wait()
		for i := 1; i < 4; i++ {
			ask(i)
		}
		synctest.Wait()
		if n := flights.Load(); n != 1 {
			t.Fatalf("%d flights are under way, want 1", n)
		}
		hold <- struct{}{}
		synctest.Wait()
		if n := flights.Load(); n != 2 {
			t.Fatalf("%d flights took off, want 2", n)
		}
		hold <- struct{}{}
		all.Wait()
		if want := (answer{1, 1}); answers[0] != want {
			t.Errorf("the first has %+v, want %+v", answers[0], want)
		}
		for _, a := range answers[1:] {
			if want := (answer{2, 3}); a != want {
				t.Errorf("one who came later has %+v, want %+v", a, want)
			}
		}
	})
}

// TestWhoLeaves: one of two may go, the other has the answer; the last one ends
// the work; one who goes before it took off, alone, is not flown for.
func TestWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flight.Group[int, string]
		first := make(chan struct{})
		var flown atomic.Int64
		go g.Do(t.Context(), 1, func(context.Context) string { <-first; return "" })
		synctest.Wait()

		fly := func(ctx context.Context) string {
			flown.Add(1)
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
				_, _, err := g.Do(ctx, 1, fly)
				errs <- err
			}()
		}
		synctest.Wait()
		close(first)
		synctest.Wait()
		for i, cancel := range cancels {
			cancel(gone)
			if err := <-errs; !errors.Is(err, gone) {
				t.Errorf("passenger %d left with %v", i, err)
			}
		}
		synctest.Wait() // the flight's context has ended: else this test hangs at its end
		if n := flown.Load(); n != 1 {
			t.Errorf("%d flights, want 1", n)
		}

		hold := make(chan struct{})
		go g.Do(t.Context(), 1, func(context.Context) string { <-hold; return "" })
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, _, err := g.Do(ctx, 1, fly)
			errs <- err
		}()
		synctest.Wait()
		cancel(gone)
		<-errs
		close(hold)
		synctest.Wait()
		if n := flown.Load(); n != 1 {
			t.Errorf("someone was flown for who had left")
		}
	})
}

// TestAPanicReachesEverybody and leaves the key usable.
func TestAPanicReachesEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flight.Group[string, int]
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
		if v, aboard, err := g.Do(t.Context(), "k", func(context.Context) int { return 7 }); v != 7 || aboard != 1 || err != nil {
			t.Errorf("%d %d %v", v, aboard, err)
		}
	})
}

// TestReadersSeeTheirWrites: whoever asks after a write is answered by work that
// began after it.
func TestReadersSeeTheirWrites(t *testing.T) {
	var g flight.Group[string, int64]
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

// TestWhoIsReadyGetsAboard: on one processor, where work that never waits lets nobody
// in between, those who are ready to ask all the same share one flight.
func TestWhoIsReadyGetsAboard(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var g flight.Group[string, int]
	var flights atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			_, _, _ = g.Do(t.Context(), "k", func(context.Context) int { return int(flights.Add(1)) })
		})
	}
	all.Wait()
	if n := flights.Load(); n > 8 {
		t.Errorf("%d flights for 16 who asked at once, want one, or a few where the runtime came between", n)
	}
}

// TestEveryValueIsTaken: as many are given a value as it says, however many came; one
// that nobody is left to take is dropped.
func TestEveryValueIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dropped []int
		g := flight.Group[string, int]{Drop: func(v int) { dropped = append(dropped, v) }}
		for _, c := range []struct{ come, gone, taken, dropped int }{{3, 1, 2, 0}, {3, 3, 0, 1}, {1, 0, 1, 0}} {
			dropped = nil
			hold := make(chan struct{})
			fly := func(context.Context) int { <-hold; return 7 } // it does not heed its context
			var all sync.WaitGroup
			all.Go(func() { _, _, _ = g.Do(t.Context(), "k", fly) })
			synctest.Wait()
			var taken atomic.Int64
			var leave []context.CancelFunc
			for range c.come {
				ctx, cancel := context.WithCancel(t.Context())
				leave = append(leave, cancel)
				all.Go(func() {
					_, aboard, err := g.Do(ctx, "k", fly)
					if err == nil && aboard != c.taken {
						t.Errorf("%+v: %d share the value", c, aboard)
					}
					if err == nil {
						taken.Add(1)
					}
				})
			}
			synctest.Wait()
			hold <- struct{}{} // the first one lands, the next takes off
			synctest.Wait()
			for _, cancel := range leave[:c.gone] {
				cancel()
			}
			synctest.Wait()
			close(hold)
			all.Wait()
			synctest.Wait()
			if int(taken.Load()) != c.taken || len(dropped) != c.dropped {
				t.Errorf("%+v: %d have the value, %d were dropped", c, taken.Load(), len(dropped))
			}
			for _, cancel := range leave {
				cancel()
			}
		}
	})
}
