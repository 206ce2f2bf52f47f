package sqltext

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// A column of another program may hold values beyond its card: an infinite date, a text among integers.
// Rows show null for such a value, it meets isNull and no comparison of order, and no aggregate has it.
// It keeps its place in the database's order, so that an index still has this order, and a cursor
// carries it as it is stored:
//
//	{"text":"infinity"}   {"integer":5}   {"real":"1.5"}   {"blob":"AA=="}

// exceeds writes that the value of a column, which is never null here, is beyond its card.
func exceeds(b *Builder, alias string, c *Column) {
	b.Text("(")
	c.Beyond(b, alias)
	b.Text(")")
}

// Carried writes the value of a column where its card carries it, and null elsewhere.
func Carried(b *Builder, alias string, c *Column) {
	if c.Beyond == nil {
		b.Column(alias, c)
		return
	}
	b.Text("CASE WHEN NOT ")
	exceeds(b, alias, c)
	b.Text(" THEN ")
	b.Column(alias, c)
	b.Text(" END")
}

// isNull writes that a row shows null in a column, or that it does not.
func isNull(b *Builder, alias string, c *Column, null bool) {
	words := [...]string{" IS NOT NULL", " AND NOT "}
	if null {
		words = [...]string{" IS NULL", " OR "}
	}
	if c.Beyond == nil {
		b.Column(alias, c)
		b.Text(words[0])
		return
	}
	b.Text("(")
	b.Column(alias, c)
	b.Text(words[0], words[1])
	exceeds(b, alias, c)
	b.Text(")")
}

// ordered writes a comparison for one of Lt, Lte, Gt and Gte.
func ordered(b *Builder, op filter.Op, alias string, c *Column, v Value) {
	if err := c.order(); err != nil {
		b.fail(err)
		return
	}
	if c.Beyond == nil {
		b.db.Dialect.Compare(b, op, c, alias, v)
		return
	}
	b.Text("(")
	b.db.Dialect.Compare(b, op, c, alias, v)
	b.Text(" AND NOT ")
	exceeds(b, alias, c)
	b.Text(")")
}

// order returns BAD_REQUEST for a column whose values have no order.
func (c *Column) order() error {
	if c.Unordered {
		return kiterror.Errorf(kiterror.BadRequest, "%s has no order for its type %s; filter by eq, in or isNull instead", c.Prop.Name, c.Type)
	}
	return nil
}

// storedNames are the names of values in cursors by their kind.
var storedNames = map[ValueKind]string{Int: "integer", Float: "real", Text: "text", Blob: "blob"}

// AppendStored appends a value of a cursor as it is stored.
func AppendStored(dst []byte, v Value) []byte {
	text := v.S
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Int:
		return append(strconv.AppendInt(append(dst, `{"integer":`...), v.I, 10), '}')
	case Float:
		text = strconv.FormatFloat(v.F, 'g', -1, 64) // with infinities
	case Blob:
		text = base64.StdEncoding.EncodeToString([]byte(v.S))
	}
	dst = append(jsontext.AppendName(append(dst, '{'), storedNames[v.Kind]), jsontext.Quote(text)...)
	return append(dst, '}')
}

// readStored reads a value of [AppendStored]; false for anything else.
func readStored(object json.RawMessage) (v Value, ok bool) {
	for name, value := range jsontext.Members(object) {
		if ok || jsontext.KindOf(value) != jsontext.String && name != storedNames[Int] {
			return v, false
		}
		text, err := jsontext.Unquote(jsontext.Trim(value)), error(nil)
		switch name {
		case storedNames[Int]:
			v.Kind = Int
			v.I, err = strconv.ParseInt(string(jsontext.Trim(value)), 10, 64)
		case storedNames[Float]:
			v.Kind = Float
			v.F, err = strconv.ParseFloat(text, 64)
		case storedNames[Text]:
			v = TextValue(text)
		case storedNames[Blob]:
			var raw []byte
			raw, err = base64.StdEncoding.DecodeString(text)
			v = BlobValue(string(raw))
		default:
			return v, false
		}
		if ok = err == nil; !ok {
			return v, false
		}
	}
	return v, ok
}
