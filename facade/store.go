package facade

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
)

// Store keeps the rows of entities. It is given judged, decoded and allowed values, and codes only the
// failures it alone can know: CONFLICT for unique, foreign-key and restrict violations (naming the
// fields in the details), and SERVICE_UNAVAILABLE when it cannot be reached. It may be used from many
// goroutines. It refuses a statement that would take too long with [kiterror.TooCostly], and one request
// ([RequestOf]) does not keep all others waiting. The suite in store/storetest says the rest.
type Store interface {
	// Find reads rows: one by its key, a page, or with Each the rows of every key in one
	// statement.
	Find(ctx context.Context, q *Find) (*Found, error)
	// Insert writes all rows or fails, and answers them as sel has them.
	Insert(ctx context.Context, e *schema.Entity, found []Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error)
	// Update changes the one row that has this primary key and meets where, and answers it, or
	// no rows. Without a set and terms it only reads.
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
	KeyValues  KeyValues
	// KeepValue writes the text of a new key of KeyValues, in the transaction of ctx if it has one: it is there if and only if the
	// transaction is committed. Two transactions that keep one key are not both committed. nil: the store cannot.
	KeepValue func(ctx context.Context, key string, text json.RawMessage) error
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
	// WriteAll updates the rows with these primary keys, each with the record of its place, or deletes
	// them if sets is nil, in the transaction of ctx. It writes all of them or fails. terms hold for
	// every row, and have no Judge. It answers updated rows in the order of ids if sel has fields, the
	// primary key among them. The error is NOT_FOUND for a missing row, and otherwise an error of Update
	// or Delete. nil: rows are written one by one.
	WriteAll writeAll
	// FieldNames returns names of a field, as ENTITY.FIELD, that its renames do not change. The first
	// belongs to this field alone; programs may have written the others in its place. nil: the present name.
	FieldNames func(e *schema.Entity, field string) []string
	// Newer reports whether newer cards than the cards of the last Prepare have changed the tables, so that rows
	// may have values that these cards refuse. nil: they have not.
	Newer func(ctx context.Context) bool
	// Check returns why the store does not accept writes. nil: it always does.
	Check func(ctx context.Context) error
	// State describes the store to its operator. It does not wait. nil: it is not known.
	State func() StoreState
	// WhenReady has do run once the database can be reached, and reports whether that will be
	// later; otherwise the caller runs it at once. nil: the database can always be reached.
	WhenReady func(do func(context.Context) error) (later bool)
}

// StoreState describes a store at one moment.
type StoreState struct {
	// Connections is how many connections calls may use at once, InUse how many they do, and Waiting how many calls
	// wait for one.
	Connections, InUse, Waiting int
	// Tables says how the tables are.
	Tables TableState
}

// TableState says how the tables of a store are.
type TableState string

// The states of tables.
const (
	TablesReady       TableState = "ready"
	TablesUnreachable TableState = "unreachable" // the database was not reached since the start
	TablesChanging    TableState = "changing"    // this process makes them fit its cards
	TablesFilling     TableState = "filling"     // rows that gateways with older cards write get their values
	TablesNewer       TableState = "newer"       // newer cards have changed them
)

// TableStates are the states of tables.
func TableStates() []TableState {
	return []TableState{TablesReady, TablesUnreachable, TablesChanging, TablesFilling, TablesNewer}
}

// Failure is the kind of a failed statement, for metrics.
type Failure string

// The kinds of failed statements.
const (
	FailedConnection Failure = "connection" // the database cannot be reached, or hung up
	FailedWait       Failure = "wait"       // no connection came free
	FailedTime       Failure = "time"       // the statement used up its time, or its caller has gone
	FailedConflict   Failure = "conflict"   // another transaction came between
	FailedLock       Failure = "lock"       // another transaction holds a lock
	FailedConstraint Failure = "constraint" // a value breaks a rule of its table
	FailedResources  Failure = "resources"  // the disk, the memory or the connections of the database
	FailedOther      Failure = "other"
)

// writeAll is the type of [Abilities.WriteAll].
type writeAll = func(ctx context.Context, e *schema.Entity, ids []json.RawMessage, sets []Record, terms *Terms, sel *rows.Layout) (*rows.Rows, error)

