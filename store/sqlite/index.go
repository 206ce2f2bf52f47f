package sqlite

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
)

// listIndexes gathers what the card needs indexes for:
//
//	role.unique         CREATE UNIQUE INDEX "post:unique slug" ON "post" ("slug")
//	role.index          CREATE INDEX "post:index status" ON "post" ("status", "id")
//	a one-relation      CREATE INDEX "post:index author" ON "post" ("author", "id")
//
// The other side of a relation and onDelete read the last one. An index on a column that leads
// another one already is left out.
func (t *table) listIndexes() {
	led := map[*column]bool{t.primary: true} // columns that lead an index already
	key := tableName(t.Entity.Key)
	tail := t.primary
	if t.primary.Parts != nil {
		tail = nil
		ix := index{unique: true, name: key + ":key", columns: t.keyColumns()}
		led[ix.columns[0]] = true
		t.indexes = append(t.indexes, ix)
	}
	for _, members := range t.Entity.Uniques {
		ix := index{unique: true}
		names := make([]string, 0, len(members))
		for _, p := range members {
			if c := t.byIndex[p.Index]; c != nil {
				ix.columns = append(ix.columns, c)
				names = append(names, c.column)
			}
		}
		// A member that is not stored leaves nothing to be unique; the primary key alone is
		// unique by itself.
		if len(ix.columns) != len(members) || len(members) == 1 && ix.columns[0] == t.primary {
			continue
		}
		ix.name = key + ":unique " + strings.Join(names, " ")
		led[ix.columns[0]] = true
		t.indexes = append(t.indexes, ix)
	}
	for _, c := range t.columns {
		one := c.Prop.Link != nil && !c.Prop.Link.Many
		if (c.Prop.Axes.Index || one) && !led[c] {
			led[c] = true
			t.indexes = append(t.indexes, index{name: key + ":index " + c.column, columns: []*column{c}, tail: tail})
		}
	}
}

// indexSQL returns the CREATE INDEX. Its text is compared with the file's to see whether the
// index has changed, so it may not change between versions of this program without need.
func (t *table) indexSQL(ix index) string {
	names := make([]string, 0, len(ix.columns)+1)
	for _, c := range ix.columns {
		names = append(names, c.Name)
	}
	if ix.tail != nil {
		names = append(names, ix.tail.Name)
	}
	create := "CREATE INDEX "
	if ix.unique {
		create = "CREATE UNIQUE INDEX "
	}
	return create + quote(ix.name) + " ON " + t.Name + " (" + strings.Join(names, ", ") + ")"
}

// listViolations lists SQLite's messages for the table's constraints with what each means.
// They name tables and columns without quotes, so a name could be mistaken for two: hence
// whole messages, and no parsing.
//
//	UNIQUE constraint failed: post.tenant, post.slug    those two fields
//	NOT NULL constraint failed: post.title              title, required
//	CHECK constraint failed: status:enum                status, enum
//	cannot store TEXT value in INTEGER column post.n    n, type
func (t *table) listViolations(key string) {
	unique := func(columns []*column) {
		names := make([]string, len(columns))
		props := make([]*schema.Property, len(columns))
		for i, c := range columns {
			names[i], props[i] = key+"."+c.column, c.Prop
		}
		t.violations["UNIQUE constraint failed: "+strings.Join(names, ", ")] = violation{unique: props}
	}
	unique(t.keyColumns())
	for _, ix := range t.indexes {
		if ix.unique {
			unique(ix.columns)
		}
	}
	for _, c := range t.columns {
		t.violations["NOT NULL constraint failed: "+key+"."+c.column] = violation{field: c.Prop, keyword: "required"}
		for _, ck := range c.checks {
			keyword := ck.keyword
			if strings.HasPrefix(keyword, "kind ") {
				keyword = "type"
			}
			t.violations["CHECK constraint failed: "+c.column+":"+ck.keyword] = violation{field: c.Prop, keyword: keyword}
		}
		if c.typ != "TEXT" {
			t.violations[fmt.Sprintf("cannot store TEXT value in %s column %s.%s", c.typ, key, c.column)] = violation{field: c.Prop, keyword: "type"}
		}
	}
}
