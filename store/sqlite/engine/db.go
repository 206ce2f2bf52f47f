package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/gofrs/flock"
	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/memdb"
)

// Options of Open. One of Path and Memory is required.
type Options struct {
	Path   string // the database file; it and its folder are made where they are missing
	Memory bool   // keep everything in memory instead; gone after Close
	// Serve says that this process serves the store, which one process may at a time:
	// another one that wants to is refused. Processes that only call (frond call) do
	// not say so and work beside it.
	Serve bool

	Logger      *slog.Logger  // what migrations did; default slog.Default()
	Readers     int           // connections that read side by side at most; default twice the processors, 4 at least
	Statement   time.Duration // how long a statement may run for a caller; default 2 d, less than 0 is without end
	BusyTimeout time.Duration // how long to wait for another process's lock; default 5 s

	// Trace, where set, is called with every statement that is about to run, and its
	// arguments. It is called from many goroutines and must not call the store.
	Trace func(sql string, args ...any)

	// Extend, where set, gives each connection what the statements use and SQLite lacks.
	Extend func(*sqlite3.Conn) error
}

// DB is a database with one connection that writes and several that read. It may be
// used from many goroutines.
type DB struct {
	opts   Options
	uri    string
	memory string // the name of the database in memory
	file   *file  // nil of a database in memory
	lock   *flock.Flock
	log    *slog.Logger

	pool   *pool
	writer *writer

	// gate is for databases in memory alone, which have no WAL: there a reader and
	// the writer's transaction keep out of each other's way here, not by SQLITE_BUSY.
	gate sync.RWMutex
}

// Open opens the database, and makes it where it is missing. The error is one sentence that
// names the path, the reason and what to do. A file that another program or a newer version
// wrote is refused and not touched.
func Open(ctx context.Context, opts Options) (*DB, error) {
	d := &DB{opts: opts, log: opts.Logger}
	if d.log == nil {
		d.log = slog.Default()
	}
	if d.opts.BusyTimeout <= 0 {
		d.opts.BusyTimeout = 5 * time.Second
	}
	switch {
	case d.opts.Statement == 0:
		d.opts.Statement = 2 * time.Second
	case d.opts.Statement < 0:
		d.opts.Statement = 0
	}
	if d.opts.Readers <= 0 {
		d.opts.Readers = max(4, 2*runtime.GOMAXPROCS(0))
	}
	switch {
	case opts.Memory && opts.Path != "":
		return nil, fmt.Errorf("the store is asked to be both in memory and at %s; choose one", opts.Path)
	case opts.Memory:
		d.memory = "frond-" + rand.Text()
		memdb.Create(d.memory, nil)
		d.uri = "file:/" + d.memory + "?vfs=memdb"
	case opts.Path == "":
		return nil, errors.New("the store has no path; name a file, such as .frond/store.db")
	default:
		path, err := filepath.Abs(opts.Path)
		if err != nil {
			return nil, unopenable(opts.Path, err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, unopenable(opts.Path, err)
		}
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target // one store has one lock, by whatever name it is opened
		}
		if opts.Serve {
			if d.lock, err = lockStore(path); err != nil {
				return nil, unopenable(opts.Path, err)
			}
		}
		d.uri = (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}).String()
	}
	c, err := d.dial(ctx, false)
	if err == nil {
		if err = c.InTransaction(claim); err == nil && d.memory == "" {
			d.file, err = newFile(c.db.Filename("main").Database(), d.log)
		}
		if err != nil {
			_ = c.Close() // the error at hand is the one to report
		}
	}
	if err != nil {
		d.forget()
		return nil, unopenable(opts.Path, err)
	}
	d.pool = newPool(d)
	d.writer = newWriter(d, c)
	return d, nil
}

// Log is where the database and its user report what they do; never nil.
func (d *DB) Log() *slog.Logger { return d.log }

// Close does the writes that wait, then closes every connection and lets go of the lock. Calls
// that come later return SERVICE_UNAVAILABLE.
func (d *DB) Close() error {
	err := d.writer.close()
	err = errors.Join(err, d.pool.close())
	d.forget()
	return err
}

// forget lets go of what Open took beside connections.
func (d *DB) forget() {
	if d.memory != "" {
		memdb.Delete(d.memory)
	}
	if d.lock != nil {
		_ = d.lock.Close() // the end of the process would do it too
	}
}