// Terms are the conditions of a write, decided in the write's own transaction: no other writer
// changes the row between the decision and the write. A write whose terms do not hold leaves
// the row unchanged. Terms may be nil.
type Terms struct {
	// Judge is given the current row, with the fields of Read, and returns the record to write;
	// nil keeps the record of the caller of Update. Its error is the write's own. A store that
	// tries a transaction again calls it again; it does not call the store. Insert has no such
	// row and does not look at it.
	Judge func(current rows.Row) (Record, error)
	Read  *rows.Layout
	// After is what each row has to meet once it is written, else the error is Unmet.
	After *filter.Filter
	Unmet error
	// Points are relations whose targets have to be there, else [kiterror.Dangling].
	Points []Points
	// Events returns the events of the write. It is given the rows after the write, as the
	// write answers them, and no rows at Delete; a write without rows does not call it. Its
	// events are kept with the write as [Outbox.Emit] keeps them, and its error is the write's
	// own. It does not call the store, and may be called again if the write is tried again. It
	// is given only for [Outbox.Records].
	Events func(written *rows.Rows) ([]Event, error)
}

// Points holds one relation of the written record to rows that meet Where before it is written:
// the rows that it did not name already, or with All the others too. New rows of one write may
// point at each other.
type Points struct {
	Field *schema.Property
	Where *filter.Filter
	All   bool
	// Of are the places of the new rows that it is about; nil: all.
	Of []int
}

// Record is the written part of one row: fields of the entity with the text of their values, in
// declaration order. An absent field is null at creation and untouched at update. Values are as
// rows give them back: a date-time is UTC text with milliseconds, or with microseconds if those
// are not zero. Ids and the values of Find.From and Find.Each are of the same form.
type Record = schema.Object

// Find is one read.
type Find struct {
	Entity *schema.Entity
	// Select are stored fields, a subset of the entity's, in any order.
	Select *rows.Layout
	// Where is what rows have to meet; nil: all rows.
	Where *filter.Filter
	// Key is the primary key of the one row to answer, if it meets Where. With Key the fields
	// below are not given. nil: a page, or Each.
	Key json.RawMessage
	// Rank is the search whose rank [schema.Search.Rank] of Sort is; nil where Sort does not have it.
	Rank *search.Query
	// Sort ends with the primary key; it is empty only with Each over a unique field.
	Sort []SortKey
	// Limit is how many rows are answered at most, per key with Each; at 0 or less Total and
	// More are answered alone.
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
	// Keys asks for Found.Keys of every row; else the keys of the first and the last row of
	// each group are enough.
	Keys bool
	// NoKeys says that Found.Keys are not read, so that they may be nil. With Keys it has no
	// effect.
	NoKeys bool
	// Each asks for one group of rows for each of many keys, in one statement.
	Each *EachKey
	// Group asks for groups of the rows that meet Where, one as a row of the answer. Select, Sort and
	// From are then about Group.Entity, whose fields are the columns of a group; of the fields above
	// Limit and Each are read in addition. With Each a key without rows has no group, also where Group has no
	// keys. nil: the rows themselves.
	Group *aggregate.Groups
}

// Condition returns Where and, of a read by its key, that the row has the key.
func (q *Find) Condition() *filter.Filter {
	if q.Key == nil {
		return q.Where
	}
	id, _ := q.Entity.Primary.Kind.Value(q.Key)
	return filter.Both(q.Where, &filter.Filter{Op: filter.Eq, Field: q.Entity.Primary, Values: []any{id}})
}

// Derives reports whether the read has values that rows behind a relation give.
func (q *Find) Derives() bool {
	return q.Where.Derives() || slices.ContainsFunc(q.Sort, func(k SortKey) bool { return k.Derived != nil })
}

// SortKey is one key of an order; null is the smallest value in every store.
type SortKey struct {
	// Field is a field of the rows, or Derived.As.
	Field *schema.Property
	Desc  bool
	// Derived is the value that rows behind a relation give; nil: it is the row's own.
	Derived *filter.Derived
}

// EachKey asks a Find for each of many values of one field. Values are distinct.
type EachKey struct {
	Field  *schema.Property
	Values []json.RawMessage
	// Through asks for the rows that rows in between lead to: Field and Through are their
	// one-relations. Several that lead to one row count once. nil: Field is the row's own.
	Through *schema.Property
	// Via is a condition on the rows in between; nil: all count.
	Via *filter.Filter
	// Lists are lists of values, of a Find with Group alone: places in Values, each once in a list. A group
	// of rows then belongs to a list. nil: to a value.
	Lists [][]int
}

