package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/turns"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// both runs a test on a server, and behind a pooler in transaction mode.
func both(t *testing.T, test func(t *testing.T, d *DB)) {
	t.Run("direct", func(t *testing.T) { test(t, open(t, Options{URL: pgtest.Database(t)})) })
	t.Run("pooled", func(t *testing.T) {
		url := pgtest.Pooled(t, pgtest.Database(t), 4)
		test(t, open(t, Options{URL: withParameter(url, "pool=transaction")}))
	})
}

func withParameter(url, p string) string {
	if strings.Contains(url, "?") {
		return url + "&" + p
	}
	return url + "?" + p
}

func open(t testing.TB, o Options) *DB {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet
	}
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// texts runs one statement and returns its rows, columns joined by commas.
func texts(c *Conn, sql string, values ...string) (rows []string, err error) {
	q := &Query{Text: []byte(sql), Row: func(values [][]byte) error {
		var columns []string
		for _, v := range values {
			if v == nil {
				columns = append(columns, "null")
				continue
			}
			columns = append(columns, string(v))
		}
		rows = append(rows, strings.Join(columns, ","))
		return nil
	}}
	for _, v := range values {
		q.Values = append(q.Values, []byte(v))
	}
	err = c.Run(q)
	return rows, err
}

// read is texts on any connection.
func read(t testing.TB, d *DB, sql string, values ...string) string {
	t.Helper()
	var rows []string
	if err := d.Read(t.Context(), func(c *Conn) (err error) {
		rows, err = texts(c, sql, values...)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", sql, errors.Join(err, errors.Unwrap(err)))
	}
	return strings.Join(rows, " ")
}

func ddl(t testing.TB, d *DB, sql string) {
	t.Helper()
	if err := d.Read(t.Context(), func(c *Conn) error { return c.Exec(sql) }); err != nil {
		t.Fatal(errors.Join(err, errors.Unwrap(err)))
	}
}

func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		if got := read(t, d, "SELECT $1::int + 1, $2::text, null", "41", "it's"); got != "42,it's,null" {
			t.Errorf("got %q", got)
		}
		// More texts than are kept, twice: evicted ones are prepared again.
		for range 2 {
			for i := range maxStatements + 20 {
				if got := read(t, d, fmt.Sprintf("SELECT %d", i)); got != fmt.Sprint(i) {
					t.Fatalf("statement %d gave %q", i, got)
				}
			}
		}
		// A failed batch leaves a usable connection, and nothing of it is believed prepared.
		err := d.Read(t.Context(), func(c *Conn) error {
			first, bad, after := bare("SELECT 1"), bare("SELECT broken"), bare("SELECT 77")
			err := c.Run(first, bad, after)
			if !first.Done || bad.Done || after.Done {
				t.Errorf("done: %v %v %v", first.Done, bad.Done, after.Done)
			}
			if codeOf(err) != "42703" {
				t.Errorf("the error is %v", err)
			}
			rows, err := texts(c, "SELECT 77")
			if len(rows) != 1 {
				t.Errorf("after it: %v", rows)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		// Larger than the buffers of a connection, both ways, several statements at once.
		long := strings.Repeat("x", 3<<20)
		err = d.Read(t.Context(), func(c *Conn) error {
			var queries []*Query
			sizes := 0
			for range 3 {
				queries = append(queries, &Query{
					Text: []byte("SELECT $1::text || $1::text"), Values: [][]byte{[]byte(long)},
					Row: func(values [][]byte) error { sizes += len(values[0]); return nil },
				})
			}
			err := c.Run(queries...)
			if sizes != 6*len(long) {
				t.Errorf("%d bytes came", sizes)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestBudget(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		usual := d.opts.Statement
		d.opts.Statement = 100 * time.Millisecond
		began := time.Now()
		long := func(c *Conn) error {
			c.watchdog.limit = 100 * time.Millisecond
			return c.Run(bare("SELECT pg_sleep(100)"))
		}
		err := d.ReadAs(t.Context(), turns.Search, long)
		if kiterror.CodeOf(err) != kiterror.UnprocessableEntity || time.Since(began) > 90*time.Second {
			t.Errorf("a search over its budget: %v", err)
		}
		if err = d.Read(t.Context(), long); kiterror.CodeOf(err) != kiterror.ServiceUnavailable || !kiterror.IsOutOfTime(err) || time.Since(began) > 90*time.Second {
			t.Errorf("a read by key over its budget: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err = d.Read(ctx, func(c *Conn) error {
			c.watchdog.limit = 0
			return c.Run(bare("SELECT pg_sleep(100)"))
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 90*time.Second {
			t.Errorf("a caller who has gone: %v", err)
		}
		d.opts.Statement = usual
		// The connections are whole.
		for range 10 {
			read(t, d, "SELECT 1")
		}
	})
}

// untimed is a context that fails the test where its Done is called.
type untimed struct {
	context.Context
	t *testing.T
}

func (c untimed) Done() <-chan struct{} {
	c.t.Error("a short statement starts the timer of its context")
	return c.Context.Done()
}

// TestNoTimer runs a statement on a connection that is open: neither waiting for it nor watching the
// statement calls Done of the context, whose timer begins there (budget.Within).
func TestNoTimer(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		read(t, d, "SELECT 1")
		if err := d.Read(untimed{t.Context(), t}, func(c *Conn) error { return c.Run(bare("SELECT 1")) }); err != nil {
			t.Error(err)
		}
	})
}

func TestWrites(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		ddl(t, d, "CREATE TABLE a (n int PRIMARY KEY)")
		add := func(n string) *Query {
			return &Query{Text: []byte("INSERT INTO a VALUES ($1)"), Values: [][]byte{[]byte(n)}}
		}
		ctx := t.Context()
		if err := d.Once(ctx, add("1")); err != nil {
			t.Fatal(err)
		}
		if err := d.Once(facade.DryRun(ctx), add("2")); err != nil {
			t.Fatal(err)
		}
		ours := errors.New("ours")
		err := d.Write(ctx, func(c *Conn) error {
			if err := c.Run(add("3")); err != nil {
				return err
			}
			return kiterror.Invalid("ours%w")
		})
		if kiterror.CodeOf(err) != kiterror.ValidationFailed {
			t.Error(err, ours)
		}
		if err := d.Write(ctx, func(c *Conn) error { return errors.Join(c.Run(add("4")), c.Run(add("5"))) }); err != nil {
			t.Error(err)
		}
		if err := d.Write(ctx, func(c *Conn) error { return errors.Join(c.Run(add("6")), c.Conclude(add("7"))) }); err != nil {
			t.Error(err)
		}
		if err := d.Write(ctx, func(c *Conn) error { return errors.Join(c.Run(add("8")), c.Conclude(add("7"))) }); codeOf(err) != Unique {
			t.Error(err)
		}
		if err := d.Write(ctx, func(*Conn) error { return nil }); err != nil {
			t.Error(err)
		}
		if got := read(t, d, "SELECT n FROM a ORDER BY n"); got != "1 4 5 6 7" {
			t.Errorf("rows: %s", got)
		}
	})
}

// Conflicting transactions are run again until each has had its turn.
func TestConflicts(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		ddl(t, d, "CREATE TABLE a (n int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 100), (2, 100)")
		var wg sync.WaitGroup
		var mu sync.Mutex
		runs, refused := 0, 0
		for i := range 40 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				from, to := 1+i%2, 2-i%2
				err := d.Write(t.Context(), func(c *Conn) error {
					mu.Lock()
					runs++
					mu.Unlock()
					rows, err := texts(c, "SELECT v FROM a WHERE n = $1", fmt.Sprint(from))
					if err != nil {
						return err
					}
					var v int
					if _, err := fmt.Sscan(rows[0], &v); err != nil {
						return err
					}
					return c.Conclude(
						&Query{Text: []byte("UPDATE a SET v = $2 WHERE n = $1"), Values: [][]byte{[]byte(fmt.Sprint(from)), []byte(fmt.Sprint(v - 1))}},
						&Query{Text: []byte("UPDATE a SET v = v + 1 WHERE n = $1"), Values: [][]byte{[]byte(fmt.Sprint(to))}})
				})
				if kiterror.CodeOf(err) == kiterror.Conflict {
					mu.Lock()
					refused++
					mu.Unlock()
				} else if err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		t.Logf("40 transactions ran %d times, %d were refused", runs, refused)
		if got := read(t, d, "SELECT sum(v) FROM a"); got != "200" {
			t.Errorf("the sum is %s", got)
		}
		if refused == 40 {
			t.Error("none succeeded")
		}
	})
}

func TestTransact(t *testing.T) {
	both(t, func(t *testing.T, d *DB) {
		ddl(t, d, "CREATE TABLE a (n int PRIMARY KEY)")
		add := func(ctx context.Context, n int) error {
			return d.Once(ctx, &Query{Text: []byte("INSERT INTO a VALUES ($1)"), Values: [][]byte{[]byte(fmt.Sprint(n))}})
		}
		visible := func(ctx context.Context) (got string) {
			if err := d.Read(ctx, func(c *Conn) error {
				rows, err := texts(c, "SELECT n FROM a ORDER BY n")
				got = strings.Join(rows, " ")
				return err
			}); err != nil {
				t.Error(err)
			}
			return got
		}
		err := d.Transact(t.Context(), func(ctx context.Context) error {
			if err := add(ctx, 1); err != nil {
				return err
			}
			if err := add(ctx, 1); codeOf(err) != Unique { // and leaves nothing behind
				t.Errorf("the same again: %v", err)
			}
			if got := visible(ctx); got != "1" {
				t.Errorf("it reads %q", got)
			}
			if got := visible(t.Context()); got != "" {
				t.Errorf("others see %q", got)
			}
			inner := errors.New("inner")
			if err := d.Transact(ctx, func(ctx context.Context) error {
				if err := add(ctx, 2); err != nil {
					t.Error(err)
				}
				return inner
			}); !errors.Is(err, inner) {
				t.Error(err)
			}
			return d.Transact(ctx, func(ctx context.Context) error { return add(ctx, 3) })
		})
		if err != nil {
			t.Fatal(errors.Join(err, errors.Unwrap(err)))
		}
		if got := visible(t.Context()); got != "1 3" {
			t.Errorf("committed: %q", got)
		}
		failed := kiterror.Errorf(kiterror.Conflict, "ours")
		if err := d.Transact(t.Context(), func(ctx context.Context) error { _ = add(ctx, 4); return failed }); !errors.Is(err, failed) {
			t.Error(err)
		}
		if err := d.Transact(facade.DryRun(t.Context()), func(ctx context.Context) error { return add(ctx, 5) }); err != nil {
			t.Error(err)
		}
		d.opts.Transaction = 100 * time.Millisecond
		err = d.Transact(t.Context(), func(ctx context.Context) error {
			if err := add(ctx, 6); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			if err := add(ctx, 7); err == nil {
				t.Error("a call behind the limit was done")
			}
			return nil
		})
		if kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
			t.Errorf("behind the limit: %v", err)
		}
		if got := visible(t.Context()); got != "1 3" {
			t.Errorf("committed: %q", got)
		}
	})
}

