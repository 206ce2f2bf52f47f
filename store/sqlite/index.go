package sqlite

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
)

// listIndexes gathers what the card needs indexes for: unique constraints, role.index, and one
// for each relation, which the other side of the relation and onDelete read. An index on a
// column that leads another one already is left out.
func (t *table) listIndexes() {
	led := map[*column]bool{t.primary: true} // columns that lead an index already
	key := tableName(t.entity.Key)
	for _, members := range t.entity.Uniques {
		ix := index{unique: true}
		names := make([]string, 0, len(members))
		for _, p := range members {
			if c := t.byIndex[p.Index]; c != nil {
				ix.columns = append(ix.columns, c)
				names = append(names, c.column)
			}
		}
		if len(ix.columns) != len(members) || len(members) == 1 && ix.columns[0] == t.primary {
			continue
		}
		ix.name = key + ":unique " + strings.Join(names, " ")
		led[ix.columns[0]] = true
		t.indexes = append(t.indexes, ix)
	}
	for _, c := range t.columns {
		one := c.prop.Link != nil && !c.prop.Link.Many
		if (c.prop.Axes.Index || one) && !led[c] {
			led[c] = true
			t.indexes = append(t.indexes, index{name: key + ":index " + c.column, columns: []*column{c}, tail: t.primary})
		}
	}
}

// indexSQL is the CREATE INDEX; its text is compared with the file's to see whether the index
// has changed.
func (t *table) indexSQL(ix index) string {
	names := make([]string, 0, len(ix.columns)+1)
	for _, c := range ix.columns {
		names = append(names, c.name)
	}
	if ix.tail != nil {
		names = append(names, ix.tail.name)
	}
	create := "CREATE INDEX "
	if ix.unique {
		create = "CREATE UNIQUE INDEX "
	}
	return create + quote(ix.name) + " ON " + t.name + " (" + strings.Join(names, ", ") + ")"
}

// listViolations says what SQLite's messages mean. They name tables and columns
// without quotes, so a name could be mistaken for two: hence whole messages.
func (t *table) listViolations() {
	key := tableName(t.entity.Key)
	unique := func(columns []*column) {
		names := make([]string, len(columns))
		props := make([]*schema.Property, len(columns))
		for i, c := range columns {
			names[i], props[i] = key+"."+c.column, c.prop
		}
		t.violations["UNIQUE constraint failed: "+strings.Join(names, ", ")] = violation{unique: props}
	}
	unique([]*column{t.primary})
	for _, ix := range t.indexes {
		if ix.unique {
			unique(ix.columns)
		}
	}
	for _, c := range t.columns {
		t.violations["NOT NULL constraint failed: "+key+"."+c.column] = violation{field: c.prop, keyword: "required"}
		for _, ck := range c.checks {
			keyword := ck.keyword
			if strings.HasPrefix(keyword, "kind ") {
				keyword = "type"
			}
			t.violations["CHECK constraint failed: "+c.column+":"+ck.keyword] = violation{field: c.prop, keyword: keyword}
		}
		if c.typ != "TEXT" {
			t.violations[fmt.Sprintf("cannot store TEXT value in %s column %s.%s", c.typ, key, c.column)] = violation{field: c.prop, keyword: "type"}
		}
	}
}
