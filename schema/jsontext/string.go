package jsontext

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Unquote returns the Go string of a checked JSON string, whose quotes are included in v. It is
// "" for any other value.
func Unquote(v []byte) string {
	if len(v) >= 2 && v[0] == '"' && bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// Quote returns s as a JSON string; see [AppendString].
func Quote(s string) json.RawMessage { return AppendString(nil, s) }

// ones and highs have one bit in each of eight bytes: the lowest, and the highest.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// marks tests eight bytes of a string at once. The highest bit of a byte is set where the byte is a
// control, a quote, a backslash or beyond ASCII. (x-ones)&highs has a bit for a zero byte of x, so
// w^(ones*'"') finds a quote, and w-ones*0x20 a byte below a space. A borrow may mark a byte too many
// above the lowest mark, which is always right.
func marks(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return ((w - ones*0x20) | (quote - ones) | (slash - ones) | w) & highs
}

// AppendString appends s as a JSON string. It escapes only the characters that RFC 8259 section
// 7 demands: quote, backslash and controls. Invalid UTF-8 becomes U+FFFD; HTML characters stay
// as they are.
func AppendString(dst []byte, s string) []byte { return appendText(dst, s) }

// AppendName appends name as the name of an object's member: a JSON string and a colon.
func AppendName(dst []byte, name string) []byte { return append(AppendString(dst, name), ':') }

// AppendStrings appends a list of strings as a JSON array.
func AppendStrings(dst []byte, list []string) []byte {
	return AppendList(dst, list, AppendString)
}

// AppendText is AppendString for text in bytes, which it does not copy into a string first.
func AppendText(dst, text []byte) []byte { return appendText(dst, text) }

// appendText goes eight bytes at a time as long as they are plain.
func appendText[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start, i := 0, 0
	for i < len(s) {
		for i+8 <= len(s) {
			b := s[i : i+8]
			w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
				uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
			if m := marks(w); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			// U+FFFD itself decodes to RuneError too, but is three bytes long, and stays.
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// pointerEscape escapes a reference token. It makes one pass, so "~1" in a name becomes "~01".
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// Token returns name as one reference token of a JSON pointer (RFC 6901 section 3): a/b~c
// becomes a~1b~0c.
func Token(name string) string { return pointerEscape.Replace(name) }

// Comma appends the comma before the next element or member of the array or object at the end
// of dst, unless dst ends with the opening bracket.
func Comma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '[' || last == '{' {
		return dst
	}
	return append(dst, ',')
}

// AppendList appends a list as a JSON array, each element by write.
func AppendList[T any](dst []byte, list []T, write func(dst []byte, element T) []byte) []byte {
	dst = append(dst, '[')
	for _, element := range list {
		dst = write(Comma(dst), element)
	}
	return append(dst, ']')
}

// AppendTexts appends a list of JSON texts as an array.
func AppendTexts[T ~[]byte](dst []byte, list []T) []byte {
	return AppendList(dst, list, func(dst []byte, text T) []byte { return append(dst, text...) })
}

// With returns an object with one member set: the member comes first, the others follow as they are.
// For any other kind it returns an object with that member alone.
func With(obj []byte, name string, value json.RawMessage) json.RawMessage {
	out := append(AppendName([]byte{'{'}, name), value...)
	for n, v := range Members(obj) {
		if n != name {
			out = append(AppendName(append(out, ','), n), v...)
		}
	}
	return append(out, '}')
}
