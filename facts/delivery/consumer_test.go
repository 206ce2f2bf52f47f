package delivery_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/facts/delivery/deliverytest"
	"github.com/frondhost/frond/store/storetest"
)

// counted is a store that counts what moves its cursors.
type counted struct {
	*storetest.Store
	moves atomic.Int64
}

func (c *counted) Advance(ctx context.Context, name string, from, to facade.Position) (bool, error) {
	c.moves.Add(1)
	return c.Store.Advance(ctx, name, from, to)
}

// collector is a way out that notes the ids of events, by their last two digits.
type collector struct {
	mu  sync.Mutex
	ids []string
}

func (k *collector) deliver(ctx context.Context, s *delivery.Session) error {
	for {
		next, cancel := context.WithTimeout(ctx, s.IdleTime())
		events, behind, err := s.Next(next)
		cancel()
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return s.Idle()
		}
		if err != nil {
			return err
		}
		k.mu.Lock()
		for _, e := range events {
			k.ids = append(k.ids, e.ID[len(e.ID)-2:])
		}
		k.mu.Unlock()
		if err := s.Save(ctx, behind); err != nil {
			return err
		}
	}
}

func (k *collector) got() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return strings.Join(k.ids, " ")
}

// run runs a consumer until the function that it returns is called.
func run(c *delivery.Consumer, deliver func(context.Context, *delivery.Session) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = c.Run(ctx, deliver) }()
	return func() { cancel(); <-done }
}

// TestIdle: a consumer without work writes nothing, and delivers at once when there is some; what
// was announced before it was registered is not its, and what was announced while it was down is.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counted{Store: storetest.NewStore()}
		deliverytest.Emit(t, store, deliverytest.Event(1, 1))
		if _, _, err := store.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := deliverytest.Consumer(t, "x", store)
		if err := c.Register(t.Context()); err != nil {
			t.Fatal(err)
		}
		deliverytest.Emit(t, store, deliverytest.Event(2, 1))
		var k collector
		stop := run(c, k.deliver)
		time.Sleep(time.Minute)
		before := store.moves.Load()
		time.Sleep(time.Hour)
		if moves := store.moves.Load() - before; moves != 0 || k.got() != "02" {
			t.Errorf("%d writes in an idle hour; delivered %s", moves, k.got())
		}
		deliverytest.Emit(t, store, deliverytest.Event(3, 1))
		synctest.Wait()
		if k.got() != "02 03" {
			t.Errorf("delivered %s", k.got())
		}
		stop()
		deliverytest.Emit(t, store, deliverytest.Event(4, 1))
		stop = run(deliverytest.Consumer(t, "x", store), k.deliver)
		time.Sleep(time.Second)
		if k.got() != "02 03 04" {
			t.Errorf("after a restart: %s", k.got())
		}
		stop()
	})
}

// TestRareFact: the cursor of a fact that nobody announces follows the log, so that retention does
// not pass it; one that retention has passed goes on with what is left.
func TestRareFact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewStore()
		var k collector
		c := deliverytest.Consumer(t, "x", store)
		stop := run(c, k.deliver)
		time.Sleep(time.Second)
		for n := range 30 {
			e := deliverytest.Event(n, 1)
			e.Name = "other"
			deliverytest.Emit(t, store, e)
			time.Sleep(time.Minute)
		}
		at, _, _ := store.Cursor(t.Context(), "x")
		oldest, last, _ := store.Span(t.Context())
		if at < oldest+20 || at > last {
			t.Errorf("the cursor is at %d of %d to %d", at, oldest, last)
		}
		stop()
		deliverytest.Emit(t, store, deliverytest.Event(50, 1))
		_, _, _ = store.Relay(t.Context())
		time.Sleep(time.Hour)
		if _, err := store.Trim(t.Context(), time.Now(), 1000); err != nil {
			t.Fatal(err)
		}
		deliverytest.Emit(t, store, deliverytest.Event(51, 1))
		stop = run(deliverytest.Consumer(t, "x", store), k.deliver)
		time.Sleep(time.Minute)
		if k.got() != "51" {
			t.Errorf("delivered %s", k.got())
		}
		stop()
	})
}

