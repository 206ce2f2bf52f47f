package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGate: readers are inside together and a writer alone; a reader that waits goes when its
// context ends, and those that still wait go before the next writer.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		for range 2 {
			if err := g.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var order []string
		var mu sync.Mutex
		said := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		var all sync.WaitGroup
		writer := func(name string) {
			all.Go(func() {
				g.close()
				said(name)
				time.Sleep(time.Second)
				g.open()
			})
			synctest.Wait()
		}
		writer("first writer")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		began := time.Now()
		if err := g.enter(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second/2 {
			t.Errorf("a reader behind a waiting writer: %v after %v", err, time.Since(began))
		}
		g.leave()
		g.leave()
		synctest.Wait()
		writer("second writer")
		all.Go(func() {
			if err := g.enter(t.Context()); err != nil {
				t.Error(err)
			}
			said("reader")
			g.leave()
		})
		all.Wait()
		if len(order) != 3 || order[0] != "first writer" || order[1] != "reader" || order[2] != "second writer" {
			t.Errorf("inside were, in turn, %q", order)
		}
		if err := g.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.leave()
	})
}
