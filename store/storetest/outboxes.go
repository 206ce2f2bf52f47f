package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// The outbox: an event is in the log if and only if its transaction committed, and those of one
// row are there in the order of their commits. Events are about tags, as the tests of
// transactions are.

// RunOutbox runs the suite of [facade.Outbox], each test as a subtest over a store of its own.
func RunOutbox(t *testing.T, h Harness) {
	for _, test := range []struct {
		name string
		run  func(*outboxWorld)
	}{
		{"events come back as they were emitted", testEvents},
		{"a log that never held anything", testEmptyLog},
		{"events of a transaction are there or not, as its rows are", testEventsOfTransactions},
		{"an event is not seen before its commit", testUncommittedEvents},
		{"a transaction that stays open holds up nobody", testOpenTransaction},
		{"events of a row have the order of its writes", testEventOrder},
		{"one process gives positions, and another one when it is gone", testRelays},
		{"the log is read by names and in parts", testLogParts},
		{"one read of the log holds little, however large the rows are", testLogBytes},
		{"old events are trimmed", testTrim},
		{"those who wait are woken by a commit", testCommitted},
		{"cursors move from one position to the next", testCursors},
		{"dead events are kept until they are revived", testDeadLetters},
	} {
		t.Run(test.name, func(t *testing.T) {
			set := Cards(t)
			w := &outboxWorld{world: &world{T: t, set: set, store: h.Open(t, set.Entities), harness: h}}
			if w.outbox = w.store.Abilities().Outbox; w.outbox == nil {
				t.Fatal("the store has no outbox")
			}
			test.run(w)
		})
	}
}

// outboxWorld is a world whose store keeps events.
type outboxWorld struct {
	*world
	outbox facade.Outbox
	made   int
}

// event returns an event of a tag; a test looks at the number in its data.
func (w *outboxWorld) event(tag, number int) facade.Event {
	w.made++
	return newEvent(fmt.Sprintf("00000000-0000-7000-8000-%012d", w.made), tag, number)
}

func newEvent(id string, tag, number int) facade.Event {
	var actor *facade.Actor // events of older programs have none
	if number%2 == 1 {
		actor = &facade.Actor{User: `u-"eve"`, Call: "tag.update", Request: "4bf92f3577b34da6a3ce929d0e0e4736", By: catalog.ByCall, As: "u-ann", Token: "ci"}
	}
	return facade.Event{
		Actor: actor,
		ID:    id, Frond: "shop", Name: "tagChanged", Change: catalog.Updated, Entity: "shop.tag", Key: json.RawMessage(strconv.Itoa(tag)),
		At: time.Now().UTC().Truncate(time.Microsecond), Data: json.RawMessage(fmt.Sprintf(`{"id":%d,"number":%d}`, tag, number)),
	}
}

// emit emits events that have to be taken, each in a transaction of its own.
func (w *outboxWorld) emit(events ...facade.Event) {
	w.Helper()
	for _, e := range events {
		if err := w.outbox.Emit(w.ctx(), []facade.Event{e}); err != nil {
			w.Fatal("emit:", err)
		}
	}
}

// relay gives positions until nothing is left without one.
func (w *outboxWorld) relay() facade.Position {
	w.Helper()
	return relay(w.T, w.outbox)
}

func relay(t *testing.T, o facade.Outbox) (last facade.Position) {
	t.Helper()
	for {
		p, leads, err := o.Relay(t.Context())
		if err != nil || !leads {
			t.Fatalf("relay: %v, leads %v", err, leads)
		}
		if p == last {
			return last
		}
		last = p
	}
}

// log reads all events behind a position.
func (w *outboxWorld) log(after facade.Position, names ...string) (all []*facade.Event) {
	w.Helper()
	for {
		events, behind, err := w.outbox.Log(w.ctx(), after, names, 3)
		if err != nil {
			w.Fatal("log:", err)
		}
		for _, e := range events {
			if e.Position <= after || e.Position > behind {
				w.Errorf("behind %s the log has %s, and is read up to %s", after, e.Position, behind)
			}
			after = e.Position
		}
		all = append(all, events...)
		if len(events) == 0 && behind <= after {
			return all
		}
		after = behind
	}
}

