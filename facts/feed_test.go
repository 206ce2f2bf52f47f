package facts_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
)

// follow is a feed over an outbox with some events, inside a bubble of time.
func follow(t *testing.T, opts *facts.Options, before []string, do func(*testing.T, *memory, *facts.Feed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.emit(before...)
		f := facts.New(m, opts)
		defer f.Close()
		synctest.Wait()
		do(t, m, f)
	})
}

func subscribe(t *testing.T, f *facts.Feed, after facade.Position, names ...string) *facts.Reader {
	t.Helper()
	r, err := f.Subscribe(t.Context(), names, after)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// take reads n events and holds their positions to be ascending and their names to be one of
// the topic's.
func take(t *testing.T, r *facts.Reader, n int, names ...string) (last facade.Position) {
	t.Helper()
	for n > 0 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		events, resume, err := r.Next(ctx)
		cancel()
		if err != nil {
			t.Fatalf("%d events are missing: %v", n, err)
		}
		for _, e := range events {
			if e.Position <= last {
				t.Fatalf("%d comes after %d", e.Position, last)
			}
			last = e.Position
			if len(names) > 0 && !strings.Contains(strings.Join(names, " "), e.Frond+"."+e.Name) {
				t.Fatalf("%s.%s was not asked for", e.Frond, e.Name)
			}
		}
		if resume < last {
			t.Fatalf("resume at %d, and %d was read", resume, last)
		}
		n -= len(events)
	}
	if n < 0 {
		t.Fatalf("%d events too many", -n)
	}
	return last
}

