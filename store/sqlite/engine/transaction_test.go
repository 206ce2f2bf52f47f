package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// counted is a database with an empty table x.
func counted(t *testing.T, opts Options) *DB {
	t.Helper()
	if !opts.Memory {
		opts.Path = t.TempDir() + "/store.db"
	}
	d := database(t, opts)
	if err := d.Write(&Op{Ctx: t.Context(), Run: func(c *Conn) error { return c.Exec("CREATE TABLE x (a)") }}); err != nil {
		t.Fatal(err)
	}
	return d
}

// add inserts one row of x.
func add(ctx context.Context, d *DB) error {
	return d.Write(&Op{Ctx: ctx, Run: func(c *Conn) error { return c.Exec("INSERT INTO x VALUES (1)") }})
}

// rows is how many rows x has for a reader.
func rows(ctx context.Context, t *testing.T, d *DB) (n int64) {
	t.Helper()
	if err := d.Read(ctx, func(c *Conn) (err error) { n, err = c.Number("SELECT count(*) FROM x"); return err }); err != nil {
		t.Error(err)
	}
	return n
}

// TestTransactionsEndAtTheirLimit holds a transaction open in every way that has no end of its
// own: it is rolled back, its error says why, and the writes behind it go on.
func TestTransactionsEndAtTheirLimit(t *testing.T) {
	const limit = 300 * time.Millisecond // in which a busy machine writes one row
	for what, wait := range map[string]func(ctx context.Context, d *DB) error{
		"a handler that waits":                     func(ctx context.Context, _ *DB) error { <-ctx.Done(); return ctx.Err() },
		"a handler that hides the end of its ctx":  func(ctx context.Context, _ *DB) error { <-ctx.Done(); return nil },
		"a handler that heeds no ctx":              func(context.Context, *DB) error { time.Sleep(2 * limit); return nil },
		"a handler that waits for a write outside": func(ctx context.Context, d *DB) error { return add(context.WithoutCancel(t.Context()), d) },
		"a statement without an end": func(ctx context.Context, d *DB) error {
			return d.Read(ctx, func(c *Conn) error {
				_, err := c.Number("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
				return err
			})
		},
		"a write without an end": func(ctx context.Context, d *DB) error {
			return d.Write(&Op{Ctx: ctx, Run: func(c *Conn) error {
				return c.Exec("INSERT INTO x WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
			}})
		},
		"a nested one that waits": func(ctx context.Context, d *DB) error {
			return d.Transact(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		},
		"a nested one that waits for the outer": func(outer context.Context, d *DB) error {
			return d.Transact(outer, func(context.Context) error { return add(outer, d) })
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := counted(t, Options{Transaction: limit, Statement: -1})
			outside := 0
			if strings.HasSuffix(what, "outside") {
				outside = 1
			}
			err := d.Transact(t.Context(), func(ctx context.Context) error {
				if err := add(ctx, d); err != nil {
					t.Error(err)
				}
				return wait(ctx, d)
			})
			if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || !strings.Contains(err.Error(), "limits.transaction") {
				t.Errorf("the error is %v", err)
			}
			if err := add(t.Context(), d); err != nil {
				t.Error(err)
			}
			if n := rows(t.Context(), t, d); n != int64(1+outside) {
				t.Errorf("there are %d rows", n)
			}
		})
	}
}

// TestTransactionsWaitTheirTurn queues transactions and writes behind one that is open. Waiting
// does not count as holding, whoever leaves the queue has written nothing, and reads go on.
func TestTransactionsWaitTheirTurn(t *testing.T) {
	d := counted(t, Options{Transaction: time.Minute})
	release, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		if err := d.Transact(t.Context(), func(ctx context.Context) error {
			err := add(ctx, d)
			close(held)
			<-release
			return err
		}); err != nil {
			t.Error(err)
		}
	}()
	<-held
	if n := rows(t.Context(), t, d); n != 0 {
		t.Errorf("a reader sees %d rows of an open transaction", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 2)
	go func() { gone <- d.Transact(ctx, func(ctx context.Context) error { return add(ctx, d) }) }()
	go func() { // its caller stays, and one of its calls leaves
		gone <- d.Transact(t.Context(), func(inner context.Context) error {
			call, end := context.WithCancel(inner)
			context.AfterFunc(ctx, end)
			if err := add(call, d); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("a call that left: %w", err)
			}
			return nil
		})
	}()
	cancel()
	if one, other := <-gone, <-gone; !errors.Is(one, context.Canceled) && !errors.Is(other, context.Canceled) || one != nil && other != nil {
		t.Errorf("those who left: %v, %v", one, other)
	}
	for range 20 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			if err := d.Transact(t.Context(), func(ctx context.Context) error { return errors.Join(add(ctx, d), add(ctx, d)) }); err != nil {
				t.Error(err)
			}
		}()
		go func() {
			defer wg.Done()
			if err := add(t.Context(), d); err != nil {
				t.Error(err)
			}
		}()
	}
	close(release)
	wg.Wait()
	if n := rows(t.Context(), t, d); n != 61 {
		t.Errorf("there are %d rows, want 61", n)
	}
}

