//go:build unix

package pgtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

func TestDatabasesAreSeparate(t *testing.T) {
	a, b := connect(t, pgtest.Database(t)), connect(t, pgtest.Database(t))
	exec1(t, a, "create table thing (id int)")
	exec1(t, b, "create table thing (id int)") // which a shared one would refuse
	if got := one(t, a, "select current_setting('server_encoding') || ' ' || datcollate from pg_database where datname = current_database()"); got != "UTF8 C" {
		t.Errorf("encoding and locale are %q", got)
	}
}

// Many clients share few connections, which transaction mode alone allows: each of them
// keeps its own connection to the pooler open all the while.
func TestPooledInTransactionMode(t *testing.T) {
	through := pgtest.Pooled(t, pgtest.Database(t), 2)
	servers := map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 10 {
		conn := connect(t, through)
		all.Add(1)
		go func() {
			defer all.Done()
			pid := one(t, conn, "select pg_backend_pid()::text")
			mu.Lock()
			servers[pid] = true
			mu.Unlock()
		}()
	}
	all.Wait()
	if len(servers) > 2 {
		t.Errorf("10 clients had %d connections to the server, 2 are allowed", len(servers))
	}
}

// A replica shows what was written before it was paused, and the rest after it is resumed.
func TestReplicas(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{Replicas: 1})
	name := c.Database(t)
	replica := c.Replicas[0]
	do(t, c.Primary.Exec(name, "create table thing (id int)"))
	await(t, replica, name, "(select count(*) from thing)", "0")
	pgtest.Pause(t, replica)
	do(t, c.Primary.Exec(name, "insert into thing values (1)"))
	if got, err := replica.Query(name, "select count(*) from thing"); err != nil || got != "0" {
		t.Errorf("a paused replica has %s rows, %v", got, err)
	}
	pgtest.Resume(t, replica)
	await(t, replica, name, "(select count(*) from thing)", "1")
}

// A durable, synchronous cluster keeps each acknowledged row through the death of its
// primary.
func TestPromote(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{Durable: true, Replicas: 1, Synchronous: true})
	do(t, c.Primary.Exec("postgres", "create table thing (id int)", "insert into thing values (1)"))
	do(t, c.Primary.Kill())
	do(t, c.Promote(c.Replicas[0]))
	do(t, c.Replicas[0].Exec("postgres", "insert into thing values (2)"))
	if got, err := c.Replicas[0].Query("postgres", "select count(*) from thing"); err != nil || got != "2" {
		t.Errorf("the new primary has %s rows of 2, %v", got, err)
	}
	do(t, c.Primary.Start()) // a killed server recovers by itself
}

// A statement that runs when its server is killed runs on to its end. Kill returns after that: the
// answer, or the end of the connection, has come.
func TestKill(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{})
	conn := connect(t, c.Primary.URL("postgres")).PgConn()
	conn.Frontend().SendQuery(&pgproto3.Query{String: "select count(*) from generate_series(1, 5000000)"})
	do(t, conn.Frontend().Flush())
	await(t, c.Primary, "postgres", "(select count(*) from pg_stat_activity where state = 'active' and query like 'select count(*) from generate%')", "1")
	do(t, c.Primary.Kill())
	raw, err := conn.Conn().(syscall.Conn).SyscallConn()
	do(t, err)
	var none error
	do(t, raw.Read(func(fd uintptr) bool {
		_, _, none = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	}))
	if errors.Is(none, syscall.EAGAIN) {
		t.Error("a statement of the killed server still runs")
	}
}

// The servers of a process that is killed end, and their files vanish.
func TestKilledProcess(t *testing.T) {
	if os.Getenv("PGTEST_SLEEP") != "" {
		c := pgtest.New(t, pgtest.Options{})
		t.Log(c.Primary.URL("postgres"))
		if err := os.WriteFile(os.Getenv("PGTEST_SLEEP"), []byte(c.Primary.URL("postgres")), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
	}
	pgtest.Database(t) // skips the test where PostgreSQL is missing
	file := t.TempDir() + "/url"
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), "PGTEST_SLEEP="+file)
	do(t, cmd.Start())
	var url string
	for deadline := time.Now().Add(time.Minute); url == ""; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		url = string(text)
		if time.Now().After(deadline) {
			t.Fatal("the other process started no server")
		}
	}
	conn := connect(t, url)
	data := one(t, conn, "show data_directory")
	do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, err := os.Stat(data)
		ended := conn.Ping(t.Context()) != nil
		if ended && os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute: server ended: %t, files: %v", ended, err)
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	do(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(t.Context(), config)
	do(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func exec1(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), statement)
	do(t, err)
}

func one(t *testing.T, conn *pgx.Conn, statement string) (text string) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), statement).Scan(&text); err != nil {
		t.Error(err)
	}
	return text
}

func await(t *testing.T, s *pgtest.Server, database, statement, want string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		got, err := s.Query(database, statement)
		if err == nil && strings.TrimSpace(got) == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is %q, %v; want %q", statement, got, err, want)
		}
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
