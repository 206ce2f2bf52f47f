package sqltext

import (
	"slices"
	"strconv"
	"sync"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
)

// Builder writes one statement: its text, and the values bound to it. The text follows from the
// shape of the call alone, so that calls of one shape share a prepared statement. SQL gets only
// words of this package and of the dialect, names of a [Table], and numbers that this package
// counts; a caller's values are bound.
//
// A builder comes from [Database.Builder] and goes back by Free; it belongs to one goroutine.
type Builder struct {
	// SQL is the text so far and Args the values of its placeholders, in their order. They are
	// valid until Free.
	SQL  []byte
	Args []Value

	db *Database
	// aliases counts the aliases of tables: the next one is t<aliases>.
	aliases int

	// joined are the aliases of the joined one-relations, in the order in which Filter comes to
	// their conditions; Filter takes them from the front.
	joined []string
	// depth is how many relations the condition that is being written is nested in.
	depth int
	// root is the alias of the table that a read is about. Each of its rows is judged once.
	root string
	// reach says how many rows the condition is judged for.
	reach reach
	// found is a search that finds all rows of the statement, or nil.
	found *search.Query
	// sure says that the row has to meet the condition that is being written: it is within no Or
	// and no Not. Only there a relation may be joined.
	sure bool
	// err is the first reason why the text is not a statement. [Builder.Ready] returns it.
	err error
}

// fail notes why the statement cannot be written.
func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// builders keep the room for text and values between statements.
var builders = sync.Pool{New: func() any { return new(Builder) }}

// Builder takes an empty builder from the pool; give it back with Free.
func (d *Database) Builder() *Builder {
	b := builders.Get().(*Builder)
	b.reset(d)
	return b
}

// reset empties the builder.
func (b *Builder) reset(d *Database) {
	b.db, b.SQL, b.Args, b.aliases = d, b.SQL[:0], b.Args[:0], 0
	b.joined, b.sure, b.err = b.joined[:0], false, nil
	b.depth, b.reach, b.root, b.found = 0, everyRow, "", nil
}

// maxKeptArgs and maxKeptSQL are how large a builder may have grown to be kept: in values, and
// in bytes of text.
const (
	maxKeptArgs = 1 << 10
	maxKeptSQL  = 64 << 10
)

// Free gives the builder back. One that has grown beyond the size of an ordinary statement is left
// to the garbage collector, so that one large request does not keep its memory for the life of the
// process.
func (b *Builder) Free() {
	if cap(b.Args) > maxKeptArgs || cap(b.SQL) > maxKeptSQL {
		return
	}
	clear(b.Args) // let go of texts
	b.db = nil
	builders.Put(b)
}

// table is the table of an entity. It is nil for an entity without one, which fails the
// statement.
func (b *Builder) table(e *schema.Entity) *Table {
	t, err := b.db.Table(e)
	if err != nil {
		b.fail(err)
	}
	return t
}

// column is the column of a field of t. It is nil for a field without one, which fails the
// statement.
func (b *Builder) column(t *Table, p *schema.Property) *Column {
	if t == nil {
		return nil
	}
	c, err := t.Column(p)
	if err != nil {
		b.fail(err)
	}
	return c
}

// Text appends SQL unchanged. No word may come from a caller.
func (b *Builder) Text(words ...string) {
	for _, w := range words {
		b.SQL = append(b.SQL, w...)
	}
}

// Separate appends the word before member i of a list, unless i is 0.
func Separate(b *Builder, i int, word string) {
	if i > 0 {
		b.Text(word)
	}
}

// Bind appends a placeholder and binds its value.
func (b *Builder) Bind(v Value) {
	b.Args = append(b.Args, v)
	b.SQL = b.db.Dialect.Placeholder(b.SQL, len(b.Args))
}

// Alias returns a name for the next table of the statement: t0, t1, … Equal shapes count
// alike, so their texts are equal.
func (b *Builder) Alias() string {
	n := b.aliases
	b.aliases++
	if n < len(aliasNames) {
		return aliasNames[n]
	}
	return "t" + strconv.Itoa(n)
}

// aliasNames are the first names, which need no allocation.
var aliasNames = [...]string{"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"}

// Column writes a column of an aliased table: t0."title". Without an alias it is the name alone,
// as RETURNING has it.
func (b *Builder) Column(alias string, c *Column) {
	switch {
	case c.Parts != nil:
		b.keyText(alias, c)
	case alias == "":
		b.Text(c.Name)
	default:
		b.Text(alias, ".", c.Name)
	}
}

// Truth writes a condition that holds for every row or, if holds is false, for no row.
func (b *Builder) Truth(holds bool) {
	if holds {
		b.Text(b.db.Words.True)
	} else {
		b.Text(b.db.Words.False)
	}
}

// Ready returns an error if the statement has more values than the database binds, or an
// earlier error.
func (b *Builder) Ready() error {
	if b.err != nil {
		return b.err
	}
	if most := b.db.Words.MaxValues; len(b.Args) > most {
		return kiterror.Errorf(kiterror.BadRequest, "the filter compares with %d values; send %d at most", len(b.Args), most)
	}
	return nil
}

// reach says for how many rows a condition is judged. It decides whether the rows of a relation are
// looked up one by one or collected once (docs/decisions/sqlite.md).
type reach uint8

// The numbers of rows a condition is judged for.
const (
	everyRow   reach = iota // any number, as in a list
	sharedRows              // few, and several of them may lead to the same rows
	fewRows                 // those of given keys, each once
	singleRow               // the row of one key
)

// through returns the reach of the rows that a relation leads to. One row leads through a "one"
// relation to one row; everything else may lead to rows that several rows share.
func (r reach) through(many bool) reach {
	switch {
	case r == everyRow, r == singleRow && !many:
		return r
	}
	return sharedRows
}

// probes reports whether the rows of a relation are looked up row by row:
//
//	few rows, or one:   EXISTS (SELECT 1 FROM "song" AS t1 WHERE t1."album" = t0."id" AND …)
//	any number:         t0."id" IN (SELECT t1."album" FROM "song" AS t1 WHERE …)
//
// For any number of rows the set is computed once per statement. A lookup for each row would
// multiply with every relation that the condition goes through: 2,000 albums of 2,000 songs
// would be four million lookups.
func (r reach) probes(many bool) bool {
	if many {
		return r >= fewRows
	}
	return r != everyRow
}

// reachOf returns the reach of the condition of a list: singleRow if it names a row by its key,
// else everyRow.
func reachOf(f *filter.Filter, e *schema.Entity) reach {
	byKey := func(sub *filter.Filter) bool { return reachOf(sub, e) == singleRow }
	if f != nil && (f.Op == filter.Eq && f.Field == e.Primary || f.Op == filter.And && slices.ContainsFunc(f.Sub, byKey)) {
		return singleRow
	}
	return everyRow
}