// numbers relays, and returns the numbers of all events in the order of the log.
func (w *outboxWorld) numbers() string {
	w.Helper()
	w.relay()
	return numbers(w.log(0))
}

func numbers(events []*facade.Event) string {
	var list []string
	for _, e := range events {
		list = append(list, string(jsontext.Get(e.Data, "number")))
	}
	return fmt.Sprint(list)
}

func testEvents(w *outboxWorld) {
	at := time.Date(2026, 11, 22, 15, 4, 5, 678_901_000, time.UTC)
	nul, _ := w.odd()
	var want []facade.Event
	for i, text := range append(Hostile, "") {
		text = string(jsontext.Quote(text + nul))
		e := w.event(i, i)
		e.Frond, e.Entity, e.Trace, e.At = "the Frond", "shop.täg", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", at
		e.Key, e.Data = json.RawMessage(text), json.RawMessage(`{"text": `+text+`,  "price":1.50, "big":12345678901234567890}`)
		e.Change = []catalog.Change{catalog.Created, catalog.Updated, catalog.Deleted, ""}[i%4]
		if i%2 == 0 {
			e.Before = json.RawMessage(`{"text":"before"}`)
		}
		want = append(want, e)
	}
	plain := w.event(0, 0)
	plain.Change, plain.Entity, plain.Key, plain.Data = "", "", nil, nil
	large := w.event(0, 0)
	large.Data = json.RawMessage(`{"text":"` + string(make([]byte, 0, 300_000)) + fmt.Sprintf("%0300000d", 7) + `"}`)
	want = append(want, plain, large)
	err := w.outbox.Emit(w.ctx(), want)
	if err != nil {
		w.Fatal(err)
	}
	last := w.relay()
	var got []facade.Event
	for _, e := range w.log(0) {
		if e.Position == 0 || e.Position > last {
			w.Errorf("an event has the position %s, behind the last one %s", e.Position, last)
		}
		e.Position = 0
		got = append(got, *e)
	}
	w.equal("events", want, got)
}

func testEmptyLog(w *outboxWorld) {
	oldest, last, err := w.outbox.Span(w.ctx())
	if err != nil || oldest != last || last == 0 {
		w.Errorf("an empty log has the positions %s to %s, %v", oldest, last, err)
	}
	w.equal("its events", "[]", w.numbers())
	if _, now, _ := w.outbox.Span(w.ctx()); now < last {
		w.Errorf("the last position went back from %s to %s", last, now)
	}
	w.emit(w.event(1, 1))
	w.relay()
	w.equal("events from then on", "[1]", numbers(w.log(last)))
	if err := w.outbox.Emit(w.ctx(), nil); err != nil {
		w.Errorf("no events: %v", err)
	}
}