// Statements are not compiled, where the server says by default that they may be.
func TestStatementsAreNotCompiled(t *testing.T) {
	d := open(t, Options{URL: pgtest.Database(t)})
	if got := read(t, d, "SHOW jit"); got != "off" {
		t.Errorf("jit is %s", got)
	}
	if got := read(t, d, "SELECT reset_val FROM pg_settings WHERE name = 'jit'"); got != "on" {
		t.Logf("the server does not compile by itself (%s): the test shows nothing here", got)
	}
}

// A connection to a server that takes no writes any more is not kept: after a failover the next
// one leads to the server that does.
func TestReadOnlyConnectionIsReplaced(t *testing.T) {
	url := pgtest.Database(t)
	owner := open(t, Options{URL: url})
	do := func(sql string) {
		t.Helper()
		if err := owner.Once(t.Context(), bare(sql)); err != nil {
			t.Fatal(errors.Join(err, errors.Unwrap(err)))
		}
	}
	do("CREATE TABLE written (n int)")
	name, _, _ := strings.Cut(url[strings.LastIndexByte(url, '/')+1:], "?")
	do("ALTER DATABASE " + name + " SET default_transaction_read_only = on")
	d := open(t, Options{URL: url, Connections: 2})
	if got := read(t, d, "SHOW transaction_read_only"); got != "on" {
		t.Fatalf("transaction_read_only is %s", got)
	}
	insert := bare("INSERT INTO written VALUES (1)")
	if err := d.Once(t.Context(), insert); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("while no server takes writes: %v", err)
	}
	read(t, d, "SELECT 1") // a connection that takes no writes is in the pool again
	do("ALTER DATABASE " + name + " RESET default_transaction_read_only")
	for _, write := range []func() error{
		func() error { return d.Once(t.Context(), insert) },
		func() error { return d.Write(t.Context(), func(c *Conn) error { return c.Conclude(insert) }) },
	} {
		if err := write(); err != nil {
			t.Error(errors.Join(err, errors.Unwrap(err)))
		}
	}
	if got := read(t, d, "SELECT count(*) FROM written"); got != "2" {
		t.Errorf("%s rows, want 2", got)
	}
}

