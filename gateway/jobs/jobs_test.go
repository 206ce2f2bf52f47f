package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/cron"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/jobs"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// begin is the time at which clocks of tests begin.
var begin = time.Date(2026, 11, 27, 12, 0, 30, 0, time.UTC)

// clock is a time that a test moves. Goroutines that wait for it are counted.
type clock struct {
	t       *testing.T
	mu      sync.Mutex
	changed *sync.Cond
	now     time.Time
	waiting map[chan struct{}]time.Time
}

func newClock(t *testing.T) *clock {
	c := &clock{t: t, now: begin, waiting: map[chan struct{}]time.Time{}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) bool {
	fired := make(chan struct{})
	c.mu.Lock()
	c.waiting[fired] = c.now.Add(d)
	c.changed.Broadcast()
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, fired)
		c.changed.Broadcast()
		c.mu.Unlock()
	}()
	select {
	case <-fired:
		return true
	case <-ctx.Done():
		return false
	}
}

// settled waits until n goroutines wait for the clock.
func (c *clock) settled(n int) {
	c.t.Helper()
	late := time.AfterFunc(time.Minute, func() { panic("nothing settles") })
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) != n {
		c.changed.Wait()
	}
}

// advance moves the clock and wakes those whose time has come.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for fired, at := range c.waiting {
		if !at.After(c.now) {
			delete(c.waiting, fired)
			close(fired)
		}
	}
}

// process is a gateway: a runner over a store of its own, with one job, order.close.
type process struct {
	*jobs.Runner
	store *cut
	ended chan jobs.Outcome
	began chan context.Context // of runs
	end   chan error           // that runs wait for; nil: they end at once
}

// cut is a store that can be cut off.
type cut struct {
	facade.KeyValues
	off  atomic.Bool // every call fails
	once atomic.Bool // the next write is done, and fails all the same
}

var errCut = errors.New("the store is cut off")

func (c *cut) Value(ctx context.Context, key string) (json.RawMessage, int64, error) {
	if c.off.Load() {
		return nil, 0, errCut
	}
	return c.KeyValues.Value(ctx, key)
}

func (c *cut) SetValue(ctx context.Context, key string, version int64, text json.RawMessage) (bool, error) {
	if c.off.Load() {
		return false, errCut
	}
	set, err := c.KeyValues.SetValue(ctx, key, version, text)
	if set && c.once.CompareAndSwap(true, false) {
		return false, errCut
	}
	return set, err
}

// start starts a process that runs a line of cron. Its runs end at once, or when the test sends to end.
func start(t *testing.T, c *clock, store facade.KeyValues, line string, slow bool, alone bool) *process {
	t.Helper()
	p := &process{store: &cut{KeyValues: store}, ended: make(chan jobs.Outcome, 100), began: make(chan context.Context, 100)}
	if slow {
		p.end = make(chan error)
	}
	p.Runner = jobs.New(&jobs.Options{Store: p.store, Alone: alone, Clock: c, Log: quiet, Observe: func(job string, o jobs.Outcome) { p.ended <- o }})
	p.Follow([]*jobs.Job{p.job(t, line)})
	t.Cleanup(func() { p.Close(time.Now(), errors.New("the test ends")) })
	return p
}

