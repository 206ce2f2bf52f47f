package store

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// DB is the interface between this package and a database engine. An engine compiles its tables, runs
// statements and explains its failures; this package decides which statements a call takes, in which order,
// and under which conditions. Its tables are of type T. Its methods may be called from many goroutines.
type DB[T engineTable] interface {
	// Table returns the table of an entity; the error is the caller's.
	Table(e *schema.Entity) (T, error)
	// Insert writes an INSERT of n rows of t with all columns, whose values are args, row by row.
	// The statement runs times times, each time with its part of bound.
	Insert(b *sqltext.Builder, t T, args []sqltext.Value, n int) (bound []sqltext.Value, times int)
	// UpdateAll writes an UPDATE of n rows of t: args are, row by row, the values of columns and the key.
	// The statement runs times times, each time with its part of bound.
	UpdateAll(b *sqltext.Builder, t T, columns []*sqltext.Column, args []sqltext.Value, n int) (bound []sqltext.Value, times int)
	// Read runs a statement that reads one row by its key.
	Read(ctx context.Context, t T, st *Statement) error
	// Write runs do in a transaction, or in the transaction of ctx, and commits. do may run again
	// in another one. With a w of one statement and no terms, Write may run that in place of do.
	// The error is the caller's: a broken constraint is CONFLICT or VALIDATION_FAILED.
	Write(ctx context.Context, w *Write[T], do func(Tx) error) error
	// Seed runs do in a transaction as Write does. all are the writes that do makes.
	Seed(ctx context.Context, all []*Write[T], do func(Seeding[T]) error) error
}

// engineTable is a table as its engine has compiled it.
type engineTable interface {
	// Base is the table as statements name it.
	Base() *sqltext.Table
	// Key returns the value of a primary key; false for one that no row can have.
	Key(id json.RawMessage) (sqltext.Value, bool)
	// Fit makes v a value that the engine takes for the field p. The error is VALIDATION_FAILED
	// if the column cannot hold the value.
	Fit(p *schema.Property, v *sqltext.Value) error
}

// Write is one write to a table, for the engine to choose a transaction by and to explain a
// failure by.
type Write[T engineTable] struct {
	Table T
	Terms *facade.Terms // nil: there are none
	// Key is the key of the row to change or remove if it meets Where; Null for new rows.
	Key   sqltext.Value
	Where *filter.Filter
	// Keys are the keys of several changed or removed rows; nil: the write has Key.
	Keys []sqltext.Value
	// Written are the written rows, or the changed members of one row.
	Written []facade.Record
	// Alone is the one statement that does the whole write without terms; nil if the write
	// takes several.
	Alone *Statement
}

// Announces reports whether the write has events.
func (w *Write[T]) Announces() bool { return w.Terms != nil && w.Terms.Events != nil }

// Statement is an SQL statement with its values.
type Statement struct {
	SQL  []byte
	Args []sqltext.Value
	// Times is how often it runs, each time with its part of Args.
	Times int
	// Sel selects the rows to return, Most at most; nil: the statement returns no rows.
	Sel  *sqltext.Selection
	Most int
	// Key, where set, receives the primary key of the returned row: column At of Sel.
	Key *sqltext.Value
	At  int

	// The results: the rows, how many it wrote, and whether it has run at all.
	Rows  *rows.Rows
	Count int64
	Done  bool
}

// Tx is the transaction of one write. It is used by one goroutine.
type Tx interface {
	sqltext.Runner
	// Run runs statements between their checks, which may be nil. An error of Before is the
	// write's own, before any error of the statements. last says that no statement follows them.
	Run(checks Checks, last bool, statements ...*Statement) error
	// Emit keeps events with the written rows. No statement follows it.
	Emit(events []facade.Event) error
}

// Seeding is the transaction that writes seeds. It is used by one goroutine.
type Seeding[T engineTable] interface {
	// Mark records that the entity of a table has its seeds now, and reports whether it had no
	// seeds before.
	Mark(t T) (fresh bool, err error)
	// Run runs a statement of a write. The error is the caller's and names the entity, or is one
	// after which the transaction runs again.
	Run(w *Write[T], st *Statement) error
}

// Checks are the conditions of a write. Before checks them ahead of its statements, After when
// the rows are written. An engine may call each method twice, the first time to gather the
// statements that it runs; every number is then enough.
type Checks interface {
	Before(run sqltext.Runner) error
	After(run sqltext.Runner) error
}
