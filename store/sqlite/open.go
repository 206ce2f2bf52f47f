package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/memdb"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
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
	Statement   time.Duration // how long a statement may run for a caller; default 2 s, less than 0 is without end
	BusyTimeout time.Duration // how long to wait for another process's lock; default 5 s

	// Trace, where set, is told every statement that is about to run, with its
	// arguments. It is called from many goroutines and must not call the store.
	Trace func(sql string, args ...any)
}

// Store keeps rows in SQLite. It may be used from many goroutines.
type Store struct {
	opts   Options
	uri    string
	memory string // the name of the database in memory
	file   *file  // nil of a store in memory
	lock   *flock.Flock
	log    *slog.Logger

	tables atomic.Pointer[tables]
	pool   *pool
	writer *writer

	// gate is for databases in memory alone, which have no WAL: there a reader and
	// the writer's transaction keep out of each other's way here, not by SQLITE_BUSY.
	gate sync.RWMutex
}

var (
	_ facade.Store     = (*Store)(nil)
	_ facade.Rehearser = (*Store)(nil)
	_ facade.Seeder    = (*Store)(nil)
)

// Rehearses says that what is written for a context of [facade.Rehearse] is undone.
func (s *Store) Rehearses() bool { return true }

// Open opens or makes the database. The error is one sentence that names the
// path, the reason and what to do.
func Open(ctx context.Context, opts Options) (*Store, error) {
	s := &Store{opts: opts, log: opts.Logger}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.opts.BusyTimeout <= 0 {
		s.opts.BusyTimeout = 5 * time.Second
	}
	switch {
	case s.opts.Statement == 0:
		s.opts.Statement = 2 * time.Second
	case s.opts.Statement < 0:
		s.opts.Statement = 0
	}
	if s.opts.Readers <= 0 {
		s.opts.Readers = max(4, 2*runtime.GOMAXPROCS(0))
	}
	s.tables.Store(&tables{})
	switch {
	case opts.Memory && opts.Path != "":
		return nil, fmt.Errorf("the store is asked to be both in memory and at %s; choose one", opts.Path)
	case opts.Memory:
		s.memory = "frond-" + rand.Text()
		memdb.Create(s.memory, nil)
		s.uri = "file:/" + s.memory + "?vfs=memdb"
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
			if s.lock, err = lockStore(path); err != nil {
				return nil, unopenable(opts.Path, err)
			}
		}
		s.uri = (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}).String()
	}
	c, err := s.dial(ctx, false)
	if err == nil {
		if err = c.inTransaction(claim); err == nil && s.memory == "" {
			s.file, err = newFile(c.db.Filename("main").Database(), s.log)
		}
		if err != nil {
			_ = c.close() // the error at hand is the one to report
		}
	}
	if err != nil {
		s.forget()
		return nil, unopenable(opts.Path, err)
	}
	s.pool = newPool(s)
	s.writer = newWriter(s, c)
	return s, nil
}

// Close waits for the writes that are waiting, then closes every connection.
func (s *Store) Close() error {
	err := s.writer.close()
	err = errors.Join(err, s.pool.close())
	s.forget()
	return err
}

func (s *Store) forget() {
	if s.memory != "" {
		memdb.Delete(s.memory)
	}
	if s.lock != nil {
		_ = s.lock.Close() // the end of the process would do it too
	}
}

const (
	applicationID = 0x66726e64 // "frnd": in the file's header, so that file(1) and we know whose it is
	formatVersion = 1          // of how values stand in columns; user_version
)

var (
	errForeign = errors.New("the file is another program's database")
	errNewer   = errors.New("the file was written by a newer version of this program")
)

// claim marks a new database as ours and refuses one that is not; it runs in a transaction.
func claim(c *conn) error {
	id, err := c.number("PRAGMA application_id")
	if err != nil {
		return err
	}
	version, err := c.number("PRAGMA user_version")
	if err != nil {
		return err
	}
	things, err := c.number("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	switch {
	case id == 0 && version == 0 && things == 0:
		if err := c.once(fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return err
		}
		if err := c.once(fmt.Sprintf("PRAGMA user_version = %d", formatVersion)); err != nil {
			return err
		}
	case id != applicationID:
		return errForeign
	case version > formatVersion:
		return errNewer
	}
	return nil
}

// unopenable is the one sentence for a store that cannot be opened.
func unopenable(path string, err error) error {
	if path == "" {
		path = "in memory"
	}
	reason, remedy := "", "check the path, its folder's permissions and the disk"
	var pathErr *os.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errServed):
		reason, remedy = err.Error(), "stop that process, call it at its address, or name another store (--store sqlite:PATH)"
	case errors.Is(err, errForeign):
		reason, remedy = errForeign.Error(), "name another path"
	case errors.Is(err, errNewer):
		reason, remedy = errNewer.Error(), "update the program or name another path"
	case errors.Is(err, sqlite3.NOTADB):
		reason, remedy = "the file is not a SQLite database", "name another path or move the file away"
	case errors.Is(err, sqlite3.CORRUPT):
		reason, remedy = "the database is damaged", "restore it from a backup"
	case errors.Is(err, sqlite3.BUSY):
		reason, remedy = "another process holds it locked", "stop that process or name another path"
	case errors.Is(err, sqlite3.READONLY):
		reason, remedy = "the file is read-only", "give this user the right to write it and its folder"
	case isDir(path):
		reason, remedy = "it is a folder", "name a file in it, such as "+filepath.Join(path, "store.db")
	case errors.As(err, &pathErr):
		reason = pathErr.Err.Error()
	default:
		reason = err.Error()
	}
	return fmt.Errorf("the store at %s cannot be opened: %s; %s%w", path, reason, remedy, hidden{err})
}

// hidden keeps a cause for errors.Is without repeating its text.
type hidden struct{ error }

func (h hidden) Error() string { return "" }
func (h hidden) Unwrap() error { return h.error }

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// tables are the compiled tables of the entities of the last Prepare.
type tables struct {
	byEntity map[*schema.Entity]*table
	byKey    map[string]*table
}

func (t *tables) has(key string) bool { return t.byKey[key] != nil }

// sorted lists the tables by key, so that what is blamed first is always the same.
func (t *tables) sorted() []*table {
	keys := slices.Sorted(maps.Keys(t.byKey))
	out := make([]*table, len(keys))
	for i, k := range keys {
		out[i] = t.byKey[k]
	}
	return out
}

// table is the table of an entity, which may be of an older set of cards than
// the last Prepare's: requests that began before a change still run on theirs.
func (s *Store) table(e *schema.Entity) (*table, error) {
	all := s.tables.Load()
	if t := all.byEntity[e]; t != nil {
		return t, nil
	}
	if e == nil || all.byKey[e.Key] == nil {
		name := "?"
		if e != nil {
			name = e.Name
		}
		return nil, facade.Internal(fmt.Errorf("sqlite: there is no table for %s; hand the entity to Prepare", name))
	}
	return newTable(e, all.has)
}
