// Package search reads the text of a search by words into a [Query], which each store writes in its own
// language. The package looks at no row.
//
//	green tea "gift box" -sugar or choc*
//
//	alternatives   green, tea, the phrase gift box, and not sugar
//	               a word that begins with choc
//
// Every text is a valid query (docs/search.md).
package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query has the words to search rows for, and the searched fields.
type Query struct {
	// Text is the whole text of the caller.
	Text     string
	Language string
	// Fields are the names of the searched fields that the caller may read.
	Fields []string
	// Any are the alternatives, of which a row meets one; if it is empty, no row meets the query.
	// Each has a term that is not Without.
	Any [][]Term
}

// Term is one condition of an alternative.
type Term struct {
	// Words follow each other in one field. They have letters, digits and marks alone.
	Words []string
	// Prefix says that the last word is the beginning of one.
	Prefix bool
	// Without says that the row must not have the words.
	Without bool
}

// The limits of a query, which bound the statement of a store.
const (
	MaxText  = 500 // characters
	MaxTerms = 32
)

// Parse reads text, which has at most [MaxText] characters. ok is false for more than [MaxTerms] words
// and phrases.
func Parse(text, language string) (q *Query, ok bool) {
	q = &Query{Text: text, Language: language}
	var all []Term
	n := 0
	end := func() {
		if slices.ContainsFunc(all, func(t Term) bool { return !t.Without }) {
			q.Any = append(q.Any, all)
		}
		all = nil
	}
	for r := (reader{rest: text}); ; {
		part, t, more := r.next()
		if !more {
			break
		}
		if part == "or" {
			end()
			continue
		}
		t.Words = words(part)
		if language == "english" {
			t.Words = trimmed(t.Words, t.Prefix)
		}
		if len(t.Words) == 0 {
			continue
		}
		all = append(all, t)
		n++
	}
	end()
	return q, n <= MaxTerms
}

// reader cuts a text into words and phrases.
type reader struct{ rest string }

// next returns the next part without its signs, and "or" for the word between alternatives. The text of
// a term ends in a space, so that it is never "or".
func (r *reader) next() (part string, t Term, more bool) {
	r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
	if r.rest == "" {
		return "", t, false
	}
	r.rest, t.Without = strings.CutPrefix(r.rest, "-")
	if inside, quoted := strings.CutPrefix(r.rest, `"`); quoted {
		part, r.rest, _ = strings.Cut(inside, `"`)
		r.rest, t.Prefix = strings.CutPrefix(r.rest, "*")
		return part + " ", t, true
	}
	at := strings.IndexFunc(r.rest, func(c rune) bool { return c == '"' || unicode.IsSpace(c) })
	if at < 0 {
		at = len(r.rest)
	}
	part, r.rest = r.rest[:at], r.rest[at:]
	if !t.Without && strings.EqualFold(part, "or") {
		return "or", t, true
	}
	part, t.Prefix = strings.CutSuffix(part, "*")
	return part + " ", t, true
}

// words are the words of a text: runs of letters, digits and marks.
func words(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool {
		return c == utf8.RuneError || !unicode.IsLetter(c) && !unicode.IsNumber(c) && !unicode.IsMark(c)
	})
}

// trimmed is words without the stop words around them, which PostgreSQL does not keep. The beginning
// of a word is no stop word.
func trimmed(words []string, prefix bool) []string {
	last := len(words)
	for last > 0 && IsStop(words[last-1]) && !prefix {
		last--
	}
	words = words[:last]
	for len(words) > 0 && IsStop(words[0]) && !(prefix && len(words) == 1) {
		words = words[1:]
	}
	return words
}

// IsStop reports whether a word is one of English that is too frequent to be searched for.
func IsStop(word string) bool {
	_, is := stops[strings.ToLower(word)]
	return is
}

// stops are the stop words of English in PostgreSQL.
var stops = func() map[string]struct{} {
	all := map[string]struct{}{}
	for word := range strings.FieldsSeq(stopWords) {
		all[word] = struct{}{}
	}
	return all
}()

const stopWords = `
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are
was were be been being have has had having do does did doing a an the and but if or because as until while of
at by for with about against between into through during before after above below to from up down in out on
off over under again further then once here there when where why how all any both each few more most other
some such no nor not only own same so than too very s t can will just don should now`
