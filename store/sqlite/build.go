package sqlite

import (
	"strconv"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// builder writes one statement: its text, and the values bound to it. The text follows from
// the shape of the read alone, so that reads of one shape share a prepared statement. What a
// caller sent becomes a bound value. Only words of this package, names quoted by [quote] and
// numbers that this package counts are written to sql.
//
// A builder is taken from a pool by [Store.builder] and given back by free; it belongs to one
// goroutine.
//
//	b := s.builder()
//	defer b.free()
//	b.text("SELECT count(*) FROM ", t.name, " AS t0 WHERE ")
//	err := b.filter(f, t, "t0")
//	… c.Start(b.sql, b.args)
type builder struct {
	store *Store
	sql   []byte
	args  []engine.Value
	// aliases counts the aliases of tables: the next one is t<aliases>.
	aliases int

	// joined are the aliases of one-relations that were joined, in the order in which filter
	// comes to their conditions; filter takes them from the front.
	joined []string
	// depth is how many relations what is being written is behind.
	depth int
	// reach is that of the rows that what is being written is judged for.
	reach reach
	// sure says that what is being written has to hold for the row, whatever else does: it
	// stands in no Or and no Not. Only there a relation may be joined.
	sure bool
}

// builders keep the room for text and values between statements.
var builders = sync.Pool{New: func() any { return new(builder) }}

// builder takes an empty builder from the pool; give it back with free.
func (s *Store) builder() *builder {
	b := builders.Get().(*builder)
	b.store, b.sql, b.args, b.aliases = s, b.sql[:0], b.args[:0], 0
	b.joined, b.sure = b.joined[:0], false
	b.depth, b.reach = 0, everyRow
	return b
}

// maxKeptArgs and maxKeptSQL are how large a builder may have grown to be kept: in values, and
// in bytes of text.
const (
	maxKeptArgs = 1 << 10
	maxKeptSQL  = 64 << 10
)

// free gives the builder back. One that has grown beyond what an ordinary statement needs is
// left to the garbage collector, so that one large request does not keep its memory for the
// life of the process.
func (b *builder) free() {
	if cap(b.args) > maxKeptArgs || cap(b.sql) > maxKeptSQL {
		return
	}
	clear(b.args) // let go of texts
	b.store = nil
	builders.Put(b)
}

// text appends SQL as it stands. No word may come from a caller.
func (b *builder) text(words ...string) {
	for _, w := range words {
		b.sql = append(b.sql, w...)
	}
}

// bind appends a placeholder and the value it stands for: "?".
func (b *builder) bind(a engine.Value) {
	b.sql = append(b.sql, '?')
	b.args = append(b.args, a)
}

// limit writes LIMIT and OFFSET. One row beyond the limit is read, because it says that there
// are more:
//
//	LIMIT ? + 0 OFFSET ? + 0
//
// The limit is an expression and not a bare placeholder because SQLite plans by the number
// that it finds there, and would prepare the statement anew for each other number.
func (b *builder) limit(q *facade.Find) {
	b.text(" LIMIT ")
	b.bind(engine.IntValue(int64(max(0, q.Limit)) + 1))
	b.text(" + 0")
	if q.Offset > 0 {
		b.text(" OFFSET ")
		b.bind(engine.IntValue(int64(q.Offset)))
		b.text(" + 0")
	}
}

// alias returns a name for the next table of the statement: t0, t1, … Equal shapes count
// alike, so their texts are equal.
func (b *builder) alias() string {
	n := b.aliases
	b.aliases++
	if n < len(aliasNames) {
		return aliasNames[n]
	}
	return "t" + strconv.Itoa(n)
}

// aliasNames are the first names, which need no allocation.
var aliasNames = [...]string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"}

// column writes a column of an aliased table: t0."title".
func (b *builder) column(alias string, c *column) { b.text(alias, ".", c.name) }

// maxArgs is how many values SQLite binds to one statement (SQLITE_MAX_VARIABLE_NUMBER of its
// default build).
const maxArgs = 32766

// ready returns an error where the statement has more values than SQLite binds, and nil where
// it can run.
func (b *builder) ready() error {
	if len(b.args) > maxArgs {
		return facade.Errorf(facade.BadRequest, "the filter compares with %d values; send %d at most", len(b.args), maxArgs)
	}
	return nil
}
