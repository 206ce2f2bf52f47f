package schema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
)

// A sentence names a bound with every digit, whoever judges the field: what it says
// may be sent has to be taken.
func TestBoundsAreExact(t *testing.T) {
	e := schema.MustCompile([]schema.Source{{File: "views/n.yaml", Name: "n", View: true, Data: []byte(`
properties:
  any: {type: integer}
  most: {type: integer, maximum: 9007199254740993}
  least: {type: number, minimum: -9223372036854775808}
  step: {type: number, multipleOf: 0.01}
  engine: {type: integer, exclusiveMaximum: 9223372036854775807, not: {const: 3}}
`)}}, nil, nil).Entity("n")
	for body, want := range map[string]string{
		`{"any": 9223372036854775808}`:    "must be at most 9223372036854775807",
		`{"any": 1e30}`:                   "must be at most 9223372036854775807",
		`{"any": -9223372036854775809}`:   "must be at least -9223372036854775808",
		`{"most": 9007199254740994}`:      "must be at most 9007199254740993",
		`{"least": -9223372036854775809}`: "must be at least -9223372036854775808",
		`{"step": 0.005}`:                 "must be a multiple of 0.01",
		`{"engine": 9223372036854775807}`: "must be less than 9223372036854775807",

		`{"any": 9223372036854775807}`:    "",
		`{"any": -9223372036854775808}`:   "",
		`{"most": 9007199254740993}`:      "",
		`{"least": -9223372036854775808}`: "",
		`{"engine": 9223372036854775806}`: "",
	} {
		_, details := e.Judge(schema.Plain, json.RawMessage(body), "")
		got := ""
		for _, d := range details {
			got += d.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// A decimal that is none is refused wherever a card has the format, by the checker
// and by the engine alike, and so is one nobody would want to compare.
func TestDecimal(t *testing.T) {
	e := schema.MustCompile([]schema.Source{{File: "views/d.yaml", Name: "d", View: true, Data: []byte(`
properties:
  plain: {type: string, format: decimal}
  list: {type: array, items: {type: [string, 'null'], format: decimal}}
  inner: {type: object, properties: {a: {type: string, format: decimal}}}
  engine: {type: string, format: decimal, not: {const: "7"}}
`)}}, nil, nil).Entity("d")
	long := fmt.Sprintf("%0100d", 7)
	for _, s := range []string{"0", "-0", "12.50", "-3.5", "007", long} {
		if !format.IsDecimal(s) {
			t.Errorf("IsDecimal(%q) = false", s)
		}
	}
	for _, s := range []string{"", "-", ".", ".5", "5.", "+1", "1e5", "1,5", " 1", "1 ", "--1", "NaN", "Infinity", "0x1", "١", "1.2.3", long + "0"} {
		if format.IsDecimal(s) {
			t.Errorf("IsDecimal(%q) = true", s)
		}
		text, _ := json.Marshal(s)
		body := fmt.Sprintf(`{"plain": %s, "list": [null, %[1]s], "inner": {"a": %[1]s}, "engine": %[1]s}`, text)
		_, details := e.Judge(schema.Create, json.RawMessage(body), "/body")
		if diff := cmp.Diff([]string{"/body/plain format", "/body/list/1 format", "/body/inner/a format", "/body/engine format"}, said(details)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", s, diff)
		}
		if want := "must be a decimal such as 12.50"; details[0].Message != want {
			t.Errorf("%q: %s, want %s", s, details[0].Message, want)
		}
	}
	if _, details := e.Judge(schema.Create, json.RawMessage(`{"plain": "12.50", "list": ["-1", null], "inner": {"a": "0.0"}, "engine": "8"}`), ""); len(details) > 0 {
		t.Errorf("decimals are refused: %v", details)
	}
}

// What a list of ids is called as a relation: the plural of what stands before Ids,
// unless that is one already.
func TestNamesOfLists(t *testing.T) {
	for field, want := range map[string][2]string{ // the relation, and its key
		"companionIds":  {"companions", "companionIds"},
		"tag_ids":       {"tags", "tag_ids"},
		"tagsIds":       {"tags", "tagsIds"},
		"categoriesIds": {"categories", "categoriesIds"},
		"boxesIDs":      {"boxes", "boxesIDs"},
		"addressIds":    {"addresses", "addressIds"},
		"statusIds":     {"statuses", "statusIds"},
		"atlasIds":      {"atlases", "atlasIds"},
		"relatedIds":    {"relateds", "relatedIds"}, //nolint:misspell // what the rule makes of it; who minds calls the field related
		"related":       {"related", "relatedIds"},
		"children":      {"children", "childrenIds"},
		"tags":          {"tags", "tagIds"},
	} {
		set := schema.MustCompile([]schema.Source{
			{File: "a.yaml", Name: "a", Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  " + field + ": {x-kit: {role: {relation: {to: tag, kind: many}}}}")},
			{File: "tag.yaml", Name: "tag", Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}")},
		}, nil, nil)
		if l := set.Entity("a").Fields[1].Link; [2]string{l.Name, l.Key} != want {
			t.Errorf("%s: %s and %s, want %s", field, l.Name, l.Key, want)
		}
	}
}

// Equal shapes share what judges them, but not their faults: every card that makes a
// mistake has the fault.
func TestTheSameMistakeTwice(t *testing.T) {
	const card = "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  code: {type: string, pattern: '(?=a)'}\n  same: {type: string, pattern: '(?=a)'}\n"
	_, err := schema.Compile([]schema.Source{
		{File: "a.yaml", Name: "a", Data: []byte(card)}, {File: "b.yaml", Name: "b", Data: []byte(card)},
	}, nil, nil)
	var at []string
	faults, _ := err.(schema.Faults) //nolint:errorlint // Compile's error is Faults itself
	for _, f := range faults {
		at = append(at, f.File+"#"+f.Pointer)
	}
	want := []string{"a.yaml#/properties/code/pattern", "a.yaml#/properties/same/pattern", "b.yaml#/properties/code/pattern", "b.yaml#/properties/same/pattern"}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
