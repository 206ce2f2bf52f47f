package postgres

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// newColumn is the column of a field, whose name is among names; stored says by key which entities
// have a table. Types (docs/decisions/postgresql.md):
//
//	integer             bigint
//	number              double precision
//	decimal             numeric: exact, with the digits of the request
//	boolean             boolean
//	date-time           timestamp with time zone: microseconds
//	date                date
//	other strings       text COLLATE "C": ordered by their bytes, as in SQLite
//	objects, arrays     json: the text of the request
func newColumn(e *schema.Entity, p *schema.Property, names *migration.Names, stored func(key string) bool) *column {
	name := names.Column(e.Key, p.Name)
	c := &column{Column: &sqltext.Column{Prop: p, Name: quote(name), Plain: name}}
	d := &c.def
	d.Name, d.Field, d.Primary = name, p.Name, p == e.Primary
	d.NotNull = d.Primary || !sqltext.MayBeNull(p)
	switch p.Kind {
	case schema.KindInteger:
		d.Type = "bigint"
	case schema.KindNumber:
		d.Type = "double precision"
	case schema.KindDecimal:
		d.Type = "numeric"
	case schema.KindBoolean:
		d.Type = "boolean"
	case schema.KindDateTime:
		d.Type = "timestamp with time zone"
	case schema.KindDate:
		d.Type = "date"
	case schema.KindJSON:
		d.Type = "json"
	default:
		d.Type, d.Collation = "text", "C"
	}
	d.Kind = kindOf(d.Type)
	c.Type, c.NotNull = d.Type, d.NotNull
	decoded(c.Column)
	literal := func(v sqltext.Value) (string, bool) { return typed(p.Kind, v), !strings.Contains(v.S, "\x00") }
	length := func(operator string, n int64) string { // of code points, as JSON Schema counts
		return fmt.Sprintf("char_length(%s) %s %d", c.Name, operator, n)
	}
	for _, ck := range sqltext.Checks(p, c.Name, literal, length) {
		d.Checks = append(d.Checks, migration.Check{Keyword: ck.Keyword, Expression: ck.Expr})
	}
	if v := sqltext.Constant(p); v.Kind != sqltext.Null {
		d.Default, d.Filled = typed(p.Kind, v), true
	}
	if c.refs = sqltext.Target(p, stored); c.refs != nil {
		d.References = migration.Reference{
			Table: names.Table(c.refs.Owner.Key), Column: names.Column(c.refs.Owner.Key, c.refs.Name), Rest: cmp.Or(sqltext.OnDelete(p), "NO ACTION"),
		}
	}
	return c
}

// kinds are the kinds of values, in the words of a card, by type.
var kinds = map[string]string{
	"bigint": "integer", "double precision": "number", "numeric": "decimal", "boolean": "boolean",
	"timestamp with time zone": "date-time", "date": "date", "json": "json", "jsonb": "json", "text": "string",
}

// kindOf returns the kind of the values of a type. An unknown type is a kind of its own.
func kindOf(typ string) string { return cmp.Or(kinds[typ], typ) }

// references ends the name of a foreign key, behind the column's name.
const references = "references"

// constraint returns the name of a constraint of the column: price:minimum, author:references.
func (c *column) constraint(what string) string { return shorten(c.Plain + ":" + what) }

// typed writes a value of a kind as SQL.
func typed(kind schema.Kind, v sqltext.Value) string {
	switch {
	case v.Kind == sqltext.Text && kind == schema.KindDecimal:
		return v.S // digits, as Encode has checked
	case v.Kind == sqltext.Text:
		return literal(v.S)
	case kind == schema.KindBoolean:
		return strconv.FormatBool(v.I != 0)
	case v.Kind == sqltext.Float:
		return float(v.F)
	}
	return strconv.FormatInt(v.I, 10)
}

// float writes a double as SQL, which would take 1.5 for a numeric.
func float(f float64) string {
	return "'" + strconv.FormatFloat(f, 'g', -1, 64) + "'::double precision"
}

// class is how the values of a column are compared and read: by its card and its database type. A
// type that a card's kind does not expect is compared as text.
type class uint8