func TestReadersGetTheirNamesInOrder(t *testing.T) {
	follow(t, nil, []string{"shop.before"}, func(t *testing.T, m *memory, f *facts.Feed) {
		orders, all := subscribe(t, f, facts.Now, "shop.placed", "shop.paid"), subscribe(t, f, facts.Now)
		none := subscribe(t, f, facts.Now, "shop.nothing")
		all2, err := f.Subscribe(t.Context(), nil, facts.Start)
		if err != nil {
			t.Fatal(err)
		}
		m.emit("shop.placed", "shop.other", "shop.paid")
		m.elsewhere("shop.placed")
		take(t, orders, 3, "shop.placed", "shop.paid")
		take(t, all2, 5)
		if _, at, err := none.Poll(t.Context()); at != m.at(5) || err != nil {
			t.Errorf("a reader without events resumes at %d (%v), not behind what was not for it", at, err)
		}
		if _, _, err := all.Poll(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestIdleReaders: ten thousand readers of another name are not woken, and hold neither
// goroutines nor much memory.
func TestIdleReaders(t *testing.T) {
	follow(t, nil, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		const readers = 10_000
		var woken atomic.Int64
		before := memoryInUse()
		goroutines := runtime.NumGoroutine()
		all := make([]*facts.Reader, readers)
		for i := range all {
			all[i] = subscribe(t, f, facts.Now, "shop.rare")
			all[i].Notify(func() { woken.Add(1) })
			if events, _, err := all[i].Poll(t.Context()); len(events) > 0 || err != nil {
				t.Fatal(events, err)
			}
		}
		if each := (memoryInUse() - before) / readers; each > 512 {
			t.Errorf("an idle reader costs %d bytes", each)
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%d goroutines came", n-goroutines)
		}
		for range 20 {
			m.emit(many(1000, "shop.other")...)
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if n := woken.Load(); n > 0 {
			t.Errorf("%d readers were woken", n)
		}
		_, reads := m.counts()
		m.emit("shop.rare")
		synctest.Wait()
		time.Sleep(time.Second)
		if n := woken.Load(); n != readers {
			t.Errorf("%d readers were woken by their fact", n)
		}
		for _, r := range all {
			if events, _, err := r.Poll(t.Context()); len(events) != 1 || err != nil {
				t.Fatal(events, err)
			}
		}
		if _, now := m.counts(); now > reads+1 {
			t.Errorf("the log was read %d times for one event", now-reads)
		}
		runtime.KeepAlive(all)
	})
}

func memoryInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestReadersBehindShareBlocks: a hundred readers at as many positions come back, and do not
// read the log each by themselves.
func TestReadersBehindShareBlocks(t *testing.T) {
	follow(t, nil, many(20_000, "shop.placed"), func(t *testing.T, m *memory, f *facts.Feed) {
		_, before := m.counts()
		var done sync.WaitGroup
		for i := range 100 {
			r := subscribe(t, f, m.at(7*i), "shop.placed")
			done.Go(func() { take(t, r, 20_000-7*i) })
		}
		done.Wait()
		_, after := m.counts()
		if alone := 100 * (20_000 / 256); after-before > alone/10 {
			t.Errorf("the log was read %d times, and %d times where every reader reads by itself", after-before, alone)
		}
	})
}

// TestABatchHoldsLittle, however large the rows are: of the window, and of the log.
func TestABatchHoldsLittle(t *testing.T) {
	follow(t, nil, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		const rows, size = 1000, 20_000 // more than the window keeps
		m.set(func(m *memory) { m.data = bytes.Repeat([]byte("x"), size) })
		behind := subscribe(t, f, m.at(0), "shop.placed")
		m.emit(many(rows, "shop.placed")...)
		synctest.Wait()
		for _, r := range []*facts.Reader{behind, subscribe(t, f, m.at(rows-100), "shop.placed"), subscribe(t, f, m.at(rows-100))} {
			for r.Position() < m.at(rows) {
				events, _, err := r.Poll(t.Context())
				if err != nil || len(events) == 0 {
					t.Fatalf("%d events, %v", len(events), err)
				}
				if held := len(events) * size; held > facade.LogBytes+size {
					t.Fatalf("a batch has %d bytes", held)
				}
			}
		}
	})
}

// TestQuietLog: a log that knows that it has not grown is not asked, and is as soon as it may have.
func TestQuietLog(t *testing.T) {
	follow(t, nil, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		r := subscribe(t, f, facts.Now)
		m.set(func(m *memory) { m.quiet = true })
		time.Sleep(time.Second)
		relays, logs := m.counts()
		time.Sleep(30 * time.Second)
		if r, l := m.counts(); r != relays || l != logs {
			t.Errorf("a quiet log was relayed %d times and read %d times", r-relays, l-logs)
		}
		m.emit("shop.placed")
		take(t, r, 1)
		time.Sleep(10 * time.Second)
		m.elsewhere("shop.placed")
		m.set(func(m *memory) { m.quiet = false })
		take(t, r, 1)
	})
}

// TestRewind: what could not be sent is read again, of the window, of the log, and once
// everything was read.
func TestRewind(t *testing.T) {
	follow(t, nil, many(windowAndMore, "shop.placed"), func(t *testing.T, m *memory, f *facts.Feed) {
		r := subscribe(t, f, m.at(0), "shop.placed")
		for _, want := range []int{0, 10, windowAndMore - 10, windowAndMore - 1} {
			r.Rewind(m.at(want))
			if at := r.Position(); want > 0 && at != m.at(want) {
				t.Errorf("it goes on behind event %d, want %d", at-m.at(0), want)
			}
			first, _, err := r.Poll(t.Context())
			if err != nil || len(first) == 0 || first[0].Position != m.at(want+1) {
				t.Fatalf("behind event %d: %d events, %v", want, len(first), err)
			}
			for more := true; more; {
				events, _, err := r.Poll(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				more = len(events) > 0
			}
		}
		woken := 0
		r.Notify(func() { woken++ })
		r.Rewind(m.at(windowAndMore - 1))
		m.emit("shop.placed")
		synctest.Wait()
		take(t, r, 2)
		if woken != 0 {
			t.Errorf("it was woken %d times while it did not wait", woken)
		}
	})
}

// TestWaitingBehindTheLastEvents: a reader that has the last events waits for the next ones without
// being asked again, and one that goes back does not wait.
func TestWaitingBehindTheLastEvents(t *testing.T) {
	follow(t, nil, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		r := subscribe(t, f, facts.Now, "shop.placed")
		woken := 0
		r.Notify(func() { woken++ })
		m.emit(many(300, "shop.placed")...)
		time.Sleep(time.Second)
		synctest.Wait()
		for n := 0; n < 300; {
			if r.Waiting() {
				t.Fatalf("it waits behind %d of 300 events", n)
			}
			events, _, err := r.Poll(t.Context())
			if err != nil || len(events) == 0 {
				t.Fatalf("behind %d of 300 events: %d, %v", n, len(events), err)
			}
			n += len(events)
		}
		if woken = 0; !r.Waiting() {
			t.Error("it does not wait behind the last event")
		}
		m.emit("shop.placed")
		time.Sleep(time.Second)
		synctest.Wait()
		if woken != 1 || r.Waiting() {
			t.Errorf("it was woken %d times by an event; it waits: %v", woken, r.Waiting())
		}
		take(t, r, 1)
		r.Rewind(m.at(300))
		if r.Waiting() {
			t.Error("it waits where it has gone back")
		}
	})
}

// TestAReaderThatDoesNotReadCostsNothing: it is woken once, nobody waits for it, and it reads
// everything when it goes on, with events that it has in memory and that it has not.
func TestAReaderThatDoesNotReadCostsNothing(t *testing.T) {
	follow(t, nil, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		slow, quick := subscribe(t, f, facts.Now, "shop.placed"), subscribe(t, f, facts.Now, "shop.placed")
		woken := 0
		slow.Notify(func() { woken++ })
		if _, _, err := slow.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			m.emit(many(1000, "shop.placed")...)
			take(t, quick, 1000)
		}
		if woken != 1 {
			t.Errorf("it was woken %d times", woken)
		}
		n := 0
		for n < 10_000 {
			events, _, err := slow.Poll(t.Context())
			if err != nil || len(events) == 0 {
				t.Fatalf("%d events, and then: %v", n, err)
			}
			n += len(events)
		}
		slow.Close()
		if _, _, err := slow.Poll(t.Context()); !errors.Is(err, facts.ErrClosed) {
			t.Errorf("a closed reader answers %v", err)
		}
	})
}

