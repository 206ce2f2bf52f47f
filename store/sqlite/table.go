package sqlite

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// table is the table of an entity: the DDL of its card, and the names in statements. Its
// description never changes.
type table struct {
	sqltext.Table
	// plain is the table's name without quotes.
	plain string
	// columns are those of the stored fields, in declaration order.
	columns []*column
	// byIndex has them by Property.Index; nil for a field that is not stored.
	byIndex []*column
	primary *column
	// made are the fields that have no column of their own (schema.Property.Parts).
	made []*column
	// rowid is a name of SQLite's own number of a row that no field has taken: rowid, oid or
	// _rowid_. Where all are taken it is "", and the primary key replaces it.
	rowid string
	// foreign says that the table is another program's: its card describes it and does not change it.
	foreign bool
	indexes []index

	// violations are by SQLite's message; see listViolations.
	violations map[string]violation

	// tallying says that the writer has been asked to keep the number of rows.
	tallying atomic.Bool
}

// violation is what one constraint means to the caller who wrote. SQLite's message leads to
// it, and that text goes no further: it names tables and columns.
type violation struct {
	unique  []*schema.Property // of a unique constraint or a primary key
	field   *schema.Property   // of the others
	keyword string             // of a check: the card's keyword
}

// column is one stored field.
type column struct {
	sqltext.Column // what statements need to know of it
	definition     // what its CREATE TABLE says
	// refs is the primary key that it points at; nil where the store has no table for the
	// target.
	refs *schema.Property
	// fill is what rows get that are older than the column: the card's constant, [] for a list
	// of ids, or null.
	fill sqltext.Value
}

// definition is a column in DDL, from a card or from a file.
type definition struct {
	column string // unquoted
	typ    string // of STRICT tables: TEXT, INTEGER, REAL
	// kind is the kind of value where typ does not show it (boolean, date-time, date, json): a
	// mark in a check's name, see mark.
	kind      string
	collation string
	// dflt is the literal that rows get which are written without the column, by an older
	// program; "" for none. It is no difference between two definitions.
	dflt    string
	notNull bool
	primary bool
	checks  []check
	// refs is the clause that begins with REFERENCES, or "".
	refs string
}

// check is one CHECK: its name is "column:keyword".
type check struct {
	keyword string // the card's, or "kind <kind>"
	expr    string
}

// index is one CREATE INDEX.
type index struct {
	name    string // unquoted
	unique  bool
	columns []*column
	// tail is the primary key, after the columns of an index that is not unique: every order ends
	// in it, so a page in an index's order needs no sorting.
	tail *column
}

// decimalCollation is the collation that [extend] gives each connection.
const decimalCollation = "decimal"

// newTable is the table of an entity's card. names has the names of tables and columns, and stored
// says by key which entities have a table: a relation to an entity of a remote Frond has nothing
// to refer to here. An error is a fault of the card that its author can mend: two fields whose
// names differ by case alone, or no primary key.
func newTable(e *schema.Entity, names *migration.Names, stored func(key string) bool) (*table, error) {
	t := &table{
		plain:      names.Table(e.Key),
		byIndex:    make([]*column, len(e.Fields)),
		violations: map[string]violation{},
	}
	seen := map[string]string{}
	for _, p := range e.Fields {
		if !p.Stored {
			continue
		}
		c := newColumn(e, p, names, stored)
		if p.Parts() != nil {
			t.made = append(t.made, c) // it is made of columns that others describe
			continue
		}
		folded := asciiLower(c.column)
		if other, ok := seen[folded]; ok {
			return nil, fmt.Errorf("entity %s: the fields %s and %s differ only by case, which a column's name cannot; rename one of them",
				e.Name, other, p.Name)
		}
		seen[folded] = p.Name
		t.columns = append(t.columns, c)
		t.byIndex[p.Index] = c
		if p == e.Primary {
			t.primary = c
		}
	}
	t.findPrimary(e)
	if t.primary == nil {
		return nil, fmt.Errorf("entity %s has no primary key; mark one field with role.primary: true", e.Name)
	}
	t.describe(quote(t.plain), e)
	t.rowid = freeRowID(func(name string) bool { return seen[name] != "" })
	t.listIndexes()
	t.indexed(false)
	t.listViolations(t.plain)
	return t, nil
}

