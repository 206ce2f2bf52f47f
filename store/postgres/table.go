package postgres

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// table is the table of an entity: the definitions of its card, and the names in statements. Its
// description never changes.
type table struct {
	sqltext.Table

	// columns are the columns of Table.Columns.
	columns []*column
	// violations are by the name of a constraint or an index; see listViolations.
	violations map[string]violation
}

// column is one stored field.
type column struct {
	*sqltext.Column
	// def is the column in DDL.
	def migration.Column
	// refs is the primary key that it points at; nil where the store has no table for the target.
	refs *schema.Property
	// scans remembers which limits the rows of one value have exceeded; see [scan].
	scans scanHistory
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
// Frond gets no foreign key. An error is a fault of the card that its author can mend.
func newTable(e *schema.Entity, in string, names *migration.Names, stored func(key string) bool) (*table, error) {
	plain := names.Table(e.Key)
	t := &table{violations: map[string]violation{}}
	fields := map[string]string{}
	var columns []*sqltext.Column
	for _, p := range e.Fields {
		if !p.Stored {
			continue
		}
		c := newColumn(e, p, names, stored)
		if other, ok := fields[c.Plain]; ok {
			return nil, fmt.Errorf("entity %s: the fields %s and %s have the same column %s; rename one of them", e.Name, other, p.Name, c.Plain)
		}
		if slices.Contains(systemColumns, c.Plain) {
			return nil, fmt.Errorf("entity %s: PostgreSQL has a column %s of its own in every table; rename the field %s", e.Name, c.Plain, p.Name)
		}
		fields[c.Plain] = p.Name
		t.columns, columns = append(t.columns, c), append(columns, c.Column)
	}
	t.Table = sqltext.NewTable(e, quote(in)+"."+quote(plain), columns)
	t.Plain = plain
	if t.Primary == nil {
		return nil, fmt.Errorf("entity %s has no primary key; mark one field with role.primary: true", e.Name)
	}
	t.ListIndexes()
	for i := range t.Indexes {
		t.Indexes[i].Name = shorten(t.Indexes[i].Name)
	}
	t.useSearch(true)
	t.listViolations()
	return t, nil
}

// systemColumns are the columns that PostgreSQL adds to each table.
var systemColumns = []string{"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}

// useSearch gives the table the search of its entity; kept says whether columns keep its words.
func (t *table) useSearch(kept bool) {
	form := searchForm
	if kept {
		form += " kept"
	}
	if t.UseSearch(form, "double precision"); t.Search == nil {
		return
	}
	if t.Search.Kept.Store(kept); t.Search.Rank.Prop != nil {
		decoded(&t.Search.Rank)
	}
}

// kept are the names of the columns that keep words.
func (t *table) kept() (names []string) {
	if t.Search != nil && t.Search.Kept.Load() {
		for at := range t.Search.Columns {
			names = append(names, keptColumn(t.Search.Name, at))
		}
	}
	return names
}

// of returns the column that a description belongs to.
func (t *table) of(c *sqltext.Column) *column { return t.columns[t.Place(c)] }

// byName returns the column of this name in the database, or nil.
func (t *table) byName(name string) *column {
	for _, c := range t.columns {
		if c.Plain == name {
			return c
		}
	}
	return nil
}

// primaryName is the name of the constraint of the primary key.
func (t *table) primaryName() string { return shorten(t.Plain + ":primary") }

// described returns the table that a card wants as package migration compares it. A check whose
// name was shortened is not compared.
func (t *table) described() *migration.Table {
	out := &migration.Table{Name: t.Plain, Entity: t.Entity.Name}
	for _, c := range t.columns {
		d := c.def
		d.Checks = slices.DeleteFunc(slices.Clone(d.Checks), func(ck migration.Check) bool { return len(c.Plain)+1+len(ck.Keyword) > maxName })
		out.Columns = append(out.Columns, d)
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		out.Indexes = append(out.Indexes, migration.Index{Name: ix.Name, Unique: ix.Unique, Columns: sqltext.Plain(ix.All()), Text: indexText(ix.Unique, columnsSQL(ix)), Own: true})
	}
	if s := t.Search; s != nil { // its name has a hash of its expressions
		out.Indexes = append(out.Indexes, migration.Index{Name: s.Name, Columns: sqltext.Plain(s.Columns), Text: s.Name, Own: true})
	}
	return out
}

// listViolations lists the names of the table's constraints with what each means.
func (t *table) listViolations() {
	t.violations[t.primaryName()] = violation{unique: []*schema.Property{t.Primary.Prop}}
	for i := range t.Indexes {
		if ix := &t.Indexes[i]; ix.Unique {
			t.violations[ix.Name] = violation{unique: ix.Properties()}
		}
	}
	for _, c := range t.columns {
		for _, ck := range c.def.Checks {
			t.violations[c.constraint(ck.Keyword)] = violation{field: c.Prop, keyword: ck.Keyword}
		}
		if c.refs != nil {
			t.violations[c.constraint(references)] = violation{field: c.Prop}
		}
	}
}

// scanHistory remembers that keys had more rows than a scan may read. Its zero value is empty.
type scanHistory struct {
	// most is the greatest limit of rows a key with which a scan came to its end, or 0.
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
