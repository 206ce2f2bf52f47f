//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// shared returns the server that all packages of this `go test` run share, and starts it
// where no other process of the run has done so. The processes agree by a file lock in a
// folder that is named after the `go` command which started them all.
var shared = sync.OnceValues(func() (*Server, error) {
	pid := os.Getppid()
	if fields := stat(pid); len(fields) < 22 || fields[1] != "(go)" {
		pid = os.Getpid() // started by hand or by a debugger: nobody to share with
	}
	dir := filepath.Join(place(false), fmt.Sprintf("frond-pgtest-run-%d-%d-%s", os.Getuid(), pid, began(pid)))
	if err := os.Mkdir(dir, 0o711); err != nil && !os.IsExist(err) {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }() // which gives the lock back
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	ready := filepath.Join(dir, "port")
	if text, err := os.ReadFile(ready); err == nil {
		port, err := strconv.Atoi(strings.TrimSpace(string(text)))
		return &Server{port: port}, err
	}
	if cred, err := owner(); err != nil {
		return nil, err
	} else if cred != nil {
		if err := os.Chown(dir, int(cred.Uid), int(cred.Gid)); err != nil {
			return nil, err
		}
	}
	if err := watch(dir, pid); err != nil {
		return nil, err
	}
	c, err := startIn(dir, Options{})
	if err != nil {
		return nil, err
	}
	return c.Primary, os.WriteFile(ready, []byte(strconv.Itoa(c.Primary.port)), 0o600)
})
