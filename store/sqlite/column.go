package sqlite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// newColumn is the column of a field; stored says by key which entities have a table. Types
// are those of STRICT tables:
//
//	integer, boolean      INTEGER
//	number                REAL
//	decimal               TEXT COLLATE decimal: exact, and ordered as numbers
//	date-time             TEXT in UTC with six decimals, so that text order is time order
//	date, other strings   TEXT
//	objects, arrays       TEXT, held to json_valid
func newColumn(e *schema.Entity, p *schema.Property, stored func(key string) bool) *column {
	name := columnName(p.Name)
	c := &column{Column: sqltext.Column{Prop: p, Name: quote(name)}}
	d := &c.definition
	d.column = name
	d.primary = p == e.Primary
	d.notNull = d.primary || !mayBeNull(p)
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
	// A named conversion stores something else than what its card's shape judges:
	// a password's bounds do not hold for its hash.
	if p.Axes.In.Name == "" {
		d.checks = append(d.checks, shapeChecks(p, c.Name)...)
	}
	if r := p.Axes.Create; r != nil && r.Value != nil {
		c.fill, _ = sqltext.Encode(p, r.Value)
	} else if p.Link != nil && p.Link.Many {
		c.fill = sqltext.TextValue("[]") // spec 2.3: an absent many relation is an empty list
	}
	d.dflt = defaultLiteral(c.fill)
	if p.Link != nil && !p.Link.Many && p.Link.Target != nil && p.Link.Target.Primary != nil && stored(p.Link.Target.Key) {
		c.refs = p.Link.Target.Primary
		d.refs = fmt.Sprintf("REFERENCES %s (%s)%s DEFERRABLE INITIALLY DEFERRED",
			quote(tableName(p.Link.Target.Key)), quote(columnName(c.refs.Name)), onDelete(p.Axes.Relation))
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

// onDelete returns the card's word in SQL. Without one a row that is pointed at cannot go (NO
// ACTION): as with restrict, but judged when the whole write is done, so that a cascade may
// take both (docs/decisions/032).
func onDelete(r *schema.Relation) string {
	if r == nil {
		return ""
	}
	switch r.OnDelete {
	case "cascade":
		return " ON DELETE CASCADE"
	case "restrict":
		return " ON DELETE RESTRICT"
	case schema.SetNull:
		return " ON DELETE SET NULL"
	}
	return ""
}

// mayBeNull says whether a row may hold null in the field. Presence and nullability are two
// things (spec 2.3.2): a field nobody has to supply at creation is null until someone does,
// whatever its shape says; and a shape without a type takes null like any other value. Many
// relations and create: {value: null} are the store's own cases beside
// [schema.Property.MayBeNull].
func mayBeNull(p *schema.Property) bool {
	if p.Axes.Relation != nil && p.Axes.Relation.Many {
		return false // spec 2.3: an absent many relation is an empty list
	}
	return p.MayBeNull() || p.Shape.Type == "" || p.Axes.Create != nil && jsontext.IsNull(p.Axes.Create.Value)
}

// shapeChecks are the keywords of a field's shape that the table enforces too: enum, bounds
// and lengths. The judge has checked them before; the table holds them against other programs
// that write to the file.
//
//	{"enum": ["draft", "live"]}   "status" IN ('draft', 'live')
//	{"minimum": 0}                "price" >= 0
//	{"maxLength": 80}             length("title") <= 80
//
// A pattern is not among them: SQLite has no regular expressions.
func shapeChecks(p *schema.Property, name string) []check {
	var out []check
	add := func(keyword, format string, args ...any) {
		out = append(out, check{keyword, fmt.Sprintf(format, args...)})
	}
	if list := enumLiterals(p); list != "" {
		add("enum", "%s IN (%s)", name, list)
	}
	for _, kw := range p.Shape.Extra {
		switch kw.Name {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			if p.Kind != schema.KindInteger && p.Kind != schema.KindNumber {
				continue
			}
			if bound, ok := numberLiteral(p.Kind, kw.Value); ok {
				op := map[string]string{"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}[kw.Name]
				add(kw.Name, "%s %s %s", name, op, bound)
			}
		case "minLength", "maxLength":
			n, ok := schema.Integer(kw.Value)
			if p.Kind != schema.KindString || !ok {
				continue
			}
			// length counts code points, as JSON Schema does, but stops at a NUL: so it may
			// count too few, and a text with one is taken as long enough.
			if kw.Name == "minLength" {
				add(kw.Name, "length(%s) >= %d OR instr(%s, char(0)) > 0", name, n, name)
			} else {
				add(kw.Name, "length(%s) <= %d", name, n)
			}
		}
	}
	return out
}

// enumLiterals lists the values of an enum as SQL, or "" where the column cannot be held to
// them: values of several kinds, and JSON, which has more than one text for a value.
func enumLiterals(p *schema.Property) string {
	if p.Kind == schema.KindJSON || p.Shape.Enum == nil {
		return ""
	}
	var list []string
	for _, v := range p.Shape.Enum {
		a, fault := sqltext.Encode(p, v)
		if fault != "" {
			return ""
		}
		if a.Kind != sqltext.Null { // a null passes every check
			list = append(list, engine.Literal(a))
		}
	}
	return strings.Join(list, ", ")
}

// numberLiteral writes a bound as SQL: as an integer for a column of integers, as the stored
// real for one of numbers, so that a value may equal its bound. It returns false for what is
// no number.
func numberLiteral(k schema.Kind, v json.RawMessage) (string, bool) {
	if i, ok := schema.Integer(v); ok && k == schema.KindInteger {
		return engine.Literal(sqltext.IntValue(i)), true
	}
	f, err := strconv.ParseFloat(string(jsontext.Trim(v)), 64)
	return engine.Literal(sqltext.FloatValue(f)), err == nil
}
