package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
)

// shop is a small set of cards with every axis the judge looks at.
var shop = schema.MustCompile([]schema.Source{
	{File: "entities/product.yaml", Name: "product", Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  name: {type: string, minLength: 2, maxLength: 10}
  note: {type: [string, 'null'], maxLength: 5}
  price: {type: number, minimum: 0, exclusiveMaximum: 1000, multipleOf: 0.01}
  stock: {type: integer, x-kit: {lifecycle: {create: {value: 0}}}}
  status: {type: string, enum: [draft, live], x-kit: {lifecycle: {create: {value: draft}}}}
  sku: {type: string, pattern: '^[A-Z]{3}-\d+$', x-kit: {lifecycle: {create: optional, update: forbidden}}}
  rank: {type: integer, x-kit: {boundary: {in: closed}}}
  madeAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: now}}}
  tags: {type: array, items: {type: string, minLength: 2}, minItems: 1, maxItems: 3, uniqueItems: true, x-kit: {lifecycle: {create: optional}}}
  size:
    type: object
    required: [width, unit]
    properties:
      width: {type: number}
      height: {type: number}
      unit: {type: string, enum: [mm, cm]}
      label:
        type: object
        properties: {text: {type: string}}
    x-kit: {lifecycle: {create: optional}}
  parts:
    type: array
    items: {type: object, required: [name], properties: {name: {type: string}, 'a/b~c': {type: integer}}}
    x-kit: {lifecycle: {create: optional}}
  extra: {type: object, x-kit: {lifecycle: {create: optional}}}
  labels: {type: object, additionalProperties: {type: string}, x-kit: {lifecycle: {create: optional}}}
  contact:
    type: object
    properties: {email: {type: string}, phone: {type: string}}
    anyOf: [{required: [email]}, {required: [phone]}]
    x-kit: {lifecycle: {create: optional}}
  headers: {type: object, properties: {a: {type: string}}, patternProperties: {'^x-': {type: integer}}, x-kit: {lifecycle: {create: optional}}}
  address: {oneOf: [{type: string}, {type: object, required: [street], properties: {street: {type: string}}}], x-kit: {lifecycle: {create: optional}}}
  makerId: {x-kit: {role: {relation: {to: maker, kind: one}}}}
  colours: {type: array, items: {type: string}, x-kit: {role: {relation: {to: colour, kind: many}}}}
