package sqlite

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Store keeps rows in SQLite; it is a [facade.Store]. It may be used from many goroutines.
// Entities have to be prepared before rows of them are read or written; the error of a call
// for another one is an INTERNAL_ERROR.
type Store struct {
	store.Writes[*table]
	*access
	opts Options
}

var (
	_ facade.Store      = (*Store)(nil)
	_ facade.Seeder     = (*Store)(nil)
	_ facade.Transactor = (*Store)(nil)
	_ facade.Outbox     = (*eventLog)(nil)
)

// Abilities implements [facade.Store]. The answer and the errors of a dry run's write are those
// of the write.
func (s *Store) Abilities() facade.Abilities {
	return facade.Abilities{
		Transactor: s, Outbox: &s.events, Seeder: s, KeyValues: keyValues{s.access}, KeepValue: keyValues{s.access}.keep, DryRuns: true, WriteAll: s.WriteAll, FieldNames: s.fieldNames, Prepare: s.start, Check: s.Check,
		Newer: func(context.Context) bool { return s.older.Load() }, State: s.state,
	}
}

// state is the State of [facade.Abilities].
func (s *Store) state() (state facade.StoreState) {
	if s.db != nil {
		state = s.db.State()
	}
	switch {
	case s.changing.Load():
		state.Tables = facade.TablesChanging
	case s.older.Load():
		state.Tables = facade.TablesNewer
	default:
		state.Tables = facade.TablesReady
	}
	return state
}

// Transact implements [facade.Transactor]. The database's lock is taken at the first call: other
// writes wait, and reads go on during it. Transactions that wait at the same time share a commit;
// fn runs again only where another one of its group has lost that.
func (s *Store) Transact(ctx context.Context, fn func(context.Context) error) error {
	return s.db.Transact(ctx, fn)
}

// Options are the options of the database; see [engine.Options]. Open sets Extend and Modules
// itself.
type Options = engine.Options

// Open opens the database, and makes a missing one. The error is one sentence that names the
// path, the reason and what to do. Close the store in the end.
func Open(ctx context.Context, opts Options) (*Store, error) {
	s := New(opts)
	if err := s.Open(ctx, opts.Foreign); err != nil {
		return nil, err
	}
	return s, nil
}

// New returns a store that has its abilities and touches no file. [Store.Open] comes before every
// other call.
func New(opts Options) *Store {
	opts.Extend, opts.Modules = extend, searchModule
	a := &access{named: opts.NameRules}
	a.text = sqltext.Database{Dialect: dialect{}, Words: words, Table: store.Describe(a.table)}
	a.exact = a.text
	a.exact.Dialect = dialect{exact: true}
	a.tables.Store(&tables{Names: migration.DefaultNames(naming)})
	return &Store{Writes: store.NewWrites(database{a}, &a.text), access: a, opts: opts}
}

// Open opens the database of a store of [New], once, as the function Open does. foreign replaces
// Options.Foreign.
func (s *Store) Open(ctx context.Context, foreign bool) (err error) {
	s.opts.Foreign = foreign
	s.db, err = engine.Open(ctx, s.opts)
	s.events.db = s.db
	return err
}

// Close waits for the writes that wait, then closes every connection. Calls that come later
// return SERVICE_UNAVAILABLE.
func (s *Store) Close() error {
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// Check returns why the store does not take writes, or nil. After a failure of the disk it
// writes and removes a large value, so that a store recovers by itself when there is space
// again.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// Backup writes the store at path into a file of its own, as of one moment, also while other
// processes read and write it. The file is complete and on disk when Backup returns; it must not
// exist before. It returns the file's size in bytes. It opens the file by itself, and needs no
// [Store].
func Backup(ctx context.Context, path, to string) (int64, error) {
	return engine.Backup(ctx, path, to)
}

// Restore puts a backup in the place of the store at path, which no process may serve during the
// call. An existing store is replaced only where replace is true; it keeps its rows under the new
// name kept. path may be without a file; then kept is "".
func Restore(ctx context.Context, backup, path string, replace bool) (kept string, err error) {
	return engine.Restore(ctx, backup, path, replace)
}
