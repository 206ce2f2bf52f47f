//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/frondhost/frond/e2e/freeport"
)

// patience is how long a server may take to start or to stop.
const patience = 60 * time.Second

// A Server is one PostgreSQL process with its data. Its methods are for one goroutine at
// a time; its URL stays the same when it is stopped and started again.
type Server struct {
	dir      string // holds data/ and log
	port     int
	release  func()   // gives the port back; nil where another process has it
	settings []string // arguments of `postgres`
	cmd      *exec.Cmd
	ended    <-chan struct{} // closed when cmd and its children have ended

	mu    sync.Mutex
	admin *pgx.Conn // to the database postgres, kept for the next test that makes a database
}

// URL returns the address of a database of the server. The server has no TLS, and a client that may
// ask for TLS connects twice.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// Port returns the port on 127.0.0.1 where the server listens.
func (s *Server) Port() int { return s.port }

// Log returns the log of the server so far.
func (s *Server) Log() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Exec runs statements in a database of the server, one after another.
func (s *Server) Exec(database string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// administer runs a statement in the database postgres. Each connection of a server is a process of
// its own, so that one is kept.
func (s *Server) administer(statement string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.admin != nil {
		if _, err := s.admin.Exec(ctx, statement); err == nil {
			return nil
		}
		_ = s.admin.Close(ctx) // the server may have been started again
	}
	var err error
	if s.admin, err = pgx.Connect(ctx, s.URL("postgres")); err == nil {
		_, err = s.admin.Exec(ctx, statement)
	}
	return err
}

// Query returns the one value, as text, that a statement of one row and one column gives.
func (s *Server) Query(database, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	var value *string
	if err := conn.QueryRow(ctx, "select ("+statement+")::text").Scan(&value); err != nil {
		return "", fmt.Errorf("%s: %w", statement, err)
	}
	if value == nil {
		return "", nil
	}
	return *value, nil
}

// Start starts the server over its data and returns when it answers. A server that was
// killed recovers first.
func (s *Server) Start() error {
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		err := s.start() // the killed server's last child may still hold the port, or the memory
		if err == nil || errors.Is(err, ErrMissing) || time.Now().After(deadline) {
			return err
		}
	}
}

func (s *Server) start() error {
	if s.port == 0 {
		var err error
		if s.port, s.release, err = freeport.Take(); err != nil {
			return err
		}
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	args := append([]string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port)}, s.settings...)
	cmd, err := command(s.dir, "postgres", args...)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = log, log
	ended, err := family(cmd)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		select {
		case <-ended:
			return fmt.Errorf("postgres ended at its start:\n%s", s.Log())
		default:
		}
		_, err := s.Query("postgres", "1")
		if err == nil {
			s.cmd, s.ended = cmd, ended
			return nil
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Signal(syscall.SIGQUIT)
			return fmt.Errorf("postgres did not answer within %s: %w\n%s", patience, err, s.Log())
		}
	}
}

// family starts a program, and returns a channel that is closed when it and all its children have ended. A
// child of a killed server may answer for a while. Each of them has the end of a pipe.
func family(cmd *exec.Cmd) (<-chan struct{}, error) {
	held, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = end.Close() }()
	cmd.ExtraFiles = []*os.File{end}
	if err := cmd.Start(); err != nil {
		_ = held.Close()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()                   // why it ended is in the log
		_, _ = io.Copy(io.Discard, held) // nobody writes
		_ = held.Close()
		close(ended)
	}()
	return ended, nil
}

// Stop ends the server in order: connections are cut, nothing is lost.
func (s *Server) Stop() error { return s.end(syscall.SIGINT) }

// Kill ends the server as kill -9 does, and returns when its children have ended, too. Data that is not yet on its disk is lost.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(signal syscall.Signal) error {
	if s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.ended:
	case <-time.After(patience):
		return fmt.Errorf("postgres did not end within %s of %s", patience, signal)
	}
	s.cmd = nil
	return nil
}

// initialize makes the data of a server in a new folder under dir.
func initialize(dir string) (*Server, error) {
	home, err := folder(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(home, "data")
	return &Server{dir: home}, run(home, "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
}