`)},
	{File: "entities/maker.yaml", Name: "maker", Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  products: {x-kit: {role: {relation: {to: product, kind: many}}}}
`)},
	{File: "entities/colour.yaml", Name: "colour", Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
`)},
	{File: "views/bare.yaml", Name: "bare", View: true, Data: []byte(`type: object`)},
	{File: "views/open.yaml", Name: "open", View: true, Data: []byte(`
properties: {a: {type: string}}
additionalProperties: true
`)},
	{File: "views/either.yaml", Name: "either", View: true, Data: []byte(`
properties: {email: {type: string}, phone: {type: string}, name: {type: string}}
anyOf: [{required: [email]}, {required: [phone]}]
dependentRequired: {name: [email]}
maxProperties: 2
`)},
	{File: "views/few.yaml", Name: "few", View: true, Data: []byte(`
properties: {a: {type: string}, b: {type: string}}
required: []
minProperties: 1
maxProperties: 2
`)},
}, schema.Builtins(), nil)

// said is details as a test writes them: pointer, code.
func said(details []schema.Detail) []string {
	out := []string{}
	for _, d := range details {
		out = append(out, d.Pointer+" "+d.Code)
	}
	return out
}

// whole is a body without fault.
const whole = `"name": "Lamp", "note": null, "price": 12.5, "makerId": "m1"`

func TestJudge(t *testing.T) {
	const C, U, P = schema.Create, schema.Update, schema.Plain
	tests := []struct {
		name, entity string
		mode         schema.Mode
		value        string
		want         []string
	}{
		{"a whole body", "product", C, `{` + whole + `}`, nil},
		{"no body counts as {}", "product", C, ``, []string{"/body/name required", "/body/note required", "/body/price required", "/body/makerId required"}},
		{"null counts as {}", "product", C, `null`, []string{"/body/name required", "/body/note required", "/body/price required", "/body/makerId required"}},
		{"null is no patch", "product", U, `null`, []string{"/body type"}},
		{"nor a patch of nested objects", "product", schema.Patch, `null`, []string{"/body type"}},
		{"no patch counts as {}", "product", U, ``, nil},
		{"an array is no body", "product", C, `[]`, []string{"/body type"}},
		{"nor is a string", "product", U, `"x"`, []string{"/body type"}},
		{"a patch of nothing", "product", U, `{}`, nil},
		{"a patch leaves out what it likes", "product", U, `{"note": null}`, nil},

		{
			"unknown keys come first, in input order", "product", C, `{"zeta": 1, "name": "L", "alpha": {}, ` + whole[len(`"name": "Lamp", `):] + `}`,
			[]string{"/body/zeta unknown_key", "/body/alpha unknown_key", "/body/name minLength"},
		},
		{
			"fields follow in declaration order", "product", C, `{"price": -1, "name": 5}`,
			[]string{"/body/name type", "/body/note required", "/body/price minimum", "/body/makerId required"},
		},
		{"null on a field that is not nullable", "product", C, `{` + whole + `, "status": null}`, []string{"/body/status type"}},
		{"a value for a field with a create rule", "product", C, `{` + whole + `, "id": "mine", "stock": 3, "madeAt": "2026-05-01T10:00:00Z"}`, nil},
		{"a closed field at creation", "product", C, `{` + whole + `, "rank": 1}`, []string{"/body/rank read_only"}},
		{"a closed field in a patch", "product", U, `{"rank": 1}`, []string{"/body/rank read_only"}},
		{"a closed field is closed before it is judged", "product", U, `{"rank": "x"}`, []string{"/body/rank read_only"}},
		{"a fixed field at creation", "product", C, `{` + whole + `, "sku": "ABC-1"}`, nil},
		{"a fixed field in a patch", "product", U, `{"sku": "ABC-1"}`, []string{"/body/sku immutable"}},
		{"the primary key in a patch", "product", U, `{"id": "other"}`, []string{"/body/id immutable"}},
		{"what is written on update may be sent", "product", U, `{"madeAt": "2026-05-01T10:00:00Z"}`, nil},
		{"axes aside", "product", P, `{` + whole + `, "rank": 1, "sku": "ABC-1", "id": "x"}`, nil},
		{"required without axes", "product", P, `{}`, []string{"/body/name required", "/body/note required", "/body/price required", "/body/makerId required"}},
		{"the other side of a relation", "maker", C, `{"id": "m", "products": ["p"]}`, []string{"/body/products read_only"}},
		{"a list of ids that stands in the row", "product", C, `{` + whole + `, "colours": ["red"]}`, nil},

		{"lengths count code points", "product", U, `{"name": "ääääääääää", "note": "😀😀😀😀😀"}`, nil},
		{"not bytes", "product", U, `{"name": "ä", "note": "😀😀😀😀😀😀"}`, []string{"/body/name minLength", "/body/note maxLength"}},
		{"escapes count as what they stand for", "product", U, `{"name": "\u00e4\u00e4\n\\\"\ud83d\ude00"}`, nil},
		{"3.0 is an integer", "product", U, `{"stock": 3.0}`, nil},
		{"3e2 too", "product", U, `{"stock": 3e2}`, nil},
		{"3.5 is not", "product", U, `{"stock": 3.5}`, []string{"/body/stock type"}},
		{"nothing is coerced", "product", U, `{"stock": "3", "price": "1", "name": 5}`, []string{"/body/name type", "/body/price type", "/body/stock type"}},
		{"an integer beyond 64 bits", "product", U, `{"stock": 9223372036854775808}`, []string{"/body/stock maximum"}},
		{"or below", "product", U, `{"stock": -1e300}`, []string{"/body/stock minimum"}},
		{"a number no double can hold", "product", U, `{"price": 1e400, "stock": 1e999999999}`, []string{"/body/price type", "/body/stock type"}},
		{"bounds are exact", "product", U, `{"price": 999.99}`, nil},
		{"an exclusive bound", "product", U, `{"price": 1000}`, []string{"/body/price exclusiveMaximum"}},
		{"several refusals of one field", "product", U, `{"price": -0.001}`, []string{"/body/price minimum", "/body/price multipleOf"}},
		{"a pattern", "product", C, `{` + whole + `, "sku": "abc"}`, []string{"/body/sku pattern"}},
		{"an enum", "product", U, `{"status": "gone"}`, []string{"/body/status enum"}},
		{"an enum met through an escape", "product", U, `{"status": "\u0064raft"}`, nil},
		{"a key met through an escape", "product", U, `{"st\u0061tus": "gone"}`, []string{"/body/status enum"}},

		{"items by their place", "product", U, `{"tags": ["ok", "x", 5]}`, []string{"/body/tags/1 minLength", "/body/tags/2 type"}},
		{"too few items", "product", U, `{"tags": []}`, []string{"/body/tags minItems"}},
		{"too many, and twice", "product", U, `{"tags": ["aa", "bb", "aa", "cc"]}`, []string{"/body/tags maxItems", "/body/tags uniqueItems"}},
		{"twice through an escape", "product", U, `{"tags": ["aa", "\u0061a"]}`, []string{"/body/tags uniqueItems"}},
		{"the other side of a relation, empty", "maker", C, `{"id": "m", "products": [ ]}`, nil},
		{"with members", "maker", C, `{"id": "m", "products": ["p"]}`, []string{"/body/products read_only"}},
		{"or in a patch", "maker", U, `{"products": []}`, []string{"/body/products read_only"}},
		{"a nested object", "product", U, `{"size": {"width": 1, "unit": "mm", "label": {"text": "a"}}}`, nil},
		{"whole at update too", "product", U, `{"size": {"height": "x"}}`, []string{"/body/size/width required", "/body/size/height type", "/body/size/unit required"}},
		{
			"unknown keys at any depth come first", "product", U, `{"size": {"depth": 1, "label": {"colour": 1}, "width": "x"}, "oops": 1}`,
			[]string{"/body/size/depth unknown_key", "/body/size/label/colour unknown_key", "/body/oops unknown_key", "/body/size/width type", "/body/size/unit required"},
		},
		{
			"objects in an array", "product", U, `{"parts": [{"name": "a"}, {"nome": "b"}, 3, {"name": "d", "a/b~c": "x"}]}`,
			[]string{"/body/parts/1/nome unknown_key", "/body/parts/1/name required", "/body/parts/2 type", "/body/parts/3/a~1b~0c type"},
		},
		{"a bare object takes any object", "product", U, `{"extra": {"any": [1, {"thing": null}]}}`, nil},
		{"and nothing else", "product", U, `{"extra": []}`, []string{"/body/extra type"}},
		{"a map by the engine", "product", U, `{"labels": {"b": 1, "a": "x", "c": null}}`, []string{"/body/labels/b type", "/body/labels/c type"}},
		{"a number beyond sense does not reach the engine", "product", U, `{"labels": {"a": 1e999999999}}`, []string{"/body/labels type"}},
		{"a choice by the engine is one refusal", "product", U, `{"contact": {}}`, []string{"/body/contact anyOf"}},
		{"exactly one of several is one refusal", "product", U, `{"address": {}}`, []string{"/body/address oneOf"}},
		{"either of them fits", "product", U, `{"address": {"street": "x"}}`, nil},
		{"keys by their pattern are no unknown ones", "product", U, `{"headers": {"x-a": 1, "a": "b"}}`, nil},
		{"and are judged", "product", U, `{"headers": {"x-a": "1"}}`, []string{"/body/headers/x-a type"}},
		{"unknown keys beside a choice", "product", U, `{"contact": {"fax": "1", "email": "a"}}`, []string{"/body/contact/fax unknown_key"}},

		{"a bare card takes any object", "bare", P, `{"a": 1, "b": {}}`, nil},
		{"an open card takes further keys", "open", P, `{"b": 1, "a": 2}`, []string{"/body/a type"}},
		{"what a card says about the whole", "either", C, `{"name": "x"}`, []string{"/body anyOf", "/body/email dependentRequired"}},
		{"is not asked of a patch", "either", U, `{"name": "x"}`, nil},
		{"fewer keys than the card wants", "few", C, `{}`, []string{"/body minProperties"}},
		{"as few as it takes", "few", C, `{"a": "x"}`, nil},
		{"as many as it takes", "few", C, `{"a": "x", "b": "y"}`, nil},
		{"more than it takes", "few", C, `{"a": "x", "b": "y", "c": "z"}`, []string{"/body/c unknown_key", "/body maxProperties"}},
		{"the number of keys is not asked of a patch", "few", U, `{}`, nil},
		{"unknown keys count as keys", "either", C, `{"email": "x", "phone": "y", "name": "z"}`, []string{"/body maxProperties"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, details := shop.Entity(test.entity).Judge(test.mode, json.RawMessage(test.value), "/body")
			want := test.want
			if want == nil {
				want = []string{}
			}
			if diff := cmp.Diff(want, said(details)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestPatchOfAnObjectThatTheEngineJudges: its members are judged each by itself, and what
// depends on members that stand in the row is not.
func TestPatchOfAnObjectThatTheEngineJudges(t *testing.T) {
	card := schema.MustCompile([]schema.Source{{File: "entities/thing.yaml", Name: "thing", Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  contact:
    type: [object, 'null']
    required: [email, place]
    minProperties: 2
    maxProperties: 3
    dependentRequired: {phone: [email]}
    if: {required: [phone]}
    then: {properties: {email: {const: none}}}
    properties:
      email: {type: string}
      phone: {type: integer}
      place: {type: object, required: [city], properties: {city: {type: string}, tags: {type: array, items: {type: string}}}}
`)}}, schema.Builtins(), nil).Entity("thing")
	for _, tt := range []struct{ body, want string }{
		{`{"contact": null}`, ""},
		{`{"contact": {}}`, ""},
		{`{"contact": {"phone": 5}}`, ""},
		{`{"contact": {"phone": 1e30}}`, ""}, // as the engine, which keeps JSON
		{`{"contact": {"place": {}}}`, ""},
		{`{"contact": []}`, "type /contact"},
		{`{"contact": {"phone": "5", "email": null}}`, "type /contact/email, type /contact/phone"},
		{`{"contact": {"place": {"city": null, "tags": ["a", 1], "zip": 1}}}`, "unknown_key /contact/place/zip, type /contact/place/city, type /contact/place/tags/1"},
		{`{"contact": {"place": "x", "fax": 1}}`, "unknown_key /contact/fax, type /contact/place"},
		{`{"contact": {"a": 1, "b": 1, "c": 1, "d": 1}}`, "unknown_key /contact/a, unknown_key /contact/b, unknown_key /contact/c, unknown_key /contact/d, maxProperties /contact"},
	} {
		_, details := card.Judge(schema.Patch, json.RawMessage(tt.body), "")
		var got []string
		for _, d := range details {
			got = append(got, d.Code+" "+d.Pointer)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.body, diff)
		}
	}
}

