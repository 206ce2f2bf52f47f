package sqlite

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// listIndexes lists the indexes that the card needs:
//
//	role.unique         CREATE UNIQUE INDEX "post:unique slug" ON "post" ("slug")
//	role.index          CREATE INDEX "post:index status" ON "post" ("status", "id")
//	a one-relation      CREATE INDEX "post:index author" ON "post" ("author", "id")
//
// The other side of a relation and onDelete read the last one. An index on a column that leads
// another one already is left out.
func (t *table) listIndexes() {
	key := t.plain
	tail := t.primary
	var led []*sqltext.Column
	if t.primary.Parts != nil {
		tail = nil
		ix := index{unique: true, name: key + ":key", columns: t.keyColumns()}
		led = append(led, &ix.columns[0].Column)
		t.indexes = append(t.indexes, ix)
	}
	for _, asked := range t.Indexes(led...) {
		ix := index{unique: asked.Unique}
		name := ""
		for _, c := range asked.Columns {
			ix.columns = append(ix.columns, t.byIndex[c.Prop.Index])
			name += " " + t.byIndex[c.Prop.Index].column
		}
		if ix.name = key + ":unique" + name; !ix.unique {
			ix.name, ix.tail = key+":index"+name, tail
		}
		t.indexes = append(t.indexes, ix)
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
