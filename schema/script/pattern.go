package script

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
)

// writePattern appends an expression of RE2 in the syntax of ECMAScript with the flag u, so
// that both match the same texts. It writes differences out: \d and case folding as classes,
// the dot without the line ends that only ECMAScript knows, ^ and $ of lines as look-around.
//
//	(?i)ab\z    [Aa][Bb]$
//	^\pL+.      ^\p{L}+[^\n]
//
// Which alternative wins does not matter, as a judge only asks whether there is a match.
// Names of Unicode's classes are kept, so that letters newer than this program are judged by
// the browser's tables.
func writePattern(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpNoMatch:
		b.WriteString("[]")
	case syntax.OpEmptyMatch:
		b.WriteString("(?:)")
	case syntax.OpLiteral:
		writeLiteral(b, re)
	case syntax.OpCharClass:
		writeClass(b, re.Rune)
	case syntax.OpAnyCharNotNL:
		b.WriteString(`[^\n]`)
	case syntax.OpAnyChar:
		b.WriteString("[^]")
	case syntax.OpBeginLine:
		b.WriteString(`(?<![^\n])`)
	case syntax.OpEndLine:
		b.WriteString(`(?![^\n])`)
	case syntax.OpBeginText:
		b.WriteByte('^')
	case syntax.OpEndText:
		b.WriteByte('$')
	case syntax.OpWordBoundary:
		b.WriteString(`\b`)
	case syntax.OpNoWordBoundary:
		b.WriteString(`\B`)
	case syntax.OpCapture:
		// A capturing group is shorter than (?: and reads the same in both languages.
		if re.Name == "" {
			b.WriteByte('(')
		} else {
			b.WriteString("(?:")
		}
		writePattern(b, re.Sub[0])
		b.WriteByte(')')
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		writeAtom(b, re.Sub[0])
		b.WriteString(quantifier(re))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpAlternate {
				writeAtom(b, sub)
				continue
			}
			writePattern(b, sub)
		}
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			if i > 0 {
				b.WriteByte('|')
			}
			if sub.Op != syntax.OpEmptyMatch {
				writePattern(b, sub)
			}
		}
	}
}

// writeLiteral appends characters, each as the class of its cases where case does not count.
func writeLiteral(b *strings.Builder, re *syntax.Regexp) {
	for _, r := range re.Rune {
		if re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r {
			b.WriteByte('[')
			writeRune(b, r, true)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				writeRune(b, f, true)
			}
			b.WriteByte(']')
			continue
		}
		writeRune(b, r, false)
	}
}

// writeAtom appends an expression so that a following quantifier applies to all of it.
func writeAtom(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpCapture:
		writePattern(b, re)
		return
	case syntax.OpLiteral:
		if len(re.Rune) == 1 {
			writePattern(b, re)
			return
		}
	}
	b.WriteString("(?:")
	writePattern(b, re)
	b.WriteByte(')')
}

// quantifier returns how often the atom before it repeats. Greedy or not is the same to a
// judge.
func quantifier(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpStar:
		return "*"
	case syntax.OpPlus:
		return "+"
	case syntax.OpQuest:
		return "?"
	}
	switch {
	case re.Max == re.Min:
		return fmt.Sprintf("{%d}", re.Min)
	case re.Max < 0:
		return fmt.Sprintf("{%d,}", re.Min)
	}
	return fmt.Sprintf("{%d,%d}", re.Min, re.Max)
}

// writeClass appends a class, given as pairs of runes. A class that includes the last rune is
// shorter as a negation.
func writeClass(b *strings.Builder, pairs []rune) {
	if name := className(pairs); name != "" {
		b.WriteString(name)
		return
	}
	b.WriteByte('[')
	if n := len(pairs); n > 0 && pairs[n-1] == unicode.MaxRune {
		b.WriteByte('^')
		pairs = complement(pairs)
	}
	for i := 0; i < len(pairs); i += 2 {
		writeRune(b, pairs[i], true)
		if pairs[i+1] > pairs[i]+1 {
			b.WriteByte('-')
		}
		if pairs[i+1] > pairs[i] {
			writeRune(b, pairs[i+1], true)
		}
	}
	b.WriteByte(']')
}

// complement returns the runes outside of pairs.
func complement(pairs []rune) []rune {
	var out []rune
	next := rune(0)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] > next {
			out = append(out, next, pairs[i]-1)
		}
		next = pairs[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

// className is the class of Unicode that pairs are, such as \p{L} or \P{Greek}; "" for others.
// Only long classes are looked up: a short one is as well written out.
func className(pairs []rune) string {
	if len(pairs) < 20 {
		return ""
	}
	for _, tables := range []struct {
		of     map[string]*unicode.RangeTable
		before string
	}{{unicode.Categories, ""}, {unicode.Scripts, "Script="}} {
		for _, name := range sortedKeys(tables.of) {
			if sameClass(pairs, tables.of[name]) {
				return `\p{` + tables.before + name + "}"
			}
			if sameClass(complement(pairs), tables.of[name]) {
				return `\P{` + tables.before + name + "}"
			}
		}
	}
	return ""
}

// sameClass says whether pairs hold exactly the runes of a table.
func sameClass(pairs []rune, table *unicode.RangeTable) bool {
	n := 0
	for i := 0; i < len(pairs); i += 2 {
		n += int(pairs[i+1]-pairs[i]) + 1
	}
	count := func(lo, hi, stride uint32) { n -= int((hi-lo)/stride) + 1 }
	for _, r := range table.R16 {
		count(uint32(r.Lo), uint32(r.Hi), uint32(r.Stride))
	}
	for _, r := range table.R32 {
		count(r.Lo, r.Hi, r.Stride)
	}
	if n != 0 {
		return false
	}
	for i := 0; i < len(pairs); i += 2 {
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if !unicode.Is(table, r) {
				return false
			}
		}
	}
	return true
}

// writeRune appends a character, escaped if it would mean something else. Under the flag u only
// these may be escaped.
func writeRune(b *strings.Builder, r rune, class bool) {
	special := `^$\.*+?()[]{}|/`
	if class {
		special = `^\]-[`
	}
	switch {
	case r < 0x80 && strings.ContainsRune(special, r):
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r < ' ' || r == 0x7f:
		fmt.Fprintf(b, `\x%02x`, r)
	case r >= 0x80 && !unicode.IsGraphic(r):
		fmt.Fprintf(b, `\u{%x}`, r)
	default:
		b.WriteRune(r)
	}
}
