package script

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

// backtrack counts what an engine that backtracks does to find a pattern in a text, up to most.
func backtrack(prog *syntax.Prog, text []rune, most int) int {
	steps := 0
	var try func(at, i int) bool
	try = func(at, i int) bool {
		for steps < most {
			steps++
			in := &prog.Inst[at]
			switch in.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				if try(int(in.Out), i) {
					return true
				}
				at = int(in.Arg)
				continue
			case syntax.InstMatch:
				return true
			case syntax.InstFail:
				return false
			case syntax.InstEmptyWidth:
				before, after := rune(-1), rune(-1)
				if i > 0 {
					before = text[i-1]
				}
				if i < len(text) {
					after = text[i]
				}
				if syntax.EmptyOp(in.Arg)&^syntax.EmptyOpContext(before, after) != 0 {
					return false
				}
			case syntax.InstCapture, syntax.InstNop:
			default:
				if i == len(text) || !in.MatchRune(text[i]) {
					return false
				}
				i++
			}
			at = int(in.Out)
		}
		return true
	}
	anchored := prog.StartCond()&syntax.EmptyBeginText != 0
	for i := range len(text) + 1 {
		if try(prog.Start, i) || anchored {
			break
		}
	}
	return steps
}

func squashed(t *testing.T, pattern string) *syntax.Regexp {
	t.Helper()
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		t.Fatal(pattern, err)
	}
	return squash(re)
}

// TestDirect: a pattern that is left to an engine which backtracks takes steps in proportion to
// the text, the same number for a character at any length.
func TestDirect(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^[A-Z]{3}-[0-9]{4}$`: true, `^[a-z0-9]+(?:-[a-z0-9]+)*$`: true, `^(draft|done)$`: true, `^[^@\s]+@[^@\s]+$`: true, `^\S+$`: true, `^(?:a+)+$`: true, `[^ ]`: true, `^[a-z]{1,1000}$`: true, `^(?:[a-z]{1,3},)*$`: true, `\bfoo\b`: true,
		`^([a-z0-9]+-?)+$`: false, `^(a+)+$`: false, `(a*)*`: false, `a*b`: false, `[a-z]+@`: false, `^\w+\w+$`: false, `^.*foo$`: false, `a{1000}b`: false, `^(a|ab)c*$`: true, `^(a?){30}a{30}$`: false, `^(|a)+$`: false, `^(?i:k+)k$`: false,
	} {
		if got := direct(squashed(t, pattern)); got != want {
			t.Errorf("direct(%s) is %v", pattern, got)
		}
	}
	d := rand.New(rand.NewPCG(1, 3))
	pick := func(list ...string) string { return list[d.IntN(len(list))] }
	var draw func(depth int) string
	draw = func(depth int) string {
		switch n := d.IntN(5); {
		case depth == 0:
			return pick("a", "b", "c", "[ab]", "[^a]", "ab", ".", `\b`, "$", "^", "[bc]", "d")
		case n == 0:
			return "(?:" + draw(depth-1) + "|" + draw(depth-1) + ")"
		case n == 1:
			return "(" + draw(depth-1) + ")" + pick("*", "+", "?", "{2}", "{1,3}", "{0,9}", "{2,}", "{1,}")
		case n == 2:
			return "(?:" + draw(depth-1) + ")" + pick("*", "+", "?", "{2}", "{1,3}", "{0,9}", "{2,}", "{1,}")
		}
		return draw(depth-1) + draw(depth-1)
	}
	kept, slow := 0, 0
	for range 800 {
		pattern := pick("^", "^", "") + draw(3) + pick("", "$")
		re := squashed(t, pattern)
		// What the engine runs is the pattern as it is written for it, which Simplify must not improve.
		var b strings.Builder
		writePattern(&b, re)
		written, err := syntax.Parse(strings.NewReplacer("[^]", "(?s:.)", `(?<![^\n])`, "(?m:^)", `(?![^\n])`, "(?m:$)").Replace(b.String()), syntax.Perl)
		if err != nil {
			t.Fatal(pattern, err)
		}
		if text := written.String(); direct(re) && squash(written).String() != text {
			t.Fatalf("%s is written as %s, which Simplify would improve", pattern, text)
		}
		prog, err := syntax.Compile(written.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		perChar := 2 * (len(prog.Inst) + 1) * (min(longest(re), maxAttempt) + 2)
		for range 3 {
			text := make([]rune, 60)
			letters := []rune(pick("a", "ab", "abc", "bc", "abcd"))
			for i := range text {
				text[i] = letters[d.IntN(len(letters))]
			}
			if d.IntN(2) == 0 {
				text[len(text)-1] = unicode.MaxRune
			}
			took := backtrack(prog, text, perChar*len(text)+1)
			if direct(re) {
				kept++
				if took > perChar*len(text) {
					t.Fatalf("%s takes more than %d steps for %d characters of %s", pattern, took, len(text), string(letters))
				}
			} else if took > perChar*len(text) {
				slow++
			}
		}
	}
	if kept < 200 || slow < 10 {
		t.Errorf("%d texts of patterns that are left to the engine, %d that would be slow: this shows little", kept, slow)
	}
	t.Logf("%d judged directly, %d would be slow", kept, slow)
}
