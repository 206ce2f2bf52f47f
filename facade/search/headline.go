package search

import (
	"html"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// The bounds of a headline.
const (
	headlineWords  = 30     // of the text
	wordsBefore    = 5      // in front of the first that is marked
	headlineLooked = 20_000 // bytes of each text that are looked at
)

// Headline cuts the part out of the texts of a row that has the most of the query's words, as HTML. Of equal
// parts it takes the first of the first text. "" says that no text has any of the words.
//
//	… a <mark>green tea</mark> from the hills &amp; forests of …
func (q *Query) Headline(texts []string) string {
	terms := q.marked()
	best, most := passage{}, 0
	for _, text := range texts {
		p := passageOf(text, terms)
		if n := bits.OnesCount32(p.terms); n > most {
			best, most = p, n
		}
	}
	return best.html()
}

// marked are the words and phrases that rows are found by, in the form that words are compared in.
func (q *Query) marked() (terms []wanted) {
	for _, all := range q.Any {
		for _, t := range all {
			if t.Without || len(terms) == MaxTerms {
				continue
			}
			w := wanted{prefix: t.Prefix, stems: q.Language == "english"}
			for _, word := range t.Words {
				w.words = append(w.words, w.form(strings.ToLower(word)))
			}
			terms = append(terms, w)
		}
	}
	return terms
}

// wanted is a word, or the words of a phrase.
type wanted struct {
	words  []string
	prefix bool // the last word is the beginning of one
	stems  bool // words are compared by their stems
}

// form is a word in small letters as it is compared.
func (w *wanted) form(word string) string {
	if w.stems {
		return english.Stem(word, false)
	}
	return word
}

// begins reports whether some words of a text begin with the wanted ones.
func (w *wanted) begins(words []word) bool {
	if len(words) < len(w.words) {
		return false
	}
	for i, want := range w.words {
		small, same := words[i].small, func(a, b string) bool { return a == b }
		if w.prefix && i == len(w.words)-1 {
			same = strings.HasPrefix
		}
		// A stem keeps the first letter.
		if !same(small, want) && !(w.stems && small[0] == want[0] && same(w.form(small), want)) {
			return false
		}
	}
	return true
}

// word is a word of a text, and itself in small letters.
type word struct {
	span
	small string
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// passage is a part of a text with its marked places.
type passage struct {
	text  string
	part  span
	marks []span // in order, none within another
	terms uint32 // a bit for each of the terms that it has
}

// passageOf finds the part of a text that has the most of the terms.
func passageOf(text string, terms []wanted) (best passage) {
	words, whole := wordsOf(text)
	type match struct {
		word, behind int
		term         uint32
	}
	var matches []match
	for i := range words {
		for j := range terms {
			if terms[j].begins(words[i:]) {
				matches = append(matches, match{i, i + len(terms[j].words), 1 << j})
			}
		}
	}
	first, most := -1, 0
	for i := range matches {
		found := uint32(0)
		for _, m := range matches[i:] {
			if m.behind > matches[i].word-wordsBefore+headlineWords {
				break
			}
			found |= m.term
		}
		if n := bits.OnesCount32(found); n > most {
			first, most, best.terms = i, n, found
		}
	}
	if first < 0 {
		return passage{}
	}
	from := max(0, matches[first].word-wordsBefore)
	to := min(len(words), max(from+headlineWords, matches[first].behind))
	from = max(0, min(from, to-headlineWords))
	best.text, best.part = text, span{words[from].from, words[to-1].to}
	if from == 0 {
		best.part.from = 0
	}
	if to == len(words) && whole {
		best.part.to = len(text)
	}
	for _, m := range matches {
		mark := span{words[m.word].from, words[m.behind-1].to}
		switch last := len(best.marks) - 1; {
		case m.word < from || m.behind > to:
		case last >= 0 && mark.from < best.marks[last].to:
			best.marks[last].to = max(best.marks[last].to, mark.to)
		default:
			best.marks = append(best.marks, mark)
		}
	}
	return best
}

// wordsOf are the words at the beginning of a text, as [words] cuts them; whole says that the text was
// looked at to its end.
func wordsOf(text string) (all []word, whole bool) {
	from := -1
	add := func(to int) {
		all, from = append(all, word{span{from, to}, strings.ToLower(text[from:to])}), -1
	}
	for i, c := range text {
		inside := c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsMark(c))
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			add(i)
		}
		if i >= headlineLooked && from < 0 {
			return all, false
		}
	}
	if from >= 0 {
		add(len(text))
	}
	return all, true
}

// html writes the passage, whose own signs are escaped.
func (p *passage) html() string {
	var b strings.Builder
	if p.part.from > 0 {
		b.WriteString("… ")
	}
	at := p.part.from
	for _, m := range p.marks {
		b.WriteString(html.EscapeString(p.text[at:m.from]))
		b.WriteString("<mark>" + html.EscapeString(p.text[m.from:m.to]) + "</mark>")
		at = m.to
	}
	b.WriteString(html.EscapeString(p.text[at:p.part.to]))
	if p.part.to < len(p.text) {
		b.WriteString(" …")
	}
	return b.String()
}
