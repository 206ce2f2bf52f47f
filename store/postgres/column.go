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
//	decimal             numeric: exact, with the digits that were sent
//	boolean             boolean
//	date-time           timestamp with time zone: microseconds
//	date                date
//	other strings       text COLLATE "C": ordered by their bytes, as in SQLite
//	objects, arrays     json: the text that was sent
func newColumn(e *schema.Entity, p *schema.Property, names *migration.Names, stored func(key string) bool) *column {
	c := &column{Column: &sqltext.Column{Prop: p}}
	d := &c.definition
	d.name = names.Column(e.Key, p.Name)
	d.notNull = p == e.Primary || !sqltext.MayBeNull(p)
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
	literal := func(v sqltext.Value) (string, bool) { return typed(p.Kind, v), !strings.Contains(v.S, "\x00") }
	length := func(operator string, n int64) string { // of code points, as JSON Schema counts
		return fmt.Sprintf("char_length(%s) %s %d", c.Name, operator, n)
	}
	for _, ck := range sqltext.Checks(p, c.Name, literal, length) {
		d.checks = append(d.checks, check{shorten(d.name + ":" + ck.Keyword), ck.Expr})
	}
	if v := sqltext.Constant(p); v.Kind != sqltext.Null {
		c.fill = typed(p.Kind, v)
	}
	if target := sqltext.Target(p, stored); target != nil {
		d.refs = &reference{
			name: shorten(d.name + ":references"), table: names.Table(target.Owner.Key),
			column: names.Column(target.Owner.Key, target.Name), onDelete: cmp.Or(sqltext.OnDelete(p), "NO ACTION"),
		}
	}
	return c
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

// float writes a double as SQL, which would take 1.5 for a numeric.
func float(f float64) string {
	return "'" + strconv.FormatFloat(f, 'g', -1, 64) + "'::double precision"
}
