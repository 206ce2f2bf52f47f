package sqlite

import (
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// compared returns the table that a card wants as package migration compares it.
func (t *table) compared() *migration.Table {
	out := &migration.Table{Name: t.plain, Entity: t.Entity.Name}
	for _, c := range t.columns {
		d := c.definition.compared()
		d.Field, d.Filled = c.Prop.Name, c.fill.Kind != sqltext.Null
		out.Columns = append(out.Columns, d)
	}
	for _, ix := range t.indexes {
		names := make([]string, len(ix.columns))
		for i, c := range ix.columns {
			names[i] = c.column
		}
		out.Indexes = append(out.Indexes, migration.Index{Name: ix.name, Unique: ix.unique, Columns: names, Text: t.indexSQL(ix), Own: true})
	}
	return out
}

// compared returns a table of the file as package migration compares it; name is its name there,
// and f is nil for a table that this program did not make.
func (f *found) compared(name string) *migration.Table {
	if f == nil {
		return &migration.Table{Name: name, Foreign: true}
	}
	out := &migration.Table{Name: f.name}
	for i := range f.columns {
		out.Columns = append(out.Columns, f.columns[i].compared())
	}
	for _, name := range sortedKeys(f.indexes) {
		sql := f.indexes[name]
		out.Indexes = append(out.Indexes, migration.Index{
			Name: name, Text: sql, Unique: strings.HasPrefix(sql, "CREATE UNIQUE"), Own: strings.HasPrefix(name, f.name+":"), Columns: indexedColumns(sql),
		})
	}
	return out
}

// compared returns a column without the properties that only its card has. The checks of a kind
// belong to its type.
func (d *definition) compared() migration.Column {
	c := migration.Column{Name: d.column, Kind: d.kindName(), Type: d.typ + " " + d.collation, NotNull: d.notNull, Primary: d.primary, Filled: d.dflt != ""}
	for _, ck := range d.checks {
		if strings.HasPrefix(ck.keyword, "kind ") {
			c.Type += " " + ck.expr
		} else {
			c.Checks = append(c.Checks, migration.Check{Keyword: ck.keyword, Expression: ck.expr})
		}
	}
	// REFERENCES "author" ("id") ON DELETE …
	if toks, ok := tokens(d.refs); ok && len(toks) > 2 {
		c.References = migration.Reference{Table: unquote(toks[1]), Column: unquote(inside(toks[2])), Rest: strings.Join(toks[3:], " ")}
	}
	return c
}

// indexedColumns lists the columns of a CREATE INDEX; nil for one over expressions.
func indexedColumns(sql string) (names []string) {
	toks, ok := tokens(sql)
	if !ok {
		return nil
	}
	for _, group := range toks {
		list, ok := tokens(inside(group))
		if !ok || inside(group) == "" {
			continue
		}
		for _, tok := range list {
			if name := unquote(tok); name != "" {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}
