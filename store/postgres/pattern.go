package postgres

import (
	"strings"
	"sync"
	"unicode"
)

// PostgreSQL's lower follows a locale that the server may not have, and that folds otherwise than
// Go does (İ, ς). A text contains another one without regard to case where each letter of the
// operand, in Go's lower case, matches all letters that have this lower case:
//
//	icontains "Größe?"   t0."name" ~ '[gG][rR][öÖ][sſS]…'

// foldedPattern returns a regular expression that finds a text without regard to case, and is
// true for the texts of which strings.ToLower contains strings.ToLower(text). Everything that
// has a meaning in a regular expression is escaped.
func foldedPattern(text string) string {
	cases := foldings()
	var b strings.Builder
	b.Grow(4 * len(text))
	for _, r := range strings.ToLower(text) {
		others := cases[r]
		switch {
		case others != "":
			b.WriteByte('[')
			// A letter that is no letter's lower case is never in a folded text.
			if unicode.ToLower(r) == r {
				b.WriteRune(r)
			}
			b.WriteString(others)
			b.WriteByte(']')
		case r < 0x80 && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z') && r > ' ':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// foldings are the letters by their lower case, without it.
var foldings = sync.OnceValue(func() map[rune]string {
	all := map[rune]string{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if l := unicode.ToLower(r); l != r {
			all[l] += string(r)
		}
	}
	return all
})