func testEventsOfTransactions(w *outboxWorld) {
	number := 0
	// both writes a tag and emits an event, as a command does.
	both := func(ctx context.Context, then error) error {
		number++
		if err := w.put(ctx, number, "x"); err != nil {
			return err
		}
		if err := w.outbox.Emit(ctx, []facade.Event{w.event(number, number)}); err != nil {
			return err
		}
		return then
	}
	transact := func(ctx context.Context, want error, fn func(context.Context) error) {
		w.Helper()
		if err := w.outbox.Transact(ctx, fn); !errors.Is(err, want) {
			w.Errorf("transact: %v, want %v", err, want)
		}
	}
	transact(w.ctx(), nil, func(ctx context.Context) error { return both(ctx, nil) })                              // 1
	transact(w.ctx(), errOurs, func(ctx context.Context) error { return both(ctx, errOurs) })                      // 2
	transact(facade.DryRun(w.ctx()), nil, func(ctx context.Context) error { return both(ctx, nil) })               // 3
	transact(w.ctx(), nil, func(ctx context.Context) error { return errors.Join(both(ctx, nil), both(ctx, nil)) }) // 4 5
	transact(w.ctx(), nil, func(ctx context.Context) error {
		_ = both(ctx, nil)                                                                    // 6
		transact(ctx, errOurs, func(ctx context.Context) error { return both(ctx, errOurs) }) // 7
		transact(ctx, nil, func(ctx context.Context) error { return both(ctx, nil) })         // 8
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		_ = w.outbox.Transact(w.ctx(), func(ctx context.Context) error { _ = both(ctx, nil); panic("now") }) // 9
	}()
	gone, leave := context.WithCancel(w.ctx())
	transact(gone, context.Canceled, func(ctx context.Context) error { defer leave(); return both(ctx, nil) }) // 10
	transact(w.ctx(), nil, func(ctx context.Context) error {                                                   // 11, with an event that comes first
		number++
		if err := w.outbox.Emit(ctx, []facade.Event{w.event(number, number)}); err != nil {
			return err
		}
		return w.put(ctx, number, "x")
	})
	transact(w.ctx(), nil, func(ctx context.Context) error { // 12, beside a call that fails
		w.refused(w.put(ctx, 1, "taken"), kiterror.Conflict, "unique:id")
		return both(ctx, nil)
	})
	transact(w.ctx(), nil, func(ctx context.Context) error { // 13, in a transaction within that wrote nothing else
		number++
		transact(ctx, errOurs, func(ctx context.Context) error {
			return errors.Join(w.outbox.Emit(ctx, []facade.Event{w.event(number, number)}), errOurs)
		})
		number++ // 14
		transact(ctx, nil, func(ctx context.Context) error { return w.outbox.Emit(ctx, []facade.Event{w.event(number, number)}) })
		return w.put(ctx, number, "x")
	})
	if err := w.outbox.Emit(facade.DryRun(w.ctx()), []facade.Event{w.event(99, 99)}); err != nil {
		w.Errorf("emit in a dry run: %v", err)
	}
	w.equal("events", "[1 4 5 6 8 11 12 14]", w.numbers())
	w.equal("rows", "1 4 5 6 8 11 12 14", w.ids("tag", nil))
}

func testUncommittedEvents(w *outboxWorld) {
	w.emit(w.event(1, 1))
	last := w.relay()
	err := w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
		if err := w.outbox.Emit(ctx, []facade.Event{w.event(1, 2)}); err != nil {
			return err
		}
		seen := make(chan []*facade.Event, 1)
		go func() { // outside of the transaction
			events, _, _ := w.outbox.Log(w.ctx(), last, nil, 9)
			seen <- events
		}()
		select {
		case events := <-seen:
			w.equal("events before the commit", "[]", numbers(events))
		case <-time.After(time.Second): // a store in memory has it wait for the commit
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	w.equal("events behind the commit", "[1 2]", w.numbers())
}

func testOpenTransaction(w *outboxWorld) {
	if !w.harness.SideBySide {
		w.Skip("the store has one writer: others wait for a transaction that writes")
	}
	w.emit(w.event(0, 0))
	read := w.relay()
	var got []*facade.Event
	// next reads as a consumer does, from its position.
	next := func() {
		w.Helper()
		last := w.relay()
		got = append(got, w.log(read)...)
		read = last
	}
	open, finish, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	old := w.event(1, 1)
	go func() {
		done <- w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
			err := errors.Join(w.put(ctx, 1, "x"), w.outbox.Emit(ctx, []facade.Event{old}))
			close(open)
			<-finish
			return err
		})
	}()
	<-open
	for i := range 40 {
		e := w.event(2+i%3, 100+i)
		if err := w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
			return errors.Join(w.put(ctx, 100+i, "x"), w.outbox.Emit(ctx, []facade.Event{e}))
		}); err != nil {
			w.Fatal(err)
		}
		if i%10 == 0 {
			next()
		}
	}
	next()
	if len(got) != 40 {
		w.Errorf("beside an open transaction %d of 40 events came: %s", len(got), numbers(got))
	}
	close(finish)
	if err := <-done; err != nil {
		w.Fatal(err)
	}
	next()
	if n := len(got); n != 41 || got[n-1].ID != old.ID {
		w.Errorf("after it the events are %s", numbers(got))
	}
}

