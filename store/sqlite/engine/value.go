package engine

import (
	"encoding/hex"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/store/sqltext"
)

// Literal returns a value as SQL, for DDL, where nothing can be bound: 7, 1.5e+00, 'draft',
// NULL. A blob has no literal and becomes NULL.
func Literal(v sqltext.Value) string {
	switch v.Kind {
	case sqltext.Int:
		return strconv.FormatInt(v.I, 10)
	case sqltext.Float:
		return strconv.FormatFloat(v.F, 'e', -1, 64)
	case sqltext.Text:
		return LiteralText(v.S)
	}
	return "NULL"
}

// LiteralText returns s as an SQL text literal. Only DDL needs one (an enum, a name in a trigger):
// it takes no bound arguments. Text of letters, digits, spaces and _-.: is quoted; any other text
// is spelled in hex, so that no character of it means anything to SQL or to the store's own reader
// of DDL:
//
//	draft    'draft'
//	it's     CAST(X'69742773' AS TEXT)
func LiteralText(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || r != ' ' && r != '_' && r != '-' && r != '.' && r != ':' &&
			!unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return "CAST(X'" + hex.EncodeToString([]byte(s)) + "' AS TEXT)"
		}
	}
	return "'" + s + "'"
}
