package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Unquote decodes a checked JSON string; v includes the quotes. It returns "" for any other
// value. A string without escapes is copied without being decoded.
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

// ones and highs are the lowest and the highest bit of each of eight bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// AppendString appends s as a JSON string (RFC 8259 section 7) and returns the extended
// slice. Only what has to be escaped is; each byte that is not UTF-8 becomes U+FFFD, and
// HTML characters stay as they are. It allocates nothing where dst has room.
func AppendString(dst []byte, s string) []byte { return appendText(dst, s) }

// AppendName appends name as the name of an object's member: a JSON string and a colon.
func AppendName(dst []byte, name string) []byte { return append(AppendString(dst, name), ':') }

// AppendText is [AppendString] for a text in bytes, which is not converted first.
func AppendText(dst, text []byte) []byte { return appendText(dst, text) }

// appendText copies eight bytes at a time while none of them needs an escape or is beyond
// ASCII. A byte subtracted from below borrows into its highest bit, which the mask finds;
// a false alarm only leads to the loop that looks at single bytes.
func appendText[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start, i := 0, 0
	for i < len(s) {
		for i+8 <= len(s) {
			b := s[i : i+8]
			w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
				uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			// a byte below 0x20, a quote, a backslash, or one beyond ASCII
			if ((w-ones*0x20)|(quote-ones)|(slash-ones)|w)&highs != 0 {
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

// pointerEscape is safe for concurrent use.
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// Token returns name escaped as a reference token of a JSON pointer (RFC 6901 section 4):
// ~ is ~0 and / is ~1.
func Token(name string) string { return pointerEscape.Replace(name) }
