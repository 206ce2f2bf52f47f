package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/sqltext"
)

// database is a database whose log goes nowhere.
func database(t testing.TB, opts Options) *DB {
	t.Helper()
	opts.Logger = slog.New(slog.DiscardHandler)
	d, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestConnectionsAreSetUp(t *testing.T) {
	d := database(t, Options{Path: t.TempDir() + "/store.db"})
	pragmas := func(c *Conn, want string) {
		var got []string
		for _, p := range []string{"synchronous", "foreign_keys", "query_only", "busy_timeout"} {
			n, err := c.Number("PRAGMA " + p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(n))
		}
		st, _ := c.Start([]byte("PRAGMA journal_mode"), nil)
		st.Step()
		got = append(got, st.ColumnText(0))
		c.Finish(st)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("the connection is set up %s, want %s", s, want)
		}
	}
	pragmas(d.writer.conn, "2 1 0 5000 wal") // 2: FULL
	d.Read(t.Context(), func(c *Conn) error {
		pragmas(c, "2 1 1 5000 wal")
		if err := c.Once("CREATE TABLE x (a)"); err == nil {
			t.Error("a reader can write")
		}
		return nil
	})
}

// TestStatementCacheIsBounded asks more shapes than a connection keeps.
func TestStatementCacheIsBounded(t *testing.T) {
	d := database(t, Options{Memory: true, Readers: 1})
	for i := range 2 * maxStatements {
		err := d.Read(t.Context(), func(c *Conn) error {
			n, err := c.Number(fmt.Sprintf("SELECT %d + ?", i), sqltext.IntValue(1))
			if n != int64(i+1) {
				t.Errorf("%d + 1 is %d", i, n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	d.Read(t.Context(), func(c *Conn) error {
		if len(c.stmts) > maxStatements {
			t.Errorf("%d statements are kept", len(c.stmts))
		}
		return nil
	})
}

// TestPanicsCostOneConnection panics in the middle of a read, of a write others
// share, and of a migration: each is an error, and the store goes on.
func TestPanicsCostOneConnection(t *testing.T) {
	for _, memory := range []bool{true, false} {
		opts := Options{Memory: memory, Readers: 1}
		if !memory {
			opts.Path = t.TempDir() + "/store.db"
		}
		d := database(t, opts)
		run := func(c *Conn) error { return c.Exec("CREATE TABLE IF NOT EXISTS x (a); ") }
		if err := d.Write(&Op{Ctx: t.Context(), Run: run}); err != nil {
			t.Fatal(err)
		}
		insert := func(c *Conn) error { return c.Exec("INSERT INTO x VALUES (1)") }
		ops := []*Op{
			{Ctx: t.Context(), Run: insert},
			{Ctx: t.Context(), Run: func(c *Conn) error { insert(c); panic("a write") }},
			{Ctx: t.Context(), Run: insert},
		}
		for _, op := range ops {
			op.done = make(chan struct{})
			d.writer.queue <- op
		}
		for i, op := range ops {
			<-op.done
			if (op.err != nil) != (i == 1) {
				t.Errorf("write %d: %v", i, op.err)
			}
		}
		if kiterror.CodeOf(ops[1].err) != kiterror.InternalError || kiterror.AsError(ops[1].err).Message != kiterror.Internal(nil).Message {
			t.Errorf("a panic leaves as %v", ops[1].err)
		}
		if err := d.Write(&Op{Ctx: t.Context(), Alone: true, Run: func(*Conn) error { panic("a migration") }}); err == nil {
			t.Error("a panic in a migration is no error")
		}
		if err := d.Write(&Op{Ctx: t.Context(), Run: insert}); err != nil {
			t.Errorf("after a panic: %v", err)
		}
		if err := d.Read(t.Context(), func(*Conn) error { panic("a read") }); kiterror.CodeOf(err) != kiterror.InternalError {
			t.Errorf("a panic in a read is %v", err)
		}
		d.Read(t.Context(), func(c *Conn) error {
			if n, err := c.Number("SELECT count(*) FROM x"); n != 3 || err != nil {
				t.Errorf("%d rows, %v", n, err)
			}
			return nil
		})
	}
}

// TestLostTransactionIsRunAgain has a write take the whole transaction with it,
// as a full disk does: those beside it are done all the same, once.
func TestLostTransactionIsRunAgain(t *testing.T) {
	d := database(t, Options{Path: t.TempDir() + "/store.db"})
	if err := d.Write(&Op{Ctx: t.Context(), Run: func(c *Conn) error { return c.Exec("CREATE TABLE x (a INTEGER PRIMARY KEY)") }}); err != nil {
		t.Fatal(err)
	}
	hold, release := make(chan struct{}), make(chan struct{})
	go d.Write(&Op{Ctx: t.Context(), Run: func(*Conn) error { close(hold); <-release; return nil }})
	<-hold // the writer is busy: what comes now is one group
	var ops []*Op
	for i := range 10 {
		op := &Op{Ctx: t.Context(), done: make(chan struct{}), Run: func(c *Conn) error {
			err := c.Exec("INSERT INTO x VALUES (?)", sqltext.IntValue(int64(i)))
			if i%4 == 2 {
				return c.Exec("ROLLBACK")
			}
			return err
		}}
		ops = append(ops, op)
		d.writer.queue <- op
	}
	close(release)
	for i, op := range ops {
		<-op.done
		if op.err != nil && i%4 != 2 {
			t.Errorf("write %d: %v", i, op.err)
		}
	}
	d.Read(t.Context(), func(c *Conn) error {
		if n, err := c.Number("SELECT count(*) FROM x"); n != 8 || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
		return nil
	})
}

// TestUntil: the end of a context interrupts the work of the writer, and the connection works on.
func TestUntil(t *testing.T) {
	d := database(t, Options{Path: t.TempDir() + "/store.db"})
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Write(&Op{Ctx: t.Context(), Alone: true, Run: func(c *Conn) error {
		return c.Until(ctx, func() error {
			time.AfterFunc(time.Millisecond, cancel)
			return c.Exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n")
		})
	}})
	if !errors.Is(err, sqlite3.INTERRUPT) {
		t.Errorf("the statement ends with %v", err)
	}
	if err := d.Write(&Op{Ctx: t.Context(), Alone: true, Run: func(c *Conn) error { return c.Exec("CREATE TABLE x (a)") }}); err != nil {
		t.Error(err)
	}
}
