package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// table is the table of an entity: the DDL of its card, and the names in statements. Its
// description never changes.
type table struct {
	sqltext.Table
	// columns are the columns of Table.Columns.
	columns []*column
	// rowid is a name of SQLite's own number of a row that no field has taken: rowid, oid or
	// _rowid_. Where all are taken it is "", and the primary key replaces it.
	rowid string
	// foreign says that the table is another program's: its card describes it and does not change it.
	foreign bool

	// violations returns the table's violations by SQLite's message. The first call makes the map; see
	// listViolations.
	violations func() map[string]violation

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
	*sqltext.Column                  // its description for statements
	def             migration.Column // its definition in CREATE TABLE
	// refs is the primary key that it points at; nil where the store has no table for the
	// target.
	refs *schema.Property
	// fill is what rows get that are older than the column: the card's constant, [] for a list
	// of ids, or null.
	fill sqltext.Value
}

// decimalCollation is the collation that [extend] gives each connection.
const decimalCollation = "decimal"

// newTable is the table of an entity's card. names has the names of tables and columns, and stored
// says by key which entities have a table: a relation to an entity of a remote Frond gets no
// foreign key. An error is a fault of the card that its author can mend: two fields whose names
// differ by case alone, or no primary key.
func newTable(e *schema.Entity, names *migration.Names, stored func(key string) bool) (*table, error) {
	t := &table{}
	var columns, made []*sqltext.Column
	seen := map[string]string{}
	for _, p := range e.Fields {
		if !p.Stored {
			continue
		}
		c := newColumn(e, p, names, stored)
		if p.Parts() != nil {
			made = append(made, c.Column) // it is made of columns that others describe
			continue
		}
		folded := asciiLower(c.Plain)
		if other, ok := seen[folded]; ok {
			return nil, fmt.Errorf("entity %s: the fields %s and %s differ only by case; rename one of them",
				e.Name, other, p.Name)
		}
		seen[folded] = p.Name
		t.columns, columns = append(t.columns, c), append(columns, c.Column)
	}
	plain := names.Table(e.Key)
	t.Table = sqltext.NewTable(e, quote(plain), columns)
	t.Plain = plain
	t.Compose(made)
	if t.Primary == nil {
		return nil, fmt.Errorf("entity %s has no primary key; mark one field with role.primary: true", e.Name)
	}
	t.rowid = freeRowID(func(name string) bool { return seen[name] != "" })
	t.ListIndexes()
	if t.UseSearch(tokenizer, "REAL"); t.Search != nil {
		if t.Search.RowID = t.rowid; t.rowid == "" {
			return nil, fmt.Errorf("entity %s has fields rowid, oid and _rowid_ and cannot be searched; rename one", e.Name)
		}
	}
	t.violations = sync.OnceValue(t.listViolations)
	return t, nil
}

// keyColumns are the columns of the primary key: one, or those that it is made of.
func (t *table) keyColumns() []*sqltext.Column {
	if t.Primary.Parts != nil {
		return t.Primary.Parts
	}
	return []*sqltext.Column{t.Primary}
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
	case t.Primary.Parts == nil:
		b.Column(alias, t.Primary)
	default:
		for i, p := range t.Primary.Parts {
			b.Text([]string{"(", ", "}[min(i, 1)])
			b.Column(alias, p)
		}
		b.Text(")")
	}
}

// isCalled reports whether the table and its columns have these names.
func (t *table) isCalled(names *migration.Names) bool {
	return t.Plain == names.Table(t.Entity.Key) && !slices.ContainsFunc(t.columns, func(c *column) bool {
		return c.Plain != names.Column(t.Entity.Key, c.Prop.Name)
	})
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

// described returns the table that a card wants as package migration compares it.
func (t *table) described() *migration.Table {
	out := &migration.Table{Name: t.Plain, Entity: t.Entity.Name}
	for _, c := range t.columns {
		out.Columns = append(out.Columns, c.def)
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		out.Indexes = append(out.Indexes, migration.Index{Name: ix.Name, Unique: ix.Unique, Columns: sqltext.Plain(ix.Columns), Text: t.indexSQL(ix), Own: true})
	}
	if s := t.Search; s != nil {
		out.Indexes = append(out.Indexes, migration.Index{Name: s.Name, Columns: sqltext.Plain(s.Columns), Text: searchSQL(&t.Table), Own: true})
	}
	return out
}

// sql is the whole CREATE TABLE under the given, quoted name.
func (t *table) sql(name string) string {
	definitions := make([]string, len(t.columns))
	for i, c := range t.columns {
		definitions[i] = columnSQL(&c.def)
	}
	return createTable(name, definitions)
}

// createTable is a CREATE TABLE of this program; [parseTable] reads it back.
func createTable(name string, definitions []string) string {
	return "CREATE TABLE " + name + " (\n  " + strings.Join(definitions, ",\n  ") + "\n) STRICT"
}

// indexSQL returns the CREATE INDEX. Its text is compared with the file's to see whether the
// index has changed, so it may not change between versions of this program without need.
func (t *table) indexSQL(ix *sqltext.Index) string {
	var names []string
	for _, c := range ix.All() {
		names = append(names, c.Name)
	}
	create := "CREATE INDEX "
	if ix.Unique {
		create = "CREATE UNIQUE INDEX "
	}
	return create + quote(ix.Name) + " ON " + t.Name + " (" + strings.Join(names, ", ") + ")"
}

// listViolations lists SQLite's messages for the table's constraints with what each means.
// They name tables and columns without quotes, so a name could be mistaken for two: hence
// whole messages, and no parsing.
//
//	UNIQUE constraint failed: post.tenant, post.slug    those two fields
//	NOT NULL constraint failed: post.title              title, required
//	CHECK constraint failed: status:enum                status, enum
//	cannot store TEXT value in INTEGER column post.n    n, type
func (t *table) listViolations() map[string]violation {
	all := map[string]violation{}
	t.uniqueViolation(all, t.keyColumns())
	for _, ix := range t.Indexes {
		if ix.Unique {
			t.uniqueViolation(all, ix.Columns)
		}
	}
	for _, c := range t.columns {
		all["NOT NULL constraint failed: "+t.Plain+"."+c.Plain] = violation{field: c.Prop, keyword: "required"}
		if c.def.Mark != "" {
			all["CHECK constraint failed: "+c.Plain+":"+markOf(&c.def)] = violation{field: c.Prop, keyword: "type"}
		}
		for _, ck := range c.def.Checks {
			all["CHECK constraint failed: "+c.Plain+":"+ck.Keyword] = violation{field: c.Prop, keyword: ck.Keyword}
		}
		if c.def.Type != "TEXT" {
			all[fmt.Sprintf("cannot store TEXT value in %s column %s.%s", c.def.Type, t.Plain, c.Plain)] = violation{field: c.Prop, keyword: "type"}
		}
	}
	return all
}

// uniqueViolation enters the message of a unique constraint.
func (t *table) uniqueViolation(all map[string]violation, columns []*sqltext.Column) {
	names := sqltext.Plain(columns)
	for i := range names {
		names[i] = t.Plain + "." + names[i]
	}
	ix := sqltext.Index{Columns: columns}
	all["UNIQUE constraint failed: "+strings.Join(names, ", ")] = violation{unique: ix.Properties()}
}