// Len returns how many groups are asked for.
func (e *EachKey) Len() int {
	if e.Lists != nil {
		return len(e.Lists)
	}
	return len(e.Values)
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
	Groups []FoundGroup // with Each: one per value or list, in their order
}

// FoundGroup is the rows of one key: From up to but without To. The rows of the keys follow each
// other in any order.
type FoundGroup struct {
	From, To int
	Total    int64
	More     bool
}

// Nonces is a [Store] that remembers events which may happen only once, for every process over
// the same database. It may be used from many goroutines.
type Nonces interface {
	// TakeNonce reports whether nonce is new, and remembers it until the given time at
	// least. Of calls with equal nonces, in any processes, one is reported as new.
	// The answer is durable when it returns. Nonces have at most 64 bytes. The error is
	// SERVICE_UNAVAILABLE where the store cannot be reached; the nonce may then be taken.
	TakeNonce(ctx context.Context, nonce []byte, until time.Time) (fresh bool, err error)
}

// KeyValues are small texts that the processes over one store share, such as the last runs of jobs.
// It may be used from many goroutines.
type KeyValues interface {
	// Value returns the text of a key and its version, which grows with every change, or nil and 0.
	// The answer is as of the last commit.
	Value(ctx context.Context, key string) (text json.RawMessage, version int64, err error)
	// SetValue writes the text of a key whose version is still the given one, 0 for a new key. If it
	// has another version, set is false and the text stays. The new version is version+1; without a
	// text the key is removed. It is committed when SetValue returns, even if ctx has a transaction.
	SetValue(ctx context.Context, key string, version int64, text json.RawMessage) (set bool, err error)
	// Values returns the texts of all keys that begin with prefix.
	Values(ctx context.Context, prefix string) (map[string]json.RawMessage, error)
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

// LateField is a relation of a row to a later one.
type LateField struct {
	ID  json.RawMessage
	Set Record
}

// Outbox is a [Store] that keeps events in the transactions of the commands that cause them,
// and afterwards as a log that is read by position (docs/facts.md).
type Outbox interface {
	Transactor
	EventLog
	Cursors
	DeadLetters

	// Emit writes events within the transaction of ctx ([Transactor.Transact]): they are in the
	// log if and only if it commits. Without a transaction it is one of its own, and a dry run
	// does not write. Position is ignored; the slice may be reused afterwards, the data behind
	// it may not.
	Emit(ctx context.Context, events []Event) error

	// Relay gives positions to committed events without one, and reports the last given
	// position and whether this process gives them. Any number of processes may call it at any
	// time; one at a time does the work, and another one takes over when it is gone. An open
	// transaction does not hold up others: its events get their positions when it has
	// committed. Events of one entity and key keep their order. One call gives a bounded
	// number; it is called again while last grows.
	Relay(ctx context.Context) (last Position, leads bool, err error)

	// Trim removes events from before, limit at most, and reports how many: from the oldest
	// position on, up to the first that is younger. The last position stays known.
	Trim(ctx context.Context, before time.Time, limit int) (int, error)

	// Records reports whether the store keeps the events of a single write ([Terms]) in the
	// write's own transaction, without a [Transactor.Transact] around it. It may become true,
	// once; never false again.
	Records() bool

	// Quiet reports, without a statement, that no process has committed anything since a time; false
	// if that cannot be known.
	Quiet(since time.Time) bool

	// Behind counts the events that a consumer at a position has not delivered: the events of names (nil:
	// all) that are behind it or have no position yet, and up to it the dead letters of retrying, unless
	// that is "". since is when the first was emitted, or zero.
	Behind(ctx context.Context, at Position, names []string, retrying string) (events int, since time.Time, err error)
}

// LogBytes is the size of an answer of [EventLog.Log]: an event is in it where those before it
// have fewer bytes of Data and Before. The log of a remote may answer more.
const LogBytes = 64 << 10

// EventLog is the log that the ways out read: the outbox of this host, or the log of a remote.
type EventLog interface {
	// Log reads the events after a position, oldest first, limit at most. It ends early once they have [LogBytes],
	// so that a reader holds little, however large the rows are. names are the wanted facts as FROND.NAME; nil:
	// all. behind is the position up to which the answer is complete, so that the next read goes on from there even
	// without an event of names; it is after at the end of the log. Trimmed events are not among them: a reader
	// that must not miss an event compares Span's oldest with after when it has read.
	Log(ctx context.Context, after Position, names []string, limit int) (events []*Event, behind Position, err error)

	// Span says which positions the log holds: events are trimmed only up to oldest, so that a
	// reader at oldest or later misses no event; last is the last given one. A log that never
	// held an event has equal ones, which are not 0: a reader that begins at last sees the
	// events from now on. [Resumable] judges a position by them.
	Span(ctx context.Context) (oldest, last Position, err error)

	// Committed is closed when events that this process emitted have been committed since
	// the call. It is a hint that spares waiting: other processes commit as well. nil: the log
	// has no hints.
	Committed() <-chan struct{}
}

// Cursors are the durable positions of consumers by their names.
type Cursors interface {
	// Cursor is the position up to which a consumer is done; known is false for a consumer
	// without one.
	Cursor(ctx context.Context, consumer string) (at Position, known bool, err error)

	// Advance moves a consumer from one position to another, in the transaction of ctx if it
	// has one. If the consumer is not at from, moved is false and it stays: another process was
	// faster. An unknown consumer is at 0, and to is not from.
	Advance(ctx context.Context, consumer string, from, to Position) (moved bool, err error)
}

// DeadLetters are events that a consumer gave up on. They are kept until they are revived;
// Trim does not touch them.
type DeadLetters interface {
	// Bury keeps an event, in the transaction of ctx if it has one. It replaces an earlier
	// burial of the event.
	Bury(ctx context.Context, dead *DeadEvent) error

	// Dead lists the buried events, oldest first, of one consumer, or for "" of all.
	Dead(ctx context.Context, consumer string, limit int) ([]*DeadEvent, error)

	// Revive removes one by its consumer and the event's id, in the transaction of ctx where
	// there is one, and reports whether it was there.
	Revive(ctx context.Context, consumer, id string) (bool, error)
}

// DeadEvent is an event that a consumer gave up on.
type DeadEvent struct {
	Consumer string
	Event    Event
	// Tries is how often it was tried, Reason the last failure and At when that was, in UTC.
	Tries  int
	Reason string
	At     time.Time
}

// Event is one emission of a [catalog.Fact] (spec 6). It is written in the transaction of the command
// that causes it and does not change afterwards.
type Event struct {
	// ID is a UUIDv7, the same on every way out: receivers deduplicate by it.
	ID string
	// Position is the event's place in the log of its host; 0 until the relay has given it.
	Position Position
	// Frond and Name are the fact, as its author spells them.
	Frond, Name string
	// Change says what happened to the row, where the fact was emitted for a change of one.
	Change catalog.Change
	// Entity is the [schema.EntityKey] of the row that the event is about and Key its primary
	// key, the text of a JSON scalar; "" and nil for a fact with a shape of its own. Events of
	// one Entity and Key have positions in the order in which their commands committed, where
	// those wrote the row or did not overlap.
	Entity string
	Key    json.RawMessage
	// At is when the command emitted it, in UTC.
	At time.Time
	// Data is the payload, a JSON object in the form of [Record]: for a row its stored fields
	// after the change, or before it for Deleted; nil for a fact without a card whose command
	// did not give a payload.
	Data json.RawMessage
	// Before is the row's stored fields before an Updated of a fact that follows all changes of
	// a door; nil for every other event. Who could see Before and cannot see Data learns that
	// the row left.
	Before json.RawMessage
	// Trace is the traceparent of the call that caused it, or "".
	Trace string
	// Actor is who caused it; nil for the events of programs that did not write it down. A subscriber sees it
	// where [access.Scope] says so.
	Actor *Actor
}

// current returns e with the fields of its rows under the names that they have now: an event from
// before a rename has them under the old ones. Without a rename since it is e itself, and e is
// not changed. f may be nil.
func current(f *catalog.Fact, e *Event) *Event {
	if f == nil || len(f.Former) == 0 {
		return e
	}
	out := *e
	renamed := false
	for _, row := range []*json.RawMessage{&out.Data, &out.Before} {
		if now := f.Former.Renew(*row); now != nil {
			*row, renamed = now, true
		}
	}
	if !renamed {
		return e
	}
	return &out
}

// Broadcast wakes all waiting goroutines. Its zero value is ready; it may be used from many
// goroutines.
type Broadcast struct {
	mu      sync.Mutex
	waiting chan struct{} // nil: nobody waits
}

// Wait returns a channel that the next Send closes.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(chan struct{})
	}
	return b.waiting
}

