package language_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// TestParse reads documents with what gqlparser misreads, and refuses others with a code and a place.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // the value of the argument a
		code string
		says string
		at   language.Location
	}{
		{text: `{ f(a: "x") }`, want: `x`},
		{text: `{ f(a: """block""") }`, want: `block`},
		{text: "{ f(a: \"\"\"\n    one\n      two\n\"\"\") }", want: "one\n  two"},
		{text: `{ f(a: "\uD83D\uDE00") }`, want: "😀"},
		{text: `{ f(a: "\uD83D") }`, code: "GRAPHQL_PARSE_FAILED", says: "half a surrogate pair", at: language.Location{Line: 1, Column: 9}},
		{text: "{\n  f(", code: "GRAPHQL_PARSE_FAILED", at: language.Location{Line: 2, Column: 5}},
		{text: `fragment x on Query { f }`, code: "GRAPHQL_PARSE_FAILED", says: "operation"},
		{text: `{ a b c d e f }`, code: "TOKEN_LIMIT_EXCEEDED", says: "6"},
	} {
		tokens := 0
		if c.code == "TOKEN_LIMIT_EXCEEDED" {
			tokens = 6
		}
		doc, err := language.Parse(c.text, tokens)
		if c.code != "" {
			if err == nil || err.Code != c.code || !strings.Contains(err.Message, c.says) || c.at.Line > 0 && (len(err.At) == 0 || err.At[0] != c.at) {
				t.Errorf("%q: %+v, want %s at %v", c.text, err, c.code, c.at)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %s", c.text, err.Message)
			continue
		}
		if got := language.ValueOf(doc.Operations[0].SelectionSet[0].(*ast.Field).Arguments, "a").Raw; got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestArgumentsAsOneText: arguments that mean the same have the same text.
func TestArgumentsAsOneText(t *testing.T) {
	for _, arguments := range []string{`b: {y: 1, x: $v}, a: "t"`, `a: "t", b: {x: $v, y: 1}`} {
		doc, err := language.Parse("query q($v: Int) { f("+arguments+") }", 0)
		if err != nil {
			t.Fatal(err.Message)
		}
		if got, want := string(language.AppendArguments(nil, doc.Operations[0].SelectionSet[0].(*ast.Field).Arguments)), "a:\"t\"\nb:{x:$v,y:1,}\n"; got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}