// indexed describes the indexes for statements. A view has none of its primary key.
func (t *table) indexed(view bool) {
	if !view {
		t.Index(t.Primary)
	}
	for _, ix := range t.indexes {
		var columns []*sqltext.Column
		for _, c := range ix.columns {
			columns = append(columns, &c.Column)
		}
		if ix.tail != nil {
			columns = append(columns, &ix.tail.Column)
		}
		t.Index(columns...)
	}
}

// findPrimary finds the primary key among the fields without a column.
func (t *table) findPrimary(e *schema.Entity) {
	for _, c := range t.made {
		if c.Prop == e.Primary {
			t.primary = c
		}
	}
}

// describe makes the description for statements, once the columns are known. A key of several
// columns gets its parts.
func (t *table) describe(name string, e *schema.Entity) {
	described, made := make([]*sqltext.Column, len(t.columns)), make([]*sqltext.Column, len(t.made))
	for i, c := range t.columns {
		described[i] = &c.Column
	}
	for i, c := range t.made {
		made[i] = &c.Column
		t.byIndex[c.Prop.Index] = c
	}
	t.Table = sqltext.NewTable(e, name, described)
	t.Compose(made)
}

// keyColumns are the columns of the primary key: one, or those that it is made of.
func (t *table) keyColumns() []*column {
	e := t.primary.Prop.Owner
	if e.Table == nil || e.Table.Key == nil {
		return []*column{t.primary}
	}
	var parts []*column
	for _, name := range e.Table.Key {
		parts = append(parts, t.byIndex[e.Property(name).Index])
	}
	return parts
}

// freeRowID is a name of SQLite's own number of a row that no column has taken; "" where all are.
func freeRowID(taken func(name string) bool) string {
	for _, name := range []string{"rowid", "oid", "_rowid_"} {
		if !taken(name) {
			return name
		}
	}
	return ""
}

// rowID writes what sets a row of the table apart from all others: its number, or its key.
func (t *table) rowID(b *sqltext.Builder, alias string) {
	switch {
	case t.rowid != "":
		b.Text(alias, ".", t.rowid)
	case t.primary.Parts == nil:
		b.Column(alias, t.Primary)
	default:
		for i, p := range t.primary.Parts {
			b.Text([]string{"(", ", "}[min(i, 1)])
			b.Column(alias, p)
		}
		b.Text(")")
	}
}

// asciiLower folds a name as SQLite compares names: ASCII letters alone.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// sql is the definition as CREATE TABLE and ADD COLUMN have it; [parseDefinition] reads it
// back:
//
//	"price" TEXT COLLATE decimal NOT NULL CONSTRAINT "price:enum" CHECK (…) REFERENCES …
func (d *definition) sql() string {
	var b strings.Builder
	b.WriteString(quote(d.column) + " " + d.typ)
	if d.collation != "" {
		b.WriteString(" COLLATE " + d.collation)
	}
	if d.dflt != "" {
		b.WriteString(" DEFAULT " + d.dflt)
	}
	if d.notNull {
		b.WriteString(" NOT NULL")
	}
	if d.primary {
		b.WriteString(" PRIMARY KEY")
	}
	for _, c := range d.checks {
		fmt.Fprintf(&b, " CONSTRAINT %s CHECK (%s)", quote(d.column+":"+c.keyword), c.expr)
	}
	if d.refs != "" {
		b.WriteString(" " + d.refs)
	}
	return b.String()
}

// sql is the whole CREATE TABLE under the given, quoted name.
func (t *table) sql(name string) string {
	definitions := make([]string, len(t.columns))
	for i, c := range t.columns {
		definitions[i] = c.definition.sql()
	}
	return createTable(name, definitions)
}

// createTable is a CREATE TABLE of this program; [parseTable] reads it back.
func createTable(name string, definitions []string) string {
	return "CREATE TABLE " + name + " (\n  " + strings.Join(definitions, ",\n  ") + "\n) STRICT"
}

// column is the column of a field of the table's entity. An INTERNAL_ERROR says that the field
// is not stored, which the façade prevents.
func (t *table) column(p *schema.Property) (*column, error) {
	if _, err := t.Column(p); err != nil {
		return nil, err
	}
	return t.byIndex[p.Index], nil
}