func TestPositionsThatCannotBeResumed(t *testing.T) {
	follow(t, nil, many(10, "shop.placed"), func(t *testing.T, m *memory, f *facts.Feed) {
		m.set(func(m *memory) { m.oldest, m.events = m.at(4), m.events[4:] })
		for after, want := range map[facade.Position]kiterror.Code{m.at(3): kiterror.Gone, m.at(11): kiterror.ValidationFailed, 3: kiterror.ValidationFailed} {
			if _, err := f.Subscribe(t.Context(), nil, after); kiterror.CodeOf(err) != want {
				t.Errorf("after %d: %v", after, err)
			}
		}
		take(t, subscribe(t, f, m.at(4)), 6)
		take(t, subscribe(t, f, facts.Start), 6)
		// A position that another process has given is not of the future, and nothing that
		// stands before it comes again.
		m.elsewhere("shop.placed", "shop.placed")
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := subscribe(t, f, m.at(12))
		m.emit("shop.placed")
		if last := take(t, r, 1); last != m.at(13) {
			t.Errorf("the first event behind the 12th is the %dth", last-m.at(0))
		}
	})
}

// TestEventsThatAreTrimmedUnread: a reader learns it, and does not skip them.
func TestEventsThatAreTrimmedUnread(t *testing.T) {
	follow(t, &facts.Options{Retention: time.Hour}, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		slow := subscribe(t, f, facts.Now, "shop.placed")
		for range 10 {
			m.emit(many(1000, "shop.placed")...)
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Hour)
		if _, _, err := slow.Next(t.Context()); kiterror.CodeOf(err) != kiterror.Gone {
			t.Errorf("a reader of trimmed events: %v", err)
		}
		// Nor are they left in memory.
		quick := subscribe(t, f, facts.Now, "shop.placed")
		from := quick.Position()
		m.emit(many(3, "shop.placed")...)
		take(t, quick, 3)
		time.Sleep(2 * time.Hour)
		if _, err := f.Subscribe(t.Context(), nil, from); kiterror.CodeOf(err) != kiterror.Gone {
			t.Errorf("a position past retention: %v", err)
		}
		if _, _, err := quick.Poll(t.Context()); err != nil {
			t.Errorf("a reader that had read them: %v", err)
		}
		m.set(func(m *memory) {
			if len(m.events) > 0 {
				t.Errorf("%d events are kept past retention", len(m.events))
			}
		})
	})
}

// logged is what was logged; the feed writes it while the test reads.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestAStoreThatIsDown: waiting readers notice nothing, nothing is lost, and the log says it
// once.
func TestAStoreThatIsDown(t *testing.T) {
	var text logged
	follow(t, &facts.Options{Log: slog.New(slog.NewTextHandler(&text, nil))}, nil, func(t *testing.T, m *memory, f *facts.Feed) {
		live := subscribe(t, f, facts.Now)
		m.emit("shop.placed")
		take(t, live, 1)
		m.set(func(m *memory) { m.down = errDown })
		m.emit("shop.placed")
		relays, _ := m.counts()
		time.Sleep(time.Minute)
		if now, _ := m.counts(); now-relays > 30 {
			t.Errorf("a store that is down was asked %d times in a minute", now-relays)
		}
		if f.Status().Failure == nil {
			t.Error("the status says nothing")
		}
		m.set(func(m *memory) { m.down = nil })
		take(t, live, 1)
		time.Sleep(time.Second)
		if n := strings.Count(text.String(), "\n"); n != 2 || f.Status().Failure != nil {
			t.Errorf("the log has %d lines, and the status is %v:\n%s", n, f.Status().Failure, &text)
		}
		// What was trimmed meanwhile is not skipped in silence.
		m.set(func(m *memory) { m.down = errDown })
		m.emit(many(3, "shop.placed")...)
		time.Sleep(time.Minute)
		m.set(func(m *memory) { m.down, m.last, m.oldest, m.waiting = nil, m.last+8, m.last+6, m.waiting[2:] })
		if _, _, err := live.Next(t.Context()); kiterror.CodeOf(err) != kiterror.Gone {
			t.Errorf("a reader whose events are gone: %v", err)
		}
	})
}

