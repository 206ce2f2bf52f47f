package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
)

// Transactions: whole or nothing, alone in the store, and over when fn has returned. The rows
// are tags, whose labels are numbers where a test counts.

// put inserts a tag.
func (w *world) put(ctx context.Context, id int, label string) error {
	e := w.entity("tag")
	_, err := w.store.Insert(ctx, e, w.records(e, []string{fmt.Sprintf(`{"id":%d,"label":%q}`, id, label)}), nil, rows.NewLayout(nil))
	return err
}

// label returns a tag's label, "" where there is no such tag.
func (w *world) label(ctx context.Context, id int) (string, error) {
	e := w.entity("tag")
	found, err := w.store.Find(ctx, &facade.Find{
		Entity: e, Select: rows.NewLayout([]string{"label"}), Limit: 1,
		Each: &facade.EachKey{Field: e.Primary, Values: raw(strconv.Itoa(id))},
	})
	if err != nil || found.Rows.Len() == 0 {
		return "", err
	}
	var label string
	return label, json.Unmarshal(found.Rows.Row(0).Get("label"), &label)
}

// number is a tag's label as a number.
func (w *world) number(ctx context.Context, id int) (int, error) {
	label, err := w.label(ctx, id)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(label)
}

// relabel writes a tag's label.
func (w *world) relabel(ctx context.Context, id int, label string) error {
	e := w.entity("tag")
	found, err := w.store.Update(ctx, e, json.RawMessage(strconv.Itoa(id)), nil, w.record(e, fmt.Sprintf(`{"label":%q}`, label)), nil, rows.NewLayout([]string{"id"}))
	if err == nil && found.Len() != 1 {
		err = fmt.Errorf("tag %d is not there", id)
	}
	return err
}

// errOurs is an error of a test's own fn.
var errOurs = errors.New("fn has failed")

// testTransaction ends transactions in every way: committed, failed, panicked, left by their
// caller, dry.
func testTransaction(t *testing.T, w *world, store facade.Transactor) {
	// two writes two tags and reads the first, as fn of a transaction.
	two := func(id int, then func() error) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := w.put(ctx, id, "a"); err != nil {
				return err
			}
			if err := w.relabel(ctx, id, "b"); err != nil {
				return err
			}
			if label, err := w.label(ctx, id); label != "b" || err != nil {
				t.Errorf("a transaction does not see its own write: %q, %v", label, err)
			}
			if err := w.put(ctx, id+1, "c"); err != nil {
				return err
			}
			return then()
		}
	}
	good := func() error { return nil }
	if err := store.Transact(w.ctx(), two(10, good)); err != nil {
		t.Errorf("transact: %v", err)
	}
	w.equal("committed", "10 11", w.ids("tag", nil))

	// The error of fn leaves as it is, also where it resembles one of a store.
	for _, own := range []error{errOurs, context.DeadlineExceeded, context.Canceled, os.ErrDeadlineExceeded, &net.OpError{Op: "dial", Err: errOurs}} {
		if err := store.Transact(w.ctx(), two(20, func() error { return own })); err != own { //nolint:errorlint // the same one
			t.Errorf("the error of fn: %v, want %v", err, own)
		}
	}
	w.equal("after an error", "10 11", w.ids("tag", nil))

	func() {
		defer func() { w.equal("the panic goes on", any("now"), recover()) }()
		_ = store.Transact(w.ctx(), two(30, func() error { panic("now") }))
		t.Error("a panic of fn was swallowed")
	}()
	w.equal("after a panic", "10 11", w.ids("tag", nil))

	ctx, cancel := context.WithCancel(w.ctx())
	if err := store.Transact(ctx, two(40, func() error { cancel(); return nil })); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: %v", err)
	}
	w.equal("after the end of ctx", "10 11", w.ids("tag", nil))

	if err := store.Transact(facade.DryRun(w.ctx()), two(50, good)); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	w.equal("after a dry run", "10 11", w.ids("tag", nil))

	err := store.Transact(w.ctx(), func(ctx context.Context) error {
		if err := w.put(ctx, 60, "before"); err != nil {
			return err
		}
		w.refused(w.put(ctx, 10, "taken"), kiterror.Conflict, "unique:id")
		return w.put(ctx, 61, "after")
	})
	if err != nil {
		t.Errorf("after a call that failed: %v", err)
	}
	w.equal("a call that failed leaves the others", "10 11 60 61", w.ids("tag", nil))

	if err := store.Transact(w.ctx(), func(context.Context) error { return nil }); err != nil {
		t.Errorf("without any call: %v", err)
	}
	if err := store.Transact(w.ctx(), func(context.Context) error { return errOurs }); !errors.Is(err, errOurs) {
		t.Errorf("an error without any call: %v", err)
	}
	err = store.Transact(w.ctx(), func(ctx context.Context) error {
		e := w.entity("tag")
		gone, err := w.store.Delete(ctx, e, json.RawMessage("60"), nil, nil)
		if err != nil || !gone {
			t.Errorf("delete: %v, %v", gone, err)
		}
		if label, err := w.label(ctx, 60); label != "" || err != nil {
			t.Errorf("a row that was deleted is read: %q, %v", label, err)
		}
		return err
	})
	if err != nil {
		t.Errorf("delete: %v", err)
	}
	w.equal("deleted", "10 11 61", w.ids("tag", nil))
}

