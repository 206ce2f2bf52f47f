package jsontext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// This file checks strings and numbers for check.go, one function for each production of the
// grammar (RFC 8259).

// special marks the bytes that a string cannot simply run over: controls, quotes, backslashes,
// non-ASCII.
var special = func() (t [256]bool) {
	for i := range t {
		t[i] = i < ' ' || i >= utf8.RuneSelf || i == '"' || i == '\\'
	}
	return t
}()

// checkString returns the offset after the string that begins at i, or the offset and the
// message of the fault. RFC 8259 section 8.2 allows a lone surrogate; checkString refuses it,
// because Go reads every one of them as U+FFFD and two keys would be one
// (docs/decisions/judge.md).
func checkString(data []byte, i int) (int, string) {
	start := i
	for i++; i < len(data); {
		ch := data[i]
		if !special[ch] {
			i = plain(data, i+1)
			continue
		}
		switch {
		case ch == '"':
			return i + 1, ""
		case ch == '\\':
			end, message := checkEscape(data, i)
			if message != "" {
				return end, message
			}
			i = end
		case ch < ' ':
			return i, "a control character in a string has to be escaped"
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return i, "the text is not UTF-8; send it as UTF-8"
			}
			i += n
		}
	}
	return start, "this string is not closed"
}

// plain returns the offset of the first byte from i on that [special] marks, going eight bytes at a
// time; near the end of data it may return an earlier one.
func plain(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := marks(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	return i
}

// checkEscape returns the offset after the escape that begins at i (RFC 8259 section 7), or the
// offset and the message of the fault. A surrogate pair, \ud83d\ude00, is one escape of twelve
// bytes.
func checkEscape(data []byte, i int) (int, string) {
	if i+1 == len(data) {
		return i, "this string is not closed"
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
	default:
		return i, "JSON knows no such escape in a string"
	}
	r, ok := unhex(data, i)
	if !ok {
		return i, "expected four hexadecimal digits after \\u"
	}
	if !utf16.IsSurrogate(r) {
		return i + 6, ""
	}
	// DecodeRune returns U+FFFD for a low half first, and for a high half without a low one
	// after it.
	if second, _ := unhex(data, i+6); utf16.DecodeRune(r, second) == utf8.RuneError {
		return i, halfPair
	}
	return i + 12, ""
}

// halfPair is the message for a lone surrogate.
const halfPair = "half a surrogate pair is not a character; escape both halves, or write the character itself"

// unhex returns the rune of the escape \uXXXX at i, which may be half of a pair; false for any
// other text.
func unhex(data []byte, i int) (r rune, ok bool) {
	if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return 0, false
	}
	for _, c := range data[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// checkNumber returns the offset after the number that begins at i. For a faulty number it
// returns the offset of the fault and false (RFC 8259 section 6): -0, 1.5 and 1e+9 are numbers,
// while 01, .5, 1. and +1 are not.
func checkNumber(data []byte, i int) (int, bool) {
	if data[i] == '-' {
		i++
	}
	run := func() bool {
		from := i
		for i < len(data) && data[i] >= '0' && data[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if !run() {
		return i, false
	}
	if i < len(data) && data[i] == '.' {
		i++
		if !run() {
			return i, false
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !run() {
			return i, false
		}
	}
	return i, true
}
