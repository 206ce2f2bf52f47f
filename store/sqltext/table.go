package sqltext

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// Table describes a table to the statements that read and write it. It never changes after
// [NewTable] and may be shared.
type Table struct {
	Entity *schema.Entity
	// Name is quoted, as SQL has it, with its schema if SQL needs one.
	Name string
	// Plain is the name without quotes and schema.
	Plain string
	// Columns are the columns of the stored fields, in the order of INSERT.
	Columns []*Column
	// Primary is one of Columns, or is made of some of them (Column.Parts).
	Primary *Column
	// Sparse says that INSERT names only the columns that a row has: the database fills the others.
	Sparse bool
	// Indexes are the table's indexes, without the primary key's.
	Indexes []Index

	// indexed are the fields of each index that statements may count on, in its order; the
	// primary key's index is among them.
	indexed [][]*schema.Property

	// Search is the search of the entity; nil: its rows are not searched by words.
	Search *Search

	// byIndex has the columns by Property.Index; nil for a field without a column.
	byIndex []*Column
}

// Column describes one stored field.
type Column struct {
	Prop *schema.Property
	// Name is quoted, as SQL has it, and Plain the same without quotes.
	Name, Plain string
	// Type is the database type, as SQL has it: TEXT, bigint, "shop"."mood".
	Type string
	// NotNull says that the database lets no null into the column.
	NotNull bool
	// Collation is "" where texts compare by their bytes, else the collation's name.
	Collation string
	// Folds says that two texts may be equal although their letters differ in case.
	Folds bool
	// Decode appends a raw value of the column, never null, as JSON to dst. It is nil in a
	// store that reads its columns by other means.
	Decode func(dst, raw []byte) []byte
	// Binary says that raw is in the database's binary form, and OID is the number of its type, 0
	// for any: for a database with such forms.
	Binary bool
	OID    uint32
	// Fit makes a value of a cursor one that the database reads; nil: it is one.
	Fit func(v *Value)
	// Fits reports whether the database reads a text as a value of the column, and so compares
	// it by the column's type: an enum by the order of its values. nil: texts compare as texts.
	Fits func(text string) bool
	// Parts are the columns that make up a primary key of several, or a relation to one; then the
	// column has no name, and its value is their text (see [joinKey]), null if one of them is
	// null. nil: it is a column of the table.
	Parts []*Column
	// Filled says that the database itself gives a new row a value here.
	Filled bool
	// Beyond writes that the value, never null here, is one that the card cannot carry, which a row
	// shows as null (beyond.go); nil: the card carries every value. Key appends a raw value as a cursor
	// has it; nil: as a row has it.
	Beyond func(b *Builder, alias string)
	Key    func(dst, raw []byte) []byte
	// Unordered says that the database has no order for the type.
	Unordered bool
	// Odd is called when a row holds a value that the card cannot carry, which is read as null.
	// It may be called from many goroutines. nil: the column is this program's and every value
	// fits.
	Odd func()
}

// NewTable returns the description of an entity's table. name is quoted; columns are of the
// entity's fields. One of them is its primary key, unless [Table.Compose] makes it.
func NewTable(e *schema.Entity, name string, columns []*Column) Table {
	t := Table{Entity: e, Name: name, byIndex: make([]*Column, len(e.Fields))}
	for _, c := range columns {
		t.Columns = append(t.Columns, c)
		t.byIndex[c.Prop.Index] = c
		if c.Prop == e.Primary {
			t.Primary = c
		}
	}
	return t
}

// Column returns the column of a field of the table's entity. An INTERNAL_ERROR says that the
// field is not stored, which the façade prevents.
func (t *Table) Column(p *schema.Property) (*Column, error) {
	if c := t.Stored(p); c != nil {
		return c, nil
	}
	name := "?"
	if p != nil {
		name = p.Name
	}
	return nil, kiterror.Internal(fmt.Errorf("store: %s.%s is not a stored field", t.Entity.Name, name))
}