// testEventOrder has many writers count up a few tags in two stores over the same data, and emit
// their counts, while others relay.
func testEventOrder(w *outboxWorld) {
	const tags, writers, each = 3, 8, 25
	for tag := range tags {
		if err := w.put(w.ctx(), tag, "0"); err != nil {
			w.Fatal(err)
		}
	}
	stores := []facade.Store{w.store}
	if w.harness.Beside != nil {
		stores = append(stores, w.harness.Beside(w, w.store))
	}
	ctx, done := context.WithCancel(w.ctx())
	var relays, writes sync.WaitGroup
	for _, s := range stores {
		o := s.Abilities().Outbox
		relays.Go(func() {
			for ctx.Err() == nil {
				if _, _, err := o.Relay(w.ctx()); err != nil { //nolint:contextcheck // ctx ends the loop and not a call
					w.Error("relay:", err)
					return
				}
			}
		})
	}
	for n := range writers {
		in := *w.world
		in.store = stores[n%len(stores)]
		o := in.store.Abilities().Outbox
		writes.Go(func() {
			for i := range each {
				tag := (n + i) % tags
				if i%5 == 0 { // undone, in the midst of the others
					if err := o.Transact(w.ctx(), func(ctx context.Context) error {
						return errors.Join(o.Emit(ctx, []facade.Event{newEvent("00000000-0000-7000-8000-ffffffffffff", tag, -1)}), errOurs)
					}); !errors.Is(err, errOurs) {
						w.Error("undo:", err)
					}
				}
				err := again(func() error {
					return o.Transact(w.ctx(), func(ctx context.Context) error {
						count, err := in.number(ctx, tag)
						if err != nil {
							return err
						}
						if err := in.relabel(ctx, tag, strconv.Itoa(count+1)); err != nil {
							return err
						}
						e := newEvent(fmt.Sprintf("00000000-0000-7000-%04d-%012d", n, i), tag, count+1)
						return o.Emit(ctx, []facade.Event{e})
					})
				})
				if err != nil {
					w.Error("write:", err)
				}
			}
		})
	}
	writes.Wait()
	done()
	relays.Wait()
	deadline := time.Now().Add(time.Minute)
	for { // the one that leads may be either
		_, leads, err := stores[0].Abilities().Outbox.Relay(w.ctx())
		if leads || err != nil || time.Now().After(deadline) {
			break
		}
		if _, leads, err = stores[len(stores)-1].Abilities().Outbox.Relay(w.ctx()); leads || err != nil {
			break
		}
	}
	next, position, all := [tags]int{}, facade.Position(0), w.log(0)
	for _, e := range all {
		tag, _ := strconv.Atoi(string(e.Key))
		next[tag]++
		if number := string(jsontext.Get(e.Data, "number")); number != strconv.Itoa(next[tag]) {
			w.Errorf("event %d of tag %d has the number %s", next[tag], tag, number)
		}
		if e.Position <= position {
			w.Errorf("the position %s comes behind %s", e.Position, position)
		}
		position = e.Position
	}
	if len(all) != writers*each {
		w.Errorf("%d events of %d writes", len(all), writers*each)
	}
}

// again repeats a call that others came between for as long as they do.
func again(call func() error) (err error) {
	for range 100 {
		var e *kiterror.Error
		if err = call(); !errors.As(err, &e) || e.Code != kiterror.Conflict {
			return err
		}
	}
	return err
}

