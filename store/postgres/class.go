package postgres

import (
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

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

// classOf returns the class of a column by its type and the kind of its field.
func classOf(c *sqltext.Column) class { return classes(baseType(c.Type), c.Prop.Kind) }

// classes returns the class of a type, as [baseType] has it, for a kind of field.
func classes(typ string, kind schema.Kind) class {
	if strings.HasSuffix(typ, "[]") {
		return asArray
	}
	switch typ {
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
	case asText, asJSON, asArray:
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
// its network, which its own form leaves out for one address.
func shown(b *sqltext.Builder, c *sqltext.Column, alias string) {
	if baseType(c.Type) == "inet" {
		b.Text("pg_catalog.format('%s', ")
		b.Column(alias, c)
		b.Text(")")
		return
	}
	b.Column(alias, c)
	b.Text("::text")
}
