package sqlite

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// appendString appends text as a JSON string, exactly as jsontext.AppendString
// does, eight bytes at a time as long as nothing needs a look.
func appendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	start, i := 0, 0
	for i < len(text) {
		for i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			// a byte below 0x20, a quote, a backslash, or one beyond ASCII
			if ((w-ones*0x20)|(quote-ones)|(slash-ones)|w)&highs != 0 {
				break
			}
			i += 8
		}
		if i == len(text) {
			break
		}
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 { // not ours: someone else wrote this text
				dst = append(append(dst, text[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, text[start:i]...)
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
	return append(append(dst, text[start:]...), '"')
}

// appendFloat appends f as encoding/json does: the shortest text that reads back
// as f, with an exponent only for the very small and the very large.
func appendFloat(dst []byte, f float64) []byte {
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