// testNested has transactions within each other, also on several goroutines: an inner one that
// fails undoes its own writes and no others.
func testNested(t *testing.T, w *world, store facade.Transactor) {
	err := store.Transact(w.ctx(), func(ctx context.Context) error {
		// The first call of all is an inner one's, and fails.
		if err := store.Transact(ctx, func(ctx context.Context) error {
			if err := w.put(ctx, 1, "inner"); err != nil {
				return err
			}
			return errOurs
		}); !errors.Is(err, errOurs) {
			t.Errorf("the error of an inner fn: %v", err)
		}
		if err := w.put(ctx, 2, "outer"); err != nil {
			return err
		}
		if err := store.Transact(ctx, func(ctx context.Context) error {
			if label, err := w.label(ctx, 2); label != "outer" || err != nil {
				t.Errorf("an inner transaction reads %q, %v", label, err)
			}
			if err := w.relabel(ctx, 2, "inner"); err != nil {
				return err
			}
			// One more level, which succeeds within one that fails.
			if err := store.Transact(ctx, func(ctx context.Context) error { return w.put(ctx, 3, "innermost") }); err != nil {
				return err
			}
			return errOurs
		}); !errors.Is(err, errOurs) {
			t.Errorf("the error of an inner fn: %v", err)
		}
		if label, err := w.label(ctx, 2); label != "outer" || err != nil {
			t.Errorf("after an inner transaction that failed: %q, %v", label, err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = store.Transact(ctx, func(ctx context.Context) error {
				_ = w.put(ctx, 4, "panics")
				panic("inner")
			})
		}()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				_ = store.Transact(ctx, func(ctx context.Context) error {
					if err := w.put(ctx, 10+i, "side by side"); err != nil {
						t.Errorf("side by side: %v", err)
					}
					if i%2 == 1 {
						return errOurs
					}
					return nil
				})
			}()
		}
		wg.Wait()
		return nil
	})
	if err != nil {
		t.Errorf("transact: %v", err)
	}
	w.equal("what succeeded", "2 10 12 14 16", w.ids("tag", nil))
	err = store.Transact(w.ctx(), func(ctx context.Context) error {
		if err := store.Transact(ctx, func(ctx context.Context) error { return w.put(ctx, 20, "inner") }); err != nil {
			t.Errorf("inner: %v", err)
		}
		return errOurs
	})
	if !errors.Is(err, errOurs) {
		t.Errorf("outer: %v", err)
	}
	w.equal("an inner one goes with the outer", "2 10 12 14 16", w.ids("tag", nil))
}

// testTransactionEnds calls beside a transaction, whose writes nobody sees before they are
// committed, and behind it, where a goroutine has outlived fn.
func testTransactionEnds(t *testing.T, w *world, store facade.Transactor) {
	if err := w.put(w.ctx(), 1, "old"); err != nil {
		t.Fatal(err)
	}
	beside := make(chan string, 1)
	var outlived context.Context
	err := store.Transact(w.ctx(), func(ctx context.Context) error {
		outlived = ctx
		if err := w.relabel(ctx, 1, "new"); err != nil {
			return err
		}
		committed := atomic.Bool{}
		go func() {
			label, err := w.label(w.ctx(), 1)
			if err != nil {
				t.Errorf("a read beside a transaction: %v", err)
			}
			if !committed.Load() && label != "old" {
				t.Errorf("a read beside a transaction saw %q", label)
			}
			beside <- label
		}()
		// A store may answer the read now, or keep it until the transaction is over.
		select {
		case label := <-beside:
			beside <- label
		case <-time.After(20 * time.Millisecond):
		}
		committed.Store(true)
		return nil
	})
	if err != nil {
		t.Fatalf("transact: %v", err)
	}
	<-beside
	if label, err := w.label(w.ctx(), 1); label != "new" || err != nil {
		t.Errorf("after the commit: %q, %v", label, err)
	}
	for what, err := range map[string]error{
		"insert":   w.put(outlived, 2, "late"),
		"update":   w.relabel(outlived, 1, "late"),
		"transact": store.Transact(outlived, func(ctx context.Context) error { return w.put(ctx, 3, "late") }),
	} {
		if err == nil {
			t.Errorf("%s behind its transaction succeeded", what)
		}
	}
	// A transaction that was never begun is over as well.
	_ = store.Transact(w.ctx(), func(ctx context.Context) error { outlived = context.WithoutCancel(ctx); return nil })
	err = w.put(outlived, 4, "late")
	if kiterror.CodeOf(err) != kiterror.InternalError {
		t.Errorf("a call behind a transaction: %v", err)
	}
	w.equal("nothing was written", "1", w.ids("tag", nil))
	if label, _ := w.label(w.ctx(), 1); label != "new" {
		t.Errorf("it was written: %q", label)
	}
}

