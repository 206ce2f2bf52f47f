package sqltext

import "unicode/utf8"

// After is the smallest text that sorts after every text with this prefix; false where there is
// none, because the prefix is made of the last code point alone. Surrogates (U+D800 to U+DFFF) are
// no code points of a text.
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
