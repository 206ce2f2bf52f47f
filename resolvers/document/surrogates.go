package document

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// halfPair is the fault of an escape in a string that names half a surrogate pair
// (specification 2.9.4), or nil. gqlparser makes U+FFFD of it, as of every other half,
// and two ids would be one. The document has been parsed, so its strings are closed.
func halfPair(text string) *graphqlerror.Error {
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case rest[0] == '#':
			n := strings.IndexAny(rest, "\r\n")
			if n < 0 {
				return nil
			}
			i += n
		case strings.HasPrefix(rest, `"""`): // a block string has no such escapes
			for i += 3; i < len(text) && !strings.HasPrefix(text[i:], `"""`); i++ {
				if strings.HasPrefix(text[i:], `\"""`) {
					i += 3
				}
			}
			i += 3
		case rest[0] == '"':
			for i++; i < len(text) && text[i] != '"'; {
				n := escape(text[i:])
				if n == 0 {
					return halfPairAt(text, i)
				}
				i += n
			}
			i++
		default:
			i++
		}
	}
	return nil
}

// escape is how long the first character of a string in a document is as it is
// written; 0: it is half a surrogate pair.
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

// codeUnit is what \uXXXX stands for at the beginning of s; 0 where s begins otherwise.
func codeUnit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return 0
	}
	n, _ := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n)
}

func halfPairAt(text string, i int) *graphqlerror.Error {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text[:i]), "\n")
	last := lines[len(lines)-1]
	return &graphqlerror.Error{
		Message: "The escape " + text[i:i+6] + " is half a surrogate pair, and no character; escape both halves, or write the character itself.",
		At:      []graphqlerror.Location{{Line: len(lines), Column: utf8.RuneCountInString(last) + 1}},
		Code:    graphqlerror.CodeParse,
	}
}
