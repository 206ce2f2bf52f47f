package engine

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// errServed is the reason where another process serves the store; lockStore adds its id.
var errServed = errors.New("another process serves it")

// lockStore takes the lock that one process that serves the store holds (docs/decisions/sqlite.md):
// a file beside it, PATH.lock, released by the operating system when the process ends, however
// that happens. The file itself stays. The error names the process that holds it. The lock
// does not hold between hosts on a network file system.
func lockStore(path string) (*flock.Flock, error) {
	lock := flock.New(path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	if !ok {
		err := errServed
		if pid := strings.TrimSpace(readText(lock.Path())); pid != "" {
			err = fmt.Errorf("%w (process %s)", errServed, pid)
		}
		return nil, err
	}
	// For the message above alone: the lock holds without it.
	_ = os.WriteFile(lock.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	return lock, nil
}

// readText returns the text of a file, "" where it cannot be read.
func readText(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
