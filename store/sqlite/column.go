package sqlite

import (
	"fmt"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// newColumn is the column of a field, whose name is among names; stored says by key which entities
// have a table. Types
// are those of STRICT tables:
//
//	integer, boolean      INTEGER
//	number                REAL
//	decimal               TEXT COLLATE decimal: exact, and ordered as numbers
//	date-time             TEXT in UTC with six decimals, so that text order is time order
//	date, other strings   TEXT
//	objects, arrays       TEXT, held to json_valid
func newColumn(e *schema.Entity, p *schema.Property, names *migration.Names, stored func(key string) bool) *column {
	name := names.Column(e.Key, p.Name)
	c := &column{Column: sqltext.Column{Prop: p, Name: quote(name)}}
	d := &c.definition
	d.column = name
	d.primary = p == e.Primary
	d.notNull = d.primary || !sqltext.MayBeNull(p)
	d.typ = "TEXT"
	switch p.Kind {
	case schema.KindInteger:
		d.typ = "INTEGER"
	case schema.KindNumber:
		d.typ = "REAL"
	case schema.KindBoolean:
		d.typ = "INTEGER"
		d.mark("boolean", c.Name+" IN (0, 1)")
	case schema.KindDateTime:
		d.mark("date-time", fmt.Sprintf("length(%s) = %d", c.Name, len(sqltext.TimeLayout)))
	case schema.KindDate:
		d.mark("date", fmt.Sprintf("length(%s) = 10", c.Name))
	case schema.KindDecimal:
		d.collation = decimalCollation
	case schema.KindJSON:
		d.mark("json", "json_valid("+c.Name+")")
	}
	literal := func(v sqltext.Value) (string, bool) { return engine.Literal(v), true }
	for _, ck := range sqltext.Checks(p, c.Name, literal, lengthCheck(c.Name)) {
		d.checks = append(d.checks, check{ck.Keyword, ck.Expr})
	}
	c.fill = sqltext.Constant(p)
	d.dflt = defaultLiteral(c.fill)
	if c.refs = sqltext.Target(p, stored); c.refs != nil {
		d.refs = fmt.Sprintf("REFERENCES %s (%s)", quote(names.Table(c.refs.Owner.Key)), quote(names.Column(c.refs.Owner.Key, c.refs.Name)))
		if word := sqltext.OnDelete(p); word != "" {
			d.refs += " ON DELETE " + word
		}
		d.refs += " DEFERRABLE INITIALLY DEFERRED"
	}
	c.Type, c.NotNull, c.Collation = d.typ, d.notNull, d.collation
	return c
}

// defaultLiteral returns a constant as DEFAULT has it: a literal of plain characters, since ADD
// COLUMN takes no expression. It is "" for null, and for a text with other characters.
func defaultLiteral(v sqltext.Value) string {
	switch text := engine.Literal(v); {
	case v == sqltext.TextValue("[]"):
		return "'[]'"
	case v.Kind == sqltext.Text && text[0] == '\'', v.Kind == sqltext.Int, v.Kind == sqltext.Float:
		return text
	}
	return ""
}

// mark notes the kind of value that the column holds where its type does not show it. The mark
// is the name of a check, so that a later version of the program reads it back from the file.
//
//	CONSTRAINT "at:kind date-time" CHECK (length("at") = 27)
func (d *definition) mark(kind, expr string) {
	d.kind = kind
	d.checks = append(d.checks, check{"kind " + kind, expr})
}

// lengthCheck writes the CHECK of a length. SQLite's length counts code points, as JSON Schema
// does, but stops at a NUL: so it may count too few, and a text with one is taken as long
// enough.
func lengthCheck(name string) func(operator string, n int64) string {
	return func(operator string, n int64) string {
		if operator == ">=" {
			return fmt.Sprintf("length(%s) >= %d OR instr(%s, char(0)) > 0", name, n, name)
		}
		return fmt.Sprintf("length(%s) %s %d", name, operator, n)
	}
}