const (
	asOther   class = iota // compared by its text: an enum, inet, time, …
	asText                 // text and its relatives
	asInteger              // smallint, integer, bigint
	asNumber               // real, double precision, numeric
	asDecimal              // numeric
	asBoolean
	asTime // timestamptz, timestamp
	asDate
	asUUID
	asJSON  // json, jsonb
	asArray // an array of the database, text[]
)

// baseType returns a type as SQL has it without its modifier, in lower case:
// varchar(20) is varchar. A quoted name stays as it is.
func baseType(typ string) string {
	if strings.HasPrefix(typ, `"`) {
		return typ
	}
	typ = strings.ToLower(typ)
	if i := strings.IndexByte(typ, '('); i >= 0 {
		_, rest, _ := strings.Cut(typ[i:], ")")
		typ = strings.TrimSpace(typ[:i]) + rest
	}
	return typ
}

// unqualified returns the name of a type without its schema and quotation marks: public.citext is citext.
// Types of PostgreSQL have no schema.
func unqualified(typ string) string {
	if at := strings.LastIndexByte(typ, '.'); at >= 0 {
		return strings.Trim(typ[at+1:], `"`)
	}
	return typ
}

// classOf returns the class of a column by its type and the kind of its field.
func classOf(c *sqltext.Column) class { return classes(baseType(c.Type), c.Prop.Kind) }

// classes returns the class of a type, as [baseType] has it, for a kind of field.
func classes(typ string, kind schema.Kind) class {
	if strings.HasSuffix(typ, "[]") {
		return asArray
	}
	switch typ = unqualified(typ); typ {
	case "text", "varchar", "character varying", "bpchar", "char", "character", "name", "citext":
		return asText
	case "smallint", "integer", "bigint", "int2", "int4", "int8", "int":
		if kind == schema.KindInteger {
			return asInteger
		}
		if kind == schema.KindNumber {
			return asNumber
		}
	case "real", "double precision", "float4", "float8":
		if kind == schema.KindNumber {
			return asNumber
		}
	case "numeric", "decimal":
		switch kind {
		case schema.KindDecimal:
			return asDecimal
		case schema.KindInteger:
			return asInteger
		case schema.KindNumber:
			return asNumber
		}
	case "boolean", "bool":
		if kind == schema.KindBoolean {
			return asBoolean
		}
	case "timestamptz", "timestamp", "timestamp with time zone", "timestamp without time zone":
		if kind == schema.KindDateTime {
			return asTime
		}
	case "date":
		if kind == schema.KindDate {
			return asDate
		}
	case "uuid":
		return asUUID
	case "json", "jsonb":
		return asJSON
	}
	return asOther
}

// isPadded says whether a column's texts have one length, for which the server adds blanks.
func isPadded(c *sqltext.Column) bool {
	switch baseType(c.Type) {
	case "bpchar", "char", "character":
		return true
	}
	return false
}

// listType is the element type of a list that a column of the class is compared with, and that
// its values are bound as.
func listType(c *sqltext.Column) string {
	switch classOf(c) {
	case asInteger:
		return "bigint"
	case asOther:
		if c.Fits != nil {
			return c.Type
		}
		return "text"
	case asText:
		if unqualified(baseType(c.Type)) == "citext" {
			return c.Type
		}
		return "text"
	case asJSON, asArray:
		return "text"
	case asNumber, asDecimal, asBoolean, asTime, asDate, asUUID:
	}
	return baseType(c.Type)
}

// compared writes a column as it is compared with a value of [listType].
func compared(b *sqltext.Builder, c *sqltext.Column, alias string) {
	switch classOf(c) {
	case asOther, asJSON, asArray:
		if c.Fits == nil {
			shown(b, c, alias)
			return
		}
	}
	b.Column(alias, c)
}

// shown writes a column as the text that rows show. A cast of inet to text adds the length of
// its network, which its own form leaves out for one address. Parts of a text are compared by their letters
// also where the texts themselves are equal without regard to case.
func shown(b *sqltext.Builder, c *sqltext.Column, alias string) {
	if baseType(c.Type) == "inet" {
		b.Text("pg_catalog.textin(pg_catalog.inet_out(")
		b.Column(alias, c)
		b.Text("))")
		return
	}
	b.Column(alias, c)
	if b.Text("::text"); c.Folds {
		b.Text(` COLLATE "C"`)
	}
}