// Send closes the channels that Wait has returned.
func (b *Broadcast) Send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting != nil {
		close(b.waiting)
		b.waiting = nil
	}
}

// Position is a place in the log of one host: greater means later, gaps have no meaning. 0 is
// before every event of every log. The upper bits are the identity of the log, so that a
// position of another log is recognised ([Resumable]); the text is opaque to clients.
type Position int64

// countBits are the lower bits of a Position, which grow; the bits above identify the log.
// The count begins at the clock, in quarters of a millisecond since epoch, and takes 69 years
// to fill where events are rarer than 4,000 a second.
const countBits = 43

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// NewLog returns the position before the first event of a new log. Its identity
// is random.
func NewLog(now time.Time) Position {
	return Position(1+rand.Int64N(1<<(63-countBits)-1))<<countBits | clock(now)
}

// TakenOver returns the position from which a process that begins to give positions goes on
// after the last one, p: p, or the clock's if that is later. After a restore from a backup the
// database thereby gives no position a second time that it gave after the backup.
func (p Position) TakenOver(now time.Time) Position {
	return max(p, p>>countBits<<countBits|clock(now))
}

// clock is the count of a moment.
func clock(now time.Time) Position {
	return Position(min(max(now.Sub(epoch)/(time.Millisecond/4), 0), 1<<(countBits-1)))
}

