package sample_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/frondhost/frond/describe/sample"
)

// TestIDs makes the ids of rows: all differ, and a shape without a further value gives no id.
func TestIDs(t *testing.T) {
	for _, c := range []struct {
		shape string
		i     int
		want  string // a pattern of the whole text; "": no id
	}{
		{`{"type":"string"}`, 0, `"product-1"`},
		{`{"type":"string","maxLength":2}`, 6, `"7"`},
		{`{"type":"string","minLength":10}`, 0, `"product-01"`},
		{`{"type":"string","format":"uuid"}`, 0, `"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"`},
		{`{"type":"string","pattern":"^[A-Z]{2}-\\d{4}$"}`, 0, `"[A-Z]{2}-\d{4}"`},
		{`{"type":"integer"}`, 4, `5`},
		{`{"type":"integer","minimum":100,"multipleOf":5}`, 2, `110`},
		{`{"type":"integer","maximum":3}`, 3, ``},
		{`{"enum":["a","b"]}`, 1, `"b"`},
		{`{"enum":["a","b"]}`, 2, ``},
		{`{"type":"boolean"}`, 2, ``},
		{`{"type":"object"}`, 0, ``},
	} {
		got, ok := sample.ID("product", json.RawMessage(c.shape), json.RawMessage(`{}`), c.i)
		if ok != (c.want != "") || ok && !regexp.MustCompile("^"+c.want+"$").Match(got) {
			t.Errorf("row %d of %s: %s %t, want %s", c.i, c.shape, got, ok, c.want)
		}
		if again, _ := sample.ID("product", json.RawMessage(c.shape), json.RawMessage(`{}`), c.i); string(again) != string(got) {
			t.Errorf("row %d of %s: %s, then %s", c.i, c.shape, got, again)
		}
	}
}

// TestPointers follows references within a card.
func TestPointers(t *testing.T) {
	card := json.RawMessage(`{"$defs":{"a/b":{"$anchor":"money","type":"integer"},"c":{"$id":"https://x.example/c","x":[{"n":7}]}}}`)
	for _, c := range []struct{ uri, pointer, target string }{
		{"#/$defs/c/x/0/n", "/$defs/c/x/0/n", "7"},
		{"#money", "/$defs/a~1b", `{"$anchor":"money","type":"integer"}`},
		{"c#/x/0", "/$defs/c/x/0", `{"n":7}`},
		{"#/$defs/c/x/9", "/$defs/c/x/9", ""},
	} {
		got := sample.Pointer(card, c.uri)
		if got != c.pointer || string(sample.At(card, got)) != c.target {
			t.Errorf("%s: %s with %s, want %s with %s", c.uri, got, sample.At(card, got), c.pointer, c.target)
		}
	}
}
