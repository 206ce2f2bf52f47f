package postgres

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqltext"
)

// newColumn is the column of a field; stored says by key which entities have a table. Types
// (docs/decisions/302):
//
//	integer             bigint
//	number              double precision
//	decimal             numeric: exact, with the digits that were sent
//	boolean             boolean
//	date-time           timestamp with time zone: microseconds
//	date                date
//	other strings       text COLLATE "C": ordered by their bytes, as in SQLite
//	objects, arrays     json: the text that was sent
func newColumn(e *schema.Entity, p *schema.Property, stored func(key string) bool) *column {
	c := &column{Column: &sqltext.Column{Prop: p}}
	d := &c.definition
	d.name = columnName(p.Name)
	d.notNull = p == e.Primary || !mayBeNull(p)
	switch p.Kind {
	case schema.KindInteger:
		d.typ = "bigint"
	case schema.KindNumber:
		d.typ = "double precision"
	case schema.KindDecimal:
		d.typ = "numeric"
	case schema.KindBoolean:
		d.typ = "boolean"
	case schema.KindDateTime:
		d.typ = "timestamp with time zone"
	case schema.KindDate:
		d.typ = "date"
	case schema.KindJSON:
		d.typ = "json"
	default:
		d.typ, d.collation = "text", "C"
	}
	c.Name, c.Type, c.NotNull = quote(d.name), d.typ, d.notNull
	c.Decode = decoderOf(c.Column)
	// A named conversion stores something else than what its card's shape judges: a password's
	// bounds do not hold for its hash.
	if p.Axes.In.Name == "" {
		d.checks = shapeChecks(p, d.name)
	}
	if r := p.Axes.Create; r != nil && r.Value != nil {
		if v, fault := sqltext.Encode(p, r.Value); fault == "" && v.Kind != sqltext.Null {
			c.fill = typed(p.Kind, v)
		}
	} else if p.Link != nil && p.Link.Many {
		c.fill = "'[]'" // spec 2.3: an absent many relation is an empty list
	}
	if p.Link != nil && !p.Link.Many && p.Link.Target != nil && p.Link.Target.Primary != nil && stored(p.Link.Target.Key) {
		d.refs = &reference{
			name: shorten(d.name + ":references"), table: tableName(p.Link.Target.Key),
			column: columnName(p.Link.Target.Primary.Name), onDelete: onDelete(p.Axes.Relation),
		}
	}
	return c
}

// onDelete returns the card's word in SQL. Without one a row that is pointed at cannot go (NO
// ACTION): as with restrict, but judged when the whole statement is done, so that a cascade may
// take both (docs/decisions/032).
func onDelete(r *schema.Relation) string {
	if r == nil {
		return "NO ACTION"
	}
	switch r.OnDelete {
	case "cascade":
		return "CASCADE"
	case "restrict":
		return "RESTRICT"
	case schema.SetNull:
		return "SET NULL"
	}
	return "NO ACTION"
}

// mayBeNull says whether a row may hold null in the field. Presence and nullability are two
// things (spec 2.3.2): a field nobody has to supply at creation is null until someone does,
// whatever its shape says; and a shape without a type takes null like any other value.
func mayBeNull(p *schema.Property) bool {
	if p.Axes.Relation != nil && p.Axes.Relation.Many {
		return false // spec 2.3: an absent many relation is an empty list
	}
	return p.MayBeNull() || p.Shape.Type == "" || p.Axes.Create != nil && jsontext.IsNull(p.Axes.Create.Value)
}

// shapeChecks are the keywords of a field's shape that the table enforces too: enum, bounds
// and lengths. The judge has checked them before; the table holds them against other programs
// that write to it.
//
//	{"enum": ["draft", "live"]}   "status" IN ('draft', 'live')
//	{"minimum": 0}                "price" >= 0
//	{"maxLength": 80}             char_length("title") <= 80
//
// A pattern is not among them: PostgreSQL's regular expressions are others than the judge's.
func shapeChecks(p *schema.Property, column string) []check {
	var out []check
	add := func(keyword, format string, args ...any) {
		out = append(out, check{shorten(column + ":" + keyword), fmt.Sprintf(format, args...)})
	}
	name := quote(column)
	if list := enumLiterals(p); list != "" {
		add("enum", "%s IN (%s)", name, list)
	}
	for _, kw := range p.Shape.Extra {
		switch kw.Name {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			if bound, ok := bound(p.Kind, kw.Value); ok {
				op := map[string]string{"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}[kw.Name]
				add(kw.Name, "%s %s %s", name, op, bound)
			}
		case "minLength", "maxLength":
			n, ok := schema.Integer(kw.Value)
			if p.Kind != schema.KindString || !ok {
				continue
			}
			op := map[string]string{"minLength": ">=", "maxLength": "<="}[kw.Name]
			add(kw.Name, "char_length(%s) %s %d", name, op, n) // code points, as JSON Schema counts
		}
	}
	return out
}

// enumLiterals lists the values of an enum as SQL, or "" where the column cannot be held to
// them: values of several kinds, a text that PostgreSQL cannot keep, and JSON, which has more
// than one text for a value.
func enumLiterals(p *schema.Property) string {
	if p.Kind == schema.KindJSON || p.Shape.Enum == nil {
		return ""
	}
	var list []string
	for _, v := range p.Shape.Enum {
		a, fault := sqltext.Encode(p, v)
		if fault != "" || strings.Contains(a.S, "\x00") {
			return ""
		}
		if a.Kind != sqltext.Null { // a null passes every check
			list = append(list, typed(p.Kind, a))
		}
	}
	return strings.Join(list, ", ")
}

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

// bound writes a bound as SQL: as an integer for a column of integers, as the stored double for
// one of numbers, so that a value may equal its bound. It returns false for what is no number
// and for other kinds.
func bound(k schema.Kind, v json.RawMessage) (string, bool) {
	if i, ok := schema.Integer(v); ok && k == schema.KindInteger {
		return strconv.FormatInt(i, 10), true
	}
	f, err := strconv.ParseFloat(string(jsontext.Trim(v)), 64)
	return float(f), err == nil && (k == schema.KindInteger || k == schema.KindNumber)
}

// float writes a double as SQL, which would take 1.5 for a numeric.
func float(f float64) string {
	return "'" + strconv.FormatFloat(f, 'g', -1, 64) + "'::double precision"
}