// positionText has the order of positions. 13 characters are 65 bits, of which the last is 0.
var positionText = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// String is the text of MarshalText.
func (p Position) String() string {
	return positionText.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(p)))
}

// MarshalText implements [encoding.TextMarshaler]: 13 letters and digits that sort as positions
// do. It never fails.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]; see [ParsePosition].
func (p *Position) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePosition(string(text))
	return err
}

// ParsePosition reads what [Position.MarshalText] wrote. The error is VALIDATION_FAILED.
func ParsePosition(text string) (Position, error) {
	b, err := positionText.DecodeString(text)
	if err == nil && len(b) == 8 {
		if p := Position(binary.BigEndian.Uint64(b)); p >= 0 && p.String() == text {
			return p, nil
		}
	}
	named := schema.Quoted(text)
	if text != "" { // which has quotes
		named = `"` + named + `"`
	}
	return 0, kiterror.Errorf(kiterror.ValidationFailed, "%s is no position; send an event's position unchanged, or leave it out", named)
}

// PositionHeader is the HTTP header of [Page.Position], beside answers whose body has no place
// for it.
const PositionHeader = "X-Frond-Position"

// Resumable returns why a reader that is at after cannot go on in the log that has this span
// ([EventLog.Span]): VALIDATION_FAILED for a position of another log or one that the log has
// not given yet, and GONE for one behind which events have been trimmed. 0 can always go on: it
// reads all events in the log.
func Resumable(after, oldest, last Position) error {
	switch {
	case after == 0:
		return nil
	case after>>countBits != last>>countBits:
		return kiterror.Errorf(kiterror.ValidationFailed, "the position %s belongs to another log; read the rows again for a new one", after)
	case after > last:
		return kiterror.Errorf(kiterror.ValidationFailed, "the position %s has not been given yet (last: %s); send an event's position", after, last)
	case after < oldest:
		err := kiterror.Errorf(kiterror.Gone, "the events after %s are gone; read the rows again, or skip to %s", after, oldest)
		err.Details = map[string]any{"oldest": oldest.String()}
		return err
	}
	return nil
}

