package sqltext

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// Value is one value that is bound to a statement of any database. The zero Value is null. Values
// of one kind are comparable with ==; a Blob is kept in S for that. A Value is small and kept in
// slices, so that binding does not allocate.
type Value struct {
	Kind ValueKind
	S    string
	I    int64
	F    float64
}

// ValueKind says which of a Value's fields holds it: I of Int, F of Float, S of Text and Blob.
type ValueKind uint8

// The kinds of values. A boolean is an Int, 1 or 0; a date-time and a decimal are Texts.
const (
	Null ValueKind = iota
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

// BlobValue is a sequence of bytes.
func BlobValue(s string) Value { return Value{Kind: Blob, S: s} }

// BoolValue is 1 for true and 0 for false.
func BoolValue(b bool) Value {
	if b {
		return IntValue(1)
	}
	return IntValue(0)
}

// Any returns the value as a Go value, for traces: nil, int64, float64, string or []byte.
func (v Value) Any() any {
	switch v.Kind {
	case Int:
		return v.I
	case Float:
		return v.F
	case Text:
		return v.S
	case Blob:
		return []byte(v.S)
	}
	return nil
}

// TimeLayout is the form of a date-time in a Value: UTC, of one width, so that the order of the
// text is the order of time.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// NormalTime turns an RFC 3339 date-time into TimeLayout. It cuts off digits beyond the
// microsecond; a leap second becomes the second after it. It returns false for any other text.
func NormalTime(s string) (string, bool) {
	t, ok := format.ParseDateTime(s)
	if !ok {
		return "", false
	}
	// The form in which this program writes them, no leap second.
	if len(s) == len("2006-01-02T15:04:05.000Z") && s[10] == 'T' && s[17] < '6' && s[19] == '.' && s[23] == 'Z' {
		return s[:23] + "000Z", true
	}
	return t.Format(TimeLayout), true
}

// AppendTime appends a date-time of TimeLayout with milliseconds, or with
// microseconds where those are not zero (docs/decisions/writes-and-versions.md).
func AppendTime(dst, text []byte) []byte {
	if len(text) != len(TimeLayout) || text[len(text)-1] != 'Z' {
		return jsontext.AppendText(dst, text)
	}
	dst = append(dst, '"')
	if string(text[23:26]) == "000" {
		dst = append(dst, text[:23]...)
	} else {
		dst = append(dst, text[:26]...)
	}
	return append(dst, 'Z', '"')
}

// AppendFloat appends f as encoding/json does: the shortest text that reads back
// as f, with an exponent only for the very small and the very large.
func AppendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 becomes e-9
		dst = dst[:n-1]
	}
	return dst
}

// After is the smallest text that sorts after every text with this prefix. It returns false for a
// prefix of the last code point alone, because no text sorts after it. Surrogates (U+D800 to
// U+DFFF) are no code points of a text.
//
//	"ab"           "ac"
//	"a\U0010FFFF"  "b"
func After(prefix string) (string, bool) {
	for prefix != "" {
		r, n := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-n]
		switch {
		case r == utf8.MaxRune:
		case r == 0xD7FF: // the code points behind it are halves of others
			return prefix + "\uE000", true
		default:
			return prefix + string(r+1), true
		}
	}
	return "", false
}
