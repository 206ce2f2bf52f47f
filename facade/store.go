package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/schema"
)

// Store keeps the rows of entities. It is given what is already judged, decoded
// and allowed, and codes only what it alone can know: CONFLICT for unique,
// foreign-key and restrict violations (naming the fields in the details), and
// SERVICE_UNAVAILABLE when it cannot be reached. It may be used from many
// goroutines. What would take it too long it answers with [TooCostly], and one request
// ([RequestOf]) does not keep all others waiting. The suite in store/storetest says the rest.
type Store interface {
	// Find reads rows. With Each it answers every key in one statement.
	Find(ctx context.Context, q *Find) (*Found, error)
	// Insert writes rows, all or none, and answers them as sel has them.
	Insert(ctx context.Context, e *schema.Entity, rows []Record, terms *Terms, sel *Layout) (*Rows, error)
	// Update changes the one row that has this primary key and meets where, and
	// answers it; no rows where none does. Nothing to set and no terms only read.
	Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *Filter, set Record, terms *Terms, sel *Layout) (*Rows, error)
	// Delete removes the one row that has this primary key and meets where, and
	// says whether there was one.
	Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *Filter, terms *Terms) (bool, error)
}

// Terms are what has to hold for a write, decided in the write's own transaction:
// between the decision and the write nobody changes what it was about. A write
// whose terms do not hold changes nothing. nil: there are none.
type Terms struct {
	// Judge is given the row as it stands, with the fields of Read, and says what is
	// written: nil is what the caller of Update gave. Its error is the write's own. A
	// store that tries a transaction again calls it again; it does not call the store.
	// Insert has no such row and does not look at it.
	Judge func(current Row) (Record, error)
	Read  *Layout
	// After is what each row has to meet once it is written, else the error is Unmet.
	After *Filter
	Unmet error
	// Points are relations whose targets have to be there, else [Dangling].
	Points []Points
	// Events says what the write announces. It is given the rows as they are once they are
	// written, as the write answers them, or none at Delete; it is not called where nothing was
	// written. What it answers is kept with the write as [Outbox.Emit] keeps it, and its error
	// is the write's own. It does not call the store, and may be called again where the write
	// is tried again. Only a [Recorder] is given one.
	Events func(written *Rows) ([]Event, error)
}

// Recorder is an [Outbox] that keeps the events of a single write in the write's own
// transaction, without a [Transactor.Transact] around it.
type Recorder interface {
	// Records reports whether it does. It may become true, once; never false again.
	Records() bool
}

// Points holds one relation of what is written to rows that meet Where before it is
// written: those it did not name already, or with All those that it did as well. New
// rows that are written together may point at each other.
type Points struct {
	Field *schema.Property
	Where *Filter
	All   bool
}

// Record is what is written of one row: fields of the entity with the text of
// their values, in declaration order. A field that is absent is null at creation
// and untouched at update. Values are as rows give them back: a date-time is UTC
// text with milliseconds, or with microseconds where those are not zero. Ids and
// the values of Find.From and Find.Each are of the same form.
type Record = schema.Object

// Find is one read.
type Find struct {
	Entity *schema.Entity
	// Select are stored fields, a subset of the entity's, in any order.
	Select *Layout
	// Where is what rows have to meet; nil: all rows.
	Where *Filter
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
	// reading. It is given in the form of From, and stands without one as well.
	Until []json.RawMessage
	// Including lets the row that stands at From, if there is one, be among them.
	Including bool
	// Backward reads towards the beginning: the Limit rows that stand last before
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
	Rows  *Rows
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
