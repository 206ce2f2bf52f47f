package postgres

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// arrayLiteral writes a JSON array as an array of the database: {"a","b"}. An element that is
// no scalar is its JSON.
func arrayLiteral(dst []byte, array json.RawMessage) []byte {
	dst = append(dst, '{')
	n := 0
	for _, element := range jsontext.Elements(array) {
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		switch jsontext.KindOf(element) {
		case jsontext.Null:
			dst = append(dst, "NULL"...)
		case jsontext.Array:
			dst = arrayLiteral(dst, element)
		case jsontext.String:
			dst = appendQuoted(dst, jsontext.Unquote(jsontext.Trim(element)))
		default:
			dst = appendQuoted(dst, string(jsontext.Trim(element)))
		}
	}
	return append(dst, '}')
}

// appendQuoted appends an element of an array literal in quotes.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}
