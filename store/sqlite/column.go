package sqlite

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// newColumn is the column of a field, whose name is among names; stored says by key which entities
// have a table. The types are the types of STRICT tables:
//
//	integer, boolean      INTEGER
//	number                REAL
//	decimal               TEXT COLLATE decimal: exact, and ordered as numbers
//	date-time             TEXT in UTC with six decimals, so that text order is time order
//	date, other strings   TEXT
//	objects, arrays       TEXT, held to json_valid
func newColumn(e *schema.Entity, p *schema.Property, names *migration.Names, stored func(key string) bool) *column {
	name := names.Column(e.Key, p.Name)
	c := &column{Column: &sqltext.Column{Prop: p, Name: quote(name), Plain: name}}
	d := &c.def
	d.Name, d.Field, d.Primary, d.Type, d.Kind = name, p.Name, p == e.Primary, "TEXT", "string"
	d.NotNull = d.Primary || !sqltext.MayBeNull(p)
	switch p.Kind {
	case schema.KindInteger:
		d.Type, d.Kind = "INTEGER", "integer"
	case schema.KindNumber:
		d.Type, d.Kind = "REAL", "number"
	case schema.KindBoolean:
		d.Type, d.Kind, d.Mark = "INTEGER", "boolean", c.Name+" IN (0, 1)"
	case schema.KindDateTime:
		d.Kind, d.Mark = "date-time", fmt.Sprintf("length(%s) = %d", c.Name, len(sqltext.TimeLayout))
	case schema.KindDate:
		d.Kind, d.Mark = "date", fmt.Sprintf("length(%s) = 10", c.Name)
	case schema.KindDecimal:
		d.Kind, d.Collation = decimalCollation, decimalCollation
	case schema.KindJSON:
		d.Kind, d.Mark = "json", "json_valid("+c.Name+")"
	}
	literal := func(v sqltext.Value) (string, bool) { return engine.Literal(v), true }
	for _, ck := range sqltext.Checks(p, c.Name, literal, lengthCheck(c.Name)) {
		d.Checks = append(d.Checks, migration.Check{Keyword: ck.Keyword, Expression: ck.Expr})
	}
	c.fill = sqltext.Constant(p)
	d.Default, d.Filled = defaultLiteral(c.fill), c.fill.Kind != sqltext.Null
	if c.refs = sqltext.Target(p, stored); c.refs != nil {
		d.References = migration.Reference{Table: names.Table(c.refs.Owner.Key), Column: names.Column(c.refs.Owner.Key, c.refs.Name), Rest: "DEFERRABLE INITIALLY DEFERRED"}
		if word := sqltext.OnDelete(p); word != "" {
			d.References.Rest = "ON DELETE " + word + " " + d.References.Rest
		}
	}
	c.Type, c.NotNull, c.Collation = d.Type, d.NotNull, d.Collation
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

// markOf is the name of the check that holds the values of a column to its kind, where its type does
// not show it: a later version of the program reads it back from the file.
//
//	CONSTRAINT "at:kind date-time" CHECK (length("at") = 27)
func markOf(d *migration.Column) string { return "kind " + d.Kind }

// columnSQL is a column as CREATE TABLE and ADD COLUMN have it; [parseColumn] reads it back:
//
//	"price" TEXT COLLATE decimal NOT NULL CONSTRAINT "price:enum" CHECK (…) REFERENCES …
func columnSQL(d *migration.Column) string {
	var b strings.Builder
	b.WriteString(quote(d.Name) + " " + d.Type)
	if d.Collation != "" {
		b.WriteString(" COLLATE " + d.Collation)
	}
	if d.Default != "" {
		b.WriteString(" DEFAULT " + d.Default)
	}
	if d.NotNull {
		b.WriteString(" NOT NULL")
	}
	if d.Primary {
		b.WriteString(" PRIMARY KEY")
	}
	check := func(keyword, expression string) {
		fmt.Fprintf(&b, " CONSTRAINT %s CHECK (%s)", quote(d.Name+":"+keyword), expression)
	}
	if d.Mark != "" {
		check(markOf(d), d.Mark)
	}
	for _, ck := range d.Checks {
		check(ck.Keyword, ck.Expression)
	}
	if r := d.References; r.Table != "" {
		b.WriteString(" REFERENCES " + quote(r.Table) + " (" + quote(r.Column) + ") " + r.Rest)
	}
	return b.String()
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

// quote returns name as an SQL identifier: order-line is "order-line". Everything that is a
// name in SQL goes through here, after [tableName] or [columnName] have made it harmless.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// ownPrefix begins the names of the tables in which the store keeps its own records;
// no entity's table begins like that.
const ownPrefix = "_frond_"

// tableName returns the name of the table of an entity, by its key. It leaves out the Frond's name:
// keys are unique in a host, and an entity may move between Fronds with its rows
// (docs/decisions/sqlite.md). Names that SQLite or this store keeps for itself are escaped.
//
//	product       product
//	order-line    order-line
//	sqlite_stat   ~73716c6974655f73746174
func tableName(key string) string {
	lower := strings.ToLower(key)
	if !plainName(key) || strings.HasPrefix(lower, "sqlite_") || strings.HasPrefix(lower, ownPrefix) {
		return escapeName(key)
	}
	return key
}

// columnName is the column of a field: its name, or its bytes in hex if it has other signs than
// letters, digits, "_" and "-".
func columnName(field string) string {
	if !plainName(field) {
		return escapeName(field)
	}
	return field
}

// plainName reports whether a quoted name needs no escape: it has letters and digits of any script,
// "_" and "-".
func plainName(name string) bool {
	if name == "" || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// escapeName spells a name in hex after "~", so that no character that an author chose reaches SQL.
// A plain name never begins with "~". No card has such a name today, since the reader of cards
// refuses it.
func escapeName(name string) string { return "~" + hex.EncodeToString([]byte(name)) }
