//go:build unix

package pgtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/frondhost/frond/e2e/freeport"
)

// Pooled starts a pgbouncer in transaction mode in front of the database at address and
// returns the URL of the same database through it. At most size connections reach the
// server. The pooler ends with the test.
func Pooled(t testing.TB, address string, size int) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := folder(place(false))
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	home, err := folder(dir) // the watchdog looks for pids one folder below its own
	must(t, err)
	if err := watch(dir, os.Getpid()); err != nil {
		t.Fatal(err)
	}
	through, err := pool(t, home, u, size)
	must(t, err)
	return through
}

func pool(t testing.TB, dir string, u *url.URL, size int) (string, error) {
	port := freeport.Port(t)
	pid := filepath.Join(dir, "pgbouncer.pid")
	config := fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = trust
auth_file = %s
pool_mode = transaction
default_pool_size = %d
max_client_conn = 1000
pidfile = %s
`, u.Hostname(), u.Port(), port, filepath.Join(dir, "users"), size, pid)
	if err := os.WriteFile(filepath.Join(dir, "ini"), []byte(config), 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "users"), []byte("\""+u.User.Username()+"\" \"\"\n"), 0o644); err != nil {
		return "", err
	}
	cmd, err := command(dir, "pgbouncer", filepath.Join(dir, "ini"))
	if err != nil {
		return "", err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		<-ended
	})
	through := *u
	through.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		config, err := pgx.ParseConfig(through.String())
		if err != nil {
			cancel()
			return "", err
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		conn, err := pgx.ConnectConfig(ctx, config)
		if err == nil {
			err = conn.Ping(ctx)
			_ = conn.Close(ctx)
		}
		cancel()
		if err == nil {
			return through.String(), nil
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(filepath.Join(dir, "log"))
			return "", fmt.Errorf("pgbouncer ended at its start:\n%s", text)
		default:
		}
		if time.Now().After(deadline) {
			return "", err
		}
	}
}
