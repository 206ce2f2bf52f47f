//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Options are those of a cluster. The zero value is one server that writes fast and loses its data
// in a crash of the machine.
type Options struct {
	// Durable turns fsync and synchronous_commit on.
	Durable bool
	// Replicas is how many servers follow the primary by streaming replication.
	Replicas int
	// Synchronous makes each commit wait until one replica has it on its disk.
	Synchronous bool
	// Settings are further settings of every server, as `max_connections=20`.
	Settings []string
}

// A Cluster is a primary and its replicas. Close ends it.
type Cluster struct {
	Primary  *Server
	Replicas []*Server

	dir string
}

// Start starts a cluster. Its servers end and its files vanish with Close, and within two
// seconds of the end of this process if that never calls it. The error wraps [ErrMissing]
// where PostgreSQL is not installed.
func Start(o Options) (*Cluster, error) {
	dir, err := folder(place(o.Durable))
	if err != nil {
		return nil, err
	}
	if err := watch(dir, os.Getpid()); err != nil {
		return nil, err
	}
	c, err := startIn(dir, o)
	if err != nil {
		_ = os.RemoveAll(dir) // which also ends the watchdog
	}
	return c, err
}

func startIn(dir string, o Options) (*Cluster, error) {
	primary, err := initialize(dir)
	if err != nil {
		return nil, err
	}
	primary.settings = settings(o)
	c := &Cluster{Primary: primary, dir: dir}
	for range o.Replicas { // while the primary does not run yet
		replica, err := c.copied(primary)
		if err != nil {
			return nil, err
		}
		c.Replicas = append(c.Replicas, replica)
	}
	if err := primary.Start(); err != nil {
		return nil, err
	}
	for n, replica := range c.Replicas {
		replica.settings = append(slices.Clip(primary.settings), "-c", fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=postgres application_name=replica%d", primary.port, n+1))
		if err := replica.Start(); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	if o.Synchronous {
		err := primary.Exec("postgres", "alter system set synchronous_standby_names = 'any 1 (*)'", "select pg_reload_conf()")
		if err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	return c, nil
}

// copied makes a replica out of the data of a server that does not run. A base backup of one that
// runs would need pg_basebackup, which not every package of PostgreSQL has.
func (c *Cluster) copied(from *Server) (*Server, error) {
	home, err := folder(c.dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(home, "data")
	if err := run(home, "cp", "-R", filepath.Join(from.dir, "data"), data); err != nil {
		return nil, err
	}
	return &Server{dir: home}, run(home, "touch", filepath.Join(data, "standby.signal"))
}

// Promote makes a replica a primary that takes writes. The other servers do not learn of it.
func (c *Cluster) Promote(replica *Server) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		state, err := replica.Query("postgres", "pg_is_in_recovery()")
		if err == nil && state == "false" {
			return nil
		}
		if err == nil { // the server may end the connection while it becomes a primary
			err = replica.Exec("postgres", "select pg_promote(true, 30)")
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("the replica is no primary after %s", patience), err)
		}
	}
}

// Close ends the servers and removes their files.
func (c *Cluster) Close() error {
	for _, s := range append(c.Replicas, c.Primary) {
		_ = s.Kill() // its data is removed anyway
		if s.release != nil {
			s.release()
		}
	}
	return os.RemoveAll(c.dir)
}

// settings are the arguments of a server. A small one: several run beside the tests.
func settings(o Options) []string {
	all := []string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=",
		"max_connections=300", "shared_buffers=64MB", "max_wal_size=512MB", "checkpoint_timeout=1h",
		"wal_level=replica", "max_wal_senders=10", "hot_standby=on", "wal_keep_size=256MB", "wal_retrieve_retry_interval=100ms",
		"log_min_messages=warning", "log_min_error_statement=panic", // a refused statement is the test's business
	}
	if !o.Durable {
		all = append(all, "fsync=off", "synchronous_commit=off", "full_page_writes=off",
			"dynamic_shared_memory_type=mmap") // among the data, with which it vanishes after a kill, too
	}
	if o.Synchronous {
		all = append(all, "synchronous_commit=on")
	}
	var args []string
	for _, s := range append(all, o.Settings...) {
		args = append(args, "-c", s)
	}
	return args
}
