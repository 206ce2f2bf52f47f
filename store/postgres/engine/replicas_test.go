package engine

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// request is the context of a request that carries a header.
func request(t testing.TB, header string) (context.Context, *consistency.Record) {
	t.Helper()
	r, err := consistency.Read([]string{header})
	if err != nil {
		t.Fatal(err)
	}
	return consistency.With(facade.WithRequest(t.Context(), nil, 0), r), r
}

// readAs is read with a context of one's own.
func readAs(ctx context.Context, d *DB, sql string) (string, error) {
	var rows []string
	err := d.Read(ctx, func(c *Conn) (err error) {
		rows, err = texts(c, sql)
		return err
	})
	return strings.Join(rows, " "), err
}

const (
	where  = "SELECT CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE 'primary' END"
	latest = "SELECT max(n) FROM written"
)

// eventually waits until a statement gives what is wanted.
func eventually(t testing.TB, ctx func() context.Context, d *DB, sql, want string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got, err := readAs(ctx(), d, sql)
		if err == nil && got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s gives %q, %v; want %q", sql, got, err, want)
		}
	}
}

func TestReadYourWrites(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{Replicas: 1})
	name := cluster.Database(t)
	if err := cluster.Primary.Exec(name, "CREATE TABLE written (n int)", "INSERT INTO written VALUES (0)"); err != nil {
		t.Fatal(err)
	}
	replica := cluster.Replicas[0]
	d := replicated(t, cluster.Primary.URL(name), replica.URL(name), time.Hour)
	stranger := func() context.Context { ctx, _ := request(t, ""); return ctx }
	eventually(t, stranger, d, where, "replica")
	eventually(t, stranger, d, latest+" WHERE pg_is_in_recovery()", "0") // the replica has the table, before its replay rests

	// Each way to write gives a token, and a read that echoes it sees the write, with the
	// replica's replay at rest.
	pgtest.Pause(t, replica)
	header := ""
	for n, write := range []func(ctx context.Context, sql *Query) error{
		func(ctx context.Context, q *Query) error { return d.Once(ctx, q) },
		func(ctx context.Context, q *Query) error {
			return d.Write(ctx, func(c *Conn) error { return c.Conclude(q) })
		},
		func(ctx context.Context, q *Query) error {
			return d.Write(ctx, func(c *Conn) error { return c.Run(q) })
		},
		func(ctx context.Context, q *Query) error {
			return d.Transact(ctx, func(ctx context.Context) error { return d.Once(ctx, q) })
		},
	} {
		ctx, record := request(t, header)
		if err := write(ctx, bare("UPDATE written SET n = n + 1")); err != nil {
			t.Fatal(n, err)
		}
		if got := record.Answer(); got == "" || got == header {
			t.Fatalf("write %d answers the token %q", n, got)
		}
		header = record.Answer()
		want := string(rune('1' + n))
		if got, err := readAs(ctx, d, latest); err != nil || got != want {
			t.Errorf("later in the request: %q, %v; want %s", got, err, want)
		}
		echo, record := request(t, header)
		if got, err := readAs(echo, d, latest); err != nil || got != want {
			t.Errorf("with the token: %q, %v; want %s", got, err, want)
		}
		if record.Answer() != "" {
			t.Error("a read answers a token")
		}
		if got, err := readAs(t.Context(), d, latest); err != nil || got != want {
			t.Errorf("within the process: %q, %v; want %s", got, err, want)
		}
		if got, err := readAs(consistency.Latest(stranger()), d, latest); err != nil || got != want {
			t.Errorf("within a command: %q, %v; want %s", got, err, want)
		}
		eventually(t, stranger, d, latest, "0") // without the token, what the replica has
	}
	ctx, record := request(t, "")
	if err := d.Once(facade.DryRun(ctx), bare("UPDATE written SET n = 9")); err != nil || record.Answer() != "" {
		t.Errorf("a dry run answers %q, %v", record.Answer(), err)
	}
	if err := d.Once(ctx, bare("UPDATE nothing SET n = 9")); err == nil || record.Answer() != "" {
		t.Errorf("a write that failed answers %q, %v", record.Answer(), err)
	}

	// Tokens of others.
	store, _, _ := strings.Cut(header, ".")
	eventually(t, func() context.Context { return ctxOf(t, "elsewhere.09.x") }, d, where, "replica")
	if _, err := readAs(ctxOf(t, store+".FFFFFFFFFFFFFFFF.AAAAAAAAAAAAAAAAAAAAAA"), d, where); kiterror.CodeOf(err) != kiterror.BadRequest {
		t.Errorf("with a token that nobody issued: %v", err)
	}

	// Replay goes on: the token is served by the replica as well.
	pgtest.Resume(t, replica)
	eventually(t, func() context.Context { return ctxOf(t, header) }, d, where, "replica")
	eventually(t, func() context.Context { return ctxOf(t, header) }, d, "SELECT max(n) FROM written WHERE pg_is_in_recovery()", "4")

	// Another gateway over the same database knows the tokens.
	other := replicated(t, cluster.Primary.URL(name), replica.URL(name), time.Hour)
	eventually(t, func() context.Context { return ctxOf(t, header) }, other, where, "replica")

	// Without the replica reads go on.
	if err := replica.Kill(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if got, err := readAs(ctxOf(t, header), d, where); err != nil || got != "primary" {
			t.Fatalf("the replica is gone: %q, %v", got, err)
		}
	}
	if err := replica.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, stranger, d, where, "replica")

	// A replica that became a primary is not read, and one of the primary's writes is not lost.
	if err := cluster.Promote(replica); err != nil {
		t.Fatal(err)
	}
	eventually(t, stranger, d, "SELECT inet_server_port()", strconv.Itoa(cluster.Primary.Port()))
}

