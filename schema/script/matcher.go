package script

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// ECMAScript's engines backtrack: ^(?:a+)+$ takes a minute for thirty letters. A pattern whose
// own engine would need more than one step a character is written as a tree, which the linear
// matcher of the runtime (client/src/matcher.ts) reads:
//
//	"[a-z]"          one character of a class
//	3                a place: see places
//	[0, a, b]        a, then b
//	[1, a, b]        a or b
//	[2, 1, 9, a]     a, once to nine times; -1 for no end
//
// Every other pattern stays a RegExp.

// maxAttempt is how many characters an unanchored pattern of the native engine matches at
// most: the engine starts a match at every character of the text.
const maxAttempt = 32

// direct says whether a backtracking engine decides the pattern in time linear in the text. It
// does if the next character alone decides between the alternatives, so that it never
// backtracks: the pattern is anchored or short, and after every character the alternatives
// begin with different ones.
func direct(re *syntax.Regexp) bool {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return false
	}
	if prog.StartCond()&syntax.EmptyBeginText == 0 && longest(re) > maxAttempt {
		return false
	}
	if !decided(prog, prog.Start) {
		return false
	}
	for i := range prog.Inst {
		if isRune(&prog.Inst[i]) && !decided(prog, int(prog.Inst[i].Out)) {
			return false
		}
	}
	return true
}

// squash merges a repetition of a repetition into one, as Simplify does before it compiles, so
// that direct judges the pattern that the native engine runs.
//
//	(?:a+)+   a+        (?:a?){1,}   a*        (a*){2,1000}   (a*)
func squash(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = squash(sub)
	}
	if re.Op == syntax.OpRepeat {
		switch {
		case re.Min == 0 && re.Max == -1:
			re.Op = syntax.OpStar
		case re.Min == 1 && re.Max == -1:
			re.Op = syntax.OpPlus
		case re.Min == 0 && re.Max == 1:
			re.Op = syntax.OpQuest
		case re.Min == 1 && re.Max == 1, re.Max != 0 && inside(re.Sub[0]).Op == syntax.OpStar:
			return re.Sub[0]
		}
	}
	simple := func(op syntax.Op) bool { return op == syntax.OpStar || op == syntax.OpPlus || op == syntax.OpQuest }
	if simple(re.Op) && simple(re.Sub[0].Op) {
		op := re.Op
		if re.Sub[0].Op != op {
			op = syntax.OpStar
		}
		return &syntax.Regexp{Op: op, Sub: re.Sub[0].Sub}
	}
	return re
}

// inside returns the expression within groups.
func inside(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re
}

// decided says whether the next character decides the way on from an instruction: no two ways
// lead to one instruction, and no two classes at their ends share a character.
func decided(prog *syntax.Prog, from int) bool {
	seen := map[int]bool{}
	var pairs [][2]rune
	todo := []int{from}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			return false
		}
		seen[at] = true
		switch in := &prog.Inst[at]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, int(in.Out), int(in.Arg))
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			todo = append(todo, int(in.Out))
		case syntax.InstMatch, syntax.InstFail:
		default:
			pairs = append(pairs, runesOf(in)...)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	for i := 1; i < len(pairs); i++ {
		if pairs[i][0] <= pairs[i-1][1] {
			return false
		}
	}
	return true
}

func isRune(in *syntax.Inst) bool {
	return in.Op == syntax.InstRune || in.Op == syntax.InstRune1 || in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL
}

// runesOf returns the ranges of characters that an instruction takes.
func runesOf(in *syntax.Inst) [][2]rune {
	switch in.Op {
	case syntax.InstRuneAny:
		return [][2]rune{{0, unicode.MaxRune}}
	case syntax.InstRuneAnyNotNL:
		return [][2]rune{{0, '\n' - 1}, {'\n' + 1, unicode.MaxRune}}
	}
	if len(in.Rune) == 1 {
		r := in.Rune[0]
		list := [][2]rune{{r, r}}
		if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				list = append(list, [2]rune{f, f})
			}
		}
		return list
	}
	var list [][2]rune
	for i := 0; i+1 < len(in.Rune); i += 2 {
		list = append(list, [2]rune{in.Rune[i], in.Rune[i+1]})
	}
	return list
}

// longest returns how many characters a match has at most; maxAttempt+1 is any larger
// number.
func longest(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 1
	case syntax.OpStar, syntax.OpPlus:
		n = maxAttempt + 1
	case syntax.OpRepeat:
		if re.Max < 0 {
			n = maxAttempt + 1
		} else {
			n = re.Max * longest(re.Sub[0])
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
	default: // a sequence, a group, one at most
		for _, sub := range re.Sub {
			n += longest(sub)
		}
	}
	return min(n, maxAttempt+1)
}

// places are the assertions by the bits that the matcher tests.
var places = map[syntax.Op]int{
	syntax.OpBeginText: 1, syntax.OpEndText: 2, syntax.OpBeginLine: 4,
	syntax.OpEndLine: 8, syntax.OpWordBoundary: 16, syntax.OpNoWordBoundary: 32,
}

// matcherTree writes an expression as the matcher reads it.
func matcherTree(re *syntax.Regexp) string {
	if place, ok := places[re.Op]; ok {
		return fmt.Sprint(place)
	}
	node := func(parts ...string) string { return "[" + strings.Join(parts, ",") + "]" }
	repeat := func(low, high int) string {
		return node("2", fmt.Sprint(low), fmt.Sprint(high), matcherTree(re.Sub[0]))
	}
	parts := []string{"0"}
	switch re.Op {
	case syntax.OpNoMatch:
		return node("1")
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		var b strings.Builder
		writePattern(&b, re)
		return quote(b.String())
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			var b strings.Builder
			writePattern(&b, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}})
			parts = append(parts, quote(b.String()))
		}
	case syntax.OpCapture:
		return matcherTree(re.Sub[0])
	case syntax.OpStar:
		return repeat(0, -1)
	case syntax.OpPlus:
		return repeat(1, -1)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpConcat, syntax.OpAlternate:
		if re.Op == syntax.OpAlternate {
			parts[0] = "1"
		}
		for _, sub := range re.Sub {
			parts = append(parts, matcherTree(sub))
		}
	}
	if len(parts) == 2 && parts[0] == "0" {
		return parts[1]
	}
	return node(parts...)
}