func (p *process) job(t *testing.T, line string) *jobs.Job {
	t.Helper()
	schedule, err := cron.Parse(line, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return &jobs.Job{Name: "order.close", Schedule: schedule, Run: func(ctx context.Context) error {
		p.began <- ctx
		if p.end == nil {
			return nil
		}
		select {
		case err := <-p.end:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// brief has the last runs of the job in words, the oldest first.
func brief(t *testing.T, store facade.KeyValues) string {
	t.Helper()
	schedule, _ := cron.Parse("0 0 * * *", time.UTC)
	states, err := jobs.List(t.Context(), store, []*jobs.Job{{Name: "order.close", Schedule: schedule}}, begin)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{}
	for _, run := range states[0].Runs {
		word := run.Due.Format("15:04") + " " + string(run.Outcome)
		if run.Code != "" {
			word += " " + string(run.Code)
		}
		if run.Times > 1 {
			word += fmt.Sprintf(" x%d", run.Times)
		}
		words = append([]string{word}, words...)
	}
	return strings.Join(words, ", ")
}

// heard is the next outcome that one of some processes reports.
func heard(t *testing.T, some ...*process) jobs.Outcome {
	t.Helper()
	ended := make(chan jobs.Outcome)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, p := range some {
		go func() {
			select {
			case o := <-p.ended:
				select {
				case ended <- o:
				case <-ctx.Done():
					p.ended <- o
				}
			case <-ctx.Done():
			}
		}()
	}
	select {
	case o := <-ended:
		return o
	case <-ctx.Done():
		t.Fatal("no outcome is ended")
		return ""
	}
}

// stores are the stores that processes share: the function makes the store of one more process.
var stores = map[string]func(t *testing.T) func() facade.KeyValues{
	"reference": func(*testing.T) func() facade.KeyValues {
		store := storetest.NewStore()
		return func() facade.KeyValues { return store }
	},
	"memory": func(t *testing.T) func() facade.KeyValues {
		store := openSQLite(t, sqlite.Options{Memory: true, Logger: quiet})
		return func() facade.KeyValues { return store }
	},
	"file": func(t *testing.T) func() facade.KeyValues {
		path := t.TempDir() + "/store.db"
		return func() facade.KeyValues { return openSQLite(t, sqlite.Options{Path: path, Logger: quiet}) }
	},
	"postgres": func(t *testing.T) func() facade.KeyValues {
		url := pgtest.Database(t)
		return func() facade.KeyValues {
			store, err := postgres.Open(postgres.Options{URL: url, Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store.Abilities().KeyValues
		}
	},
}

func openSQLite(t *testing.T, opts sqlite.Options) facade.KeyValues {
	t.Helper()
	store, err := sqlite.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store.Abilities().KeyValues
}

// overStores runs a test over every store.
func overStores(t *testing.T, test func(t *testing.T, open func() facade.KeyValues)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// TestOneProcessRunsEachTime: of two processes over one store one runs the job at each time.
func TestOneProcessRunsEachTime(t *testing.T) {
	overStores(t, func(t *testing.T, open func() facade.KeyValues) {
		c := newClock(t)
		a, b := start(t, c, open(), "* * * * *", false, false), start(t, c, open(), "* * * * *", false, false)
		c.settled(2)
		var want []string
		for c.Now().Before(begin.Add(10 * time.Minute)) {
			c.advance(5 * time.Second)
			if now := c.Now(); now.Second() == 0 {
				want = append(want, now.Format("15:04")+" done")
				if o := heard(t, a, b); o != "done" {
					t.Fatalf("at %s it is %s", now, o)
				}
			}
			c.settled(2)
		}
		if got := brief(t, a.store); got != strings.Join(want, ", ") {
			t.Errorf("the runs are %s, want %s", got, want)
		}
		if n := len(a.began) + len(b.began); n != 10 || len(a.ended)+len(b.ended) > 0 {
			t.Errorf("the job ran %d times, want 10", n)
		}
	})
}

// TestKilledInARun: another process finds out that the one with a run is gone, reports that the run was
// interrupted, and runs the job at the next time. A process that cannot reach the store has given its
// run up before.
func TestKilledInARun(t *testing.T) {
	overStores(t, func(t *testing.T, open func() facade.KeyValues) {
		c := newClock(t)
		a := start(t, c, open(), "* * * * *", true, false)
		c.settled(1)
		c.advance(30 * time.Second)
		run := <-a.began
		b := start(t, c, open(), "* * * * *", false, false)
		for range 4 { // the lease is renewed
			c.settled(3) // two loops and the lease
			c.advance(5 * time.Second)
		}
		c.settled(3)
		a.store.off.Store(true)
		var given, ended time.Time
		for c.Now().Before(begin.Add(90 * time.Second)) {
			c.advance(5 * time.Second)
			c.settled(3)
			if given.IsZero() && run.Err() != nil {
				given = c.Now()
			}
			if ended.IsZero() && len(b.ended) > 0 {
				ended = c.Now()
			}
		}
		if given.IsZero() || !given.Before(ended) || ended.Second() < 35 || ended.Second() > 40 {
			t.Errorf("the run is given up at %s, and another process reports it at %s", given, ended)
		}
		if o := heard(t, b); o != "interrupted" {
			t.Errorf("it is %s, want %s", o, "interrupted")
		}
		if o := heard(t, b); o != "done" {
			t.Errorf("the next time is %s, want %s", o, "done")
		}
		if got, want := brief(t, b.store), "12:01 interrupted, 12:02 done"; got != want {
			t.Errorf("the runs are %s, want %s", got, want)
		}
	})
}

// TestSkipped: times at which the run before is under way are skipped, whichever process looks at them.
func TestSkipped(t *testing.T) {
	overStores(t, func(t *testing.T, open func() facade.KeyValues) {
		c := newClock(t)
		a := start(t, c, open(), "* * * * *", true, false)
		c.settled(1)
		c.advance(30 * time.Second)
		<-a.began
		b := start(t, c, open(), "* * * * *", false, false)
		for range 26 { // to 12:03:10
			c.settled(3)
			c.advance(5 * time.Second)
		}
		c.settled(3)
		for range 2 {
			if o := heard(t, a, b); o != "skipped" {
				t.Errorf("it is %s, want %s", o, "skipped")
			}
		}
		a.end <- kiterror.Errorf(kiterror.Conflict, "an order is held")
		if o := heard(t, a); o != "failed" {
			t.Errorf("it is %s, want %s", o, "failed")
		}
		if got, want := brief(t, a.store), "12:02 skipped x2, 12:01 failed CONFLICT"; got != want {
			t.Errorf("the runs are %s, want %s", got, want)
		}
		a.Close(c.Now(), nil)
		for range 10 { // to 12:04:00
			c.settled(1)
			c.advance(5 * time.Second)
		}
		if o := heard(t, b); o != "done" {
			t.Errorf("it is %s, want %s", o, "done")
		}
	})
}

// TestMissed: times at which no process was up are reported and not caught up, and one of the last minute is
// dealt with.
func TestMissed(t *testing.T) {
	overStores(t, func(t *testing.T, open func() facade.KeyValues) {
		c := newClock(t)
		a := start(t, c, open(), "0 3,15 * * *", false, true)
		c.settled(1)
		a.Close(c.Now(), nil)
		c.advance(62*time.Hour + 30*time.Minute) // to 02:30:30 of the third day after
		a = start(t, c, open(), "0 3,15 * * *", false, true)
		if o := heard(t, a); o != "missed" {
			t.Errorf("it is %s, want %s", o, "missed")
		}
		c.settled(1)
		a.Close(c.Now(), nil)
		c.advance(30 * time.Minute) // to 03:00:30
		a = start(t, c, open(), "0 3,15 * * *", false, true)
		if o := heard(t, a); o != "done" {
			t.Errorf("it is %s, want %s", o, "done")
		}
		if got, want := brief(t, a.store), "15:00 missed x5, 03:00 done"; got != want {
			t.Errorf("the runs are %s, want %s", got, want)
		}
		// Another line misses nothing of before.
		c.settled(1)
		a.Close(c.Now(), nil)
		a = start(t, c, open(), "*/30 * * * *", false, true)
		c.settled(1)
		c.advance(29*time.Minute + 30*time.Second)
		if o := heard(t, a); o != "done" {
			t.Errorf("it is %s, want %s", o, "done")
		}
	})
}

// TestAloneAfterAKill: a process that has the store for itself finds the run of the one before it
// interrupted at once.
func TestAloneAfterAKill(t *testing.T) {
	overStores(t, func(t *testing.T, open func() facade.KeyValues) {
		c := newClock(t)
		a := start(t, c, open(), "* * * * *", true, true)
		c.settled(1)
		c.advance(30 * time.Second)
		<-a.began
		a.store.off.Store(true)
		a.Close(time.Now(), errors.New("killed"))
		b := start(t, c, open(), "* * * * *", false, true)
		if o := heard(t, b); o != "interrupted" {
			t.Errorf("it is %s, want %s", o, "interrupted")
		}
	})
}

// TestLostAnswer: a run whose beginning was written, and the answer of the store was lost, begins once.
func TestLostAnswer(t *testing.T) {
	for _, alone := range []bool{true, false} {
		c := newClock(t)
		a := start(t, c, storetest.NewStore(), "* * * * *", false, alone)
		c.settled(1)
		a.store.once.Store(true)
		c.advance(30 * time.Second)
		c.settled(1) // it tries again in a second
		c.advance(time.Second)
		if o := heard(t, a); o != "done" {
			t.Errorf("it is %s, want %s", o, "done")
		}
		if got, want := brief(t, a.store), "12:01 done"; got != want || len(a.began) != 1 {
			t.Errorf("the runs are %s of %d, want %s", got, len(a.began), want)
		}
	}
}

// TestClose: a runner that closes lets a run end by itself until a time, and cancels it then.
func TestClose(t *testing.T) {
	for _, patient := range []bool{true, false} {
		c := newClock(t)
		a := start(t, c, storetest.NewStore(), "* * * * *", true, true)
		c.settled(1)
		c.advance(30 * time.Second)
		<-a.began
		closed := make(chan struct{})
		want, by := "12:01 interrupted", time.Now()
		if patient {
			want, by = "12:01 done", time.Now().Add(time.Minute)
		}
		go func() {
			defer close(closed)
			a.Close(by, errors.New("the gateway stops"))
		}()
		if patient {
			c.settled(0) // the loop has ended
			a.end <- nil
		}
		<-closed
		if got := brief(t, a.store); got != want {
			t.Errorf("the runs are %s, want %s", got, want)
		}
	}
}

// TestPanics: a run that panics fails, and the next one is not in its way.
func TestPanics(t *testing.T) {
	c := newClock(t)
	a := start(t, c, storetest.NewStore(), "* * * * *", false, true)
	job := a.job(t, "* * * * *")
	job.Run = func(context.Context) error { panic("oh") }
	a.Follow([]*jobs.Job{job})
	for range 2 {
		c.settled(1)
		c.advance(time.Minute)
		if o := heard(t, a); o != "failed" {
			t.Errorf("it is %s, want %s", o, "failed")
		}
	}
	if got, want := brief(t, a.store), "12:01 failed INTERNAL_ERROR, 12:02 failed INTERNAL_ERROR"; got != want {
		t.Errorf("the runs are %s, want %s", got, want)
	}
}

// TestManyMissed: the missed times of a line of every minute are counted up to a bound.
func TestManyMissed(t *testing.T) {
	c := newClock(t)
	store := storetest.NewStore()
	a := start(t, c, store, "* * * * *", false, true)
	c.settled(1)
	a.Close(c.Now(), nil)
	c.advance(40 * 24 * time.Hour)
	a = start(t, c, store, "* * * * *", false, true)
	if first, second := heard(t, a), heard(t, a); first != "missed" || second != "done" {
		t.Errorf("it is %s and %s", first, second)
	}
	if got, want := brief(t, store), "12:01 missed x1000, 12:00 done"; got != want {
		t.Errorf("the runs are %s, want %s", got, want)
	}
}
