package signing

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/frondhost/frond/schema/jsontext"
)

// canonical appends the canonical text of checked JSON as RFC 8785 defines it, with one
// exception: a whole number below 10^21 keeps all its digits. RFC 8785 rounds it to a double,
// and then an id of 64 bits and the next one would have the same digest. A number beyond
// doubles and a lone surrogate have no canonical text and are errors.
//
//	{"b": 1.0, "a": "\u00e9"}    {"a":"é","b":1}
//	9007199254740993            9007199254740993, where RFC 8785 has …992
//	1e30                        1e+30
//	1e400, "\ud800"             an error
//
// v has to have passed jsontext.Check: a duplicate name has no canonical text.
func canonical(dst []byte, v json.RawMessage) ([]byte, error) {
	switch jsontext.KindOf(v) {
	case jsontext.Object:
		return appendObject(dst, v, func(dst, _ []byte, v json.RawMessage) ([]byte, error) { return canonical(dst, v) })
	case jsontext.Array:
		return appendArray(dst, v, canonical)
	case jsontext.String:
		return appendString(dst, jsontext.Trim(v))
	case jsontext.Number:
		return appendNumber(dst, jsontext.Trim(v))
	case jsontext.Null, jsontext.True, jsontext.False:
		return append(dst, jsontext.Trim(v)...), nil
	}
	return dst, errors.New("it is not JSON")
}

// appendArray appends the elements in their order, each by element.
func appendArray(dst []byte, v json.RawMessage, element func([]byte, json.RawMessage) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	for _, item := range jsontext.Elements(v) {
		dst = jsontext.Comma(dst)
		var err error
		if dst, err = element(dst, item); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendObject appends the members in the order of their names' UTF-16 code units (RFC
// 8785, section 3.2.3), each value by write, except those named in but.
func appendObject(dst []byte, v json.RawMessage, write func(dst, name []byte, v json.RawMessage) ([]byte, error), but ...string) ([]byte, error) {
	type member struct{ name, quoted, val []byte }
	// Room without growing: a digest is made for every call.
	var room [8]member // of most objects
	members := room[:0]
	for quoted, value := range jsontext.RawMembers(v) {
		if name := nameOf(quoted); !slices.Contains(but, string(name)) { // the order is that of the names, not of their escapes
			members = append(members, member{name, quoted, value})
		}
	}
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.name, b.name) })
	dst = append(dst, '{')
	for _, m := range members {
		dst = jsontext.Comma(dst)
		var err error
		if dst, err = appendString(dst, m.quoted); err != nil {
			return dst, err
		}
		if dst, err = write(append(dst, ':'), m.name, m.val); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// nameOf returns the name of a member without its quotes.
func nameOf(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return []byte(jsontext.Unquote(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// compareUTF16 compares UTF-8 texts by their UTF-16 code units. That is the order of the
// bytes, except that a character of two units begins with a surrogate, below U+E000. Equal
// texts are 0. UTF-8 and UTF-16 order the same way below U+E000.
func compareUTF16[T string | []byte](a, b T) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	x, y := a[i], b[i]
	// 0xEE and 0xEF begin U+E000 to U+FFFF, 0xF0 and more the characters beyond; if the first
	// bytes are the same, so is the number of units.
	if (x >= 0xF0) != (y >= 0xF0) && min(x, y) >= 0xEE {
		return int(y) - int(x)
	}
	return int(x) - int(y)
}

var errSurrogate = errors.New("a text in it holds half a character (a lone surrogate)")

// appendString appends a quoted string with only the escapes of RFC 8785 (section
// 3.2.2.2).
func appendString(dst, quoted []byte) ([]byte, error) {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		return append(dst, quoted...), nil // with the necessary escapes
	}
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		var r rune
		switch c = text[i+1]; c {
		case 'u':
			r = hex4(text[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
					return dst, errSurrogate
				}
				if r = utf16.DecodeRune(r, hex4(text[i+2:])); r == utf8.RuneError {
					return dst, errSurrogate
				}
				i += 6
			}
		default:
			r = rune(c)
			if at := strings.IndexByte("bfnrt", c); at >= 0 {
				r = rune("\b\f\n\r\t"[at])
			}
			i += 2
		}
		dst = appendRune(dst, r)
	}
	return append(dst, '"'), nil
}

// hex4 reads the four digits of an escape.
func hex4(b []byte) rune {
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	if err != nil {
		return 0xDC00 // not of checked JSON
	}
	return rune(n)
}

// appendRune appends a character of a string, escaped where RFC 8785 escapes it. Of the
// characters below U+0020 five have a short escape, and the others are \u00XX in lower case.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r >= ' ':
		return utf8.AppendRune(dst, r)
	}
	if at := strings.IndexByte("\b\t\n\f\r", byte(r)); at >= 0 {
		return append(dst, '\\', "btnfr"[at])
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
}

// appendNumber appends a number: all its digits if it is whole and below 10^21, else the
// shortest text that reads as the same double (ECMAScript's Number::toString).
func appendNumber(dst, number []byte) ([]byte, error) {
	if len(number) <= 21 && len(bytes.Trim(number, "0123456789")) == 0 {
		return append(dst, number...), nil
	}
	text := string(number)
	if whole, negative, ok := wholeDigits(text); ok {
		if negative {
			dst = append(dst, '-')
		}
		return append(dst, whole...), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return dst, errors.New("a number in it is larger than a double holds")
	}
	short, err := jcs.NumberToJSON(f)
	if err != nil {
		return dst, errors.New("a number in it is larger than a double holds")
	}
	return append(dst, short...), nil
}

// wholeDigits are the digits of a whole number below 10^21; ok is false for others.
//
//	1e3, 1000, 1000.0    1000
//	-0, 0.0              0
//	1.5, 1e21            false
func wholeDigits(text string) (digits string, negative, ok bool) {
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, power := rest, 0
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		n, err := strconv.Atoi(rest[at+1:])
		if err != nil {
			n = 1 << 40 // farther than any text is long
			if rest[at+1] == '-' {
				n = -n
			}
		}
		mantissa, power = rest[:at], n
	}
	if whole, fraction, dotted := strings.Cut(mantissa, "."); dotted {
		mantissa = whole + fraction
		power -= len(fraction)
	}
	mantissa = strings.TrimLeft(mantissa, "0")
	short := strings.TrimRight(mantissa, "0")
	power += len(mantissa) - len(short)
	switch {
	case short == "":
		return "0", false, true // and so is minus zero
	case power < 0 || len(short)+power > 21:
		return "", false, false
	}
	return short + strings.Repeat("0", power), negative, true
}