// TestARemoteLog is read only for readers, and its feed begins where it is.
func TestARemoteLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		f := facts.Follow(onlyLog{m}, nil)
		defer f.Close()
		m.emit("shop.placed")
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, logs := m.counts(); logs > 0 || m.spans > 0 {
			t.Errorf("the log was read %d times for nobody", logs)
		}
		for range 3 {
			r := subscribe(t, f, facts.Now)
			m.emit("shop.placed", "shop.paid")
			if _, _, err := m.Relay(t.Context()); err != nil {
				t.Fatal(err)
			}
			take(t, r, 2)
			r.Close()
			m.emit("shop.placed")
			if _, _, err := m.Relay(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		_, logs := m.counts()
		time.Sleep(time.Minute)
		if _, now := m.counts(); now > logs {
			t.Error("the log is read on when the last reader has gone")
		}
	})
}

// TestCloseEndsReaders, those that wait and those that come later.
func TestCloseEndsReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := facts.New(newMemory(), nil)
		r := subscribe(t, f, facts.Now)
		ended := make(chan error)
		go func() { _, _, err := r.Next(t.Context()); ended <- err }()
		synctest.Wait()
		f.Close()
		if err := <-ended; !errors.Is(err, facts.ErrClosed) {
			t.Error(err)
		}
		if _, err := f.Subscribe(t.Context(), nil, facts.Now); !errors.Is(err, facts.ErrClosed) {
			t.Error(err)
		}
		f.Close()
		r.Close()
	})
}

// TestALogThatRefuses what stands before its oldest position, as a host does: the block of a
// position may begin there.
func TestALogThatRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.first = m.first/256*256 + 7
		m.last, m.oldest = m.first, m.first
		m.emit(many(windowAndMore, "shop.placed")...)
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := facts.Follow(refusing{onlyLog{m}}, nil)
		defer f.Close()
		take(t, subscribe(t, f, m.at(0)), windowAndMore)
	})
}

// TestALogThatIsMadeAnew: who read the old one is not left waiting for the new one.
func TestALogThatIsMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		f := facts.Follow(&refusing{onlyLog{m}}, nil)
		defer f.Close()
		old := subscribe(t, f, facts.Now)
		m.emit("shop.placed")
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		take(t, old, 1)
		m.set(func(m *memory) {
			other := newMemory()
			for other.first>>43 == m.first>>43 {
				other = newMemory()
			}
			m.first, m.last, m.oldest, m.events = other.first, other.last, other.oldest, nil
		})
		m.emit("shop.placed")
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := old.Next(t.Context()); kiterror.AsError(err).Code != kiterror.Gone {
			t.Errorf("who read the old log: %v", err)
		}
		again := subscribe(t, f, facts.Now)
		m.emit("shop.placed")
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		take(t, again, 1)
	})
}

// windowAndMore are more events than a feed keeps in memory.
const windowAndMore = 5000

// refusing is a log that refuses positions that it does not keep.
type refusing struct{ onlyLog }

func (r refusing) Log(ctx context.Context, after facade.Position, names []string, limit int) ([]*facade.Event, facade.Position, error) {
	oldest, last, err := r.Span(ctx)
	if err == nil {
		err = facade.Resumable(after, oldest, last)
	}
	if err != nil {
		return nil, 0, err
	}
	return r.onlyLog.Log(ctx, after, names, limit)
}

// TestALogThatIsBehindItsSpan, as that of a host whose own feed has not read an event yet: the
// event is not skipped.
func TestALogThatIsBehindItsSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		late := &behind{onlyLog: onlyLog{m}, until: time.Now().Add(time.Second)}
		m.emit("shop.placed")
		if _, _, err := m.Relay(t.Context()); err != nil {
			t.Fatal(err)
		}
		f := facts.Follow(late, &facts.Options{Remote: true})
		defer f.Close()
		take(t, subscribe(t, f, m.at(0)), 1)
	})
}

// behind is a log that shows nothing for some time.
type behind struct {
	onlyLog
	until time.Time
}

func (b *behind) Log(ctx context.Context, after facade.Position, names []string, limit int) ([]*facade.Event, facade.Position, error) {
	if time.Now().Before(b.until) {
		return nil, after, nil
	}
	return b.onlyLog.Log(ctx, after, names, limit)
}
