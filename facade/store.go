package facade

import (
	"context"
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Store keeps the rows of entities. It is given values that are judged, decoded
// and allowed, and codes only the failures it alone can know: CONFLICT for unique,
// foreign-key and restrict violations (naming the fields in the details), and
// SERVICE_UNAVAILABLE when it cannot be reached. It may be used from many
// goroutines. It refuses a statement that would take too long with [kiterror.TooCostly], and one request
// ([RequestOf]) does not keep all others waiting. The suite in store/storetest says the rest.
type Store interface {
	// Find reads rows: one by its key, a page, or with Each those of every key in one statement.
	Find(ctx context.Context, q *Find) (*Found, error)
	// Insert writes rows, all or none, and answers them as sel has them.
	Insert(ctx context.Context, e *schema.Entity, found []Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error)
	// Update changes the one row that has this primary key and meets where, and
	// answers it; no rows where none does. Nothing to set and no terms only read.
	Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error)
	// Delete removes the one row that has this primary key and meets where, and
	// says whether there was one.
	Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *Terms) (bool, error)
	// Abilities returns the abilities of the store beside its rows. It always returns the same, and may be
	// called before the store can be reached.
	Abilities() Abilities
}

// Abilities are the parts of a [Store] beside its rows. A part that is nil is missing; the zero value
// is a store of rows alone. Every part may be used from many goroutines.
type Abilities struct {
	Transactor Transactor
	Outbox     Outbox
	Seeder     Seeder
	Nonces     Nonces
	// DryRuns says that the store undoes its writes where [InDryRun] says so, once it knows
	// whether they succeed. A store that does not is not called to write then.
	DryRuns bool
	// Copies says that reads may go to copies of the store that are some moments behind, so that
	// writes issue tokens ([consistency]).
	Copies bool

	// Prepare makes the store ready for entities before their rows are read or written. Changes
	// say how they came from earlier ones. With unchanged the store only reports whether it
	// fits. nil: the store takes any entities.
	Prepare func(ctx context.Context, entities []*schema.Entity, changes catalog.SchemaChanges, unchanged bool) error
	// Check returns why the store does not accept writes. nil: it always does.
	Check func(ctx context.Context) error
	// WhenReady has do run once the database can be reached, and reports whether that will be
	// later; where it can be reached already, the caller runs it. nil: it always can.
	WhenReady func(do func(context.Context) error) (later bool)
}

// Terms are the conditions of a write, decided in the write's own transaction:
// between the decision and the write nobody changes the row. A write
// whose terms do not hold changes nothing. nil: there are none.
type Terms struct {
	// Judge is given the current row, with the fields of Read, and returns the
	// record to write: nil is that of the caller of Update. Its error is the write's own. A
	// store that tries a transaction again calls it again; it does not call the store.
	// Insert has no such row and does not look at it.
	Judge func(current rows.Row) (Record, error)
	Read  *rows.Layout
	// After is what each row has to meet once it is written, else the error is Unmet.
	After *filter.Filter
	Unmet error
	// Points are relations whose targets have to be there, else [kiterror.Dangling].
	Points []Points
	// Events says what the write announces. It is given the rows as they are once they are
	// written, as the write answers them, or none at Delete; it is not called where nothing was
	// written. Its events are kept with the write as [Outbox.Emit] keeps it, and its error
	// is the write's own. It does not call the store, and may be called again where the write
	// is tried again. It is given only where [Outbox.Records].
	Events func(written *rows.Rows) ([]Event, error)
}

// Points holds one relation of the written record to rows that meet Where before it is
// written: those it did not name already, or with All those that it did as well. New
// rows that are written together may point at each other.
type Points struct {
	Field *schema.Property
	Where *filter.Filter
	All   bool
	// Of are the places of the new rows that it is about; nil: all.
	Of []int
}

// Record is the written part of one row: fields of the entity with the text of
// their values, in declaration order. A field that is absent is null at creation
// and untouched at update. Values are as rows give them back: a date-time is UTC
// text with milliseconds, or with microseconds where those are not zero. Ids and
// the values of Find.From and Find.Each are of the same form.
type Record = schema.Object

