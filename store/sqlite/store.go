package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Store keeps rows in SQLite; it is a [facade.Store]. It may be used from many goroutines.
// Entities have to be prepared before rows of them are read or written; the error of a call
// for another one is an INTERNAL_ERROR.
type Store struct {
	db     *engine.DB // nil: it is not open
	opts   Options
	tables atomic.Pointer[tables]
	store.Writes[*table]
	// text writes the statements.
	text sqltext.Database
	// named is Options.NameRules.
	named  bool
	events eventLog
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
	return facade.Abilities{Transactor: s, Outbox: &s.events, Seeder: s, DryRuns: true, Prepare: s.start, Check: s.Check}
}

// Transact implements [facade.Transactor]. The database's lock is taken at the first call: other
// writes wait, and reads go on during it. Transactions that wait at the same time share a commit;
// fn runs again only where another one of its group has lost that.
func (s *Store) Transact(ctx context.Context, fn func(context.Context) error) error {
	return s.db.Transact(ctx, fn)
}

// database answers [driver.DB] for a store.
type database struct{ store *Store }

// Options are those of the database; see [engine.Options]. Open sets Extend itself.
type Options = engine.Options

// Open opens the database, and makes it where it is missing. The error is one sentence that
// names the path, the reason and what to do. Close the store in the end.
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
	opts.Extend = extend
	s := &Store{opts: opts, named: opts.NameRules}
	s.text = sqltext.Database{Dialect: dialect{}, Words: words, Table: s.described}
	s.Writes = store.NewWrites(database{s}, &s.text)
	s.tables.Store(&tables{names: migration.DefaultNames(naming)})
	return s
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

// Check returns why the store does not take writes; nil where it does. After a failure of the
// disk it writes and removes a large value, so that a store recovers by itself when there is
// space again.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// tables are the compiled tables of the entities of the last Prepare. They never change:
// Prepare replaces them whole.
type tables struct {
	byEntity map[*schema.Entity]*table
	byKey    map[string]*table
	// names are those of tables and columns.
	names *migration.Names
	// foreign describes another program's database; nil: the tables are the store's own.
	foreign *dbschema.Database
	// order has them as the entities were given.
	order []*table
}

// has says whether the entity with this key has a table.
func (t *tables) has(key string) bool { return t.byKey[key] != nil }

// sorted lists the tables by key, so that an error that could name several of them always
// names the same.
func (t *tables) sorted() []*table {
	keys := slices.Sorted(maps.Keys(t.byKey))
	out := make([]*table, len(keys))
	for i, k := range keys {
		out[i] = t.byKey[k]
	}
	return out
}

// table returns the table of an entity, which may be of an older set of cards than the last
// Prepare's: requests that began before a change still run on theirs. Such a table is made for the
// call alone.
func (s *Store) table(e *schema.Entity) (*table, error) {
	all := s.tables.Load()
	if t := all.byEntity[e]; t != nil {
		return t, nil
	}
	if e == nil || all.byKey[e.Key] == nil && !all.names.Has(e.Key) {
		name := "?"
		if e != nil {
			name = e.Name
		}
		return nil, kiterror.Internal(fmt.Errorf("sqlite: there is no table for %s; hand the entity to Prepare", name))
	}
	return s.newTable(e, all, all.has)
}

// newTable is the table of an entity: its own, or in another program's database the one that
// it is mapped to.
func (s *Store) newTable(e *schema.Entity, all *tables, stored func(key string) bool) (*table, error) {
	switch {
	case all.foreign == nil:
		return newTable(e, all.names, stored)
	case e.Table == nil:
		return nil, fmt.Errorf("entity %s has no table in this database, which is another program's; name one under tables in frond.yaml", e.Name)
	}
	return s.foreignTable(e, all.foreign, stored)
}

// described is the description of an entity's table, see [Store.table].
func (s *Store) described(e *schema.Entity) (*sqltext.Table, error) {
	t, err := s.table(e)
	if err != nil {
		return nil, err
	}
	return &t.Table, nil
}

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
