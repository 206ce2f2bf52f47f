package publish

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
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

const consumer = "webhook:test"

// leaseTime is how long a consumer keeps its turn without renewing it.
const leaseTime = 15 * time.Second

// started is a webhook over a new store that waits for events.
func started(t *testing.T, handler http.Handler) (*storetest.Store, *delivery.Consumer, func() error) {
	store := storetest.NewStore()
	c := deliverytest.Consumer(t, consumer, store)
	stop := run(t, virtual(t, handler), c)
	time.Sleep(time.Second) // its cursor is at the end of the log
	return store, c, stop
}

// letters are what a store keeps under a name, as tries by the number of the event.
func letters(t *testing.T, store facade.DeadLetters, name string) map[string]int {
	t.Helper()
	all, err := store.Dead(t.Context(), name, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, d := range all {
		out[d.Event.ID[len(d.Event.ID)-2:]] = d.Tries
	}
	return out
}

// TestKeyOrder: events of a key whose first one fails wait for it, in their order; all others go
// on meanwhile, and the cursor passes all of them.
func TestKeyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := &receiver{answer: func(w http.ResponseWriter, p posted) {
			if p.Event.Data.ID == 1 && time.Since(start) < 10*time.Minute {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}}
		store, c, stop := started(t, r)
		deliverytest.Emit(t, store, deliverytest.Event(1, 1), deliverytest.Event(2, 2), deliverytest.Event(3, 1), deliverytest.Event(4, 2), deliverytest.Event(5, 3))
		time.Sleep(5 * time.Second)
		deliverytest.Emit(t, store, deliverytest.Event(6, 1), deliverytest.Event(7, 3))
		time.Sleep(2 * time.Minute)
		others := slices.DeleteFunc(r.numbers(), func(n int) bool { return n == 1 })
		if slices.Sort(others); fmt.Sprint(others) != "[2 4 5 7]" {
			t.Errorf("delivered beside the key that fails: %v", others)
		}
		if at, _, _ := store.Cursor(t.Context(), consumer); at != c.Stats.State().Cursor || len(letters(t, store, consumer+":retry")) != 3 {
			t.Errorf("kept: %v", letters(t, store, consumer+":retry"))
		}
		if _, last, _ := store.Span(t.Context()); c.Stats.State().Cursor != last {
			t.Errorf("the cursor is at %v and the log ends at %v", c.Stats.State().Cursor, last)
		}
		time.Sleep(time.Hour)
		var ofKey []int
		for _, p := range r.all() {
			if p.Event.Data.ID == 1 && (len(ofKey) == 0 || ofKey[len(ofKey)-1] != p.Event.Data.Number) {
				ofKey = append(ofKey, p.Event.Data.Number)
			}
		}
		if fmt.Sprint(ofKey) != "[1 3 6]" || len(letters(t, store, "")) != 0 {
			t.Errorf("the key that failed: %v, kept: %v", ofKey, letters(t, store, ""))
		}
		if s := c.Stats.State(); s.Delivered != 7 || s.Failed == 0 || s.Waiting != 0 || s.Retrying != 0 || s.Problem != "" {
			t.Errorf("%+v", s)
		}
		_ = stop()
	})
}

// TestGivenUp: an event is tried for a day at most and is then dead, also across restarts; the
// next one of its key goes on, and one that is revived is sent again.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, open := time.Now(), false
		var mu sync.Mutex
		r := &receiver{answer: func(w http.ResponseWriter, p posted) {
			mu.Lock()
			defer mu.Unlock()
			if !open && p.Event.Data.Number == 1 {
				w.WriteHeader(http.StatusBadRequest)
			}
		}}
		store, _, stop := started(t, r)
		deliverytest.Emit(t, store, deliverytest.Event(1, 1), deliverytest.Event(2, 1))
		time.Sleep(20 * time.Minute)
		_ = stop()
		before := letters(t, store, consumer+":retry")
		if before["01"] < 2 || r.count() != before["01"] {
			t.Fatalf("%v after %d requests", before, r.count())
		}
		c := deliverytest.Consumer(t, consumer, store)
		stop = run(t, virtual(t, r), c)
		for len(letters(t, store, consumer)) == 0 && time.Since(start) < 48*time.Hour {
			time.Sleep(time.Minute)
		}
		if took := time.Since(start); took > 25*time.Hour || letters(t, store, consumer)["01"] != tries {
			t.Errorf("dead after %s: %v", took, letters(t, store, consumer))
		}
		time.Sleep(time.Second)
		if got := r.numbers(); got[len(got)-1] != 2 || len(got) != tries+1 {
			t.Errorf("%d requests, the last for %d", len(got), got[len(got)-1])
		}
		mu.Lock()
		open = true
		mu.Unlock()
		dead, _ := store.Dead(t.Context(), consumer, 1)
		dead[0].Consumer, dead[0].Tries = delivery.Retrying(consumer), 0
		if err := errors.Join(store.Bury(t.Context(), dead[0])); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got := r.numbers(); got[len(got)-1] != 1 || len(letters(t, store, consumer+":retry")) != 0 {
			t.Errorf("the revived event was not sent: %v", got)
		}
		_ = stop()
	})
}

