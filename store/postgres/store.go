package postgres

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store"
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
	*access
	newer  newer
	nonces *engine.Nonces
	values *engine.KeyValues
}

var (
	_ facade.Store      = (*Store)(nil)
	_ facade.Seeder     = (*Store)(nil)
	_ facade.Transactor = (*Store)(nil)
	_ facade.Nonces     = (*engine.Nonces)(nil)
	_ facade.Outbox     = (*outbox.Outbox)(nil)
)

// Options are the options of the database; see [engine.Options].
type Options = engine.Options

// Open reads the options. It opens no connection: [Store.Prepare] does. The error is one
// sentence about the URL, which shows no password. Close the store in the end.
func Open(opts Options) (*Store, error) { return openReplicated(opts, nil, 0) }

// openReplicated is Open for a database with copies by streaming replication, at urls, that
// reads may go to; see [engine.OpenReplicated].
func openReplicated(opts Options, urls []string, lateBy time.Duration) (*Store, error) {
	db, err := engine.OpenReplicated(opts, urls, lateBy)
	if err != nil {
		return nil, err
	}
	a := &access{db: db, named: opts.NameRules}
	a.serving, a.late.access = newServing(a), a
	a.outbox = outbox.New(db, func(ctx context.Context, name, create string) error {
		if err := a.waiting.reason(); err != nil {
			return err
		}
		return db.Own(ctx, name, create)
	})
	a.text = sqltext.Database{Dialect: dialect{}, Words: words, Table: store.Describe(a.table)}
	a.tables.Store(&tables{Names: migration.DefaultNames(naming)})
	s := &Store{Writes: store.NewWrites(database{a}, &a.text), access: a, newer: newer{access: a}, nonces: engine.NewNonces(db), values: engine.NewKeyValues(db)}
	db.Verify = s.newer.verify
	return s, nil
}

// Stores opens the stores of this package for a program that links it: frond.With(postgres.Stores).
var Stores stores

type stores struct{}

// Extra implements extra.Extra.
func (stores) Extra() string { return "postgres.Stores" }

// CheckURL implements [store.Engine].
func (stores) CheckURL(url string) error {
	_, err := engine.ParseURL(url)
	return err
}

// Open implements [store.Engine].
func (stores) Open(o *store.EngineOptions) (store.Served, error) {
	s, err := openReplicated(Options{
		URL: o.URL, Logger: o.Logger, Statement: o.Statement, Transaction: o.Transaction, NameRules: o.NameRules, Slow: o.Slow, Measure: o.Measure,
	}, o.Replicas, o.LateBy)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close waits for the calls that run, then closes every connection. Calls that come later
// return SERVICE_UNAVAILABLE.
func (s *Store) Close() error {
	s.waiting.stop()
	s.serving.leave()
	s.late.stop()
	s.outbox.Resign()
	return s.db.Close()
}

// Check returns why the store does not take writes, or nil.
func (s *Store) Check(ctx context.Context) error {
	if err := s.waiting.reason(); err != nil {
		return err
	}
	if s.newer.known() {
		if err := s.newer.verify(ctx); err != nil {
			return err
		}
	}
	return s.db.Check(ctx)
}

// state is the State of [facade.Abilities].
func (s *Store) state() facade.StoreState {
	state := s.db.State()
	switch {
	case s.changing.Load():
		state.Tables = facade.TablesChanging
	case s.waiting.reason() != nil:
		state.Tables = facade.TablesUnreachable
	case s.newer.known():
		state.Tables = facade.TablesNewer
	case s.late.fills():
		state.Tables = facade.TablesFilling
	default:
		state.Tables = facade.TablesReady
	}
	return state
}

// Abilities implements [facade.Store]. The answer and the errors of a dry run's write are those
// of the write.
func (s *Store) Abilities() facade.Abilities {
	return facade.Abilities{
		Transactor: s, Outbox: s.outbox, Seeder: s, Nonces: s.nonces, KeyValues: s.values, KeepValue: s.values.Keep, DryRuns: true, WriteAll: s.WriteAll, Copies: s.db.IssuesConsistency(),
		FieldNames: s.fieldNames, Prepare: s.start, Check: s.Check, Newer: s.newer.cards, State: s.state, WhenReady: s.waiting.after,
	}
}

// Transact implements [facade.Transactor]. The transaction is serializable; fn runs again
// where another one came between.
func (s *Store) Transact(ctx context.Context, fn func(context.Context) error) error {
	return s.db.Transact(ctx, fn)
}
