package postgres

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// table is the table of an entity: the definitions of its card, and the names in statements. Its
// description never changes.
type table struct {
	sqltext.Table

	// plain is the table's name without quotes and schema.
	plain   string
	columns []*column
	indexes []index
	// violations are by the name of a constraint or an index; see listViolations.
	violations map[string]violation
}

// column is one stored field.
type column struct {
	*sqltext.Column
	definition

	// fill is what rows get that are older than the column, as an SQL literal: the card's
	// constant, [] for a list of ids; "" where they get null.
	fill string
	// scans remembers which limits the rows of one value have exceeded; see [scan].
	scans scanHistory
}

// definition is a column in DDL, from a card or from a database.
type definition struct {
	name      string // unquoted
	typ       string // as format_type writes it
	collation string // "C" of texts, "" of all others and where it is the database's own
	notNull   bool
	checks    []check
	// refs is the foreign key; nil for none.
	refs *reference
}

// check is one CHECK: its name is "column:keyword".
type check struct{ name, expr string }

// reference is a foreign key: the table and the column it leads to, and the action when the row
// there is deleted, as SQL has it.
type reference struct{ name, table, column, onDelete string }

// index is one CREATE INDEX.
type index struct {
	name    string // unquoted
	unique  bool
	columns []string // unquoted, with the primary key behind those of an index that is not unique
}

// violation is what one constraint means to the caller who wrote. The name that the server
// gives leads to it and goes no further: it names tables and columns.
type violation struct {
	unique  []*schema.Property // of a unique constraint or a primary key
	field   *schema.Property   // of a check, or of a foreign key
	keyword string             // of a check: the card's keyword; "" of a foreign key
}

// newTable is the table of an entity's card in the given schema. names has the names of tables and
// columns, and stored says by key which entities have a table: a relation to an entity of a remote
// Frond has nothing to refer to here. An error is a fault of the card that its author can mend.
func newTable(e *schema.Entity, in string, names *migration.Names, stored func(key string) bool) (*table, error) {
	t := &table{plain: names.Table(e.Key), violations: map[string]violation{}}
	fields := map[string]string{}
	var columns []*sqltext.Column
	for _, p := range e.Fields {
		if !p.Stored {
			continue
		}
		c := newColumn(e, p, names, stored)
		if other, ok := fields[c.name]; ok {
			return nil, fmt.Errorf("entity %s: the fields %s and %s have the same column %s; rename one of them", e.Name, other, p.Name, c.name)
		}
		fields[c.name] = p.Name
		t.columns, columns = append(t.columns, c), append(columns, c.Column)
	}
	t.Table = sqltext.NewTable(e, quote(in)+"."+quote(t.plain), columns)
	if t.Primary == nil {
		return nil, fmt.Errorf("entity %s has no primary key; mark one field with role.primary: true", e.Name)
	}
	t.listIndexes()
	t.indexed(false)
	t.listViolations()
	return t, nil
}

// indexed describes the indexes for statements. A view has none of its primary key.
func (t *table) indexed(view bool) {
	if !view {
		t.Index(t.Primary)
	}
	for _, ix := range t.indexes {
		var columns []*sqltext.Column
		for _, name := range ix.columns {
			if i := slices.IndexFunc(t.columns, func(c *column) bool { return c.name == name }); i >= 0 {
				columns = append(columns, t.columns[i].Column)
			}
		}
		if len(columns) == len(ix.columns) { // a card may leave columns of another program out
			t.Index(columns...)
		}
	}
}

// of returns the column that a description belongs to.
func (t *table) of(c *sqltext.Column) *column { return t.columns[t.Place(c)] }

// primary is the column of the primary key.
func (t *table) primary() *column { return t.of(t.Primary) }

// primaryName is the name of the constraint of the primary key.
func (t *table) primaryName() string { return shorten(t.plain + ":primary") }

// listIndexes lists the indexes that the card needs:
//
//	role.unique         CREATE UNIQUE INDEX "post:unique slug" ON "post" ("slug")
//	role.index          CREATE INDEX "post:index status" ON "post" ("status" NULLS FIRST, "id")
//	a one-relation      CREATE INDEX "post:index author" ON "post" ("author" NULLS FIRST, "id")
//
// The other side of a relation and onDelete read the last one. An index on a column that leads
// another one already is left out.
func (t *table) listIndexes() {
	for _, asked := range t.Indexes() {
		ix := index{unique: asked.Unique}
		for _, c := range asked.Columns {
			ix.columns = append(ix.columns, t.of(c).name)
		}
		if ix.name = shorten(t.plain + ":unique " + strings.Join(ix.columns, " ")); !ix.unique {
			ix.name = shorten(t.plain + ":index " + ix.columns[0])
			ix.columns = append(ix.columns, t.primary().name)
		}
		t.indexes = append(t.indexes, ix)
	}
}

// listViolations lists the names of the table's constraints with what each means.
func (t *table) listViolations() {
	t.violations[t.primaryName()] = violation{unique: []*schema.Property{t.Primary.Prop}}
	for _, ix := range t.indexes {
		if !ix.unique {
			continue
		}
		var members []*schema.Property
		for _, name := range ix.columns {
			i := slices.IndexFunc(t.columns, func(c *column) bool { return c.name == name })
			members = append(members, t.columns[i].Prop)
		}
		t.violations[ix.name] = violation{unique: members}
	}
	for _, c := range t.columns {
		for _, ck := range c.checks {
			_, keyword, _ := strings.Cut(ck.name, ":")
			t.violations[ck.name] = violation{field: c.Prop, keyword: keyword}
		}
		if c.refs != nil {
			t.violations[c.refs.name] = violation{field: c.Prop}
		}
	}
}

// property returns the field of a column by its name in the database, or nil.
func (t *table) property(name string) *schema.Property {
	for _, c := range t.columns {
		if c.name == name {
			return c.Prop
		}
	}
	return nil
}

// scanHistory remembers that keys had more rows than a scan may read. Its zero value knows nothing.
type scanHistory struct {
	// most is the greatest limit of rows a key with which a scan came to its end; 0: none did.
	most atomic.Int64
	// pause is how many more statements are not worth a scan at that limit.
	pause atomic.Int64
}

// scanPause is how many statements search key by key before a scan is tried again.
const scanPause = 500

// worth reports whether a scan with a limit of rows a key is likely to read them all.
func (h *scanHistory) worth(limit int) bool {
	most := h.most.Load()
	return most == 0 || int64(limit) > most || h.pause.Add(-1) < 0
}

// enough records whether a scan read all rows of its keys.
func (h *scanHistory) enough(limit int, was bool) {
	most := h.most.Load()
	switch {
	case !was:
		h.most.Store(max(most, int64(limit)))
		h.pause.Store(scanPause)
	case int64(limit) <= most:
		h.most.Store(int64(limit) - 1)
	}
}
