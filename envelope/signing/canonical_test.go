package signing_test

import (
	"cmp"
	"encoding/json"
	"regexp"
	"testing"
	"unicode/utf16"

	"github.com/gowebpki/jcs"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/schema/jsontext"
)

func canonical(t testing.TB, text string) string {
	t.Helper()
	if err := jsontext.Check([]byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	got, err := signing.Canonical(nil, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(got)
}

func TestCanonical(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"white space", " { \"b\" : [ 1 , 2 ] ,\n\t\"a\" : { } } ", `{"a":{},"b":[1,2]}`},
		{"literals", `[null,true,false]`, `[null,true,false]`},
		{
			"the example of RFC 8785", `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			"its order of names", `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		},
		{"names that begin alike", `{"ab":1,"a":2,"":3,"aa":4}`, `{"":3,"a":2,"aa":4,"ab":1}`},
		{"names whose escapes differ", `{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		{"escapes", `"\b\t\n\f\r\u0001\u001F\u007f\"\\\/\u2028"`, "\"\\b\\t\\n\\f\\r\\u0001\\u001f\u007f\\\"\\\\/\u2028\""},
		{"two halves of a character", `"\uD83D\uDE00 \ud83d\ude00 😀"`, `"😀 😀 😀"`},
		{"nothing is normalized", "[\"\u0041\u030a\",\"\u00c5\"]", "[\"\u0041\u030a\",\"\u00c5\"]"},

		{"zeros", `[0,-0,0.0,-0.0e5,0e9]`, `[0,0,0,0,0]`},
		{"whole numbers in other words", `[1.0,10e-1,1e2,1.50e1,100e-2,-3.0]`, `[1,1,100,15,1,-3]`},
		{"the last that a double tells from the next", `[9007199254740991,-9007199254740992]`, `[9007199254740991,-9007199254740992]`},
		{
			"those behind it, which RFC 8785 rounds", `[9007199254740993,-9223372036854775808,18446744073709551615,9.007199254740993e15]`,
			`[9007199254740993,-9223372036854775808,18446744073709551615,9007199254740993]`,
		},
		{"up to 10^21", `[999999999999999999999,1e20,100000000000000000000]`, `[999999999999999999999,100000000000000000000,100000000000000000000]`},
		{"from 10^21 on", `[1000000000000000000000,1e21,123456789012345678901234,-1e300]`, `[1e+21,1e+21,1.2345678901234569e+23,-1e+300]`},
		{
			"fractions", `[0.1,1.5,-2.50,0.000001,0.0000001,123456.789e-3,1e-400,5e-324,1.7976931348623157e308]`,
			`[0.1,1.5,-2.5,0.000001,1e-7,123.456789,0,5e-324,1.7976931348623157e+308]`,
		},
		{"a fraction with more digits than a double has", `0.1000000000000000055511151231257827`, `0.1`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := canonical(t, c.text); got != c.want {
				t.Errorf("%s is\n%s, want\n%s", c.text, got, c.want)
			}
		})
	}
	for _, text := range []string{`"\ud800"`, `"\udc00"`, `"\ud800x"`, `"\ud800\n"`, `"\ud800\ud800"`, `"\ude00\ud83d"`, `{"\ud800":1}`, `1e309`, `-1e999999999999999999999`, ``} {
		if got, err := signing.Canonical(nil, []byte(text)); err == nil {
			t.Errorf("%s is %s, and has no canonical text", text, got)
		}
	}
}

// long finds what may be a whole number that RFC 8785 rounds.
var long = regexp.MustCompile(`[0-9.]{16}|[eE]`)

// FuzzCanonical holds Canonical against another's RFC 8785: where a double holds
// every number they are the same; else only digits may be more.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{
		`{"b":[1,2.50,-0,1e21],"a":{"é":"\u00e9\ud83d\ude00\/\u0001"},"\ufb33":null,"😀":true}`, `9007199254740993`, `"\ud800"`, `[[[]],{}," "]`, `0.1e-5`, `1E400`,
		`{"\u20ac":1,"\r":2,"\ud83d\ude00":5,"\ue000":6}`, frame, batch,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if jsontext.Check(text) != nil {
			return
		}
		ours, err := signing.Canonical(nil, text)
		// The other one takes objects and arrays at the top alone.
		wrapped := append(append([]byte{'['}, text...), ']')
		theirs, other := jcs.Transform(wrapped)
		if (err == nil) != (other == nil) {
			t.Fatalf("%s: %v, the other says %v", text, err, other)
		}
		if err != nil {
			return
		}
		if jsontext.Check(ours) != nil {
			t.Fatalf("%s becomes %s, which is no JSON", text, ours)
		}
		again, err := signing.Canonical(nil, ours)
		if err != nil || string(again) != string(ours) {
			t.Fatalf("%s becomes %s, and that %s (%v)", text, ours, again, err)
		}
		rounded, err := jcs.Transform(append(append([]byte{'['}, ours...), ']'))
		if err != nil || string(rounded) != string(theirs) {
			t.Fatalf("%s becomes %s, which is %s by RFC 8785, and the text is %s", text, ours, rounded, theirs)
		}
		if !long.Match(text) && "["+string(ours)+"]" != string(theirs) {
			t.Fatalf("%s becomes %s, want %s", text, ours, theirs)
		}
	})
}

// FuzzCompareUTF16 holds the order of names against their code units.
func FuzzCompareUTF16(f *testing.F) {
	for _, pair := range [][2]string{{"a", "b"}, {"", "a"}, {"\ufb33", "😀"}, {"\ud7ff", "😀"}, {"\ue000", "\U0010ffff"}, {"a😀", "a\uffff"}, {"€", "\u0080"}, {"😀a", "😀b"}, {"😀", "😁"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !json.Valid(jsontext.Quote(a)) || a != jsontext.Unquote(jsontext.Quote(a)) || b != jsontext.Unquote(jsontext.Quote(b)) {
			return // not UTF-8
		}
		got, want := cmp.Compare(signing.CompareUTF16(a, b), 0), compareUnits(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got != want {
			t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
		}
	})
}

func compareUnits(a, b []uint16) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}
