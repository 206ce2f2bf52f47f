package sample

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// A text for a pattern is drawn by walking the expression: a literal writes itself, a class
// one of its characters, an alternative one branch, a repetition its part a few times.
//
//	^[A-Z]{2}-\d{4}$   ->  QF-8301
//
// Anchors and boundaries draw no characters. The caller checks them on the whole text, and
// draws again if they fail.

// matching returns a text that a regular expression matches, if it could draw one. It is false
// for an expression that this host cannot read (look-around), and for one without matches. A
// text may still fail a condition that matching ignores, such as a word boundary.
func (m *Maker) matching(pattern string) (string, bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	ok := m.draw(&b, tree.Simplify())
	return b.String(), ok
}

// longest is how long a drawn text may become: repetitions of repetitions end.
const longest = 4000

// draw appends a text for one node of the expression. It reports false if the text becomes too
// long or the node has no match.
func (m *Maker) draw(b *strings.Builder, re *syntax.Regexp) bool {
	if b.Len() > longest {
		return false
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		return m.drawRune(b, re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return m.drawRune(b, []rune{'a', 'z'})
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			if !m.draw(b, sub) {
				return false
			}
		}
	case syntax.OpAlternate:
		return m.draw(b, re.Sub[m.IntN(len(re.Sub))])
	case syntax.OpStar:
		return m.repeat(b, re.Sub[0], 0, -1)
	case syntax.OpPlus:
		return m.repeat(b, re.Sub[0], 1, -1)
	case syntax.OpQuest:
		return m.repeat(b, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		return m.repeat(b, re.Sub[0], re.Min, re.Max)
	case syntax.OpNoMatch:
		return false
	}
	return true // anchors and boundaries: whether they hold is seen when all is drawn
}

// repeat draws sub between least and most times; most -1 is without an end. Attempts
// that come later draw it more often, since the text may have to be long.
func (m *Maker) repeat(b *strings.Builder, sub *syntax.Regexp, least, most int) bool {
	n := least + m.IntN(4+3*m.Try)
	if most >= 0 {
		n = min(n, most)
	}
	for range n {
		if !m.draw(b, sub) {
			return false
		}
	}
	return true
}

// drawRune draws one of a class, given as pairs of bounds: a letter or a digit where
// it has some, else something that can be printed.
func (m *Maker) drawRune(b *strings.Builder, pairs []rune) bool {
	for _, good := range []func(rune) bool{
		func(r rune) bool { return r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) },
		func(r rune) bool { return r < 128 && unicode.IsPrint(r) && r != ' ' },
		func(r rune) bool { return r == ' ' || unicode.IsPrint(r) },
		func(rune) bool { return true },
	} {
		var from []rune
		// A class such as [^a] spans all of Unicode: of each pair the first 256 are enough,
		// of all of them 512. Surrogates are skipped.
		for i := 0; i+1 < len(pairs); i += 2 {
			for r := pairs[i]; r <= pairs[i+1] && r < pairs[i]+256 && len(from) < 512; r++ {
				if good(r) && (r < 0xd800 || r > 0xdfff) {
					from = append(from, r)
				}
			}
		}
		if len(from) > 0 {
			b.WriteRune(Pick(m.Rand, from))
			return true
		}
	}
	return false
}
