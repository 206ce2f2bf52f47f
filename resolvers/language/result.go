package language

import (
	"math"
	"strconv"

	"github.com/frondhost/frond/schema/jsontext"
)

// AppendResult appends a JSON value as a leaf of a response (result coercion, GraphQL 3.5 and
// 3.9). It returns false if v does not fit the kind; the caller then goes on with its own dst.
// values are the values of an enum. v is valid JSON, is not empty and begins without white
// space, so its first byte decides its kind.
//
//	Int      3.0      3           2147483648    refused (docs/decisions/graphql-schema.md)
//	ID       7        "7"         1.5           refused
//	String   "a"      "a"         7             refused
func AppendResult(dst []byte, kind Kind, values Values, v []byte) ([]byte, bool) {
	c := v[0]
	number := c == '-' || c >= '0' && c <= '9'
	ok := false
	switch kind {
	case String:
		ok = c == '"'
	case Int:
		if !number {
			return dst, false
		}
		// The common case is copied without being parsed.
		if digits(v) {
			return append(dst, v...), true
		}
		n, whole := Integer(v)
		if !whole || n < math.MinInt32 || n > math.MaxInt32 {
			return dst, false
		}
		return strconv.AppendInt(dst, n, 10), true
	case Float:
		ok = number
	case Boolean:
		ok = c == 't' || c == 'f'
	case ID:
		if number {
			text, whole := integerText(v)
			return append(append(append(dst, '"'), text...), '"'), whole
		}
		ok = c == '"'
	case Enum:
		// A value may be spelled with escapes; it is compared unescaped.
		if _, ok = values[string(v)]; !ok && c == '"' {
			name := `"` + jsontext.Unquote(v) + `"`
			if _, ok = values[name]; ok {
				return append(dst, name...), true
			}
		}
	case Custom:
		ok = true
	}
	if !ok {
		return dst, false
	}
	return append(dst, v...), true
}

// digits reports whether v is a whole number that is sure to fit 32 bits: a sign and at most
// nine digits. It saves nearly every Int from being parsed.
func digits(v []byte) bool {
	if v[0] == '-' {
		v = v[1:]
	}
	if len(v) == 0 || len(v) > 9 {
		return false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
