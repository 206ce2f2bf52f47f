package turns

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestConnectionsAreKept checks which calls wait where all connections for searches are taken,
// and where one request has what it may have.
func TestConnectionsAreKept(t *testing.T) {
	q := New(4)
	admits := func(tn Turn) bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.admits(tn)
	}
	held := map[string][]Turn{"searches": {{Search: true}, {Search: true}, {Search: true}}, "one request": {{Request: "a"}, {Request: "a"}}}
	for what, turns := range held {
		for _, tn := range turns {
			if err := q.Enter(t.Context(), tn, 0); err != nil {
				t.Fatal(err)
			}
		}
		switch what {
		case "searches":
			if admits(Turn{Search: true}) {
				t.Error("a fourth search of four connections is let in")
			}
		case "one request":
			if admits(Turn{Request: "a"}) {
				t.Error("a third connection of four is let to one request")
			}
			if !admits(Turn{Request: "b"}) {
				t.Error("another request has to wait for it")
			}
		}
		if !admits(Turn{}) {
			t.Errorf("a short call waits beside %s", what)
		}
		for _, tn := range turns {
			q.Leave(tn)
		}
	}
	if q.Drain(); q.now != (share{}) || len(q.ofRequest) != 0 {
		t.Errorf("what was held is not given back: %+v, %v", q.now, q.ofRequest)
	}
}

// TestWaiting checks how a wait ends: by a turn that ends, by patience, by the context.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1)
		if err := q.Enter(t.Context(), Turn{}, 0); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := q.Enter(t.Context(), Turn{}, time.Second); !errors.Is(err, ErrLate) || time.Since(began) != time.Second {
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