// TestShortRetention: a consumer of a rare fact does not come behind what is kept, however short that is
// and however many processes have it, so that no loss is logged where there is none.
func TestShortRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewStore()
		var lines strings.Builder
		log := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn}))
		var k collector
		const retention = 2 * time.Minute
		begin := func() (stop func()) {
			c := deliverytest.Consumer(t, "x", store)
			c.Retention, c.Log = retention, log
			return run(c, k.deliver)
		}
		stops := []func(){begin(), begin()}
		announce := func(n int, name string) {
			e := deliverytest.Event(n, 1)
			e.Name = name
			deliverytest.Emit(t, store, e)
			_, _, _ = store.Relay(t.Context())
		}
		trim := func() {
			if _, err := store.Trim(t.Context(), time.Now().Add(-retention), 1000); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 60 {
			announce(n, "other")
			time.Sleep(10 * time.Second)
			if n%6 == 5 {
				trim()
			}
		}
		for _, stop := range stops {
			stop()
		}
		announce(60, "other")
		time.Sleep(time.Hour)
		stop := begin() // the host comes back, and removes what is old a minute later
		time.Sleep(time.Minute)
		trim()
		time.Sleep(time.Hour)
		announce(61, "orderPlaced")
		time.Sleep(time.Minute)
		stop()
		if k.got() != "61" || lines.Len() > 0 {
			t.Errorf("delivered %q; logged: %s", k.got(), lines.String())
		}
	})
}

// TestStuck: while nothing can be delivered the state says why, how much waits and since when, and
// the lease is free for other processes; a stop stays.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewStore()
		var stop atomic.Bool
		c := deliverytest.Consumer(t, "x", store)
		end := run(c, func(context.Context, *delivery.Session) error {
			if stop.Load() {
				return &delivery.Stop{Reason: "gone"}
			}
			return &delivery.Unavailable{Reason: "nobody is there", Err: errors.New("connection refused")}
		})
		time.Sleep(time.Second)
		for n := range 7 {
			deliverytest.Emit(t, store, deliverytest.Event(n, 1))
		}
		time.Sleep(2 * time.Minute)
		if s := c.Stats.State(); s.Problem != "nobody is there" || s.Waiting != 7 || s.Lag() < time.Minute || s.Stopped {
			t.Errorf("%+v", s)
		}
		if at, _, _ := store.Cursor(t.Context(), "lease:x"); at%2 != 0 {
			t.Error("the lease is held by a process that cannot deliver")
		}
		stop.Store(true)
		time.Sleep(2 * time.Minute)
		deliverytest.Emit(t, store, deliverytest.Event(8, 1))
		_, _, _ = store.Relay(t.Context())
		time.Sleep(time.Minute)
		if s := c.Stats.State(); s.Problem != "gone" || s.Waiting != 8 || !s.Stopped {
			t.Errorf("%+v", s)
		}
		end()
	})
}

// TestLease: of many processes one holds a lease at any time, whatever they do and however long
// they are silent; one that renews is not replaced.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewStore()
		var leases []*delivery.Lease
		for range 5 {
			leases = append(leases, delivery.NewLease(store, "x"))
		}
		take := func(i int) bool {
			held, err := leases[i].Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return held
		}
		if !take(0) || take(1) || take(2) {
			t.Fatal("the first one takes it, and no other")
		}
		for range 20 {
			time.Sleep(delivery.LeaseTime / 3)
			if held, err := leases[0].Renew(t.Context()); err != nil || !held {
				t.Fatal(held, err)
			}
			if take(1) || take(2) {
				t.Fatal("a lease that is renewed is taken")
			}
		}
		if err := leases[0].Release(t.Context()); err != nil || !take(1) {
			t.Fatal("a lease that was given back is free at once", err)
		}
		if take(2) { // it has seen the counter of now
			t.Fatal("two hold it")
		}
		time.Sleep(delivery.LeaseTime)
		if !take(2) || take(3) {
			t.Fatal("a lease that is not renewed is taken, by one")
		}
		if held, err := leases[1].Renew(t.Context()); err != nil || held {
			t.Fatal("a holder that was replaced does not renew", held, err)
		}
	})
}