// TestTransactionsArePanicProof panics in calls of a transaction: it is lost whole, and the
// store goes on with another connection.
func TestTransactionsArePanicProof(t *testing.T) {
	d := counted(t, Options{})
	for what, call := range map[string]func(context.Context) error{
		"read": func(ctx context.Context) error {
			return d.Read(ctx, func(*Conn) error { panic("a read") })
		},
		"write": func(ctx context.Context) error {
			return d.Write(&Op{Ctx: ctx, Run: func(*Conn) error { panic("a write") }})
		},
	} {
		err := d.Transact(t.Context(), func(ctx context.Context) error {
			if err := add(ctx, d); err != nil {
				t.Error(err)
			}
			_ = call(ctx)
			if add(ctx, d) == nil {
				t.Errorf("%s: a lost transaction takes writes", what)
			}
			return nil // it hides the failure
		})
		if err == nil {
			t.Errorf("%s: a lost transaction was committed", what)
		}
	}
	if err := add(t.Context(), d); err != nil {
		t.Error(err)
	}
	if n := rows(t.Context(), t, d); n != 1 {
		t.Errorf("there are %d rows, want 1", n)
	}
}

// TestTransactionsLostToAStatement: an error that ends SQLite's own transaction ends this one.
func TestTransactionsLostToAStatement(t *testing.T) {
	d := counted(t, Options{Statement: 5 * time.Millisecond})
	err := d.Transact(t.Context(), func(ctx context.Context) error {
		if err := add(ctx, d); err != nil {
			t.Error(err)
		}
		_ = d.Write(&Op{Ctx: ctx, Run: func(c *Conn) error {
			return c.Exec("INSERT INTO x WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
		}})
		return nil
	})
	if kiterror.CodeOf(err) != kiterror.UnprocessableEntity {
		t.Errorf("the error is %v", err)
	}
	if n := rows(t.Context(), t, d); n != 0 {
		t.Errorf("there are %d rows", n)
	}
}

// TestTransactionsShareACommit queues transactions behind a write that waits: they are
// committed together. One of them ends SQLite's transaction; those before it run again and are
// there once, and it fails alone.
func TestTransactionsShareACommit(t *testing.T) {
	d := counted(t, Options{Statement: 20 * time.Millisecond})
	release, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		if err := d.Write(&Op{Ctx: t.Context(), Run: func(c *Conn) error {
			close(held)
			<-release
			return c.Exec("INSERT INTO x VALUES (0)")
		}}); err != nil {
			t.Error(err)
		}
	}()
	<-held
	const each = 4
	runs := make([]int, 2*each+1)
	for i := range runs {
		queued := make(chan struct{})
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := d.Transact(t.Context(), func(ctx context.Context) error {
				if runs[i]++; runs[i] == 1 {
					close(queued)
				}
				if i != each {
					return add(ctx, d)
				}
				return d.Write(&Op{Ctx: ctx, Run: func(c *Conn) error {
					return c.Exec("INSERT INTO x WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
				}})
			})
			if want := i == each; (kiterror.CodeOf(err) == kiterror.UnprocessableEntity) != want || (err != nil) != want {
				t.Errorf("transaction %d: %v", i, err)
			}
		}()
		<-queued
		for len(d.writer.queue) <= i { // its call is in the queue, behind those of the others
			time.Sleep(time.Millisecond)
		}
	}
	close(release)
	wg.Wait()
	if n := rows(t.Context(), t, d); n != 1+2*each {
		t.Errorf("there are %d rows, want %d", n, 1+2*each)
	}
	again := 0
	for _, n := range runs[:each] {
		again += n - 1
	}
	if again == 0 || runs[each] != 1 {
		t.Errorf("they ran %v times", runs)
	}
}