// TestRetryAfter: nothing is sent before the time that a receiver asks for, in seconds and as a
// date.
func TestRetryAfter(t *testing.T) {
	for name, status := range map[string]int{"seconds": http.StatusTooManyRequests, "date": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var until time.Time
				r := &receiver{}
				r.answer = func(w http.ResponseWriter, p posted) {
					switch {
					case until.IsZero():
						until = time.Now().Add(20 * time.Minute).Truncate(time.Second)
						w.Header().Set("Retry-After", strconv.Itoa(20*60))
						if name == "date" {
							w.Header().Set("Retry-After", until.UTC().Format(http.TimeFormat))
						}
						w.WriteHeader(status)
					case time.Now().Before(until):
						t.Errorf("event %d was sent %s too early", p.Event.Data.Number, time.Until(until))
					}
				}
				store, c, stop := started(t, r)
				deliverytest.Emit(t, store, deliverytest.Event(1, 1))
				time.Sleep(time.Second)
				deliverytest.Emit(t, store, deliverytest.Event(2, 2))
				time.Sleep(21 * time.Minute)
				if got := r.numbers(); len(got) != 3 || c.Stats.State().Delivered != 2 {
					t.Errorf("requests %v", got)
				}
				_ = stop()
			})
		})
	}
}

// TestGone: after 410 nothing is sent any more, the state says so, and nothing is lost.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(w http.ResponseWriter, _ posted) { w.WriteHeader(http.StatusGone) }}
		store, c, stop := started(t, r)
		deliverytest.Emit(t, store, deliverytest.Event(1, 1))
		time.Sleep(time.Minute)
		deliverytest.Emit(t, store, deliverytest.Event(2, 1))
		time.Sleep(time.Hour)
		if s := c.Stats.State(); r.count() != 1 || !s.Stopped || s.Problem == "" || s.Delivered != 0 {
			t.Errorf("%d requests, %+v", r.count(), s)
		}
		var stopped *delivery.Stop
		if err := stop(); !errors.As(err, &stopped) {
			t.Errorf("%v", err)
		}
		r.answer = nil
		stop = run(t, virtual(t, r), deliverytest.Consumer(t, consumer, store))
		time.Sleep(time.Minute)
		if got := r.numbers(); fmt.Sprint(got) != "[1 1 2]" {
			t.Errorf("after a restart: %v", got)
		}
		_ = stop()
	})
}

// TestSlowReceiver: a receiver that does not answer delays no other webhook, and costs one
// attempt's time for each of its own.
func TestSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewStore()
		slow := &receiver{answer: func(http.ResponseWriter, posted) { time.Sleep(time.Hour) }}
		fast := &receiver{}
		stopSlow := run(t, virtual(t, slow), deliverytest.Consumer(t, "webhook:slow", store))
		stopFast := run(t, virtual(t, fast), deliverytest.Consumer(t, "webhook:fast", store))
		time.Sleep(time.Second)
		for n := range 2000 {
			deliverytest.Emit(t, store, deliverytest.Event(n, n))
		}
		time.Sleep(5 * time.Second)
		if fast.count() != 2000 || slow.count() != defaultParallel {
			t.Errorf("the fast one got %d of 2000, the slow one has %d under way", fast.count(), slow.count())
		}
		time.Sleep(time.Minute)
		if got := slow.count(); got > 2*defaultParallel+5 {
			t.Errorf("a receiver that answers nothing got %d requests in a minute", got)
		}
		_, _ = stopSlow(), stopFast()
		time.Sleep(2 * time.Hour) // the handlers end
	})
}