func TestJudgeAnswersMembersInDeclarationOrder(t *testing.T) {
	got, details := shop.Entity("product").Judge(schema.Create, json.RawMessage(`{"makerId": "m1", "price":  12.50 ,"note":null, "n\u0061me":"Lamp", "size": {"unit": "mm", "width": 3.0}}`), "/body")
	want := schema.Object{
		{Name: "name", Value: json.RawMessage(`"Lamp"`)},
		{Name: "note", Value: json.RawMessage(`null`)},
		{Name: "price", Value: json.RawMessage(`12.50`)},
		{Name: "size", Value: json.RawMessage(`{"unit": "mm", "width": 3.0}`)},
		{Name: "makerId", Value: json.RawMessage(`"m1"`)},
	}
	if len(details) > 0 {
		t.Fatal(details)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got, _ = shop.Entity("open").Judge(schema.Plain, json.RawMessage(`{"z": 1, "a": "x", "b": 2}`), "")
	if diff := cmp.Diff([]string{"a", "z", "b"}, []string{got[0].Name, got[1].Name, got[2].Name}); diff != "" {
		t.Errorf("further keys follow in input order: -want +got:\n%s", diff)
	}
}

// TestDetails holds the whole of a detail: path, pointer, code, message, params.
func TestDetails(t *testing.T) {
	body := `{"oops": 1, "name": "L", "note": 5, "price": 1000, "status": "gone", "sku": "x", "rank": 1, "madeAt": "soon",
		"tags": ["a"], "size": {"unit": "in"}, "parts": [{"name": null}], "makerId": null}`
	_, details := shop.Entity("product").Judge(schema.Create, json.RawMessage(body), "/body")
	var b strings.Builder
	for _, d := range details {
		params, _ := json.Marshal(d.Params)
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s\n", d.Path, d.Pointer, d.Code, d.Message, params)
	}
	const want = `oops | /body/oops | unknown_key | is not part of the card; leave it out | null
name | /body/name | minLength | must have at least 2 characters | {"limit":2}
note | /body/note | type | must be a string or null | {"type":["string","null"]}
price | /body/price | exclusiveMaximum | must be less than 1000 | {"limit":1000}
status | /body/status | enum | must be one of draft, live | {"values":["draft","live"]}
sku | /body/sku | pattern | must match the pattern ^[A-Z]{3}-\d+$ | {"pattern":"^[A-Z]{3}-\\d+$"}
rank | /body/rank | read_only | is written by the host alone; leave it out | null
madeAt | /body/madeAt | format | must be a date-time such as 2026-05-01T10:30:00Z | {"format":"date-time"}
tags.0 | /body/tags/0 | minLength | must have at least 2 characters | {"limit":2}
size.width | /body/size/width | required | is required | null
size.unit | /body/size/unit | enum | must be one of mm, cm | {"values":["mm","cm"]}
parts.0.name | /body/parts/0/name | type | must be a string, not null | {"type":"string"}
makerId | /body/makerId | type | must be a string, not null | {"type":"string"}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A detail that came over a wire is the one that was sent.
	text, _ := json.Marshal(details)
	var back []schema.Detail
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(details, back); diff != "" {
		t.Errorf("changed on the wire: -sent +read:\n%s", diff)
	}
}

func TestDetailsNeverEchoValues(t *testing.T) {
	const secret = "s3cr3t-v4lue"
	for _, body := range []string{
		`{"name": "%s-longer", "note": "%s", "price": "%s", "status": "%s", "sku": "%s", "madeAt": "%s", "tags": ["%s", "%s"], "extra": "%s"}`,
		`{"size": "%s", "parts": ["%s"], "labels": {"a": ["%s"]}, "contact": {"email": ["%s"], "phone": "%s"}, "makerId": {"%[1]s": 1}}`,
	} {
		body = strings.ReplaceAll(strings.ReplaceAll(body, "%s", secret), "%[1]s", secret)
		_, details := shop.Entity("product").Judge(schema.Create, json.RawMessage(body), "/body")
		if len(details) < 5 {
			t.Errorf("only %d details: %v", len(details), details)
		}
		if text, _ := json.Marshal(details); strings.Contains(string(text), secret) {
			t.Errorf("a value stands in the details: %s", text)
		}
	}
}

func TestDetailsStopAtTheCap(t *testing.T) {
	var unknown, items []string
	for i := range 150 {
		unknown = append(unknown, fmt.Sprintf(`"x%d": 1`, i))
		items = append(items, "1")
	}
	for _, body := range []string{
		`{` + strings.Join(unknown, ",") + `}`,
		`{"parts": [` + strings.Join(items, ",") + `]}`,
		`{"parts": [` + strings.Join(items, ",") + `], ` + strings.Join(unknown[:60], ",") + `}`,
	} {
		_, details := shop.Entity("product").Judge(schema.Update, json.RawMessage(body), "/body")
		if len(details) != schema.MaxDetails {
			t.Errorf("%d details, want %d", len(details), schema.MaxDetails)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	small := json.RawMessage(`{` + whole + `}`)
	large := json.RawMessage(`{` + whole + `, "stock": 4, "status": "live", "sku": "ABC-123", "madeAt": "2026-05-01T10:00:00Z", "tags": ["one", "two"], "size": {"width": 3, "unit": "mm"}, "parts": [{"name": "a"}, {"name": "b"}]}`)
	engine := json.RawMessage(`{"contact": {"email": "a@example.org"}}`)
	e := shop.Entity("product")
	for _, bench := range []struct {
		name string
		mode schema.Mode
		body json.RawMessage
	}{{"four fields", schema.Create, small}, {"twelve fields", schema.Create, large}, {"one field by the engine", schema.Update, engine}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, details := e.Judge(bench.mode, bench.body, "/body"); len(details) > 0 {
					b.Fatal(details)
				}
			}
		})
	}
}