func testRelays(w *outboxWorld) {
	if w.harness.Beside == nil {
		w.Skip("no other process can have the data")
	}
	other := w.harness.Beside(w, w.store).Abilities().Outbox
	w.emit(w.event(1, 1))
	first := w.relay()
	if err := other.Emit(w.ctx(), []facade.Event{w.event(1, 2)}); err != nil {
		w.Fatal(err)
	}
	second := w.relay()
	if _, last, err := other.Span(w.ctx()); last != second || second <= first || err != nil {
		w.Errorf("another process has the last position %s, %v, want %s behind %s", last, err, second, first)
	}
	if closer, ok := w.store.(interface{ Close() error }); ok {
		if err := closer.Close(); err != nil {
			w.Fatal(err)
		}
	}
	w.outbox = other
	if err := other.Emit(w.ctx(), []facade.Event{w.event(1, 3)}); err != nil {
		w.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for leads := false; !leads && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var err error
		if _, leads, err = other.Relay(w.ctx()); err != nil {
			w.Fatal(err)
		}
	}
	w.equal("events", "[1 2 3]", w.numbers())
}

func testLogParts(w *outboxWorld) {
	for i := range 20 {
		e := w.event(1, i)
		if i%7 == 3 {
			e.Name = "rare"
		}
		w.emit(e)
	}
	last := w.relay()
	rare := w.log(0, "shop.rare")
	w.equal("events of a name", "[3 10 17]", numbers(rare))
	w.equal("from a position", "[10 17]", numbers(w.log(rare[0].Position, "shop.rare")))
	w.equal("of a name that no event has", "[]", numbers(w.log(0, "shop.none")))
	w.equal("of another Frond", "[]", numbers(w.log(0, "rare")))
	if none, behind, err := w.outbox.Log(w.ctx(), 0, []string{}, 100); len(none) > 0 || behind != last || err != nil {
		w.Errorf("of no names there are %s up to %s, %v, want up to %s", numbers(none), behind, err, last)
	}
	w.equal("behind the last", "[]", numbers(w.log(last)))
	events, behind, err := w.outbox.Log(w.ctx(), 0, nil, 5)
	if len(events) != 5 || err != nil || behind != events[4].Position {
		w.Errorf("5 events at most: %s up to %s, %v", numbers(events), behind, err)
	}
	n, since, err := w.outbox.Behind(w.ctx(), events[4].Position, nil, "")
	if n != 15 || err != nil || since.IsZero() {
		w.Errorf("behind the fifth there are %d since %s, %v", n, since, err)
	}
	if n, _, _ = w.outbox.Behind(w.ctx(), rare[0].Position, []string{"shop.rare"}, ""); n != 2 {
		w.Errorf("of one name there are %d", n)
	}
	if n, _, _ = w.outbox.Behind(w.ctx(), 0, []string{}, ""); n != 0 {
		w.Errorf("of no names there are %d", n)
	}
	for _, e := range []*facade.Event{rare[0], rare[1]} {
		if err := w.outbox.Bury(w.ctx(), &facade.DeadEvent{Consumer: "x:retry", Event: *e, Tries: 1, At: time.Now()}); err != nil {
			w.Fatal(err)
		}
	}
	if n, since, err = w.outbox.Behind(w.ctx(), rare[0].Position, []string{"shop.rare"}, "x:retry"); n != 3 || err != nil {
		w.Errorf("with one that is tried again there are %d since %s, %v", n, since, err)
	}
	for _, e := range []*facade.Event{rare[0], rare[1]} {
		if _, err := w.outbox.Revive(w.ctx(), "x:retry", e.ID); err != nil {
			w.Fatal(err)
		}
	}
	if n, since, err = w.outbox.Behind(w.ctx(), last, nil, ""); n != 0 || !since.IsZero() || err != nil {
		w.Errorf("behind the last there are %d since %s, %v", n, since, err)
	}
	w.emit(w.event(1, 21))
	if n, since, err = w.outbox.Behind(w.ctx(), last, nil, ""); n != 1 || since.IsZero() || err != nil {
		w.Errorf("with one that was just emitted there are %d since %s, %v", n, since, err)
	}
}