// contend runs fn once for each i below n, all side by side, and returns how many succeeded and
// how often fn ran. A CONFLICT is tried again, as a client does.
func contend(t *testing.T, w *world, store facade.Transactor, n int, fn func(ctx context.Context, i int) error) (done, runs int64) {
	var wg sync.WaitGroup
	var ok, ran atomic.Int64
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				err := store.Transact(w.ctx(), func(ctx context.Context) error { ran.Add(1); return fn(ctx, i) })
				switch {
				case err == nil:
					ok.Add(1)
				case kiterror.CodeOf(err) == kiterror.Conflict:
					continue
				case !errors.Is(err, errOurs):
					t.Errorf("transact: %v (%v)", err, errors.Unwrap(err))
				}
				return
			}
		}()
	}
	wg.Wait()
	return ok.Load(), ran.Load()
}

// testSeats sells 5 seats to 200 buyers at once. Each purchase reads how many are left, writes
// one less, and writes a ticket.
func testSeats(t *testing.T, w *world, store facade.Transactor) {
	const buyers, seats = 200, 5
	if err := w.put(w.ctx(), 0, strconv.Itoa(seats)); err != nil {
		t.Fatal(err)
	}
	sold, runs := contend(t, w, store, buyers, func(ctx context.Context, i int) error {
		remaining, err := w.number(ctx, 0)
		switch {
		case err != nil:
			return err
		case remaining == 0:
			return errOurs
		}
		if err := w.put(ctx, i+1, "ticket"); err != nil {
			return err
		}
		return w.relabel(ctx, 0, strconv.Itoa(remaining-1))
	})
	w.equal("sold", int64(seats), sold)
	remaining, _ := w.label(w.ctx(), 0)
	w.equal("left", "0", remaining)
	e := w.entity("tag")
	w.equal("tickets, and the row of the seats", int64(seats+1), w.find(&facade.Find{Entity: e, Select: rows.NewLayout(nil), Sort: w.sort(e), Count: true}).Total)
	t.Logf("%d purchases ran %d times", buyers, runs)
}

// testTransfers makes 1,000 transfers between 10 accounts, each by a read and a write of both.
func testTransfers(t *testing.T, w *world, store facade.Transactor) {
	const accounts, transfers, workers = 10, 1000, 50
	for i := range accounts {
		if err := w.put(w.ctx(), i, "100"); err != nil {
			t.Fatal(err)
		}
	}
	var runs int64
	for range transfers / workers {
		done, ran := contend(t, w, store, workers, func(ctx context.Context, _ int) error {
			from := rand.IntN(accounts)
			to := (from + 1 + rand.IntN(accounts-1)) % accounts
			a, err := w.number(ctx, from)
			if err != nil {
				return err
			}
			b, err := w.number(ctx, to)
			if err != nil {
				return err
			}
			if err := w.relabel(ctx, from, strconv.Itoa(a-1)); err != nil {
				return err
			}
			return w.relabel(ctx, to, strconv.Itoa(b+1))
		})
		w.equal("transfers", int64(workers), done)
		runs += ran
	}
	sum := 0
	for i := range accounts {
		n, err := w.number(w.ctx(), i)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	w.equal("the sum", accounts*100, sum)
	t.Logf("%d transfers ran %d times", transfers, runs)
}

// testSkew has two doctors leave at once, each of whom may if the other stays: a store whose
// transactions are not serializable lets both go.
func testSkew(t *testing.T, w *world, store facade.Transactor) {
	for round := range 50 {
		for _, doctor := range []int{0, 1} {
			if err := w.put(w.ctx(), 2*round+doctor, "on call"); err != nil {
				t.Fatal(err)
			}
		}
		gone, _ := contend(t, w, store, 2, func(ctx context.Context, i int) error {
			label, err := w.label(ctx, 2*round+1-i)
			switch {
			case err != nil:
				return err
			case label != "on call":
				return errOurs
			}
			return w.relabel(ctx, 2*round+i, "home")
		})
		w.equal("doctors who left", int64(1), gone)
	}
}