// TestTransactionsUnended: a goroutine's nested transaction that fn did not wait for is not
// committed half.
func TestTransactionsUnended(t *testing.T) {
	d := counted(t, Options{})
	begun, release, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	err := d.Transact(t.Context(), func(ctx context.Context) error {
		go func() {
			over <- d.Transact(ctx, func(ctx context.Context) error {
				err := add(ctx, d)
				close(begun)
				<-release
				return errors.Join(err, add(ctx, d))
			})
		}()
		<-begun
		return nil
	})
	close(release)
	if kiterror.CodeOf(err) != kiterror.InternalError || !errors.Is(err, errUnended) {
		t.Errorf("the error is %v", err)
	}
	if <-over == nil {
		t.Error("the nested transaction believes that it was committed")
	}
	if n := rows(t.Context(), t, d); n != 0 {
		t.Errorf("there are %d rows", n)
	}
}

// TestTransactionsOfAClosedStore: the calls of a transaction fail too.
func TestTransactionsOfAClosedStore(t *testing.T) {
	d := counted(t, Options{Memory: true})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	err := d.Transact(t.Context(), func(ctx context.Context) error { _ = add(ctx, d); return nil })
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("the error is %v", err)
	}
}

// TestCallersWhoLeaveCommitNothing: a function that returns without an error after its caller has
// left commits nothing, whichever of the two the connection sees first.
func TestCallersWhoLeaveCommitNothing(t *testing.T) {
	d := counted(t, Options{})
	for range 100 {
		ctx, leave := context.WithCancel(t.Context())
		tx := &transaction{db: d, op: &Op{}, lent: make(chan struct{}), verdict: make(chan bool, 1), cancel: leave, ctx: ctx}
		tx.verdict <- true
		leave()
		if err := tx.lend(nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("the transaction ended with %v", err)
		}
	}
}

// waitFor waits until what another goroutine does is done.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for !done() {
		if t.Context().Err() != nil {
			t.FailNow()
		}
		runtime.Gosched()
	}
}

// TestTransactionsTakeTurns: a caller who sends many transactions has one turn between those of
// others, and ordinary writes come before all of them.
func TestTransactionsTakeTurns(t *testing.T) {
	d := counted(t, Options{Transaction: time.Minute})
	var mu sync.Mutex
	var order []string
	note := func(name string) { mu.Lock(); order = append(order, name); mu.Unlock() }
	release, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	transact := func(caller, name string, fn func()) {
		wg.Go(func() {
			ctx := facade.WithRequest(t.Context(), caller, 0)
			if err := d.Transact(ctx, func(ctx context.Context) error {
				err := add(ctx, d)
				note(name)
				fn()
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	transact("a", "a1", func() { close(held); <-release })
	<-held
	for i, name := range []string{"a2", "a3", "b1", "b2"} {
		transact(name[:1], name, func() {})
		waitFor(t, func() bool { return len(d.writer.queue) == i+1 })
	}
	wg.Go(func() {
		if err := d.Write(&Op{Ctx: t.Context(), Run: func(c *Conn) error { note("write"); return c.Exec("INSERT INTO x VALUES (1)") }}); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, func() bool { return len(d.writer.queue) == 5 })
	close(release)
	wg.Wait()
	if got := strings.Join(order, " "); got != "a1 write b1 a2 b2 a3" {
		t.Errorf("the order is %s", got)
	}
}

// TestSnapshot: a transaction of queries sees one state, and a write does not wait for it.
func TestSnapshot(t *testing.T) {
	d := counted(t, Options{Transaction: time.Minute})
	err := d.Transact(facade.ReadOnly(t.Context()), func(ctx context.Context) error {
		before := rows(ctx, t, d)
		if err := add(t.Context(), d); err != nil {
			return err
		}
		if now := rows(ctx, t, d); before != 0 || now != 0 {
			t.Errorf("%d rows, then %d", before, now)
		}
		return nil
	})
	if n := rows(t.Context(), t, d); err != nil || n != 1 {
		t.Error(n, err)
	}
}
