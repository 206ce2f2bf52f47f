package sqlite

import (
	"strconv"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// builder writes one statement: its text, which follows from the shape of the
// question alone, and the arguments bound to it. What a caller sent becomes an
// argument; nothing else may write to sql than our own words, names quoted by
// [quote], and numbers of our own counting.
type builder struct {
	store   *Store
	sql     []byte
	args    []engine.Value
	aliases int

	joined []string // aliases of one-relations that were joined, in the order conditions come to them
	depth  int      // how many relations what is being written is behind
	reach  reach    // of the rows that what is being written is judged for
	sure   bool     // what is being written has to hold for the row, whatever else does
}

var builders = sync.Pool{New: func() any { return new(builder) }}

func (s *Store) builder() *builder {
	b := builders.Get().(*builder)
	b.store, b.sql, b.args, b.aliases = s, b.sql[:0], b.args[:0], 0
	b.joined, b.sure = b.joined[:0], false
	b.depth, b.reach = 0, everyRow
	return b
}

// maxKeptArgs and maxKeptSQL are how large a builder may have grown to be kept.
const (
	maxKeptArgs = 1 << 10
	maxKeptSQL  = 64 << 10
)

func (b *builder) free() {
	if cap(b.args) > maxKeptArgs || cap(b.sql) > maxKeptSQL {
		return
	}
	clear(b.args) // let go of texts
	b.store = nil
	builders.Put(b)
}

// text writes our own words.
func (b *builder) text(words ...string) {
	for _, w := range words {
		b.sql = append(b.sql, w...)
	}
}

// bind writes a placeholder for a.
func (b *builder) bind(a engine.Value) {
	b.sql = append(b.sql, '?')
	b.args = append(b.args, a)
}

// limit writes LIMIT and OFFSET. One row beyond the limit is read: it says that
// there is more. The limit is an expression and not a bare placeholder because
// SQLite plans by the number it finds there, and so would prepare the statement
// anew each time another is bound.
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

// alias names the next table of the statement: t0, t1, …
func (b *builder) alias() string {
	n := b.aliases
	b.aliases++
	if n < len(aliasNames) {
		return aliasNames[n]
	}
	return "t" + strconv.Itoa(n)
}

var aliasNames = [...]string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"}

// column writes a column of an aliased table.
func (b *builder) column(alias string, c *column) { b.text(alias, ".", c.name) }

// maxArgs is how many arguments SQLite binds to one statement.
const maxArgs = 32766

// ready says whether the statement can be run.
func (b *builder) ready() error {
	if len(b.args) > maxArgs {
		return facade.Errorf(facade.BadRequest, "the filter compares with %d values; send %d at most", len(b.args), maxArgs)
	}
	return nil
}