// TestOneDelivers: of several processes one delivers; when it dies another one takes over within
// the time of a lease, and when it stops at once.
func TestOneDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewStore()
		r := &receiver{}
		var stops []func() error
		var consumers []*delivery.Consumer
		var broken [3]*brokenStore
		for i := range 3 {
			c := deliverytest.Consumer(t, consumer, store)
			broken[i] = &brokenStore{Store: store}
			c.Store = broken[i]
			consumers = append(consumers, c)
			stops = append(stops, run(t, virtual(t, r), c))
		}
		time.Sleep(time.Second)
		next := 0
		emit := func(count int) {
			for range count {
				next++
				deliverytest.Emit(t, store, deliverytest.Event(next, next%7))
				time.Sleep(time.Second / 4)
			}
			time.Sleep(time.Second)
		}
		delivering := func() (all []int) {
			for i, c := range consumers {
				if c.Stats.State().Delivers {
					all = append(all, i)
				}
			}
			return all
		}
		emit(100)
		first := delivering()
		if len(first) != 1 || r.count() != 100 {
			t.Fatalf("%v deliver; %d requests for 100 events", first, r.count())
		}
		broken[first[0]].die() // the store does not answer it any more
		emit(1)
		time.Sleep(2 * leaseTime)
		emit(1)
		second := delivering()
		if len(second) != 1 || second[0] == first[0] {
			t.Fatalf("after one died %v deliver", second)
		}
		_ = stops[second[0]]()
		emit(1)
		time.Sleep(leaseTime)
		emit(50)
		seen := map[int]bool{}
		for _, n := range r.numbers() {
			seen[n] = true
		}
		if len(seen) != next || r.count() > next+5 {
			t.Errorf("%d of %d events in %d requests", len(seen), next, r.count())
		}
		for i, stop := range stops {
			if i != second[0] {
				_ = stop()
			}
		}
	})
}

// TestRandomRuns: whatever fails and whenever the process is restarted, every event is delivered
// at least once and the first deliveries of a key have its order.
func TestRandomRuns(t *testing.T) {
	for seed := range 20 {
		synctest.Test(t, func(t *testing.T) {
			dice, answers := newDice(seed), newDice(1000+seed) // the test's, and the receiver's under mu
			var mu sync.Mutex
			first := map[int][]int{} // by key, in the order in which they were accepted first
			accepted := map[int]bool{}
			r := &receiver{answer: func(w http.ResponseWriter, p posted) {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case answers.IntN(4) == 0:
					w.WriteHeader([]int{400, 500, 503, 302}[answers.IntN(4)])
				case !accepted[p.Event.Data.Number]:
					accepted[p.Event.Data.Number] = true
					first[p.Event.Data.ID] = append(first[p.Event.Data.ID], p.Event.Data.Number)
				}
			}}
			store := storetest.NewStore()
			stop := run(t, virtual(t, r), deliverytest.Consumer(t, consumer, store))
			time.Sleep(time.Second)
			const count = 200
			for n := 1; n <= count; n++ {
				deliverytest.Emit(t, store, deliverytest.Event(n, n%10))
				if dice.IntN(10) == 0 {
					time.Sleep(time.Duration(dice.IntN(3000)) * time.Millisecond)
				}
				if dice.IntN(40) == 0 {
					_ = stop()
					stop = run(t, virtual(t, r), deliverytest.Consumer(t, consumer, store))
				}
			}
			time.Sleep(24 * time.Hour)
			_ = stop()
			if len(accepted) != count || len(letters(t, store, "")) != 0 {
				t.Fatalf("seed %d: %d of %d delivered, kept %v", seed, len(accepted), count, letters(t, store, ""))
			}
			for _, key := range slices.Sorted(maps.Keys(first)) {
				if !slices.IsSorted(first[key]) {
					t.Errorf("seed %d: the order of key %d: %v", seed, key, first[key])
				}
			}
		})
	}
}

// TestOutageLog: a webhook that is down has one line in the log when that begins, one when the
// first event is dead, and one when it is over, however many events it does not take.
func TestOutageLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		r := &receiver{answer: func(w http.ResponseWriter, _ posted) {
			if !up.Load() {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}}
		var lines strings.Builder
		log := slog.New(slog.NewTextHandler(&lines, nil))
		store := storetest.NewStore()
		c := deliverytest.Consumer(t, consumer, store)
		c.Log = log
		h := virtual(t, r)
		h.log = log
		stop := run(t, h, c)
		time.Sleep(time.Second)
		for n := range 50 {
			deliverytest.Emit(t, store, deliverytest.Event(n, n))
		}
		time.Sleep(72 * time.Hour)
		if dead := len(letters(t, store, consumer)); dead != 50 {
			t.Errorf("%d are dead", dead)
		}
		up.Store(true)
		deliverytest.Emit(t, store, deliverytest.Event(50, 50))
		time.Sleep(time.Hour)
		_ = stop()
		got := strings.Split(strings.TrimSpace(lines.String()), "\n")
		if len(got) != 3 || !strings.Contains(got[0], "level=WARN") || !strings.Contains(got[1], "level=ERROR") || !strings.Contains(got[2], "level=INFO") || !strings.Contains(got[2], "held=50 dead=50") {
			t.Errorf("%d lines:\n%s", len(got), lines.String())
		}
	})
}
