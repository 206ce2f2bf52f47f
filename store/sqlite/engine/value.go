package engine

import (
	"encoding/hex"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Value is one value that is bound to a statement. The zero Value is null. Values of one kind
// are comparable with ==; a Blob stands in S, so that they are.
type Value struct {
	Kind Kind
	S    string
	I    int64
	F    float64
}

// Kind says which of a Value's fields holds it: I of Int, F of Float, S of Text and Blob.
type Kind uint8

// The kinds of SQLite (its storage classes).
const (
	Null Kind = iota
	Int
	Float
	Text
	Blob
)

// TextValue is a text.
func TextValue(s string) Value { return Value{Kind: Text, S: s} }

// IntValue is an integer.
func IntValue(i int64) Value { return Value{Kind: Int, I: i} }

// FloatValue is a floating-point number.
func FloatValue(f float64) Value { return Value{Kind: Float, F: f} }

// BoolValue is 1 for true and 0 for false.
func BoolValue(b bool) Value {
	if b {
		return IntValue(1)
	}
	return IntValue(0)
}

// plain returns the value as a Go value, for traces: nil, int64, float64, string or []byte.
func (a Value) plain() any {
	switch a.Kind {
	case Int:
		return a.I
	case Float:
		return a.F
	case Text:
		return a.S
	case Blob:
		return []byte(a.S)
	}
	return nil
}

// Literal returns the value as SQL, for DDL, where nothing can be bound: 7, 1.5e+00, 'draft',
// NULL. A blob has no literal and becomes NULL.
func (a Value) Literal() string {
	switch a.Kind {
	case Int:
		return strconv.FormatInt(a.I, 10)
	case Float:
		return strconv.FormatFloat(a.F, 'e', -1, 64)
	case Text:
		return LiteralText(a.S)
	}
	return "NULL"
}

// LiteralText returns s as an SQL text literal. Only DDL needs one (an enum, a name in a
// trigger): it takes no bound arguments. Text of letters, digits, spaces and _-.: stands in
// quotes; any other text is spelled in hex, so that no character of it means anything to SQL
// or to the store's own reader of DDL:
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