// testLogBytes reads events of 20 KB, one of 200 KB among them, and small ones of another name.
func testLogBytes(w *outboxWorld) {
	for i := range 20 {
		e := w.event(1, i)
		size := 20_000
		switch {
		case i == 7:
			size = 200_000
		case i%2 == 1:
			e.Name, size = "small", 10
		}
		text := json.RawMessage(fmt.Sprintf(`{"id":1,"number":%d,"text":%q}`, i, strings.Repeat("x", size/2)))
		e.Data, e.Before = text, text
		w.emit(e)
	}
	last := w.relay()
	for _, names := range [][]string{nil, {"shop.tagChanged"}} {
		at, n := facade.Position(0), 0
		for at < last {
			events, behind, err := w.outbox.Log(w.ctx(), at, names, 100)
			if err != nil || behind <= at {
				w.Fatalf("%v: behind %s the log is read up to %s, %v", names, at, behind, err)
			}
			ahead := 0
			for i, e := range events {
				if i > 0 && ahead >= facade.LogBytes {
					w.Errorf("%v: an answer goes on behind %d bytes", names, ahead)
				}
				ahead += len(e.Data) + len(e.Before)
			}
			if len(events) > 0 && behind < last && ahead < facade.LogBytes {
				w.Errorf("%v: an answer ends after %d bytes and is not complete", names, ahead)
			}
			n += len(events)
			at = behind
		}
		if want := map[bool]int{true: 20, false: 11}[names == nil]; n != want {
			w.Errorf("%v: %d events were read, want %d", names, n, want)
		}
	}
}

func testTrim(w *outboxWorld) {
	began := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	for i := range 10 {
		e := w.event(1, i)
		e.At = began.Add(time.Duration(i) * time.Minute)
		w.emit(e)
	}
	first, _, _ := w.outbox.Span(w.ctx())
	last := w.relay()
	trim := func(before time.Time, limit, want int, kept string) {
		w.Helper()
		n, err := w.outbox.Trim(w.ctx(), before, limit)
		if n != want || err != nil {
			w.Errorf("trimmed %d, %v, want %d", n, err, want)
		}
		w.equal("kept", kept, numbers(w.log(0)))
		if _, now, err := w.outbox.Span(w.ctx()); now != last || err != nil {
			w.Errorf("the last position is %s, %v, want %s", now, err, last)
		}
	}
	trim(began, 100, 0, "[0 1 2 3 4 5 6 7 8 9]")
	if oldest, _, _ := w.outbox.Span(w.ctx()); oldest != first {
		w.Errorf("nothing was trimmed, and the oldest position went from %s to %s", first, oldest)
	}
	trim(began.Add(150*time.Second), 2, 2, "[2 3 4 5 6 7 8 9]")
	third := w.log(0)[0].Position
	trim(began.Add(150*time.Second), 2, 1, "[3 4 5 6 7 8 9]")
	oldest, _, err := w.outbox.Span(w.ctx())
	if oldest != third || err != nil {
		w.Errorf("the oldest position is %s, %v, want %s", oldest, err, third)
	}
	w.equal("a reader at the oldest position", "[3 4 5 6 7 8 9]", numbers(w.log(oldest)))
	trim(time.Now(), 100, 7, "[]")
	trim(time.Now(), 100, 0, "[]")
	if oldest, _, err = w.outbox.Span(w.ctx()); oldest != last || err != nil {
		w.Errorf("the oldest position of an empty log is %s, %v, want %s", oldest, err, last)
	}
	w.emit(w.event(1, 10))
	if now := w.relay(); now <= last {
		w.Errorf("after the trimming the position %s comes behind %s", now, last)
	}
	w.equal("events from then on", "[10]", numbers(w.log(last)))
}

func testCommitted(w *outboxWorld) {
	woken := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	c := w.outbox.Committed()
	if err := w.outbox.Transact(w.ctx(), func(ctx context.Context) error { return w.put(ctx, 1, "x") }); err != nil {
		w.Fatal(err)
	}
	w.equal("woken by a transaction without events", false, woken(c))
	_ = w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
		return errors.Join(w.outbox.Emit(ctx, []facade.Event{w.event(1, 1)}), errOurs)
	})
	w.equal("woken by one that failed", false, woken(c))
	err := w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
		err := w.outbox.Emit(ctx, []facade.Event{w.event(1, 2)})
		w.equal("woken before the commit", false, woken(c))
		return err
	})
	w.equal("the error", nil, err)
	w.equal("woken by a commit", true, woken(c))
	c = w.outbox.Committed()
	w.equal("woken by an older commit", false, woken(c))
	w.emit(w.event(1, 3))
	w.equal("woken without a transaction", true, woken(c))
	w.equal("events", "[2 3]", w.numbers())
}

