package turns

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestConnectionsAreKept holds the connections that calls have in several states, and lists which
// further calls are let in.
func TestConnectionsAreKept(t *testing.T) {
	by := func(lane Lane, caller, request any) Turn { return Turn{Lane: lane, Caller: caller, Request: request} }
	for _, c := range []struct {
		name   string
		n      int
		held   []Turn
		let    []Turn
		refuse []Turn
	}{
		{
			"two searches of four connections", 4,
			[]Turn{by(Search, "a", 1), by(Search, "b", 2)},
			[]Turn{by(Keyed, "c", 3), by(Short, "c", 3), by(Keyed, "a", 1)},
			[]Turn{by(Search, "c", 3), by(Search, nil, nil)},
		},
		{
			"the last of four is for keyed reads", 4,
			[]Turn{by(Search, "a", 1), by(Search, "b", 2), by(Short, "c", 3)},
			[]Turn{by(Keyed, "d", 4), by(Keyed, nil, nil)},
			[]Turn{by(Short, "d", 4), by(Search, "d", 4)},
		},
		{
			"one caller holds half, of several requests", 4,
			[]Turn{by(Keyed, "a", 1), by(Keyed, "a", 2)},
			[]Turn{by(Keyed, "b", 3)},
			[]Turn{by(Keyed, "a", 1), by(Keyed, "a", 4)},
		},
		{
			"the searches of one caller leave one for its keyed reads", 10,
			[]Turn{by(Search, "a", 1), by(Search, "a", 2), by(Search, "a", 3), by(Search, "a", 4)},
			[]Turn{by(Keyed, "a", 5), by(Short, "a", 5), by(Search, "b", 6)},
			[]Turn{by(Search, "a", 5)},
		},
		{
			"one request of a caller that is not known holds half", 10,
			[]Turn{by(Keyed, nil, 1), by(Keyed, nil, 1), by(Keyed, nil, 1), by(Keyed, nil, 1), by(Keyed, nil, 1)},
			[]Turn{by(Keyed, nil, 2), by(Search, nil, 2)},
			[]Turn{by(Keyed, nil, 1)},
		},
		{
			"eight searches of ten", 10,
			[]Turn{by(Search, nil, 1), by(Search, nil, 2), by(Search, nil, 3), by(Search, nil, 4), by(Search, nil, 5), by(Search, nil, 6), by(Search, nil, 7), by(Search, nil, 8)},
			[]Turn{by(Short, nil, 9), by(Keyed, nil, 9)},
			[]Turn{by(Search, nil, 9)},
		},
		{
			"two transactions hold both of two connections", 2,
			[]Turn{by(Short, nil, 1)},
			[]Turn{by(Short, nil, 2), by(Keyed, nil, 2), by(Search, nil, 2)},
			[]Turn{by(Short, nil, 1)},
		},
		{
			"a search of two connections leaves one", 2,
			[]Turn{by(Search, nil, 1)},
			[]Turn{by(Short, nil, 2), by(Keyed, nil, 2)},
			[]Turn{by(Search, nil, 2)},
		},
		{"one connection serves all, one by one", 1, nil, []Turn{by(Search, "a", 1), by(Short, "a", 1), by(Keyed, "a", 1)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := New(c.n)
			admits := func(tn Turn) bool {
				q.mu.Lock()
				defer q.mu.Unlock()
				defer q.holders(&tn, -1)
				return q.admits(tn.Lane, q.holders(&tn, 1))
			}
			for _, tn := range c.held {
				if !admits(tn) {
					t.Fatalf("%+v is not let in", tn)
				}
				if err := q.Enter(t.Context(), tn, 0); err != nil {
					t.Fatal(err)
				}
			}
			for _, tn := range c.let {
				if !admits(tn) {
					t.Errorf("%+v waits", tn)
				}
			}
			for _, tn := range c.refuse {
				if admits(tn) {
					t.Errorf("%+v is let in", tn)
				}
			}
			for _, tn := range c.held {
				q.Leave(tn)
			}
			if q.Drain(); q.now != (share{}) || len(q.held) != 0 {
				t.Errorf("a part is not given back: %+v, %v", q.now, q.held)
			}
		})
	}
}

// TestFewestFirst lets many calls of one caller wait, then one call of another caller and one of
// another request: whoever holds least is let in first.
func TestFewestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(4)
		var order []string
		wait := func(name string, tn Turn) {
			go func() {
				if err := q.Enter(t.Context(), tn, 0); err != nil {
					t.Error(err)
				}
				order = append(order, name)
			}()
			synctest.Wait()
		}
		held := []Turn{{Caller: "a", Request: 1}, {Caller: "a", Request: 1}, {Caller: "b", Request: 2}, {Caller: "c", Request: 4}}
		for _, tn := range held {
			if err := q.Enter(t.Context(), tn, 0); err != nil {
				t.Fatal(err)
			}
		}
		wait("b again", Turn{Caller: "b", Request: 2})
		wait("b in another request", Turn{Caller: "b", Request: 3})
		wait("d", Turn{Caller: "d", Request: 5})
		for _, tn := range []Turn{held[0], held[1], held[3]} {
			q.Leave(tn)
			synctest.Wait()
		}
		if want := []string{"d", "b in another request"}; !slices.Equal(order, want) {
			t.Errorf("let in: %q, want %q: b has its half then", order, want)
		}
		q.Leave(held[2])
		synctest.Wait()
		if len(order) != 3 || q.Waiting() != 0 {
			t.Errorf("let in: %q, and %d wait", order, q.Waiting())
		}
	})
}

// TestWaiting checks how a wait ends: by a turn that ends, by patience, by the context.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1)
		if err := q.Enter(t.Context(), Turn{}, 0); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := q.Enter(t.Context(), Turn{}, time.Second); !errors.Is(err, ErrLate) || time.Since(began) < time.Second || time.Since(began) > time.Second+glance {
			t.Errorf("a call with a second's patience got %v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.Enter(ctx, Turn{}, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call whose context ended got %v", err)
		}
		time.AfterFunc(time.Second, func() { q.Leave(Turn{}) })
		if err := q.Enter(t.Context(), Turn{}, time.Minute); err != nil {
			t.Errorf("a call that waited for another one got %v", err)
		}
		q.Leave(Turn{})
		q.Drain()
	})
}
