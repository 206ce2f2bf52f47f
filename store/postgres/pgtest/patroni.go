//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
)

// Patroni is a cluster of two servers that Patroni keeps, with an etcd of one node: it promotes
// a replica by itself when the primary dies. Commits are synchronous.
type Patroni struct {
	nodes []*patroniNode
}

// patroniNode is a server and the Patroni beside it, as they are on one machine.
type patroniNode struct {
	*Server

	agent *exec.Cmd
}

// NewPatroni starts the cluster for this test, and ends it with the test. It is skipped where
// Patroni and etcd are not installed, which CI does not have to have.
func NewPatroni(t testing.TB) *Patroni {
	t.Helper()
	for _, name := range []string{"patroni", "etcd"} {
		if _, err := program(name); err != nil {
			t.Skipf("%s is not installed (Debian: apt-get install patroni etcd-server)", name)
		}
	}
	dir, err := folder(place(false))
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := watch(dir, os.Getpid()); err != nil {
		t.Fatal(err)
	}
	var ports [6]int
	for i := range ports {
		ports[i] = freeport.Port(t)
	}
	etcd := fmt.Sprintf("127.0.0.1:%d", ports[0])
	peer := fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	launch(t, dir, "etcd", "--data-dir", filepath.Join(dir, "etcd-data"), "--listen-client-urls", "http://"+etcd, "--advertise-client-urls", "http://"+etcd,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer, "--logger", "zap")
	p := &Patroni{}
	for i := range 2 {
		home, err := folder(dir)
		must(t, err)
		bin, err := program("postgres")
		must(t, err)
		bin, err = filepath.EvalSymlinks(bin) // the other programs are beside the real one
		must(t, err)
		port := ports[2+i]
		config := fmt.Sprintf(patroniConfig, i+1, ports[4+i], ports[4+i], etcd, port, port, filepath.Join(home, "data"), filepath.Dir(bin), home)
		file := filepath.Join(home, "patroni.yml")
		if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		p.nodes = append(p.nodes, &patroniNode{Server: &Server{dir: home, port: port}, agent: launch(t, home, "patroni", file)})
		p.await(t, func() error { _, err := p.nodes[i].Query("postgres", "1"); return err }) // the first one is the primary
	}
	p.await(t, func() error {
		got, err := p.nodes[0].Query("postgres", "(select count(*) from pg_stat_replication where sync_state = 'sync')")
		if err == nil && got != "1" {
			err = errors.New("the replica is not synchronous yet")
		}
		return err
	})
	return p
}

const patroniConfig = `scope: frond
name: node%d
restapi: {listen: "127.0.0.1:%d", connect_address: "127.0.0.1:%d"}
etcd3: {host: "%s"}
bootstrap:
  dcs: {ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: true, postgresql: {parameters: {max_connections: 100, shared_buffers: 32MB, wal_retrieve_retry_interval: 100ms}}}
  initdb: [{encoding: UTF8}, {locale: C}]
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust", "local all all trust"]
postgresql:
  listen: "127.0.0.1:%d"
  connect_address: "127.0.0.1:%d"
  data_dir: %s
  bin_dir: %s
  authentication: {superuser: {username: postgres, password: x}, replication: {username: replicator, password: x}}
  parameters: {unix_socket_directories: "%s"}
`

// URL is the address of a database that follows the primary.
func (p *Patroni) URL(database string) string {
	var hosts []string
	for _, n := range p.nodes {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", n.port))
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/" + database + "?target_session_attrs=read-write"
}

// Create makes a database.
func (p *Patroni) Create(database string) error {
	return p.nodes[0].Exec("postgres", "create database "+database)
}

// KillPrimary ends the first primary, with everything of its machine, as a power cut does.
func (p *Patroni) KillPrimary() error {
	text, err := os.ReadFile(filepath.Join(p.nodes[0].dir, "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		return err
	}
	if err := p.nodes[0].agent.Process.Kill(); err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// await waits until there is no error.
func (p *Patroni) await(t testing.TB, is func() error) {
	t.Helper()
	for deadline := time.Now().Add(2 * patience); ; time.Sleep(100 * time.Millisecond) {
		err := is()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			for _, n := range p.nodes {
				t.Log(n.Log())
			}
			t.Fatal(err)
		}
	}
}

// launch starts a program that runs until the test ends; its output goes into a file log.
func launch(t testing.TB, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd, err := command(dir, name, args...)
	must(t, err)
	log, err := os.Create(filepath.Join(dir, "log"))
	must(t, err)
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent.pid"), fmt.Appendln(nil, cmd.Process.Pid), 0o644); err != nil { // for the watchdog
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // Patroni stops its server
		select {
		case <-ended:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
		}
	})
	return cmd
}
