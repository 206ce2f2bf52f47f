package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema/jsontext"
)

// The judge is compared with the engine alone: the same card compiled as plain JSON
// Schema and the body decoded into maps. In Plain mode both give the same verdict,
// except for unknown keys, which JSON Schema does not refuse.

const pairCard = `{"properties": {
	"text": {"type": "string", "minLength": 1, "maxLength": 4, "pattern": "^[^x]*$"},
	"note": {"type": ["string", "null"], "enum": ["a", "b", null, 3, {"k": [1, 2.0]}]},
	"count": {"type": "integer", "minimum": -3, "exclusiveMaximum": 1e3},
	"ratio": {"type": ["number", "null"], "maximum": 0.3, "multipleOf": 0.1},
	"flag": {"type": "boolean"},
	"one": {"const": {"a": 1, "b": [true, "é"]}},
	"when": {"type": "string", "format": "date-time"},
	"day": {"format": "date", "type": ["string", "integer"]},
	"id": {"type": "string", "format": "uuid"},
	"mail": {"type": "string", "format": "email", "minLength": 3},
	"list": {"type": "array", "items": {"type": ["integer", "string"], "minimum": 2, "maxLength": 2}, "minItems": 1, "maxItems": 4, "uniqueItems": true},
	"any": {},
	"no": false,
	"nested": {"type": "object", "required": ["a", "zz"], "minProperties": 1, "maxProperties": 3, "properties": {
		"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "null"}}, "required": ["c"]}},
		"zz": {"type": "string"}}},
	"bare": {"type": "object"},
	"choice": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
	"map": {"type": "object", "additionalProperties": {"type": "integer", "maximum": 3}}
}, "required": ["text", "nested"]}`

type pair struct {
	entity *Entity
	engine *jsonschema.Schema
}

func newPair(t testing.TB) *pair {
	set, err := Compile([]Source{{File: "pair.json", Name: "pair", View: true, Data: []byte(pairCard)}}, nil, &CompileOptions{Remote: map[string]bool{"": true}})
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entity("pair")
	g := engine{doc: func() []byte { return e.Card.AppendJSON(nil) }, fault: func(at, message, remedy string) { t.Fatal(at, message, remedy) }}
	return &pair{e, g.at("")}
}

// compare holds both against a body that passed jsontext.Check.
func (w *pair) compare(t testing.TB, body []byte) (refusals int) {
	t.Helper()
	_, got := w.entity.Judge(Plain, body, "")
	if len(got) == MaxDetails || !withinNumbers(body) {
		return
	}
	var engineAlone judging
	if jsontext.KindOf(body) != jsontext.Object {
		body = []byte("{}")
		_, got = w.entity.Judge(Plain, body, "")
	}
	engineAlone.engine(w.engine, body)
	if diff := cmp.Diff(texts(engineAlone.details()), texts(got)); diff != "" {
		t.Fatalf("%s\n-engine +judge:\n%s", body, diff)
	}
	return len(got)
}

// texts are details as comparable lines, without those that JSON Schema does not have.
func texts(details []Detail) []string {
	var out []string
	for _, d := range details {
		if d.Code != UnknownKey {
			params, _ := json.Marshal(d.Params)
			out = append(out, fmt.Sprintf("%s %s %s %s", d.Pointer, d.Code, d.Message, params))
		}
	}
	slices.Sort(out)
	return out
}

// withinNumbers says whether all numbers of a body are ones the judge takes: integers
// within 64 bits, others within a double.
func withinNumbers(body []byte) bool {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return false
	}
	var all func(v any) bool
	all = func(v any) bool {
		switch v := v.(type) {
		case json.Number:
			if _, fits := Integer(json.RawMessage(v)); !bounded([]byte(v)) || whole([]byte(v)) && !fits {
				return false
			}
			_, err := v.Float64()
			return err == nil
		case []any:
			for _, x := range v {
				if !all(x) {
					return false
				}
			}
		case map[string]any:
			for _, x := range v {
				if !all(x) {
					return false
				}
			}
		}
		return true
	}
	return all(doc)
}

// TestJudgeIsTheEngine compares the judge with the engine over random bodies.
func TestJudgeIsTheEngine(t *testing.T) {
	w := newPair(t)
	r := rand.New(rand.NewPCG(1, 2))
	valid, refused := 0, 0
	for range 20000 {
		body := appendBody(nil, r, &Shape{Type: "object", Properties: w.entity.Card.Fields})
		if err := jsontext.Check(body); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if w.compare(t, body) == 0 {
			valid++
		} else {
			refused++
		}
	}
	if valid < 100 || refused < 100 {
		t.Errorf("%d bodies were fine and %d were not: that compares too little", valid, refused)
	}
}

