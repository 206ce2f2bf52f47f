package jsontext_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/frondhost/frond/schema/jsontext"
)

func TestCheckRefuses(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	const half = "half a surrogate pair is not a character; escape both halves, or write the character itself"
	tests := []struct {
		name, text, want, pointer string
	}{
		{"nothing", ``, "line 1, column 1: there is no JSON value, only an empty text", ""},
		{"white space alone", " \n ", "line 2, column 2: there is no JSON value, only an empty text", ""},
		{"a bare word", `hello`, "line 1, column 1: this is not a JSON value; write strings in double quotes", ""},
		{"half a literal", `[tru]`, "line 1, column 2: this is not a JSON value; write strings in double quotes", "/0"},
		{"single quotes", `{'a': 1}`, "line 1, column 2: expected a key in double quotes", ""},
		{"two values", `1 2`, "line 1, column 3: there is more text after the value; send one value", ""},
		{"an open object", `{"a": 1`, "line 1, column 8: the text ends inside an object or a list", "/a"},
		{"an object that ends in a comma", `{"a": 1,}`, "line 1, column 9: expected a key in double quotes", "/a"},
		{"a list that ends in a comma", "[1,\n 2,\n]", "line 3, column 1: this is not a JSON value; write strings in double quotes", "/2"},
		{"no colon", `{"a" 1}`, "line 1, column 6: expected a colon after the key", "/a"},
		{"no comma", `{"a": 1 "b": 2}`, "line 1, column 9: expected a comma or }", "/a"},
		{"no comma in a list", `[1 2]`, "line 1, column 4: expected a comma or ]", "/0"},
		{"brackets crossed", `{"a": [1}`, "line 1, column 9: expected a comma or ]", "/a/0"},
		{"a missing value", `{"a":`, "line 1, column 6: the text ends where a value is expected", "/a"},
		{"a string left open", `{"ä": "xyz`, "line 1, column 7: this string is not closed", "/ä"},
		{"a control character", "[\"a\tb\"]", "line 1, column 4: a control character in a string has to be escaped", "/0"},
		{"a strange escape", `["\x"]`, "line 1, column 3: JSON knows no such escape in a string", "/0"},
		{"a short escape", `["\u00g0"]`, `line 1, column 3: expected four hexadecimal digits after \u`, "/0"},
		{"the first half of a pair alone", `{"a": "x\ud800"}`, "line 1, column 9: " + half, "/a"},
		{"the second half of a pair alone", `["\uDC00"]`, "line 1, column 3: " + half, "/0"},
		{"the first half of a pair twice", `["\ud800\udbff\udc00"]`, "line 1, column 3: " + half, "/0"},
		{"the halves of a pair crossed", `["\udc00\ud800"]`, "line 1, column 3: " + half, "/0"},
		{"half a pair before another escape", `["\ud800\n"]`, "line 1, column 3: " + half, "/0"},
		{"half a pair before digits that are none", `["\ud800\uDCzz"]`, "line 1, column 3: " + half, "/0"},
		{"half a pair behind a whole one", `["\ud83d\ude00\ude00"]`, "line 1, column 15: " + half, "/0"},
		{"half a pair in a key", `{"b": 1, "\ud800": 1}`, "line 1, column 11: " + half, "/b"},
		{"half a pair at the end of the text", `["\ud800`, "line 1, column 3: " + half, "/0"},
		{"half a pair as bytes", "[\"\xed\xa0\x80\"]", "line 1, column 3: the text is not UTF-8; send it as UTF-8", "/0"},
		{"a number with a leading zero", `[01]`, "line 1, column 3: expected a comma or ]", "/0"},
		{"a number without digits", `[-]`, "line 1, column 3: this number is not one JSON can write", "/0"},
		{"a fraction without digits", `[1.]`, "line 1, column 4: this number is not one JSON can write", "/0"},
		{"an exponent without digits", `[1e+]`, "line 1, column 5: this number is not one JSON can write", "/0"},
		{"bytes that are no UTF-8", "[\"\xff\"]", "line 1, column 3: the text is not UTF-8; send it as UTF-8", "/0"},
		{"half a rune", "[\"\xe2\x82\"]", "line 1, column 3: the text is not UTF-8; send it as UTF-8", "/0"},
		{"a key twice", `{"a": {"b": 1, "c": 2, "b": 3}}`, `line 1, column 24: the key "b" occurs twice in one object; leave one of them out`, "/a/b"},
		{"a key twice, once escaped", `{"a": 1, "\u0061": 3}`, `line 1, column 10: the key "\u0061" occurs twice in one object; leave one of them out`, "/a"},
		{"a key twice among many", `{` + strings.Join(many, ",") + `,"k3":0}`, `the key "k3" occurs twice in one object; leave one of them out`, "/k3"},
		{"a key twice in a row like the one before", `[{"a":1,"b":2},{"a":1,"b":2,"a":3}]`, `line 1, column 29: the key "a" occurs twice in one object; leave one of them out`, "/1/a"},
		{"a key twice in a row that ceases to be like it", `[{"a":1,"b":2,"c":3},{"a":1,"b":2,"d":3,"a":4}]`, `line 1, column 41: the key "a" occurs twice in one object; leave one of them out`, "/1/a"},
		{"a key of a row before that had escapes", `[{"a\"b":1},{"a"b":1}]`, "line 1, column 17: expected a colon after the key", "/1/a"},
		{"a wrong value in a row like the one before", `[{"a":1,"b":[{"c":1}]},{"a":1,"b":[{"c":1},{"c":x}]}]`, "line 1, column 49: this is not a JSON value; write strings in double quotes", "/1/b/1/c"},
		{"too deep", strings.Repeat("[", 101) + strings.Repeat("]", 101), "line 1, column 101: the text is nested deeper than 100 levels; send less deep a value", strings.Repeat("/0", 100)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := jsontext.Check([]byte(test.text))
			var at *jsontext.Error
			if !errors.As(err, &at) {
				t.Fatalf("Check(%s) = %v, want an *Error", test.text, err)
			}
			if got := at.Error(); got != test.want && !strings.HasSuffix(got, ": "+test.want) {
				t.Errorf("Check says %q\n    want %q", got, test.want)
			}
			if at.Pointer != test.pointer {
				t.Errorf("pointer is %q, want %q", at.Pointer, test.pointer)
			}
		})
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, text := range []string{
		`null`, ` true `, `false`, `0`, `-0.0e+10`, `"ä€😀"`, `{}`, `[]`, `[[], {}]`,
		`{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}`,
		`[{"a":1,"b":2,"c":3}, {"a":1,"b":2}, {"a":1,"b":2,"c":3}, {"b":1,"a":2}, {"b":1,"c":2,"a":3}, {}, {"a":1}]`,
		`[{"a":[{"b":1},{"b":2}],"c":{"a":1}}, {"a":[{"a":1,"c":2}],"c":{"c":1}}, [{"a":1}], {"a":[],"c":1}]`,
		`"\ud83d\uDE00"`, `{"\uD83D\ude00": "x\udbff\udfffy\ue000\ud7ff"}`,
		strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		if err := jsontext.Check([]byte(text)); err != nil {
			t.Errorf("Check(%s) = %v", text, err)
		}
	}
}