// A replica that is too far behind is left out, and is back when it has caught up.
func TestLateReplica(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{Replicas: 1})
	name := cluster.Database(t)
	if err := cluster.Primary.Exec(name, "CREATE TABLE written (n int)"); err != nil {
		t.Fatal(err)
	}
	d := replicated(t, cluster.Primary.URL(name), cluster.Replicas[0].URL(name), 2*time.Second)
	stranger := func() context.Context { ctx, _ := request(t, ""); return ctx }
	eventually(t, stranger, d, where, "replica")
	pgtest.Pause(t, cluster.Replicas[0])
	if err := d.Once(t.Context(), bare("INSERT INTO written VALUES (1)")); err != nil {
		t.Fatal(err)
	}
	eventually(t, stranger, d, where, "primary")
	pgtest.Resume(t, cluster.Replicas[0])
	eventually(t, stranger, d, where, "replica")
}

// A server whose log has no positions, or a role that may keep nothing, has no replicas: the
// log says so and the primary answers.
func TestReplicasWithoutRights(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{Replicas: 1})
	name := cluster.Database(t)
	if err := cluster.Primary.Exec(name, "CREATE ROLE poor LOGIN"); err != nil {
		t.Fatal(err)
	}
	poor := func(url string) string { return strings.Replace(url, "postgres@", "poor@", 1) }
	d := replicated(t, poor(cluster.Primary.URL(name)), poor(cluster.Replicas[0].URL(name)), 0)
	for deadline := time.Now().Add(20 * time.Second); !d.copies.(*replicas).unsuited.Load(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody noticed that the role has no rights")
		}
	}
	if got, err := readAs(ctxOf(t, ""), d, where); err != nil || got != "primary" {
		t.Errorf("%q, %v", got, err)
	}
}

// A replica that is down from the start is in the log: nobody else reports it.
func TestReplicaThatIsDown(t *testing.T) {
	said := make(chan slog.Record, 16)
	d, err := OpenReplicated(Options{URL: pgtest.Database(t), Logger: slog.New(records(said))}, []string{"postgres://nobody@127.0.0.1:1/none"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if r := <-said; r.Message != "the database cannot be reached" {
		t.Errorf("the log says %q", r.Message)
	}
}

// records hands on what is logged.
type records chan<- slog.Record

func (records) Enabled(context.Context, slog.Level) bool { return true }

func (r records) Handle(_ context.Context, record slog.Record) error {
	select {
	case r <- record:
	default:
	}
	return nil
}

func (r records) WithAttrs([]slog.Attr) slog.Handler { return r }
func (r records) WithGroup(string) slog.Handler      { return r }

func ctxOf(t testing.TB, header string) context.Context {
	t.Helper()
	ctx, _ := request(t, header)
	return ctx
}

func replicated(t testing.TB, url, replica string, lateBy time.Duration) *DB {
	t.Helper()
	d, err := OpenReplicated(Options{URL: url, Logger: quiet}, []string{replica}, lateBy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