// appendBody writes a value that mostly fits a shape.
func appendBody(dst []byte, r *rand.Rand, s *Shape) []byte {
	if fixed := s.Extra.Get("fixed"); fixed != nil {
		return append(dst, fixed...)
	}
	odd := func(n int) bool { return r.IntN(n) == 0 }
	if odd(25) {
		return append(dst, pick(r, `null`, `true`, `0`, `-1.5`, `"x"`, `[]`, `{}`, `[1,1.0]`, `{"a":{"b":null}}`, `"\u0061b"`, `1e2`)...)
	}
	if s.Enum != nil && !odd(4) {
		return append(dst, pick(r, `"a"`, `"\u0062"`, `null`, `3.0`, `{"k":[1.0,2]}`, `{"k": [2, 1]}`)...)
	}
	if s.Extra.Get("const") != nil && !odd(4) {
		return append(dst, pick(r, `{"b":[true,"\u00e9"],"a":1.0}`, `{"a":1}`, `{"a":1,"b":[true,"e"]}`)...)
	}
	switch s.Type {
	case "string":
		return append(dst, pick(r, `""`, `"a"`, `"ab"`, `"abc"`, `"äöü€"`, `"abcde"`, `"x\u00e4"`, `"\ud83d\ude00"`,
			`"2026-05-01T10:00:00Z"`, `"2026-05-01"`, `"0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d42"`, `"a@b.org"`, `"a@"`)...)
	case "integer":
		return append(dst, pick(r, `-4`, `-3`, `0`, `-0`, `2`, `3.0`, `3.5`, `999`, `1000`, `1e3`, `1E-1`, `30e-1`)...)
	case "number":
		return append(dst, pick(r, `0.1`, `0.3`, `0.30`, `0.31`, `-7`, `1e-1`, `0.25`, `12345678901234567.8`)...)
	case "boolean":
		return append(dst, pick(r, `true`, `false`)...)
	case "array":
		dst = append(dst, '[')
		for i := range r.IntN(6) {
			if i > 0 {
				dst = append(dst, ',')
			}
			item := Shape{Type: pick(r, "string", "integer")}
			if s.Items != nil && s.Items.Type != "" {
				item = *s.Items
			}
			dst = appendBody(dst, r, &item)
		}
		return append(dst, ']')
	case "object":
		dst = append(dst, '{')
		n := 0
		member := func(name string, s *Shape) {
			if n++; n > 1 {
				dst = append(dst, ',')
			}
			dst = jsontext.AppendName(dst, name)
			dst = appendBody(dst, r, s)
		}
		for i := range s.Properties {
			switch f := &s.Properties[i]; {
			case f.Name == "text" && !odd(3):
				member(f.Name, &Shape{Extra: Keywords{{Name: "fixed", Value: json.RawMessage(`"abc"`)}}})
			case f.Name == "nested" && !odd(3):
				member(f.Name, &Shape{Extra: Keywords{{Name: "fixed", Value: json.RawMessage(`{"a":1,"zz":"b"}`)}}})
			case f.Name == "no" && !odd(9):
			case odd(3):
				member(f.Name, &f.Shape)
			}
		}
		for i := range r.IntN(3) {
			if odd(4) {
				member(fmt.Sprint("further", i), &Shape{Type: "integer"})
			}
		}
		return append(dst, '}')
	}
	return append(dst, pick(r, `null`, `1`, `"2026-05-01"`, `{}`, `[null]`)...)
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func FuzzJudge(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	w := newPair(f)
	for range 50 {
		f.Add(appendBody(nil, r, &Shape{Type: "object", Properties: w.entity.Card.Fields}))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if jsontext.Check(body) != nil {
			return
		}
		w.compare(t, body)
	})
}

// FuzzReadCard holds that no text breaks the reader, and that a card which was
// read and written is read again as the same card.
func FuzzReadCard(f *testing.F) {
	f.Add("a.json", []byte(pairCard))
	f.Add("a.yaml", []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true, odd: [1]}}}\n  b: &x {type: [integer, 'null'], deprecated: true}\n  c: *x\n  d: {<<: *x, enum: [1, 2.50]}\nx-other: |\n  text\n"))
	f.Add("a.yaml", []byte("of: post\npick: [id]\nx-kit-version: 1\nx-kit-derived: {from: post, survived: [id]}\n"))
	f.Add("a.json", []byte(`{"properties":{"a":{"x-kit":{"a/b":1,"role":{"relation":{"to":"x","kind":"many","by":"y","z":{}},"a~b":2},"lifecycle":{"create":{"value":null},"update":"now"},"boundary":{"in":{"decode":"trim"},"out":"closed"}}}}}`))
	f.Add("a.yaml", []byte("properties:\n  a: {x-kit: {role: {weight: 2}, lifecycle: {review: [ed]}, boundary: {mask: true}, audit: {by: ada}}}\n"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		card, err := ReadCard(file, data)
		if err != nil {
			return
		}
		text := card.AppendJSON(nil)
		again, err := ReadCard("again.json", text)
		if err != nil {
			t.Fatalf("%s\nwas written as\n%s\nwhich cannot be read: %v", data, text, err)
		}
		if diff := cmp.Diff(card, again); diff != "" {
			t.Fatalf("%s\nchanged on its way:\n%s", data, diff)
		}
		if second := again.AppendJSON(nil); !bytes.Equal(text, second) {
			t.Fatalf("written once as\n%s\nand once as\n%s", text, second)
		}
		// Whatever compiles can judge.
		set, err := Compile([]Source{{Name: "fuzzed", View: true, Card: card}}, Builtins(), &CompileOptions{Partial: true})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("a fault without words")
			}
			return
		}
		for _, body := range []string{`{}`, `{"a": 1, "id": "x", "text": null}`, `[]`} {
			for _, mode := range []Mode{Create, Update, Plain} {
				set.Entity("fuzzed").Judge(mode, json.RawMessage(body), "/body")
			}
		}
	})
}
