package language

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
)

// halfPair returns the error of an escape in a string that names half a surrogate pair
// (GraphQL 2.9.4), or nil:
//
//	"\uD83D\uDE00"    both halves: one character
//	"\uD83D"          half a pair: an error
//
// gqlparser makes U+FFFD of every such half, so two different ids would become one. The
// document has been parsed, so all strings in it are closed.
func halfPair(text string) *Error {
	if !strings.Contains(text, `\u`) {
		return nil
	}
	for from := 0; from < len(text); {
		n, is := element(text[from:])
		if is == ast.StringValue { // a block string does not have such escapes
			for i := from; i < from+n; {
				size := escape(text[i:])
				if size == 0 {
					return halfPairAt(text, i)
				}
				i += size
			}
		}
		from += n
	}
	return nil
}

// escape returns how many bytes the first character of a string takes in the document; 0 is
// half a surrogate pair. A plain character counts by bytes: its continuation bytes are visited
// one at a time.
func escape(s string) int {
	switch {
	case s[0] != '\\':
		return 1
	case !strings.HasPrefix(s, `\u`) || strings.HasPrefix(s, `\u{`): // braced halves are the parser's to refuse
		return 2
	}
	first := codeUnit(s)
	if !utf16.IsSurrogate(first) {
		return 6
	}
	if utf16.DecodeRune(first, codeUnit(s[6:])) != utf8.RuneError {
		return 12
	}
	return 0
}

// codeUnit returns the value of an escape \uXXXX at the beginning of s; 0 if s begins
// otherwise.
func codeUnit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return 0
	}
	n, _ := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n)
}

// halfPairAt returns the error for the escape at byte i of text.
func halfPairAt(text string, i int) *Error {
	return &Error{
		Message: "The escape " + text[i:i+6] + " is half a surrogate pair, and no character; escape both halves, or write the character itself.",
		At:      []Location{newLocator(text).location(utf8.RuneCountInString(text[:i]))},
		Code:    codeParse,
	}
}
