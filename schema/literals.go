package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// literals are the values of an enum or a const, prepared for looking one up. They never
// change.
type literals struct {
	// texts are the strings, unquoted.
	texts map[string]bool
	// rest are all other values, canonical.
	rest map[string]bool
	// plain are the values as a detail names them, in the card's order.
	plain []any
	// raw are the values as the card has them.
	raw []json.RawMessage
}

// newLiterals prepares the values of an enum or a const for comparison with texts.
func newLiterals(values []json.RawMessage) *literals {
	l := &literals{texts: map[string]bool{}, rest: map[string]bool{}, raw: values}
	for _, v := range values {
		if jsontext.KindOf(v) == jsontext.String {
			l.texts[jsontext.Unquote(v)] = true
		} else {
			l.rest[string(canonical(nil, v))] = true
		}
		l.plain = append(l.plain, plainValue(v))
	}
	return l
}

// has says whether v equals one of the values, as JSON values are equal: 1 equals 1.0, and
// keys have no order.
func (l *literals) has(v json.RawMessage, kind jsontext.Kind) bool {
	if kind == jsontext.String {
		// The text between the quotes is the string, unless it has escapes; then it is
		// decoded.
		if l.texts[string(v[1:len(v)-1])] && !slices.Contains(v, '\\') {
			return true
		}
		return l.texts[jsontext.Unquote(v)]
	}
	return len(l.rest) > 0 && l.rest[string(canonical(nil, v))]
}

// canonical appends a text that two values share exactly when JSON Schema counts them as equal
// (core, section 4.2.2): keys in order, numbers by their value, strings without escapes. 1.0,
// 1 and 10e-1 are 1; {"b":2,"a":1} is {"a":1,"b":2,}. The text is for comparing and no JSON.
func canonical(dst []byte, v json.RawMessage) []byte {
	switch jsontext.KindOf(v) {
	case jsontext.String:
		return jsontext.AppendString(dst, jsontext.Unquote(jsontext.Trim(v)))
	case jsontext.Number:
		v = jsontext.Trim(v)
		if n, ok := Integer(v); ok {
			return strconv.AppendInt(dst, n, 10)
		}
		if rat, ok := Rational(v); ok {
			return append(dst, rat.RatString()...)
		}
		return append(dst, v...)
	case jsontext.Array:
		dst = append(dst, '[')
		for _, e := range jsontext.Elements(v) {
			dst = append(canonical(dst, e), ',')
		}
		return append(dst, ']')
	case jsontext.Object:
		type member struct{ name, value string }
		var members []member
		for name, e := range jsontext.Members(v) {
			members = append(members, member{name, string(canonical(nil, e))})
		}
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(append(jsontext.AppendName(dst, m.name), m.value...), ',')
		}
		return append(dst, '}')
	}
	return append(dst, jsontext.Trim(v)...)
}
