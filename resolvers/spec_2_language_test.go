package resolvers_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestStrings: what a string literal says (specification 2.9.4), where gqlparser's
// lexer reads something else and where it does not.
func TestStrings(t *testing.T) {
	b := newBlogWith(t, handWritten)
	for document, want := range map[string][]any{
		`{ echo(s: ["""a""""b"]) }`:                                                 {"a", "b"},
		`{ echo(s: ["""a""" "b"]) }`:                                                {"a", "b"},
		`{ echo(s: [""""""]) }`:                                                     {""},
		`{ echo(s: ["""""""b"]) }`:                                                  {"", "b"},
		`{ echo(s: [""""a"""]) }`:                                                   {`"a`},
		`{ echo(s: [""""a"b""c"""""""""]) }`:                                        {`"a"b""c`, ""},
		`{ echo(s: ["""\""""""]) }`:                                                 {`"""`},
		`{ echo(s: ["""\""""""""""""]) }`:                                           {`"""`, ""},
		`{ echo(s: ["""a\\""""""]) }`:                                               {`a\"""`},
		"{ echo(s: [\"\"\"a\x01\x1f\x7f\"\"\"]) }":                                  {"a\x01\x1f\x7f"},
		"{ echo(s: [\"\x00\\n\\\\\x07é😀\\u0041\"]) }":                               {"\x00\n\\\x07é😀A"},
		"{ echo(s: [\"#\x01\" \"b\" #\x01 \"c\n]) }":                                {"#\x01", "b"},
		"{ echo(s: [\"\"\"#\x01\n  # \"b\"\n    c\r\n\r\n  \"\"\" \"d\"]) #\x02\n}": {"#\x01\n# \"b\"\n  c", "d"},
		"{ echo(s: [\"\"\"\x01\n\n  \"\"\"\"\"\"\r\r  a\r    b\r \"\"\"]) }":        {"\x01", "a\n  b"},
		"query($s: [String] = [\"\"\"é\"\"\"\"\x02\"]) { echo(s: $s) }":             {"é", "\x02"},
		"\"\"\"A\x01 description\"\"\" query { echo(s: [\"x\"]) }":                  {"x"},
	} {
		var r struct{ Data struct{ Echo string } }
		got := b.do(document, "")
		decode(t, got, &r)
		if want := fmt.Sprintf("%#v", map[string]any{"s": want}); r.Data.Echo != want {
			t.Errorf("%q\ngot  %s\nwant %s", document, got, want)
		}
	}
}

// TestUnparsed: a document that cannot be read is refused where the token begins that
// is not expected, or at the character that no token has.
func TestUnparsed(t *testing.T) {
	b := newBlogWith(t, handWritten)
	for document, want := range map[string]string{
		`{ a "b" }`:                          "1:5 Expected Name, found String",
		`{ a """b""" }`:                      "1:5 Expected Name, found BlockString",
		"{ a\n  \"\"\"b\n\n c\"\"\" }":       "2:3 Expected Name, found BlockString",
		"{ a\r\n  \"b\" }":                   "2:3 Expected Name, found String",
		"{ a\r\n\r\n (b: ] }":                "3:6 Unexpected ]",
		"{ é(a: \"é\")\n }":                  `1:3 Cannot parse the unexpected character "é".`,
		"{ a(b: \"😀\" \"c\") }":              "1:12 Expected Name, found String",
		"{ a":                                "1:4 Expected Name, found <EOF>",
		"{ a # comment":                      "1:14 Expected Name, found <EOF>",
		`{ a(b: "\q") }`:                     `1:9 Invalid character escape sequence: \q.`,
		`{ a(b: "\u00zz") }`:                 `1:9 Invalid character escape sequence: \u00zz.`,
		`{ a(b: "xy) }`:                      "1:14 Unterminated string.",
		"{ a(b: \"xy\n) }":                   "1:11 Unterminated string.",
		`{ a(b: """x) }`:                     "1:15 Unterminated string.",
		`{ a(b: """x"""") }`:                 "1:19 Unterminated string.",
		"{ a \x01 }":                         `1:5 Cannot contain the invalid character "\u0001"`,
		"{ a(b: \"\x01\") \x01 }":            `1:13 Cannot contain the invalid character "\u0001"`,
		"{ a(b: \"\\\x01\") }":               `1:9 Invalid character escape sequence: \ .`,
		"{ a(b: \"\"\"\x01\n\"\"\" \"c\") }": "2:5 Expected Name, found String",
		`{ a(b: 01) }`:                       `1:9 Invalid number, unexpected digit after 0: "1".`,
		`{ a(1x: 2) }`:                       "1:5 The number 1 runs into \"x\"; put a space or a comma between them.",
		`{ a(b: 'c') }`:                      `1:8 Unexpected single quote character ('); write strings in double quotes.`,
		`query ($a: Int = $b) { a }`:         "1:18 Unexpected $",
	} {
		a := asked(t, b.engine, document, "")
		if len(a.Errors) != 1 || a.Errors[0].Extensions.Code != "GRAPHQL_PARSE_FAILED" {
			t.Errorf("%q: %+v", document, a.Errors)
			continue
		}
		if got := a.places() + " " + a.Errors[0].Message; got != want {
			t.Errorf("%q\ngot  %s\nwant %s", document, got, want)
		}
	}
}

// TestUnknownDirectives: a directive that does not exist is reported once a place, however
// often it stands there. Nobody knows whether it may be repeated.
func TestUnknownDirectives(t *testing.T) {
	b := newBlog(t)
	for document, want := range map[string]string{
		`{ __typename @a @a }`:                            "1:14",
		`{ __typename ` + strings.Repeat("@a ", 20) + `}`: "1:14",
		`{ __typename @a @b @a @b }`:                      "1:14 1:17",
		`{ __typename @a t: __typename @a }`:              "1:14 1:31",
		`{ __typename @skip(if: true) @skip(if: false) }`: "1:30",
	} {
		a := asked(t, b.engine, document, "")
		if got := a.places(); got != want {
			t.Errorf("%s is refused at %s, want %s: %+v", document, got, want, a.Errors)
		}
	}
}
