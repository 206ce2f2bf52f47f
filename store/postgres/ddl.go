package postgres

import (
	"slices"
	"strings"
)

// The DDL of a card. Names are quoted and values literal, since DDL takes no bound values.

// sql is the definition as CREATE TABLE and ADD COLUMN have it:
//
//	"price" numeric NOT NULL
func (d *definition) sql() string { return d.withDefault("") }

// sql is the definition with the column's constant as its default: a program whose cards do not
// have the field writes rows without it.
func (c *column) sql() string { return c.withDefault(c.fill) }

// withDefault is sql with a default, where it is not "".
func (d *definition) withDefault(value string) string {
	text := quote(d.name) + " " + d.typ
	if d.collation != "" {
		text += " COLLATE " + quote(d.collation)
	}
	if value != "" {
		text += " DEFAULT " + value
	}
	if d.notNull {
		text += " NOT NULL"
	}
	return text
}

// sql is CONSTRAINT "price:minimum" CHECK ("price" >= 0).
func (c *check) sql() string { return "CONSTRAINT " + quote(c.name) + " CHECK (" + c.expr + ")" }

// comment keeps the check's text where it can be read back as it was: the server prints it in
// a form of its own (docs/decisions/postgresql.md).
func (c *check) comment(t *table) string {
	return "COMMENT ON CONSTRAINT " + quote(c.name) + " ON " + t.Name + " IS " + literal(c.expr)
}

// create returns the statements that make the table, without its foreign keys.
func (t *table) create() []string {
	var lines, after []string
	for _, c := range t.columns {
		lines = append(lines, "  "+c.sql())
	}
	for _, c := range t.columns {
		for _, ck := range c.checks {
			lines = append(lines, "  "+ck.sql())
			after = append(after, ck.comment(t))
		}
	}
	lines = append(lines, "  CONSTRAINT "+quote(t.primaryName())+" PRIMARY KEY ("+t.Primary.Name+")")
	for _, ix := range t.indexes {
		after = append(after, t.createIndex(ix, ""))
	}
	return append([]string{"CREATE TABLE " + t.Name + " (\n" + strings.Join(lines, ",\n") + "\n)"}, after...)
}

// addReference returns the statement that adds a column's foreign key.
func (t *table) addReference(c *column, in string) string {
	r := c.refs
	return "ALTER TABLE " + t.Name + " ADD CONSTRAINT " + quote(r.name) + " FOREIGN KEY (" + c.Name + ") REFERENCES " +
		quote(in) + "." + quote(r.table) + " (" + quote(r.column) + ") ON DELETE " + r.onDelete
}

// createIndex returns a CREATE INDEX; how is "" or CONCURRENTLY.
func (t *table) createIndex(ix index, how string) string {
	words := []string{"CREATE INDEX"}
	if ix.unique {
		words = []string{"CREATE UNIQUE INDEX"}
	}
	if how != "" {
		words = append(words, how)
	}
	return strings.Join(append(words, quote(ix.name), "ON", t.Name, "("+t.columnsSQL(ix)+")"), " ")
}

// columnsSQL are the columns of an index in its order. Null is the smallest value of every
// order (docs/decisions/filters-and-paging.md): read forwards the index gives it first, backwards last.
func (t *table) columnsSQL(ix index) string {
	list := make([]string, len(ix.columns))
	for i, name := range ix.columns {
		c := t.columns[slices.IndexFunc(t.columns, func(c *column) bool { return c.name == name })]
		if list[i] = c.Name; !c.NotNull {
			list[i] += " NULLS FIRST"
		}
	}
	return strings.Join(list, ", ")
}
