package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// file watches the database file that a store writes to, so that no write to a lost file is
// acknowledged: a removed or replaced file still accepts writes, into a file without a name
// (docs/decisions/sqlite.md). It also remembers the last failure of the disk. A store in memory
// has a nil file, and the methods that such a store calls report no fault.
type file struct {
	path, walPath string
	log           *slog.Logger
	// walSize is how many bytes the log had when it was last looked at.
	walSize atomic.Int64

	mu sync.Mutex
	// main is the file as it was opened.
	main fs.FileInfo
	// wal is the log as the first commit left it; nil before.
	wal fs.FileInfo
	// failure is why writes fail; nil: they do not.
	failure error

	// probing is held by the probe of Check, so that one runs at a time.
	probing sync.Mutex
}

// newFile remembers the file at path, so that os.SameFile can find it replaced.
func newFile(path string, log *slog.Logger) (*file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &file{path: path, walPath: path + "-wal", log: log, main: info}, nil
}

// lost returns an error if the database or its log is no longer the file of the start. It costs
// two stat calls.
func (f *file) lost() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.look()
	return err
}

// look is lost for a caller who holds mu. It returns the log as it is now; nil: no commit has made one.
func (f *file) look() (wal fs.FileInfo, err error) {
	if _, err := same(f.path, f.main); err != nil || f.wal == nil {
		return nil, err
	}
	return same(f.walPath, f.wal)
}

// same returns the file at path. If the file is another one than was, the error says what to do.
func same(path string, was fs.FileInfo) (now fs.FileInfo, err error) {
	now, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s was removed while the store was open; put it back, or restore a backup", path)
	case err != nil:
		return nil, err
	case !os.SameFile(now, was):
		return nil, fmt.Errorf("%s was replaced while the store was open; start this process again", path)
	}
	return now, nil
}

// committed returns an error if a commit that just succeeded went into a lost file. The first
// commit makes the log, which file then remembers.
func (f *file) committed() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	wal, err := f.look()
	if err != nil {
		return err
	}
	if wal == nil {
		if wal, err = os.Stat(f.walPath); err != nil {
			return nil //nolint:nilerr // nothing was written
		}
		f.wal = wal
	}
	f.walSize.Store(wal.Size())
	return nil
}

// recovered forgets the last failure, and logs that the store works again.
func (f *file) recovered() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure != nil {
		f.failure = nil
		f.log.Info("the store works again", "store", f.path)
	}
}

// walGone forgets which file the log is: it may have been removed with good reason, because
// the last connection that closes does that.
func (f *file) walGone() {
	if f != nil {
		f.mu.Lock()
		f.wal = nil
		f.mu.Unlock()
	}
}

// measure reads the size of the log. It keeps the last size if it cannot read the log.
func (f *file) measure() {
	if info, err := os.Stat(f.walPath); err == nil {
		f.walSize.Store(info.Size())
	}
}

// note remembers a failure of the disk, and logs it where an operator has something else to
// look at than before: a full disk fails a thousand writes and is one line.
func (f *file) note(err error) {
	if f == nil || err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if check := whatToCheck(err); f.failure == nil || whatToCheck(f.failure) != check {
		f.log.Error("the store fails", "store", f.path, "error", err, "check", cmp.Or(check, "the file"))
	}
	f.failure = err
}

// failing returns the failure that writes met last, nil since they work.
func (f *file) failing() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failure
}

// noteDisk notes err if the disk is at fault.
func (d *DB) noteDisk(err error) {
	if diskFailure(err) {
		d.file.note(err)
	}
}

// probeSize is how much a probe writes: a store that has no room for the largest body
// of a request does not work, though a small write may still succeed.
const probeSize = 1 << 20

// probeTable exists from the first probe on. Its name begins with the store's prefix, so that
// no entity has it and a migration leaves it alone.
const probeTable = "_frond_probe"

// Check returns why the database does not take writes, or nil; always nil for one in memory.
// After a failure of the disk it writes [probeSize] bytes and removes them, so that a store
// recovers by itself when there is space again; until then, and while another probe runs, the
// answer is the failure. Health checks may call it from many goroutines.
func (d *DB) Check(ctx context.Context) error {
	if d.file == nil {
		return nil
	}
	if err := d.file.lost(); err != nil {
		d.file.note(err)
		return err
	}
	failure := d.file.failing()
	if failure == nil {
		return nil
	}
	if !d.file.probing.TryLock() {
		return failure // another probe is under way
	}
	defer d.file.probing.Unlock()
	if d.opts.Foreign {
		d.file.recovered() // nothing is written for a probe; the next write shows whether it works
		return nil
	}
	for _, sql := range []string{
		`CREATE TABLE IF NOT EXISTS "` + probeTable + `" (bytes BLOB) STRICT`,
		fmt.Sprintf(`INSERT INTO "%s" VALUES (zeroblob(%d))`, probeTable, probeSize),
		`DELETE FROM "` + probeTable + `"`,
	} {
		if err := d.writer.do(&Op{Ctx: ctx, Run: func(c *Conn) error { return c.Once(sql) }}); err != nil {
			return err
		}
	}
	d.file.recovered()
	return nil
}

// clockSlack is by how much the time of a file may be behind the clock.
const clockSlack = 50 * time.Millisecond

// Quiet reports that no process has written since a time, by the time of the log. To a database in
// memory this process alone writes.
func (d *DB) Quiet(since time.Time) bool {
	if d.file == nil {
		return true
	}
	info, err := os.Stat(d.file.walPath)
	return err == nil && info.ModTime().Before(since.Add(-clockSlack))
}

// errServed is the reason where another process serves the store; lockStore adds its id.
var errServed = errors.New("another process serves it")

// lockStore takes the lock that one process that serves the store holds (docs/decisions/sqlite.md):
// a file next to it, PATH.lock, released by the operating system when the process ends, however
// that happens. The file itself stays. The error names the process that holds it. The lock does not
// hold between hosts on a network file system.
func lockStore(path string) (*flock.Flock, error) {
	lock := flock.New(path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	if !ok {
		err := errServed
		text, _ := os.ReadFile(lock.Path())
		if pid := strings.TrimSpace(string(text)); pid != "" {
			err = fmt.Errorf("%w (process %s)", errServed, pid)
		}
		return nil, err
	}
	// For the message above alone: the lock holds without it.
	_ = os.WriteFile(lock.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	return lock, nil
}

// FreeDisk returns how many bytes are free on the file's disk; -1 if the number is unknown or
// the database is in memory.
func (d *DB) FreeDisk() int64 {
	if d.file == nil {
		return -1
	}
	return freeDisk(d.file.path)
}