// reference says what Check says, slowly, through encoding/json.
func reference(data []byte) bool {
	return utf8.Valid(data) && json.Valid(data) && !halves(data) && sound(jsontext.Trim(data), 0)
}

// halves says whether half a surrogate pair is escaped in valid JSON.
func halves(data []byte) bool {
	text := strings.ReplaceAll(strings.ToLower(string(data)), `\\`, "")
	return lone.MatchString(pair.ReplaceAllString(text, ""))
}

var (
	pair = regexp.MustCompile(`\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	lone = regexp.MustCompile(`\\ud[89a-f]`)
)

func sound(v []byte, depth int) bool {
	dec := json.NewDecoder(strings.NewReader(string(v)))
	dec.UseNumber() // how large a number may be is no matter of syntax
	tok, err := dec.Token()
	if err != nil {
		return false
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return true
	}
	if depth == jsontext.MaxDepth {
		return false
	}
	seen := map[string]bool{}
	for dec.More() {
		if delim == '{' {
			name, _ := dec.Token()
			if seen[name.(string)] {
				return false
			}
			seen[name.(string)] = true
		}
		var inner json.RawMessage
		if dec.Decode(&inner) != nil || !sound(inner, depth+1) {
			return false
		}
	}
	return true
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e3,{"b":null}],"c":"\u00e9\ud800","d":true}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[1,]`, `01`, "\"\xff\"",
		`{"` + strings.Repeat(`k":1,"`, 20) + `z":1}`, strings.Repeat("[", 101), `"\\\""`, `[{"a":1,"b":2},{"a":1,"c":2,"a":3},{"a\"b":1},{"a"b":1}]`, `-`, `1.e5`, `{"":{"":1}}`, "\ufeff1",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := jsontext.Check(data)
		if got, want := err == nil, reference(data); got != want {
			t.Fatalf("Check(%q) = %v, encoding/json says %v", data, err, want)
		}
		if err != nil {
			return
		}
		// What passed can be walked, and every span is again a value.
		walk(t, jsontext.Trim(data))
	})
}