// Transactor is a [Store] on which several calls can be one serializable transaction.
type Transactor interface {
	// Transact runs fn and commits the writes of all its calls, or rolls them back. Calls of fn
	// are calls with the context that fn is given, or one made of it. They see earlier writes,
	// run one after the other on any goroutines, and leave no trace if they fail: fn may go on
	// after an error.
	//
	// The transaction begins with the first call, a read included; without a call there is no
	// transaction. fn runs again, from the beginning and in a transaction of its own, if
	// another one came between ([Retry]), even if fn hid that error. Otherwise an error of fn,
	// its panic, or the end of ctx rolls back, and the error is fn's. A nil error means that
	// everything is durable. In a dry run ([InDryRun]) everything is rolled back at the end,
	// and not after each call.
	//
	// A Transact with the context of another one's fn joins it: its calls are committed with
	// the outer one's, and only an error of its own fn undoes them alone. Calls of the outer fn
	// wait until it is over.
	//
	// A transaction that lasts longer than the store allows is rolled back, its context is
	// cancelled, and the error is [Overlong]. A call that comes when its transaction is over,
	// from a goroutine that outlived fn, is [Outlived] and does not write.
	Transact(ctx context.Context, fn func(ctx context.Context) error) error
}

// The policy of Retry: 32 runs, with a random pause of up to 4 ms before the second, 8 ms before
// the third and 16 ms before each further one. The pauses take 240 ms on average. A run loses
// against first runs of others about every second time while they keep coming.
const (
	maxTries   = 32
	firstPause = 4 * time.Millisecond
	maxPause   = 16 * time.Millisecond
)

// Retry runs try until its error is no conflict with another transaction: up to 32 times,
// after a random pause. try is given the number of its run, from 1. The error of
// the last run is then CONFLICT with details {retryable: true, tries: 32}, and the error of a
// ctx that ends during a pause is ctx's. For stores; conflict is nil-safe and knows their
// errors.
func Retry(ctx context.Context, conflict func(error) bool, try func(run int) error) error {
	pause := firstPause
	for run := 1; ; run++ {
		err := try(run)
		if err == nil || !conflict(err) {
			return err
		}
		if run == maxTries {
			return contended(run, err)
		}
		if !Pause(ctx, 1+rand.N(pause)) {
			return ctx.Err()
		}
		pause = min(2*pause, maxPause)
	}
}

// Pause waits and reports whether ctx is not done.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// contended is the CONFLICT of a transaction that others came between, on every one of its
// tries. It is rolled back; the same call may succeed later. cause, if any, is logged.
func contended(tries int, cause error) *kiterror.Error {
	err := kiterror.Errorf(kiterror.Conflict, "other writes came between, %d times; nothing was written, send it again", tries).WithCause(cause)
	err.Details = map[string]any{"retryable": true, "tries": float64(tries)} // as encoding/json would decode it
	return err
}

// Overlong is the SERVICE_UNAVAILABLE of a transaction that lasted longer than limit, the
// setting limits.transaction. The transaction is rolled back.
func Overlong(limit time.Duration) *kiterror.Error {
	err := kiterror.Errorf(kiterror.ServiceUnavailable, "the transaction lasted longer than %s, which is its limit (limits.transaction); nothing was written; "+
		"a handler that waits for other services is attached as detached", limit)
	err.Details = map[string]any{"limit": "limits.transaction", "budget": limit.String()}
	return err
}

// Outlived is the INTERNAL_ERROR of a call whose transaction is over.
func Outlived() *kiterror.Error {
	return kiterror.Errorf(kiterror.InternalError, "this call came after its transaction; wait for the goroutines in the handler")
}

type triesKey struct{}

// WatchTries has count called with the number of times that a command ran, with the answer
// of each call that is a transaction, calls within it left out.
func WatchTries(ctx context.Context, count func(tries int)) context.Context {
	return context.WithValue(ctx, triesKey{}, count)
}

// triesOf is the function that WatchTries put into ctx, or nil.
func triesOf(ctx context.Context) func(int) {
	count, _ := ctx.Value(triesKey{}).(func(int))
	return count
}

// raced is the CONFLICT of an upsert whose row was created by another call between its look-up and
// its write: the transaction runs again, and finds the row.
type raced struct{ err *kiterror.Error }

func (r *raced) Error() string { return r.err.Error() }
func (r *raced) Unwrap() error { return r.err }

// retryRaces runs a transaction, again where an upsert in it was raced. A transaction within another
// one is run again with that one.
func retryRaces(ctx context.Context, outer *transaction, t Transactor, fn func(context.Context) error) error {
	if outer != nil {
		return t.Transact(ctx, fn)
	}
	was := func(err error) bool {
		var r *raced
		return errors.As(err, &r)
	}
	return Retry(ctx, was, func(int) error { return t.Transact(ctx, fn) })
}