// A statement that somebody else cancels, such as an operator or a pooler that mistakes one
// connection for another, runs again.
func TestCancelledByOthers(t *testing.T) {
	d := open(t, Options{URL: pgtest.Database(t), Statement: 2 * time.Minute})
	done := make(chan error)
	runs := 0
	go func() {
		done <- d.Read(t.Context(), func(c *Conn) error {
			runs++
			if runs == 1 {
				return c.Run(bare("SELECT pg_sleep(90)"))
			}
			return c.Run(bare("SELECT 1"))
		})
	}()
	for read(t, d, "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(90)' AND state = 'active'") == "0" {
		time.Sleep(5 * time.Millisecond)
	}
	if err := <-done; err != nil || runs != 2 {
		t.Errorf("%d runs, %v", runs, err)
	}
}

// late is a context whose deadline has passed and which has not ended yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

// TestDeadlineFirst: a connection that ends at the deadline of its caller is the caller's doing.
func TestDeadlineFirst(t *testing.T) {
	failed := fmt.Errorf("dial: %w", os.ErrDeadlineExceeded)
	if err := new(DB).Public(late{t.Context()}, failed); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("behind the deadline: %v", err)
	}
	if err := (&DB{log: slog.New(slog.DiscardHandler)}).Public(t.Context(), &lost{failed, false}); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("without one: %v", err)
	}
}