// walk holds Members, Elements, Unquote and Skip against encoding/json.
func walk(t *testing.T, v []byte) {
	t.Helper()
	if end := jsontext.Skip(v, 0); end != len(v) {
		t.Fatalf("Skip(%q) = %d", v, end)
	}
	switch jsontext.KindOf(v) {
	case jsontext.Object:
		var want map[string]json.RawMessage
		if err := json.Unmarshal(v, &want); err != nil {
			t.Fatal(err)
		}
		n := 0
		for name, value := range jsontext.Members(v) {
			n++
			if string(want[name]) != string(value) {
				t.Fatalf("member %q of %q is %q, want %q", name, v, value, want[name])
			}
			walk(t, value)
		}
		if n != len(want) {
			t.Fatalf("%q has %d members, want %d", v, n, len(want))
		}
	case jsontext.Array:
		var want []json.RawMessage
		if err := json.Unmarshal(v, &want); err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, value := range jsontext.Elements(v) {
			if i != n || string(want[i]) != string(value) {
				t.Fatalf("element %d of %q is %q, want %q", i, v, value, want[i])
			}
			n++
			walk(t, value)
		}
		if n != len(want) {
			t.Fatalf("%q has %d elements, want %d", v, n, len(want))
		}
	case jsontext.String:
		var want string
		if err := json.Unmarshal(v, &want); err != nil {
			t.Fatal(err)
		}
		if got := jsontext.Unquote(v); got != want {
			t.Fatalf("Unquote(%q) = %q, want %q", v, got, want)
		}
		var back string
		if err := json.Unmarshal(jsontext.Quote(want), &back); err != nil || back != want {
			t.Fatalf("Quote(%q) reads back as %q (%v)", want, back, err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	row := `{"id":"tz4a98xxat96iws9zmbrgj3a","title":"A quiet morning in the harbour","price":12.5,"stock":40,"tags":["sea","morning"],"createdAt":"2026-05-01T10:00:00.000Z"}`
	text := []byte(`{"items":[` + strings.Repeat(row+",", 99) + row + `],"total":100}`)
	b.Run("one row", func(b *testing.B) {
		b.SetBytes(int64(len(row)))
		b.ReportAllocs()
		for b.Loop() {
			if jsontext.Check([]byte(row)) != nil {
				b.Fatal("refused")
			}
		}
	})
	b.Run("a page of 100", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if jsontext.Check(text) != nil {
				b.Fatal("refused")
			}
		}
	})
	wide := `{"column0":0`
	for i := range 30 {
		wide += fmt.Sprintf(`,"column%d":%d`, i+1, i)
	}
	rows := []byte("[" + strings.Repeat(wide+"},", 99) + wide + "}]")
	b.Run("a hundred wide rows", func(b *testing.B) {
		b.SetBytes(int64(len(rows)))
		b.ReportAllocs()
		for b.Loop() {
			if jsontext.Check(rows) != nil {
				b.Fatal("refused")
			}
		}
	})
	b.Run("json.Valid alone", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if !json.Valid(text) {
				b.Fatal("refused")
			}
		}
	})
}