// Stored returns the column of a field, nil for a field without a column and for one of another
// entity.
func (t *Table) Stored(p *schema.Property) *Column {
	if p != nil && t.Search != nil && p == t.Search.Rank.Prop {
		return &t.Search.Rank
	}
	if p != nil && p.Index < len(t.byIndex) {
		if c := t.byIndex[p.Index]; c != nil && c.Prop == p {
			return c
		}
	}
	return nil
}

// Compose gives composite columns the columns that they are made of, all of which are in t.
func (t *Table) Compose(made []*Column) {
	e := t.Entity
	for _, c := range made {
		c.NotNull = true
		for _, name := range c.Prop.Parts() {
			part := t.byIndex[e.Property(name).Index]
			c.Parts = append(c.Parts, part)
			c.NotNull = c.NotNull && part.NotNull
		}
		c.NotNull = c.NotNull || c.Prop == e.Primary
		t.byIndex[c.Prop.Index] = c
		if c.Prop == e.Primary {
			t.Primary = c
		}
	}
}

// Place returns the position of a column in INSERT, -1 for no column of the table.
func (t *Table) Place(c *Column) int { return slices.Index(t.Columns, c) }

// Unique says whether at most one row has a given value in the column: a key, or a unique
// constraint of it alone.
func (c *Column) Unique() bool {
	e := c.Prop.Owner
	return c.Prop == e.Primary || slices.ContainsFunc(e.Uniques, func(members []*schema.Property) bool {
		return len(members) == 1 && members[0] == c.Prop
	})
}

// Index is an index that a card asks for.
type Index struct {
	Name   string // unquoted, such as post:unique slug
	Unique bool
	// Columns are the columns that the card names. Tail is the primary key behind them in an index
	// that is not unique: every order ends in it, so that a page in the index's order needs no
	// sorting.
	Columns []*Column
	Tail    *Column // nil: there is none
}

// Search is the index by which the rows of a table are searched by words.
type Search struct {
	// Name is unquoted, such as post:search 3f9a6c1d. Searches of other fields, or in another language,
	// have other names.
	Name string
	// RowID is a name of SQLite's own number of a row that no column has.
	RowID string
	// Columns are the columns of the searched fields, in the order of schema.Search.
	Columns []*Column
	// Rank is a column beside the table's own, see [Dialect]. Its field is nil if the order of rows
	// cannot have it.
	Rank Column
	// Kept says that PostgreSQL keeps the words of a row in columns of the table. Another program may drop
	// these while statements are written.
	Kept atomic.Bool
}

// All returns the columns in the order of the index.
func (ix *Index) All() []*Column {
	if ix.Tail == nil {
		return ix.Columns
	}
	return append(slices.Clip(ix.Columns), ix.Tail)
}

// Properties returns the fields of ix.Columns.
func (ix *Index) Properties() []*schema.Property { return properties(ix.Columns) }

// properties returns the fields of columns.
func properties(columns []*Column) []*schema.Property {
	all := make([]*schema.Property, len(columns))
	for i, c := range columns {
		all[i] = c.Prop
	}
	return all
}

// Plain returns the names of columns, without quotes.
func Plain(columns []*Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Plain
	}
	return names
}

// UseIndexes has statements count on t.Indexes, and on the primary key's index, which a view lacks.
func (t *Table) UseIndexes(view bool) {
	if !view {
		t.indexed = append(t.indexed, fields(t.Primary))
	}
	for i := range t.Indexes {
		var ix []*schema.Property
		for _, c := range t.Indexes[i].All() {
			ix = append(ix, fields(c)...)
		}
		t.indexed = append(t.indexed, ix)
	}
}

// fields are the fields of the columns that a column is made of, or its own.
func fields(c *Column) []*schema.Property {
	if c.Parts == nil {
		return []*schema.Property{c.Prop}
	}
	return properties(c.Parts)
}
