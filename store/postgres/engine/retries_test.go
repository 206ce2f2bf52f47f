package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestRetriesTakeTurns checks that runs after a conflict come one at a time, and that the wait for
// a turn ends with its caller.
func TestRetriesTakeTurns(t *testing.T) {
	d, err := Open(Options{URL: "postgres://nobody@127.0.0.1:1/none"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	met := errors.New("another one came between")
	var first, running, done atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			runs := 0
			if err := d.retry(t.Context(), func(err error) bool { return errors.Is(err, met) }, func() error {
				if runs++; runs == 1 {
					first.Add(1)
					return met
				}
				if n := running.Add(1); n > 1 {
					t.Errorf("%d runs side by side", n)
				}
				runtime.Gosched()
				running.Add(-1)
				done.Add(1)
				return nil
			}); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if first.Load() != 20 || done.Load() != 20 {
		t.Errorf("%d first runs and %d second ones, want 20 each", first.Load(), done.Load())
	}
	d.retries.local <- struct{}{} // somebody else's turn
	ctx, leave := context.WithCancel(t.Context())
	err = d.retry(ctx, func(error) bool { return true }, func() error {
		leave()
		return met
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: %v", err)
	}
}

// TestRetriesTakeTurnsInTheDatabase checks that a run after a conflict waits for one of another
// process, until that one has ended or lost its connection.
func TestRetriesTakeTurnsInTheDatabase(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		other := open(t, Options{URL: d.opts.URL, Wait: time.Minute})
		met := errors.New("another one came between")
		second := func(d *DB, do func()) error {
			run := 0
			return d.retry(t.Context(), func(err error) bool { return errors.Is(err, met) }, func() error {
				if run++; run == 1 {
					return met
				}
				do()
				return nil
			})
		}
		for _, how := range []string{"the turn ends", "the connection breaks"} {
			ended, entered := make(chan error, 1), make(chan struct{})
			err := second(d, func() {
				go func() { ended <- second(other, func() { close(entered) }) }()
				for waits := "0"; waits == "0"; waits = read(t, d, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%frond.turns%'") {
					select {
					case <-entered:
						t.Errorf("%s: two processes run side by side", how)
						return
					default:
					}
				}
				if how == "the connection breaks" {
					read(t, d, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%frond.turns%'")
					<-entered
				}
			})
			if err := errors.Join(err, <-ended); err != nil {
				t.Errorf("%s: %v", how, err)
			}
		}
		ddl(t, d, "DROP TABLE frond.turns") // it comes back with the run after the next
		for range 2 {
			if err := second(d, func() {}); err != nil {
				t.Error(err)
			}
		}
		if got := read(t, d, "SELECT schema FROM frond.turns"); got != "public" {
			t.Errorf("the row of the turns is %q", got)
		}
		if err := second(open(t, Options{URL: d.opts.URL, Connections: 1}), func() {}); err != nil {
			t.Errorf("with one connection: %v", err)
		}
	})
}

// TestOppositeTransfers checks that commands of two processes which change the same rows in opposite
// orders all succeed.
func TestOppositeTransfers(t *testing.T) {
	options := Options{URL: pgtest.Database(t), Wait: time.Minute, Transaction: time.Minute} // the machine may be busy
	processes := []*DB{open(t, options), open(t, options)}
	ddl(t, processes[0], "CREATE TABLE a (n int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 1000), (2, 1000)")
	const callers, transfers = 16, 25
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			d := processes[caller%2]
			from, to := 1+caller/2%2, 2-caller/2%2
			for range transfers {
				if err := d.Transact(t.Context(), func(ctx context.Context) error { return transfer(ctx, d, from, to) }); err != nil {
					t.Errorf("a transfer from %d to %d: %v", from, to, err)
				}
			}
		})
	}
	wg.Wait()
	if got := read(t, processes[0], "SELECT string_agg(v::text, ' ') FROM a"); got != "1000 1000" {
		t.Errorf("the accounts have %s", got)
	}
}

// transfer takes 1 from a row of the table a and gives it to another one, in a call each.
func transfer(ctx context.Context, d *DB, from, to int) error {
	for _, change := range [][2]int{{from, -1}, {to, 1}} {
		account, amount := fmt.Sprint(change[0]), change[1]
		v := 0
		if err := d.Read(ctx, func(c *Conn) error {
			rows, err := texts(c, "SELECT v FROM a WHERE n = $1", account)
			if err == nil {
				v, err = strconv.Atoi(rows[0])
			}
			return err
		}); err != nil {
			return err
		}
		if err := d.Write(ctx, func(c *Conn) error {
			return c.Conclude(&Query{Text: []byte("UPDATE a SET v = $2 WHERE n = $1"), Values: [][]byte{[]byte(account), []byte(strconv.Itoa(v + amount))}})
		}); err != nil {
			return err
		}
	}
	return nil
}
