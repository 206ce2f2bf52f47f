package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/postgres/outbox"
	"github.com/frondhost/frond/store/sqltext"
)

// Store keeps rows in PostgreSQL; it is a [facade.Store]. It may be used from many goroutines.
// Entities have to be prepared before rows of them are read or written; the error of a call
// for another one is an INTERNAL_ERROR.
type Store struct {
	store.Writes[*table]
	db     *engine.DB
	tables atomic.Pointer[tables]
	// text writes the statements.
	text sqltext.Database
	// waiting is for a server that was down at the start.
	waiting waiting
	// newer is about tables that follow newer cards.
	newer newer
	// sorts says that the server cannot be kept from sorting, so that nothing is read by a [scan].
	sorts  atomic.Bool
	nonces *engine.Nonces
	outbox *outbox.Outbox
	named  bool // answers name the constraints that no card describes
}

var (
	_ facade.Store      = (*Store)(nil)
	_ facade.Seeder     = (*Store)(nil)
	_ facade.Transactor = (*Store)(nil)
	_ facade.Nonces     = (*engine.Nonces)(nil)
	_ facade.Outbox     = (*outbox.Outbox)(nil)
)

// database answers [driver.DB] for a store.
type database struct{ store *Store }

// Options are those of the database; see [engine.Options].
type Options = engine.Options

// Open reads the options. It opens no connection: [Store.Prepare] does. The error is one
// sentence about the URL, which shows no password. Close the store in the end.
func Open(opts Options) (*Store, error) { return OpenReplicated(opts, nil, 0) }

// OpenReplicated is Open for a database with copies by streaming replication, at urls, that
// reads may go to; see [engine.OpenReplicated].
func OpenReplicated(opts Options, urls []string, lateBy time.Duration) (*Store, error) {
	db, err := engine.OpenReplicated(opts, urls, lateBy)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, named: opts.NameRules, nonces: engine.NewNonces(db)}
	s.outbox = outbox.New(db, func(ctx context.Context, name, create string) error {
		if err := s.waiting.reason(); err != nil {
			return err
		}
		return s.db.Own(ctx, name, create)
	})
	s.text = sqltext.Database{Dialect: dialect{}, Words: words, Table: s.described}
	s.Writes = store.NewWrites(database{s}, &s.text)
	db.Verify = s.verify
	s.tables.Store(&tables{names: migration.DefaultNames(naming)})
	return s, nil
}

// CheckURL returns the fault of the URL of a store, as one sentence with its remedy and without the
// password; nil where it can be used.
func CheckURL(url string) error {
	_, err := engine.ParseURL(url)
	return err
}

// Close waits for the calls that run, then closes every connection. Calls that come later
// return SERVICE_UNAVAILABLE.
func (s *Store) Close() error {
	s.waiting.stop()
	s.outbox.Resign()
	return s.db.Close()
}

// Check returns why the store does not take writes; nil where it does.
func (s *Store) Check(ctx context.Context) error {
	if err := s.waiting.reason(); err != nil {
		return err
	}
	if s.newer.known() {
		if err := s.verify(ctx); err != nil {
			return err
		}
	}
	return s.db.Check(ctx)
}

// Abilities implements [facade.Store]. The answer and the errors of a dry run's write are those
// of the write.
func (s *Store) Abilities() facade.Abilities {
	return facade.Abilities{
		Transactor: s, Outbox: s.outbox, Seeder: s, Nonces: s.nonces, DryRuns: true, Copies: s.db.IssuesConsistency(),
		Prepare: s.start, Check: s.Check, WhenReady: s.whenReady,
	}
}

// Transact implements [facade.Transactor]. The transaction is serializable; fn runs again
// where another one came between.
func (s *Store) Transact(ctx context.Context, fn func(context.Context) error) error {
	return s.db.Transact(ctx, fn)
}

// tables are the compiled tables of the entities of the last Prepare. They never change:
// Prepare replaces them whole.
type tables struct {
	byEntity map[*schema.Entity]*table
	byKey    map[string]*table
	// byName are the same by their names in the database.
	byName map[string]*table
	// mapped are the entities, by key, whose tables another program made; they are compiled when
	// the catalogue is read, whose description is foreign.
	mapped  map[string]*schema.Entity
	foreign *dbschema.Database
	// names are those of the other tables and of their columns, and order has those tables as the
	// entities were given.
	names *migration.Names
	order []*table
}

// naming gives new tables and columns their names.
var naming = migration.Naming{Table: tableName, Column: columnName}

// serve answers calls over these tables from now on. A date that no card can write is logged once
// for its column.
func (s *Store) serve(all *tables) {
	for _, t := range all.byEntity {
		for _, c := range t.columns {
			said := sync.OnceFunc(func() {
				s.db.Log().Warn("a date is answered as null: it is infinite, or outside the years 0000 to 9999", "table", t.plain, "column", c.Name)
			})
			switch classOf(c.Column) {
			case asTime:
				c.Decode = timeDecoder(said)
			case asDate:
				c.Decode = dateDecoder(said)
			}
		}
	}
	s.tables.Store(all)
}

// newTables compiles the tables of entities, in the given schema, under their names. Views and
// entities without a primary key have none. The error is that of every card that no table can
// follow.
func newTables(entities []*schema.Entity, in string, names *migration.Names) (*tables, error) {
	all := &tables{byEntity: map[*schema.Entity]*table{}, byKey: map[string]*table{}, byName: map[string]*table{}, mapped: map[string]*schema.Entity{}, names: names}
	stored := map[string]bool{}
	for _, e := range entities {
		stored[e.Key] = e.Primary != nil && !e.View && e.Table == nil // what its foreign keys may lead to
	}
	var faults []error
	for _, e := range entities {
		if e.Table != nil {
			all.mapped[e.Key] = e
			continue
		}
		if !stored[e.Key] {
			continue
		}
		t, err := newTable(e, in, names, func(key string) bool { return stored[key] })
		if err == nil && all.byName[t.plain] != nil {
			err = fmt.Errorf("the entities %s and %s have the same table %s; rename one of them", all.byName[t.plain].Entity.Name, e.Name, t.plain)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all.byEntity[e], all.byKey[e.Key], all.byName[t.plain] = t, t, t
		all.order = append(all.order, t)
	}
	return all, errors.Join(faults...)
}

// has says whether the entity with this key has a table.
func (t *tables) has(key string) bool { return t.byKey[key] != nil }

// table returns the table of an entity, which may be of an older set of cards than the last
// Prepare's: requests that began before a change still run on theirs. Such a table is made for the
// call alone. Where the server was not there yet to be prepared, the error is SERVICE_UNAVAILABLE.
func (s *Store) table(e *schema.Entity) (*table, error) {
	all := s.tables.Load()
	if t := all.byEntity[e]; t != nil {
		return t, nil
	}
	if err := s.waiting.reason(); err != nil {
		return nil, err
	}
	if e == nil || all.byKey[e.Key] == nil && !all.names.Has(e.Key) {
		name := "?"
		if e != nil {
			name = e.Name
		}
		return nil, kiterror.Internal(fmt.Errorf("postgres: there is no table for %s; hand the entity to Prepare", name))
	}
	if e.Table != nil {
		return foreignTable(e, all.foreign, s.db.Address().Schema, all.has)
	}
	return newTable(e, s.db.Address().Schema, all.names, all.has)
}

// described is the description of an entity's table, see [Store.table].
func (s *Store) described(e *schema.Entity) (*sqltext.Table, error) {
	t, err := s.table(e)
	if err != nil {
		return nil, err
	}
	return &t.Table, nil
}
