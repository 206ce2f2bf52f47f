//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// Database returns the URL of an empty database on the server that this `go test` run
// shares. The database is dropped when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	server, err := shared()
	must(t, err)
	return server.URL(create(t, server))
}

// New starts a cluster for this test alone and ends it with the test.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := Start(o)
	must(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Database makes an empty database in the cluster and returns its name, which is the same
// on every server of the cluster.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	return create(t, c.Primary)
}

// databases counts the databases that this process has made.
var databases atomic.Int64

func create(t testing.TB, server *Server) string {
	t.Helper()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1))
	if err := server.administer("create database " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A server that the test has stopped takes its databases along.
		if err := server.administer("drop database " + name + " with (force)"); err != nil && server.dir == "" {
			t.Error(err)
		}
	})
	return name
}

// must ends the test where a cluster could not be had: it is skipped where PostgreSQL is
// not installed, but not in CI, which has to have it.
func must(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrMissing) && os.Getenv("CI") == "":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// Pause stops a replica's replay: from when it returns the replica shows nothing new until
// [Resume].
func Pause(t testing.TB, replica *Server) {
	t.Helper()
	if err := replica.Exec("postgres", "select pg_wal_replay_pause()"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		state, err := replica.Query("postgres", "pg_get_wal_replay_pause_state()")
		if err == nil && state == "paused" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the replay is %s, %v", state, err)
		}
	}
}

// Resume lets a replica catch up; it returns at once.
func Resume(t testing.TB, replica *Server) {
	t.Helper()
	if err := replica.Exec("postgres", "select pg_wal_replay_resume()"); err != nil {
		t.Fatal(err)
	}
}

// Chosen returns the URL of an empty database for a test that runs on any store, where the
// environment variable E2E_STORE is "postgres", or "pgbouncer" for the same through a pooler in
// transaction mode; "" where such tests run on SQLite.
func Chosen(t testing.TB) string {
	t.Helper()
	switch store := os.Getenv("E2E_STORE"); store {
	case "", "sqlite":
		return ""
	case "postgres":
		return Database(t)
	case "pgbouncer":
		// A pooler takes no settings of a session, so that the role gets the one that the program
		// would set, and warns about.
		server, err := shared()
		must(t, err)
		name := create(t, server)
		must(t, server.Exec(name, "ALTER ROLE CURRENT_USER SET jit = off"))
		return Pooled(t, server.URL(name), 20) + "&pool=transaction"
	default:
		t.Fatalf("E2E_STORE is %q; write sqlite, postgres or pgbouncer", store)
		return ""
	}
}