func testCursors(w *outboxWorld) {
	at := func(consumer string, want facade.Position, known bool) {
		w.Helper()
		got, ok, err := w.outbox.Cursor(w.ctx(), consumer)
		if got != want || ok != known || err != nil {
			w.Errorf("%s is at %d, known %v, %v, want %d", consumer, got, ok, err, want)
		}
	}
	advance := func(ctx context.Context, consumer string, from, to facade.Position, want bool) error {
		w.Helper()
		moved, err := w.outbox.Advance(ctx, consumer, from, to)
		if moved != want || err != nil {
			w.Errorf("%s moved from %d to %d: %v, %v", consumer, from, to, moved, err)
		}
		return err
	}
	at("a", 0, false)
	_ = advance(w.ctx(), "a", 5, 6, false)
	at("a", 0, false)
	_ = advance(w.ctx(), "a", 0, 7, true)
	at("a", 7, true)
	_ = advance(w.ctx(), "a", 0, 8, false)
	_ = advance(w.ctx(), "a", 6, 8, false)
	at("a", 7, true)
	_ = advance(w.ctx(), "a", 7, 8, true)
	at("a", 8, true)
	for _, name := range Hostile {
		nul, _ := w.odd()
		name = string(jsontext.Quote(name + nul))
		_ = advance(w.ctx(), name, 0, 3, true)
		at(name, 3, true)
	}
	at("a", 8, true)
	_ = w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
		_ = advance(ctx, "a", 8, 9, true)
		return errOurs
	})
	at("a", 8, true)
	if err := w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
		return errors.Join(w.put(ctx, 1, "effect"), advance(ctx, "a", 8, 9, true), advance(ctx, "new", 0, 1, true), advance(ctx, "none", 4, 5, false))
	}); err != nil {
		w.Error(err)
	}
	at("a", 9, true)
	at("new", 1, true)
	at("none", 0, false)
	// Two that race: each step is made by one of them.
	var moves [2]int
	var racers sync.WaitGroup
	for i := range moves {
		racers.Go(func() {
			for p := facade.Position(9); p < 59; p++ {
				if err := again(func() error {
					return w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
						moved, err := w.outbox.Advance(ctx, "a", p, p+1)
						if moved && err == nil {
							err = w.put(ctx, int(p)+1000, "once")
						}
						return err
					})
				}); err != nil {
					w.Error("advance:", err)
				}
			}
			moves[i]++
		})
	}
	racers.Wait()
	at("a", 59, true)
	e := w.entity("tag")
	found := w.find(&facade.Find{
		Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: w.sort(e), Limit: all,
		Where: &filter.Filter{Op: filter.Eq, Field: w.field(e, "label"), Values: []any{"once"}},
	})
	w.equal("effects", 50, found.Rows.Len())
}

