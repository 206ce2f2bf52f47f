//go:build unix

package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// ErrMissing is the error of a machine on which a program of PostgreSQL is not installed.
var ErrMissing = errors.New("not installed")

// program returns the path of a program of PostgreSQL or of pgbouncer: the one in the folder that
// PGTEST_BIN names, else the one in PATH, else that of the newest version under
// /usr/lib/postgresql, where Debian puts those that are not for PATH. It fails with [ErrMissing].
func program(name string) (string, error) {
	if dir := os.Getenv("PGTEST_BIN"); dir != "" {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil || name == "postgres" || name == "initdb" {
			return path, err
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("%s is %w (Debian: apt-get install postgresql pgbouncer)", name, ErrMissing)
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4]) // 0 for a folder that is no version
		return n
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

// owner says as whom servers run: nil for the user of this process, and the user
// `postgres` where that is root.
func owner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("servers refuse to run as root, and there is no unix user postgres: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: false}, nil
}

// place returns the folder of the servers' folders. Servers that need not last have theirs in memory, where that
// has room: a database is hundreds of files, and costs a disk several times as much.
func place(durable bool) string {
	var memory syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &memory); err == nil && !durable && float64(memory.Bavail)*float64(memory.Bsize) >= 2<<30 {
		return "/dev/shm"
	}
	return "/tmp" // TMPDIR of root may be closed to the user postgres
}

// folder makes an empty folder under parent that servers may write.
func folder(parent string) (string, error) {
	cred, err := owner()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(parent, "frond-pgtest-")
	if err != nil || cred == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(cred.Uid), int(cred.Gid))
}

// command prepares a program to run in dir, as the servers' user and in a session of its
// own, so that a Ctrl-C for the tests does not reach it before the tests have ended.
func command(dir, name string, args ...string) (*exec.Cmd, error) {
	path, err := program(name)
	if err != nil {
		return nil, err
	}
	cred, err := owner()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred, Setsid: true}
	return cmd, nil
}

// run runs a program to its end; the error has its output.
func run(dir, name string, args ...string) error {
	cmd, err := command(dir, name, args...)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out.Bytes())
	}
	return nil
}
