package sqltext

import (
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
)

// A primary key of several columns is one string to callers: the texts of the columns in the
// order of the key, with commas between them. In a part, "~" is written ~0 and "," is written
// ~1, so that no two keys have one text (docs/decisions/existing-databases.md).
//
//	10248, 11            10248,11
//	"a,b", "~"           a~1b,~0
//
// The statement takes such a string apart again wherever rows are found by it or follow it in
// an order, so that the database looks in the index of its own columns.

// keyEscape and keyUnescape write a part of a key and read it back.
var (
	keyEscape   = strings.NewReplacer("~", "~0", ",", "~1")
	keyUnescape = strings.NewReplacer("~0", "~", "~1", ",")
)

// joinKey is the text of a key of these values, all of them not null.
func joinKey(values []Value) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if v.Kind == Int {
			b.WriteString(strconv.FormatInt(v.I, 10))
		} else {
			b.WriteString(keyEscape.Replace(v.S))
		}
	}
	return b.String()
}

// SplitKey returns the values of the columns in a key's text; false says that it is the text
// of no key.
func (c *Column) SplitKey(text string) ([]Value, bool) {
	parts := strings.Split(text, ",")
	if len(parts) != len(c.Parts) {
		return nil, false
	}
	values := make([]Value, len(parts))
	for i, p := range c.Parts {
		part := keyUnescape.Replace(parts[i])
		switch p.Prop.Kind {
		case schema.KindInteger:
			n, err := strconv.ParseInt(part, 10, 64)
			if err != nil || strconv.FormatInt(n, 10) != part {
				return nil, false // 007 would be a second text of 7
			}
			values[i] = IntValue(n)
		case schema.KindDateTime:
			at, ok := NormalTime(part)
			if !ok {
				return nil, false
			}
			values[i] = TextValue(at)
		case schema.KindString, schema.KindDate, schema.KindDecimal:
			values[i] = TextValue(part)
		default:
			return nil, false
		}
	}
	return values, true
}

// keyText writes the text of a key of several columns as an expression; alias may be "".
//
//	(CAST(t0."order" AS TEXT) || ',' || replace(replace(CAST(t0."sku" AS TEXT), '~', '~0'), ',', '~1'))
func (b *Builder) keyText(alias string, c *Column) {
	b.Text("(")
	for i, p := range c.Parts {
		Separate(b, i, " || ',' || ")
		free := p.Prop.Kind == schema.KindString // the texts of other kinds have neither sign
		if free {
			b.Text("replace(replace(")
		}
		if d, ok := b.db.Dialect.(keyWriter); ok {
			d.KeyPart(b, p, alias)
		} else {
			b.Text("CAST(")
			b.Column(alias, p)
			b.Text(" AS TEXT)")
		}
		if free {
			b.Text(", '~', '~0'), ',', '~1')")
		}
	}
	b.Text(")")
}

// keyWriter is a dialect that has a text of its own for the value of a column in a key.
type keyWriter interface {
	KeyPart(b *Builder, c *Column, alias string)
}

// Equal writes that a column has a value. The zero Value leaves room for one: it is bound as
// null, and the columns of a key take as many places as there are.
func (b *Builder) Equal(alias string, c *Column, v Value) {
	if c.Parts == nil {
		b.Column(alias, c)
		b.Text(" = ")
		b.Bind(v)
		return
	}
	values, ok := make([]Value, len(c.Parts)), true
	if v.Kind != Null {
		values, ok = c.SplitKey(v.S)
	}
	if !ok { // no row has such a key
		b.Truth(false)
		return
	}
	b.Text("(")
	for i, p := range c.Parts {
		Separate(b, i, " AND ")
		b.Equal(alias, p, values[i])
	}
	b.Text(")")
}

// equalColumns writes that two columns are equal, key by key where both are made of several, so
// that the database can look in an index of them.
func (b *Builder) equalColumns(alias string, c *Column, other string, o *Column) {
	if c.Parts == nil || len(c.Parts) != len(o.Parts) {
		b.Column(alias, c)
		b.Text(" = ")
		b.Column(other, o)
		return
	}
	for i := range c.Parts {
		b.Text([]string{"(", " AND "}[min(i, 1)])
		b.equalColumns(alias, c.Parts[i], other, o.Parts[i])
	}
	b.Text(")")
}

// several writes one side of a comparison of columns. A column with parts becomes a list of
// them if the other side is such a list too.
func (b *Builder) several(alias string, c, with *Column, open, end string) {
	if c.Parts == nil || len(c.Parts) != len(with.Parts) {
		b.Column(alias, c)
		return
	}
	b.Text(open)
	for i, p := range c.Parts {
		Separate(b, i, ", ")
		b.Column(alias, p)
	}
	b.Text(end)
}

// equalOne writes that the key of several columns is one of list.
func (b *Builder) equalOne(alias string, c *Column, list []Value) {
	if len(list) == 0 {
		b.Truth(false)
		return
	}
	b.Text("(")
	for i, v := range list {
		Separate(b, i, " OR ")
		b.Equal(alias, c, v)
	}
	b.Text(")")
}

// KeyOf returns the key of a row with the values of [Table.Row]: null if the database makes the
// key.
func (t *Table) KeyOf(row []Value) Value {
	if t.Primary.Parts == nil {
		return row[t.Place(t.Primary)]
	}
	values := make([]Value, len(t.Primary.Parts))
	for i, p := range t.Primary.Parts {
		if values[i] = row[t.Place(p)]; values[i].Kind == Null {
			return Value{}
		}
	}
	return TextValue(joinKey(values))
}
