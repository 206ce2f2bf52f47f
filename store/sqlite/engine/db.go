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
	"time"

	"github.com/gofrs/flock"
	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/memdb"
	"golang.org/x/sync/semaphore"

	"github.com/frondhost/frond/facade"
)

// Options are the options of [Open]. One of Path and Memory is required.
type Options struct {
	// Path is the database file; Open makes it and its folder if they are missing. A symbolic
	// link is followed, so that one store has one lock.
	Path string
	// Memory keeps everything in memory instead; it is gone after Close.
	Memory bool
	// Serve says that this process serves the store, which one process may at a time
	// (docs/decisions/sqlite.md): another one that wants to is refused. Processes that only call
	// (frond call) do not set it and work next to it.
	Serve bool

	// Foreign opens a database that another program made and that stays that program's: the
	// file has to exist, and this program adds neither its marks nor its tables. Its journal
	// becomes a WAL, as for every store.
	Foreign bool
	// NameRules says that answers name the constraints that no card describes. It is for
	// development: the names are another program's.
	NameRules bool

	// Logger receives what migrations did and failures of the disk; nil is slog.Default().
	Logger *slog.Logger
	// Readers is how many connections read side by side at most; 0 is twice the processors, 4
	// at least.
	Readers int
	// Statement is how long a statement may run for a caller; 0 is two seconds, less than 0 is
	// without end (docs/decisions/budgets.md).
	Statement time.Duration
	// Transaction is how long a transaction of several calls may hold the writer; 0 is two
	// seconds, less than 0 is without end (docs/decisions/transactions.md).
	Transaction time.Duration
	// BusyTimeout is how long to wait for another process's lock; 0 is five seconds.
	BusyTimeout time.Duration

	// Slow is the shortest time of a statement that is logged, with its operation; 0: the
	// database logs no statements.
	Slow time.Duration

	// Measure, where set, is called after every statement with its time, and with why it failed: "" for success. It is
	// called from many goroutines.
	Measure func(took time.Duration, why facade.Failure)

	// Trace, where set, is called before every statement, with its arguments. It is called from
	// many goroutines and must not call the store.
	Trace func(sql string, args ...any)

	// Extend, where set, gives each connection the functions and collations that statements use and
	// SQLite lacks.
	Extend func(db *sqlite3.Conn, reader bool) error
	// Modules, where set, gives a connection the modules of virtual tables. It is called for the first statement
	// that cannot be prepared without. The connection that writes has them from Extend: a trigger of another
	// program may need them in a prepared statement.
	Modules func(*sqlite3.Conn) error
}

// DB is a database with one connection that writes and several that read. It may be
// used from many goroutines.
type DB struct {
	opts Options
	// uri is what connections are opened by: file:///abs/store.db, or file:/NAME?vfs=memdb.
	uri string
	// memory is the name of the database in memory; "" for a file.
	memory string
	// file watches the file; nil for a database in memory.
	file *file
	// lock is held where Options.Serve is set; else nil.
	lock    *flock.Flock
	log     *slog.Logger
	slowLog *facade.SlowLog

	pool   *pool
	writer *writer

	// gate is for databases in memory alone, which have no WAL: there a reader and
	// the writer's transaction keep out of each other's way here, not by SQLITE_BUSY.
	gate *semaphore.Weighted
}

// State returns how many connections may read and do, and how many reads wait.
func (d *DB) State() facade.StoreState {
	return facade.StoreState{Connections: d.opts.Readers, InUse: d.pool.turns.InUse(), Waiting: d.pool.turns.Waiting()}
}

// readersInside is how many readers the gate lets in together; the writer takes as many places.
const readersInside = 1 << 30

// Open opens the database, and makes a missing one. The error is one sentence that names the
// path, the reason and what to do. Open refuses a file of another program or a newer version,
// and does not touch it. ctx bounds the opening alone; Close the DB in the end.
func Open(ctx context.Context, opts Options) (*DB, error) {
	d := &DB{opts: opts.withDefaults(), log: opts.Logger, gate: semaphore.NewWeighted(readersInside)}
	if d.log == nil {
		d.log = slog.Default()
	}
	d.slowLog = facade.NewSlowLog(d.log)
	made := func() {}
	switch {
	case opts.Memory && opts.Path != "":
		return nil, fmt.Errorf("the store is asked to be both in memory and at %s; choose one", opts.Path)
	case opts.Memory:
		// All connections of this DB share the database by its name, and no other DB can guess
		// it.
		d.memory = "frond-" + rand.Text()
		memdb.Create(d.memory, nil)
		d.uri = "file:/" + d.memory + "?vfs=memdb"
	case opts.Path == "":
		return nil, errors.New("the store has no path; name a file, such as .frond/store.db")
	default:
		var err error
		if made, err = d.locate(); err != nil {
			d.forget()
			return nil, unopenable(opts.Path, err)
		}
	}
	// The connection that writes is opened first: it makes and marks the file, which readers
	// cannot.
	c, err := d.dial(ctx, false)
	if err == nil {
		if !opts.Foreign {
			err = c.InTransaction(claim)
		}
		if err == nil && d.memory == "" {
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
	made()
	d.pool = newPool(d)
	d.writer = newWriter(d, c)
	return d, nil
}

// withDefaults returns the options with the defaults of the unset ones.
func (o Options) withDefaults() Options {
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = 5 * time.Second
	}
	for _, limit := range []*time.Duration{&o.Statement, &o.Transaction} {
		switch {
		case *limit == 0:
			*limit = 2 * time.Second
		case *limit < 0:
			*limit = 0
		}
	}
	if o.Readers <= 0 {
		o.Readers = max(4, 2*runtime.GOMAXPROCS(0))
	}
	return o
}

// locate finds the file of a database, locks it where the options say so, and begins a missing
// one. made is to be called when it has been opened.
func (d *DB) locate() (made func(), err error) {
	path, err := filepath.Abs(d.opts.Path)
	if err != nil {
		return nil, err
	}
	if d.opts.Foreign {
		_, err = os.Stat(path)
	} else {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // one store has one lock, by any name that it is opened by
	}
	if d.opts.Serve {
		if d.lock, err = lockStore(path); err != nil {
			return nil, err
		}
	}
	made = func() {}
	if !d.opts.Foreign {
		if made, err = beginFile(path); err != nil {
			return nil, err
		}
	}
	d.uri = (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}).String()
	return made, nil
}

// Log returns the logger of the database and of its user; never nil.
func (d *DB) Log() *slog.Logger { return d.log }

// Close does the writes that wait, waits for the reads that run, then closes every connection
// and lets go of the lock. Calls that come later return SERVICE_UNAVAILABLE. It may be called
// twice.
func (d *DB) Close() error {
	err := d.writer.close()
	err = errors.Join(err, d.pool.close())
	d.forget()
	return err
}

// forget releases the resources of Open other than connections: the database in memory, and the lock.
func (d *DB) forget() {
	if d.memory != "" {
		memdb.Delete(d.memory)
	}
	if d.lock != nil {
		_ = d.lock.Close() // the end of the process would do it too
	}
}

// Foreign reports whether the database is another program's; see [Options].
func (d *DB) Foreign() bool { return d.opts.Foreign }
