package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
)

// kinds are the kinds of values, in the words of a card, by type. A type that is not here is a
// kind of its own.
var kinds = map[string]string{
	"bigint": "integer", "double precision": "number", "numeric": "decimal", "boolean": "boolean",
	"timestamp with time zone": "date-time", "date": "date", "json": "json", "jsonb": "json", "text": "string",
}

// helpers begin the names of columns that an interrupted change of a type has made.
const helpers = "~"

// compared returns the table that a card wants as package migration compares it.
func (t *table) compared() *migration.Table {
	out := &migration.Table{Name: t.plain, Entity: t.Entity.Name}
	for _, c := range t.columns {
		d := c.definition.compared()
		d.Field, d.Filled, d.Primary = c.Prop.Name, c.fill != "", c == t.primary()
		out.Columns = append(out.Columns, d)
	}
	for _, ix := range t.indexes {
		out.Indexes = append(out.Indexes, migration.Index{Name: ix.name, Unique: ix.unique, Columns: ix.columns, Text: indexText(ix.unique, t.columnsSQL(ix)), Own: true})
	}
	return out
}

// compared returns a relation of the database in that form. A view or a foreign table is foreign to
// this program, and so is a table whose primary key has several columns or none.
func (p *present) compared() *migration.Table {
	out := &migration.Table{Name: p.name, Foreign: p.kind != "r" && p.kind != "p" || len(p.primary) != 1}
	for i := range p.columns {
		c := &p.columns[i]
		d := c.definition.compared()
		d.Filled, d.Primary = c.byDefault, slices.Contains(p.primary, c.name)
		d.NotNull = d.NotNull || d.Primary
		out.Columns = append(out.Columns, d)
	}
	for _, name := range slices.Sorted(maps.Keys(p.indexes)) {
		ix := p.indexes[name]
		d := migration.Index{Name: name, Unique: ix.unique, Text: indexText(ix.unique, ix.columns), Own: strings.HasPrefix(name, p.name+":index ") || strings.HasPrefix(name, p.name+":unique ")}
		if !ix.valid || !ix.plain {
			d.Text = "" // one that is not valid is made again
		}
		for part := range strings.SplitSeq(ix.columns, ", ") {
			d.Columns = append(d.Columns, strings.Trim(strings.TrimSuffix(part, " NULLS FIRST"), `"`))
		}
		out.Indexes = append(out.Indexes, d)
	}
	return out
}

// compared returns a column.
func (d *definition) compared() migration.Column {
	c := migration.Column{Name: d.name, Kind: kinds[d.typ], Type: d.typ, NotNull: d.notNull}
	if c.Kind == "" {
		c.Kind = d.typ
	}
	if d.collation != "" {
		c.Type += " COLLATE " + quote(d.collation)
	}
	for _, ck := range d.checks {
		if keyword, ok := strings.CutPrefix(ck.name, d.name+":"); ok {
			c.Checks = append(c.Checks, migration.Check{Keyword: keyword, Expression: ck.expr})
		}
	}
	if r := d.refs; r != nil {
		c.References = migration.Reference{Table: r.table, Column: r.column, Rest: r.onDelete}
	}
	return c
}

// indexText is an index as the catalogue and a card have it alike.
func indexText(unique bool, columns string) string {
	if unique {
		return "UNIQUE " + columns
	}
	return columns
}
