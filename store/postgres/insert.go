package postgres

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// Fit implements [driver.Table]: the year 0 of RFC 3339 is the year 1 before Christ. A text with a
// NUL is refused, which no text of PostgreSQL has.
func (t *table) Fit(p *schema.Property, v *sqltext.Value) error {
	if v.Kind != sqltext.Text {
		return nil
	}
	if c := t.Stored(p); p.Kind == schema.KindJSON && c != nil && classOf(c) == asArray {
		v.S = string(arrayLiteral(nil, json.RawMessage(v.S)))
	}
	if strings.IndexByte(v.S, 0) >= 0 {
		message := p.Name + " holds the character U+0000, which the database cannot keep; leave it out"
		return kiterror.Invalid(message, schema.Detail{Path: p.Name, Pointer: "/body/" + p.Name, Code: "characters", Message: message})
	}
	if rest, found := strings.CutPrefix(v.S, "0000-"); found && (p.Kind == schema.KindDate || p.Kind == schema.KindDateTime) {
		v.S = "0001-" + rest + " BC"
	}
	return nil
}

// Insert implements [driver.DB]. Several rows are one statement whose text does not depend on their
// number: each column's values are one array.
//
//	INSERT INTO "post" ("id", "views") SELECT u.c0, u.c1 FROM unnest($1::text[], $2::bigint[])
//	  WITH ORDINALITY AS u(c0, c1, n) ORDER BY u.n
//
// All foreign keys are judged when the statement is done, so rows may point at each other.
func (database) Insert(b *sqltext.Builder, t *table, args []sqltext.Value, n int) (bound []sqltext.Value, times int) {
	if n == 1 {
		b.Insert(&t.Table)
		return args, 1
	}
	var names, values, arrays, aliases []string
	for i, c := range t.columns {
		alias := "c" + itoa(i)
		names, aliases = append(names, c.Name), append(aliases, alias)
		arrays = append(arrays, "$"+itoa(i+1)+"::"+elementType(c)+"[]")
		values = append(values, "u."+alias)
		if baseType(c.Type) != elementType(c) {
			values[i] += "::" + c.Type
		}
	}
	b.Text("INSERT INTO ", t.Name, " (", strings.Join(names, ", "), ") SELECT ", strings.Join(values, ", "),
		" FROM unnest(", strings.Join(arrays, ", "), ") WITH ORDINALITY AS u(", strings.Join(aliases, ", "), ", n) ORDER BY u.n")
	columns := make([]sqltext.Value, len(t.columns))
	for i := range t.columns {
		text := []byte{'{'}
		for row := range n {
			text = appendArrayElement(text, args[row*len(t.columns)+i])
		}
		columns[i] = sqltext.TextValue(string(append(text, '}')))
	}
	return columns, 1
}

// elementType is the type that a column's values have in an array: the column's own, or text
// for one that is an array itself, since unnest opens every level.
func elementType(c *column) string {
	if strings.HasSuffix(c.Type, "[]") {
		return "text"
	}
	return c.Type
}

// appendArrayElement appends a value to an array literal that begins with its brace.
func appendArrayElement(list []byte, v sqltext.Value) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	switch v.Kind {
	case sqltext.Null, sqltext.Blob:
		return append(list, "NULL"...)
	case sqltext.Text:
		list = append(list, '"')
		for i := range len(v.S) {
			if c := v.S[i]; c == '"' || c == '\\' {
				list = append(list, '\\')
			}
			list = append(list, v.S[i])
		}
		return append(list, '"')
	}
	return appendValue(list, v)
}