// Find is one read.
type Find struct {
	Entity *schema.Entity
	// Select are stored fields, a subset of the entity's, in any order.
	Select *rows.Layout
	// Where is what rows have to meet; nil: all rows.
	Where *filter.Filter
	// Key is the primary key of the one row that is answered, where it meets Where. With Key the
	// fields below are not given. nil: a page, or Each.
	Key json.RawMessage
	// Sort ends with the primary key; it is empty only with Each over a unique field.
	Sort []SortKey
	// Limit is how many rows are answered at most, per key with Each; 0 or less: none, so
	// that Total and More are answered alone.
	Limit  int
	Offset int
	// From begins the range (keyset paging): values of Sort's fields. Rows strictly behind
	// them are answered, or strictly before them with Backward. nil: from the edge.
	From []json.RawMessage
	// Until ends the range that From begins: rows strictly before it in the direction of
	// reading. It is given in the form of From, and may be given without one.
	Until []json.RawMessage
	// Including lets the row at From, if there is one, be among them.
	Including bool
	// Backward reads towards the beginning: the last Limit rows before
	// From (or last of all), answered in the order of Sort all the same.
	Backward bool
	// Count asks for Total: the rows that meet Where (per key), without From, Until, Limit
	// and Offset.
	Count bool
	// Estimate allows Total to be an estimate where counting would take long.
	Estimate bool
	// Keys asks for Found.Keys of every row; else those of the first and the last row of each
	// group are enough.
	Keys bool
	// NoKeys says that Found.Keys are not read, so that they may be nil. With Keys it says
	// nothing.
	NoKeys bool
	// Each asks for one group of rows for each of many keys, in one statement.
	Each *EachKey
}

// Condition returns Where and, of a read by its key, that the row has the key.
func (q *Find) Condition() *filter.Filter {
	if q.Key == nil {
		return q.Where
	}
	id, _ := rows.Value(q.Entity.Primary.Kind, q.Key)
	return filter.Both(q.Where, &filter.Filter{Op: filter.Eq, Field: q.Entity.Primary, Values: []any{id}})
}

// SortKey is one key of an order; null is the smallest value in every store.
type SortKey struct {
	Field *schema.Property
	Desc  bool
}

// EachKey asks a Find for each of many values of one field. Values are distinct.
type EachKey struct {
	Field  *schema.Property
	Values []json.RawMessage
}

// Found is the answer of a Find.
type Found struct {
	Rows  *rows.Rows
	Total int64 // -1: not counted
	// More says there are rows beyond the answered ones in the direction of reading,
	// before Until.
	More bool
	// Keys[i] is, where asked for, the JSON array of row i's values of Find.Sort; else nil.
	Keys   []json.RawMessage
	Groups []FoundGroup // with Each: one per value, in the order of Each.Values
}

// FoundGroup is the rows of one key: From up to but without To. The rows of the keys follow each
// other in any order.
type FoundGroup struct {
	From, To int
	Total    int64
	More     bool
}

// Nonces is a [Store] that remembers what may happen only once, for every process over
// the same database. It may be used from many goroutines.
type Nonces interface {
	// TakeNonce reports whether nonce is new, and remembers it until the given time at
	// least. Of calls with equal nonces, in any processes, one is reported as new.
	// The answer is durable when it returns. Nonces have at most 64 bytes. The error is
	// SERVICE_UNAVAILABLE where the store cannot be reached; the nonce may then be taken.
	TakeNonce(ctx context.Context, nonce []byte, until time.Time) (fresh bool, err error)
}

// Seeder is a [Store] that remembers which entities it has had seeds of, so that
// seeds are written once in its life and deleted rows never come back.
type Seeder interface {
	// Seeded says which of entities the store has had the seeds of.
	Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error)
	// Seed writes batches in their order and remembers their entities, all in one
	// transaction. A batch whose entity is remembered by then is left out. An error of
	// one batch names its entity.
	Seed(ctx context.Context, batches []SeedBatch) error
}

// SeedBatch is the seeds of one entity. Without rows the entity is only remembered.
type SeedBatch struct {
	Entity *schema.Entity
	Rows   []Record
	Late   []LateField // set when the rows of every batch are there
}

// LateField is a relation of a row to one that is written after it.
type LateField struct {
	ID  json.RawMessage
	Set Record
}