func testDeadLetters(w *outboxWorld) {
	began := time.Now().UTC().Truncate(time.Microsecond)
	nul, _ := w.odd()
	dead := func(consumer string, e facade.Event, tries int) *facade.DeadEvent {
		return &facade.DeadEvent{Consumer: consumer, Event: e, Tries: tries, Reason: "it says “no”" + nul, At: began.Add(time.Duration(tries) * time.Second)}
	}
	w.emit(w.event(1, 1), w.event(1, 2), w.event(1, 3))
	w.relay()
	events := w.log(0)
	list := func(consumer string, limit int) (all []*facade.DeadEvent) {
		w.Helper()
		all, err := w.outbox.Dead(w.ctx(), consumer, limit)
		if err != nil {
			w.Error("dead:", err)
		}
		return all
	}
	w.equal("no events are dead", 0, len(list("", 9)))
	a, b, c := dead("mail", *events[0], 3), dead("mail", *events[2], 1), dead("web", *events[0], 2)
	for _, d := range []*facade.DeadEvent{a, b, c} {
		if err := w.outbox.Bury(w.ctx(), d); err != nil {
			w.Fatal("bury:", err)
		}
	}
	w.equal("all, oldest first", []*facade.DeadEvent{b, c, a}, list("", 9))
	w.equal("of one consumer", []*facade.DeadEvent{b, a}, list("mail", 9))
	w.equal("one at most", []*facade.DeadEvent{b}, list("mail", 1))
	a = dead("mail", *events[0], 4)
	if err := w.outbox.Bury(w.ctx(), a); err != nil {
		w.Error("bury again:", err)
	}
	if n, err := w.outbox.Trim(w.ctx(), time.Now().Add(time.Hour), 99); n != 3 || err != nil {
		w.Errorf("trimmed %d, %v", n, err)
	}
	w.equal("after a trim", []*facade.DeadEvent{b, a}, list("mail", 9))
	revive := func(ctx context.Context, consumer, id string, want bool) error {
		w.Helper()
		was, err := w.outbox.Revive(ctx, consumer, id)
		if was != want || err != nil {
			w.Errorf("revive %s of %s: %v, %v", id, consumer, was, err)
		}
		return err
	}
	_ = revive(w.ctx(), "mail", events[1].ID, false)
	_ = revive(w.ctx(), "nobody", events[0].ID, false)
	_ = w.outbox.Transact(w.ctx(), func(ctx context.Context) error {
		_ = revive(ctx, "mail", events[0].ID, true)
		_ = w.outbox.Bury(ctx, dead("mail", *events[1], 9))
		return errOurs
	})
	w.equal("after one that failed", []*facade.DeadEvent{b, a}, list("mail", 9))
	_ = revive(w.ctx(), "mail", events[2].ID, true)
	_ = revive(w.ctx(), "mail", events[2].ID, false)
	w.equal("after a revival", []*facade.DeadEvent{a}, list("mail", 9))
	w.equal("of another consumer", true, slices.EqualFunc(list("web", 9), []*facade.DeadEvent{c}, func(a, b *facade.DeadEvent) bool { return a.Event.ID == b.Event.ID }))
}

// RunOlderOutbox holds a store to go on with the tables of a program that knew no actors: forget removes the column from
// them, while the store that Open made is in use.
func RunOlderOutbox(t *testing.T, h Harness, forget func(t testing.TB)) {
	set := Cards(t)
	store := h.Open(t, set.Entities)
	w := &outboxWorld{world: &world{T: t, set: set, store: store, harness: h}, outbox: store.Abilities().Outbox}
	w.emit(w.event(1, 1))
	w.relay()
	forget(t)
	w.outbox = h.Beside(t, store).Abilities().Outbox
	w.emit(w.event(1, 3))
	if err := store.Abilities().Outbox.Emit(w.ctx(), []facade.Event{w.event(1, 5), w.event(1, 7)}); err != nil {
		t.Fatal(err)
	}
	relay(t, store.Abilities().Outbox)
	var by []string
	for _, e := range w.log(0) {
		by = append(by, string(e.Actor.AppendJSON(nil)))
	}
	whole := string(w.event(1, 1).Actor.AppendJSON(nil))
	w.equal("actors", []string{"null", whole, whole, whole}, by)
	dead := &facade.DeadEvent{Consumer: "mail", Event: *w.log(0)[1], Tries: 1, At: time.Now().UTC().Truncate(time.Microsecond)}
	if err := w.outbox.Bury(w.ctx(), dead); err != nil {
		t.Fatal(err)
	}
	list, err := w.outbox.Dead(w.ctx(), "mail", 9)
	if err != nil {
		t.Fatal(err)
	}
	w.equal("the dead event", []*facade.DeadEvent{dead}, list)
}
