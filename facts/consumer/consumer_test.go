package consumer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/consumer"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// store is the event log of a store of SQLite or PostgreSQL, which Close closes.
type store struct {
	facade.Outbox
	io.Closer
}

// onStores runs a test over both stores.
func onStores(t *testing.T, test func(*world)) {
	quiet := slog.New(slog.DiscardHandler)
	for name, open := range map[string]func(*testing.T) (store, error){
		"SQLite": func(t *testing.T) (store, error) {
			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "store.db"), Logger: quiet})
			if err != nil {
				return store{}, err
			}
			return store{s.Abilities().Outbox, s}, nil
		},
		"PostgreSQL": func(t *testing.T) (store, error) {
			s, err := postgres.Open(postgres.Options{URL: pgtest.Database(t), Logger: quiet})
			if err != nil {
				return store{}, err
			}
			return store{s.Abilities().Outbox, s}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			test(newWorld(t, s))
		})
	}
}

// world is a store with a feed over it.
type world struct {
	*testing.T
	store store
	feed  *facts.Feed
	n     int
}

func newWorld(t *testing.T, store store) *world {
	w := &world{T: t, store: store, feed: facts.New(store, nil)}
	t.Cleanup(func() {
		w.feed.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// emit announces events of keys, one of each.
func (w *world) emit(keys ...string) {
	w.Helper()
	var events []facade.Event
	for _, key := range keys {
		w.n++
		events = append(events, facade.Event{ID: fmt.Sprintf("00000000-0000-7000-8000-%012d", w.n), Frond: "shop", Name: "placed", Entity: "order", Key: json.RawMessage(`"` + key + `"`), At: time.Now()})
	}
	if err := w.store.Transact(w.Context(), func(ctx context.Context) error { return w.store.Emit(ctx, events) }); err != nil {
		w.Fatal(err)
	}
}

// consumer is one of shop.placed.
func (w *world) consumer(handle func(context.Context, *facade.Event) error) *consumer.Consumer {
	c := &consumer.Consumer{Handle: handle}
	c.Name, c.Facts, c.Store, c.Log = "go:shop.placed", []string{"shop.placed"}, w.store, slog.New(slog.DiscardHandler)
	c.Transact = func(ctx context.Context, _ string, fn func(context.Context) error) error {
		return w.store.Transact(ctx, fn)
	}
	c.Feed = func(ctx context.Context, names []string, after facade.Position) (delivery.Reader, error) {
		return w.feed.Subscribe(ctx, names, after)
	}
	if err := c.Register(w.Context()); err != nil {
		w.Fatal(err)
	}
	return c
}

// run runs a consumer until the function that it returns is called.
func (w *world) run(c *consumer.Consumer) (stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	w.Cleanup(stop)
	return stop
}

// until waits for a condition.
func (w *world) until(what string, holds func() bool) {
	w.Helper()
	for by := time.Now().Add(60 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(by) {
			w.Fatal("never: " + what)
		}
	}
}

func (w *world) dead(name string) []*facade.DeadEvent {
	w.Helper()
	all, err := w.store.Dead(w.Context(), name, 100)
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// number is the number of an event that emit has made.
func number(e *facade.Event) string { return strings.TrimLeft(e.ID[24:], "0") }

// seen records numbers of events in order.
type seen struct {
	mu  sync.Mutex
	all []string
}

func (s *seen) add(e *facade.Event) { s.note(number(e)) }

func (s *seen) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, text)
}

func (s *seen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.all, " ")
}

// TestOrderOfAKey: an event that fails is not overtaken by later ones of its key, also not where
// the process ends in between; others go on; a dead one lets those behind it go on, and comes
// back when it is replayed.
func TestOrderOfAKey(t *testing.T) { onStores(t, testOrder) }

func testOrder(w *world) {
	t := w.T
	var got seen
	var mu sync.Mutex
	failing := map[string]int{"1": 1, "3": 99} // by number: how often it fails
	handle := func(_ context.Context, e *facade.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if failing[number(e)] > 0 {
			failing[number(e)]--
			return errors.New("no")
		}
		got.add(e)
		return nil
	}
	first := w.consumer(handle)
	stop := w.run(first)
	w.emit("a", "a", "b", "c", "b")
	w.until("4 is handled", func() bool { return strings.Contains(got.String(), "4") })
	stop() // the events that are set aside are in the store
	if n := len(w.dead(delivery.Retrying("go:shop.placed"))); n == 0 {
		t.Error("nothing is set aside")
	}
	second := w.consumer(handle)
	second.Tries = 2
	stop = w.run(second)
	w.until("5 is handled", func() bool { return strings.Contains(got.String(), "5") })
	w.until("2 is handled", func() bool { return strings.Contains(got.String(), "2") })
	order := strings.Fields(got.String())
	if slices.Index(order, "1") > slices.Index(order, "2") || order[0] != "4" || slices.Contains(order, "3") {
		t.Errorf("handled: %s", order)
	}
	dead := w.dead("go:shop.placed")
	if len(dead) != 1 || number(&dead[0].Event) != "3" || dead[0].Tries != 2 || dead[0].Reason != "no" {
		t.Fatalf("%d are dead; the first: %+v", len(dead), dead[0])
	}
	stop()
	// What a replay does.
	mu.Lock()
	clear(failing)
	mu.Unlock()
	dead[0].Consumer, dead[0].Tries = delivery.Retrying("go:shop.placed"), 0
	if err := w.store.Bury(t.Context(), dead[0]); err != nil {
		t.Fatal(err)
	}
	w.run(w.consumer(handle))
	w.until("3 is handled", func() bool { return strings.Contains(got.String(), "3") })
}

// TestSeveralProcesses: each event has its effect once and in order, whoever of three consumers of
// one name has the turn, and ends in the middle.
func TestSeveralProcesses(t *testing.T) { onStores(t, testSeveral) }

func testSeveral(w *world) {
	handle := func(ctx context.Context, e *facade.Event) error {
		// The effect is a counter that the event before has brought to its number.
		n, err := strconv.Atoi(number(e))
		if err != nil {
			return err
		}
		moved, err := w.store.Advance(ctx, "effect", facade.Position(n-1), facade.Position(n))
		if err == nil && !moved {
			w.Errorf("event %d is out of order, or comes again", n)
		}
		return err
	}
	var stops []func()
	for range 3 {
		stops = append(stops, w.run(w.consumer(handle)))
	}
	effects := func() facade.Position {
		at, _, err := w.store.Cursor(w.Context(), "effect")
		if err != nil {
			w.Fatal(err)
		}
		return at
	}
	for i := range 60 {
		w.emit(fmt.Sprint(i % 7))
		if i == 30 {
			w.until("some are handled", func() bool { return effects() > 0 })
			stops[0]()
			stops[1]()
		}
	}
	w.until("all are handled", func() bool { return effects() == 60 })
}

// TestEffectsAreCommittedWithThePosition: a consumer whose function has written and then fails,
// or whose process is stopped before the commit, leaves no effect, and the event is kept.
func TestEffectsAreCommittedWithThePosition(t *testing.T) { onStores(t, testEffects) }

func testEffects(w *world) {
	t := w.T
	ctx, end := context.WithCancel(t.Context())
	c := w.consumer(nil)
	effect := func(ctx context.Context) error {
		_, err := w.store.Advance(ctx, "effect", 0, 1)
		return err
	}
	done := make(chan struct{}, 1)
	c.Handle = func(inner context.Context, _ *facade.Event) error {
		defer func() { done <- struct{}{} }()
		if err := effect(inner); err != nil {
			return err
		}
		end() // the process ends in the middle
		<-inner.Done()
		return inner.Err()
	}
	stopped := make(chan struct{})
	go func() { defer close(stopped); c.Run(ctx) }()
	w.emit("a")
	<-done
	<-stopped
	if at, known, err := w.store.Cursor(t.Context(), "effect"); known || err != nil {
		t.Errorf("the effect of a rolled back event is there: %d, %v", at, err)
	}
	if kept := w.dead(delivery.Retrying(c.Name)); len(kept) != 1 {
		t.Errorf("%d events are kept to be handled again", len(kept))
	}
	again := w.consumer(func(ctx context.Context, _ *facade.Event) error { return effect(ctx) })
	w.run(again)
	w.until("the effect is there", func() bool { _, known, _ := w.store.Cursor(t.Context(), "effect"); return known })
}

// TestNewConsumers begin now, or with the oldest event where they say so.
func TestNewConsumers(t *testing.T) { onStores(t, testNew) }

func testNew(w *world) {
	t := w.T
	w.emit("a", "b")
	oldest, _, err := w.store.Span(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.until("both have positions", func() bool {
		events, _, err := w.store.Log(t.Context(), oldest, nil, 10)
		return len(events) == 2 && err == nil
	})
	var late, whole seen
	one := w.consumer(func(_ context.Context, e *facade.Event) error { late.add(e); return nil })
	two := &consumer.Consumer{Consumer: delivery.Consumer{Name: "go:whole", Facts: one.Facts, Store: one.Store, Feed: one.Feed, Log: one.Log}, Transact: one.Transact, FromStart: true}
	two.Handle = func(_ context.Context, e *facade.Event) error { whole.add(e); return nil }
	if err := two.Register(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.run(one)
	w.run(two)
	w.emit("c")
	w.until("both are done", func() bool { return late.String() != "" && len(strings.Fields(whole.String())) == 3 })
	if late.String() != "3" || whole.String() != "1 2 3" {
		t.Errorf("handled: %s and %s", &late, &whole)
	}
}
