package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// cards compiles cards given as name: text; names that begin with "views/" are views.
func cards(t *testing.T, texts ...string) *schema.Set {
	t.Helper()
	set, err := compileTexts(nil, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func compileTexts(opts *schema.CompileOptions, texts ...string) (*schema.Set, error) {
	var sources []schema.Source
	for i := 0; i < len(texts); i += 2 {
		name, view := strings.CutPrefix(texts[i], "views/")
		sources = append(sources, schema.Source{File: name + ".yaml", Name: name, View: view, Data: []byte(texts[i+1])})
	}
	return schema.Compile(sources, schema.Builtins(), opts)
}

const id = `id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}`

func TestKinds(t *testing.T) {
	e := cards(t, "thing", `
properties:
  `+id+`
  integer: {type: integer}
  number: {type: [number, 'null']}
  boolean: {type: boolean}
  dateTime: {type: string, format: date-time}
  date: {type: string, format: date}
  decimal: {type: string, format: decimal}
  uuid: {type: string, format: uuid}
  array: {type: array}
  object: {type: object}
  union: {type: [string, integer]}
  words: {enum: [a, b, null]}
  numbers: {enum: [1, 2]}
  mixed: {enum: [1, a]}
  fixed: {const: true}
  anything: {}
`).Entity("thing")
	want := map[string]schema.Kind{
		"id": schema.KindString, "integer": schema.KindInteger, "number": schema.KindNumber, "boolean": schema.KindBoolean,
		"dateTime": schema.KindDateTime, "date": schema.KindDate, "decimal": schema.KindDecimal, "uuid": schema.KindString,
		"array": schema.KindJSON, "object": schema.KindJSON, "union": schema.KindJSON, "words": schema.KindString,
		"numbers": schema.KindInteger, "mixed": schema.KindJSON, "fixed": schema.KindBoolean, "anything": schema.KindJSON,
	}
	nullable := map[string]bool{"number": true, "words": true, "anything": true}
	for _, p := range e.Fields {
		if p.Kind != want[p.Name] {
			t.Errorf("%s is of kind %d, want %d", p.Name, p.Kind, want[p.Name])
		}
		if p.Shape.Nullable != nullable[p.Name] {
			t.Errorf("%s: nullable is %v", p.Name, p.Shape.Nullable)
		}
	}
}

// TestPresence holds spec 2.3: who has to supply a field, and what may be null in a row.
func TestPresence(t *testing.T) {
	const fields = `
properties:
  ` + id + `
  plain: {type: string}
  nullable: {type: [string, 'null']}
  valued: {type: string, x-kit: {lifecycle: {create: {value: x}}}}
  optional: {type: string, x-kit: {lifecycle: {create: optional}}}
  closed: {type: string, x-kit: {boundary: {in: closed}}}
  things: {x-kit: {role: {relation: {to: thing, kind: many}}}}
`
	say := func(e *schema.Entity) map[string]string {
		out := map[string]string{}
		for _, p := range e.Fields {
			var words []string
			if p.Required() {
				words = append(words, "required")
			}
			if p.MayBeNull() {
				words = append(words, "null")
			}
			out[p.Name] = strings.Join(words, " ")
		}
		return out
	}
	want := map[string]string{"id": "", "plain": "required", "nullable": "required null", "valued": "", "optional": "null", "closed": "null", "things": ""}
	if diff := cmp.Diff(want, say(cards(t, "thing", fields).Entity("thing"))); diff != "" {
		t.Errorf("without a list, the one spec 2.3 describes: -want +got:\n%s", diff)
	}
	// The list is the author's word: a field that is not on it may be left out.
	e := cards(t, "thing", fields+"required: [nullable]").Entity("thing")
	want["plain"] = "null"
	if diff := cmp.Diff(want, say(e)); diff != "" {
		t.Errorf("with a list: -want +got:\n%s", diff)
	}
	// A view may ask for what its entity has an answer for.
	v := cards(t, "thing", fields, "views/whole", "{of: thing, pick: [valued, plain], required: [valued]}").Entity("whole")
	if diff := cmp.Diff(map[string]string{"plain": "null", "valued": "required"}, say(v)); diff != "" {
		t.Errorf("a view's own list: -want +got:\n%s", diff)
	}
	if _, details := v.Judge(schema.Create, nil, "/body"); len(details) != 1 {
		t.Errorf("a view's own list is not judged by: %v", details)
	}
	if c := e.Property("plain").Axes.Create; c == nil || !c.Optional {
		t.Errorf("a field nobody answers for is optional to everybody else, is %v", c)
	}
	if e.Card.Field("plain").Axes.Create != nil {
		t.Error("spec 2.2.1: only what was declared is in the card")
	}
}

func TestLinks(t *testing.T) {
	set := cards(t,
		"orderLine", `
properties:
  `+id+`
  orderId: {x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}}}}
  product: {x-kit: {role: {relation: {to: Product, kind: one}}}}
  giver_id: {x-kit: {role: {relation: {to: customer, kind: one}}}}
`,
		"order", `
properties:
  `+id+`
  lines: {x-kit: {role: {relation: {to: orderline, kind: many}}}}
  customerID: {x-kit: {role: {relation: {to: customer, kind: one}}}}
  payerId: {type: [string, 'null'], x-kit: {role: {relation: {to: customer, kind: one, onDelete: set-null}}}}
`,
		"customer", `
properties:
  id: {type: string, format: uuid, x-kit: {role: {primary: true}}}
  orders: {x-kit: {role: {relation: {to: order, kind: many, by: payerId}}}}
  friendIds: {x-kit: {role: {relation: {to: customer, kind: many}}}}
`,
		"product", `
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  categories: {x-kit: {role: {relation: {to: category, kind: many}}}}
`,
		"category", `
properties:
  `+id+`
  parentId: {type: [string, 'null'], x-kit: {role: {relation: {to: category, kind: one}}}}
  children: {x-kit: {role: {relation: {to: category, kind: many}}}}
`,
		"views/orderCard", `{of: order, pick: [id, lines, payerId]}`,
	)
	type link struct {
		Name, Key, Target, Inverse string
		Many, Stored               bool
		Type                       string
	}
	got := map[string]link{}
	for _, e := range append(append([]*schema.Entity{}, set.Entities...), set.Views...) {
		for _, p := range e.Fields {
			if p.Link == nil {
				continue
			}
			l := link{Name: p.Link.Name, Key: p.Link.Key, Target: p.Link.Target.Name, Many: p.Link.Many, Stored: p.Stored, Type: p.Shape.Type + p.Shape.Format}
			if p.Link.Inverse != nil {
				l.Inverse = p.Link.Inverse.Owner.Name + "." + p.Link.Inverse.Name
			}
			if e.Relation(l.Name) != p.Link || p.Link.Field != p {
				t.Errorf("%s.%s is not found by its name %s", e.Name, p.Name, l.Name)
			}
			got[e.Name+"."+p.Name] = l
		}
	}
	want := map[string]link{
		"orderLine.orderId":  {Name: "order", Key: "orderId", Target: "order", Stored: true, Type: "string"},
		"orderLine.product":  {Name: "product", Key: "productId", Target: "product", Stored: true, Type: "integer"},
		"orderLine.giver_id": {Name: "giver", Key: "giver_id", Target: "customer", Stored: true, Type: "stringuuid"},
		"order.lines":        {Name: "lines", Key: "lines", Target: "orderLine", Inverse: "orderLine.orderId", Many: true, Type: "array"},
		"order.customerID":   {Name: "customer", Key: "customerID", Target: "customer", Stored: true, Type: "stringuuid"},
		"order.payerId":      {Name: "payer", Key: "payerId", Target: "customer", Stored: true, Type: "string"},
		"customer.orders":    {Name: "orders", Key: "orders", Target: "order", Inverse: "order.payerId", Many: true, Type: "array"},
		"customer.friendIds": {Name: "friends", Key: "friendIds", Target: "customer", Many: true, Stored: true, Type: "array"},
		"product.categories": {Name: "categories", Key: "categoryIds", Target: "category", Many: true, Stored: true, Type: "array"},
		"category.parentId":  {Name: "parent", Key: "parentId", Target: "category", Stored: true, Type: "string"},
		"category.children":  {Name: "children", Key: "children", Target: "category", Inverse: "category.parentId", Many: true, Type: "array"},
		"orderCard.lines":    {Name: "lines", Key: "lines", Target: "orderLine", Inverse: "orderLine.orderId", Many: true, Type: "array"},
		"orderCard.payerId":  {Name: "payer", Key: "payerId", Target: "customer", Stored: true, Type: "string"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if set.Entity("ORDERLINE") != set.Entity("orderLine") || set.Entity("nobody") != nil {
		t.Error("names match in any spelling, and only names there are")
	}
}

func TestUniques(t *testing.T) {
	e := cards(t, "seat", `
properties:
  `+id+`
  row: {type: string, x-kit: {role: {unique: [[row, number]]}}}
  number: {type: integer, x-kit: {role: {unique: [[row, number], [number]]}}}
`, "views/seatRow", `{of: seat, pick: [row]}`).Entity("seat")
	var got []string
	for _, members := range e.Uniques {
		var names []string
		for _, p := range members {
			names = append(names, p.Name)
		}
		got = append(got, strings.Join(names, "+"))
	}
	if diff := cmp.Diff([]string{"row+number", "number"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUniquesWrittenOnce: a compound constraint is written at any of its members, and
// leaves the process at each of them (spec 2.2).
func TestUniquesWrittenOnce(t *testing.T) {
	const members = `{type: string, x-kit: {role: {unique: [%s]}}}`
	card := func(a, b, c string) *schema.Set {
		return cards(t, "seat", fmt.Sprintf("properties:\n  "+id+"\n  a: "+members+"\n  b: "+members+"\n  c: "+members+"\n", a, b, c), "views/part", `{of: seat, pick: [b, c]}`)
	}
	want := card("[a, b, c]", "[a, b, c]", "[a, b, c]")
	for _, written := range [][3]string{{"[a, b, c]", "", ""}, {"", "[a, b, c]", ""}, {"", "", "[a, b, c]"}, {"[a, b, c]", "[c, b, a]", ""}, {"", "[a, b, c]", "[b, c, a]"}} {
		got := card(written[0], written[1], written[2])
		for _, name := range []string{"seat", "part"} {
			if diff := cmp.Diff(string(want.Entity(name).Card.AppendJSON(nil)), string(got.Entity(name).Card.AppendJSON(nil))); diff != "" {
				t.Errorf("%q: %s: -want +got:\n%s", written, name, diff)
			}
		}
		if n := len(got.Entity("seat").Uniques); n != 1 {
			t.Errorf("%q: %d constraints, want one", written, n)
		}
	}
	two := cards(t, "seat", fmt.Sprintf("properties:\n  "+id+"\n  a: "+members+"\n  b: "+members+"\n", "[a, b], [a]", "[b]")).Entity("seat")
	if n := len(two.Uniques); n != 3 {
		t.Errorf("%d constraints, want [a, b], [a] and [b]", n)
	}
}

// TestNotices: what a card says without effect is reported; of a card from elsewhere that
// is everything an author would have to mend, and the card is taken all the same.
func TestNotices(t *testing.T) {
	const text = `
properties:
  ` + id + `
  a: {type: string, maxLenght: 60, nullable: true, colour: red, x-size: 3, format: url, enum: []}
  b: {type: integer, minimum: 3, maximum: 2, default: 5, enum: [a]}
  c: {type: string, format: iri}
`
	reported := func(opts schema.CompileOptions) []string {
		places := []string{}
		opts.Ignored = func(f schema.Fault) { places = append(places, f.Pointer) }
		if _, err := compileTexts(&opts, "post", text); err != nil && opts.Remote != nil {
			t.Error(err)
		}
		return places
	}
	if diff := cmp.Diff([]string{"/properties/a/colour", "/properties/c/format"}, reported(schema.CompileOptions{})); diff != "" {
		t.Errorf("of an author's card: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"/properties/a/maxLenght", "/properties/a/nullable", "/properties/a/colour", "/properties/a/format", "/properties/a/enum",
		"/properties/b/default", "/properties/b/enum/0", "/properties/b/minimum", "/properties/c/format",
	}, reported(schema.CompileOptions{Remote: map[string]bool{"": true}})); diff != "" {
		t.Errorf("of a card from elsewhere: -want +got:\n%s", diff)
	}
}

// TestSingleCard holds spec 2.4: reconstructing a single card keeps relation names,
// and a consumer that merely validates need not know generators.
func TestSingleCard(t *testing.T) {
	const post = `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: snowflake}}}}
  authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}, boundary: {in: {decode: rot13}}}}
  tags: {x-kit: {role: {relation: {to: tag, kind: many}}}}
`
	if _, err := compileTexts(nil, "post", post); err == nil || strings.Count(err.Error(), "unknown generator") != 2 {
		t.Errorf("a host that would have to run it has to say unknown generator: %v", err)
	}
	set, err := compileTexts(&schema.CompileOptions{Partial: true}, "post", post)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entity("post")
	p := e.Property("authorId")
	if p.Link != nil || p.Axes.Relation.To != "author" || !p.Stored {
		t.Errorf("the name has to stay and lead nowhere: %+v", p)
	}
	if _, details := e.Judge(schema.Create, json.RawMessage(`{"authorId": 5, "tags": ["a"]}`), ""); len(details) != 1 {
		t.Errorf("a single card judges: %v", details)
	}
}

func TestCompileView(t *testing.T) {
	set := cards(t, "post", `
properties:
  `+id+`
  slug: {type: string, minLength: 2}
  authorId: {x-kit: {role: {relation: {to: author, kind: one}}}}
`, "author", "properties: {"+id+"}")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			e, err := set.CompileView(schema.Source{File: "frond.yaml", At: "/doors/post/operations/bySlug/params", Name: "postBySlug", Data: []byte("{of: post, pick: [slug, authorId]}")})
			if err != nil {
				t.Error(err)
				return
			}
			_, details := e.Judge(schema.Plain, json.RawMessage(`{"slug": "x"}`), "/params")
			if diff := cmp.Diff([]string{"/params/slug minLength", "/params/authorId required"}, said(details)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if e.Relation("author").Target != set.Entity("author") {
				t.Error("its relations are not linked")
			}
		})
	}
	wg.Wait()
	if set.Entity("postBySlug") != nil {
		t.Error("it has to stay outside the set")
	}
	_, err := set.CompileView(schema.Source{File: "frond.yaml", At: "/doors/post/operations/x/input", Name: "x", Data: []byte("{of: post, pick: [name]}")})
	const want = `frond.yaml#/doors/post/operations/x/input/pick/0: post has no field "name"; it has id, slug, authorId`
	if err == nil || err.Error() != want {
		t.Errorf("the fault is\n%v\nwant\n%s", err, want)
	}
}

func TestPatchCard(t *testing.T) {
	e := cards(t, "post", `
properties: {`+id+`, a: {type: string}, b: {type: string}}
required: [a]
anyOf: [{required: [a]}, {required: [b]}]
minProperties: 1
additionalProperties: false
x-note: kept
`).Entity("post")
	got := e.PatchCard()
	if len(got.Required) != 0 || got.Required == nil {
		t.Errorf("required is %v, want an empty list", got.Required)
	}
	var names []string
	for _, kw := range got.Extra {
		names = append(names, kw.Name)
	}
	if diff := cmp.Diff([]string{"additionalProperties", "x-note"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(e.Card.Required) != 1 || len(e.Card.Extra) != 4 {
		t.Error("the entity's own card changed")
	}
}

func TestBuiltins(t *testing.T) {
	reg := schema.Builtins()
	lengths := map[string]int{"cuid2": 24, "uuid": 36, "uuidv7": 36, "nanoid": 21}
	for name, length := range lengths {
		seen := map[string]bool{}
		last := ""
		for range 1000 {
			v, err := reg.Generators[name]()
			if err != nil || jsontext.Check(v) != nil {
				t.Fatalf("%s made %s (%v)", name, v, err)
			}
			s := jsontext.Unquote(v)
			if len(s) != length || seen[s] {
				t.Fatalf("%s made %q, of %d characters, seen before: %v", name, s, len(s), seen[s])
			}
			if name == "uuidv7" && s <= last {
				t.Fatalf("uuidv7 made %s after %s", s, last)
			}
			seen[s], last = true, s
		}
	}
	for name, want := range map[string]string{"trim": `"aB"`, "lowercase": `" ab "`, "uppercase": `" AB "`} {
		c := reg.Conversions[name]
		for _, f := range []func(json.RawMessage) (json.RawMessage, error){c.Decode, c.Encode} {
			if got, err := f(json.RawMessage(`" aB "`)); err != nil || string(got) != want {
				t.Errorf("%s makes %s (%v), want %s", name, got, err, want)
			}
			if got, err := f(json.RawMessage(`null`)); err != nil || string(got) != `null` {
				t.Errorf("%s makes %s (%v) of null", name, got, err)
			}
		}
	}
}

func TestCoerce(t *testing.T) {
	tests := []struct {
		shape, text, want string
		ok                bool
	}{
		{`{"type": "string"}`, `12`, `"12"`, true},
		{`{"type": "string"}`, ``, `""`, true},
		{`{"type": ["string", "null"]}`, `null`, `"null"`, true},
		{`{"type": "string", "format": "date"}`, `2026-05-01`, `"2026-05-01"`, true},
		{`{"type": "integer"}`, `12`, `12`, true},
		{`{"type": "integer"}`, `-0`, `-0`, true},
		{`{"type": "integer"}`, `1.5`, `1.5`, true}, // a number, which the judge will refuse as no integer
		{`{"type": "integer"}`, ` 12`, `" 12"`, false},
		{`{"type": "integer"}`, `012`, `"012"`, false},
		{`{"type": "integer"}`, `twelve`, `"twelve"`, false},
		{`{"type": "integer"}`, ``, `""`, false},
		{`{"type": ["integer", "null"]}`, `null`, `null`, true},
		{`{"type": "number"}`, `1e3`, `1e3`, true},
		{`{"type": "number"}`, `NaN`, `"NaN"`, false},
		{`{"type": "number"}`, `1,2`, `"1,2"`, false},
		{`{"type": "boolean"}`, `true`, `true`, true},
		{`{"type": "boolean"}`, `TRUE`, `"TRUE"`, false},
		{`{"type": "boolean"}`, `1`, `"1"`, false},
		{`{"enum": [1, 2]}`, `1`, `1`, true},
		{`{}`, `1`, `"1"`, true},
		{`{"type": "array"}`, `1`, `"1"`, false},
		{`{"type": "object"}`, `{}`, `"{}"`, false},
	}
	for _, test := range tests {
		card, err := schema.ReadCard("c.json", []byte(`{"properties": {"v": `+test.shape+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := schema.AppendCoerced([]byte("dst"), &card.Fields[0].Shape, []byte(test.text))
		if string(got) != "dst"+test.want || ok != test.ok {
			t.Errorf("AppendCoerced(%s, %q) = %s, %v, want %s, %v", test.shape, test.text, got, ok, test.want, test.ok)
		}
	}
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]string{
		`0`: "0", `-0`: "0", `3.0`: "3", `3e2`: "300", `-30e-1`: "-3", `1.50e2`: "150", `0e99`: "0", `9223372036854775807`: "9223372036854775807",
		`-9223372036854775808`: "-9223372036854775808", `9223372036854775807.0`: "9223372036854775807", `0.000000000000000000000`: "0",
		`9223372036854775808`: "", `1e19`: "", `1e00001`: "10", `1e+00002`: "100", `200e-00002`: "2", `1e18446744073709551617`: "", `1e-18446744073709551616`: "", `3.5`: "", `1e-1`: "", `1e999999999999`: "", `"3"`: "", `null`: "", ``: "",
	} {
		got, ok := schema.Integer(json.RawMessage(text))
		if ok != (want != "") || ok && fmt.Sprint(got) != want {
			t.Errorf("Integer(%s) = %d, %v, want %q", text, got, ok, want)
		}
	}
}

func TestToJSON(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{"b: 1\na: 2\n", `{"b":1,"a":2}`},
		{"", `null`},
		{"# a remark\n", `null`},
		{"a: [1.50, 0x10, 1e3, .5, true, ~, no, 'null', 2026-05-01, 12:30]\n", `{"a":[1.50,16,1e3,0.5,true,null,"no","null","2026-05-01","12:30"]}`},
		{"a: |\n  one\n  two\nb: >-\n  one\n  two\n", `{"a":"one\ntwo\n","b":"one two"}`},
		{"a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\nc: [*x]\n", `{"a":{"k":1,"l":2},"b":{"k":1,"l":3},"c":[{"k":1,"l":2}]}`},
		{"1: one\ntrue: two\n", `{"1":"one","true":"two"}`},
		{"a: !!str 12\n", `{"a":"12"}`},
		{`{"a": 1.0}`, `{"a": 1.0}`},
		{`a: "\uD83D\uDE00 \uFFFD \\udc00"`, `{"a":"😀 � \\udc00"}`},
		{"a: '\\udc00'\nb: \\udc00\n", `{"a":"\\udc00","b":"\\udc00"}`},
	}
	for _, test := range tests {
		got, err := schema.ToJSON("a.yaml", []byte(test.yaml))
		if err != nil || string(got) != test.want {
			t.Errorf("%q\n   is %s (%v)\n want %s", test.yaml, got, err, test.want)
		}
	}
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 12; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for text, want := range map[string]string{
		laughs:                           "its aliases make it longer than 16 MiB",
		"a: *x\n":                        "line 1",
		"a: .inf\n":                      "line 1: JSON has no such number",
		"a: !secret x\n":                 "tags such as !secret",
		"a: 1\n---\nb: 2\n":              "a second document",
		"a: b: c\n":                      "line 1",
		strings.Repeat("[", 200000):      "",
		"a: &x\n  b: *x\n":               "names no anchor",
		"? [a, b]\n: c\n":                "line 2, column 1",
		"a: \"\\uD800\"":                 "line 1, column 5: not enough length for escaped UTF-16 surrogate pair",
		"b: 1\na: [\"ü\", \"x\\uDC00\"]": "line 2: half a surrogate pair is not a character",
		"{\"ääää\": \"\\uDC00\"}":        "half a surrogate pair is not a character",
		"a: \"\\U0000D800\"":             "line 1: half a surrogate pair is not a character",
		"\"\\uDC00\": 1":                 "line 1: half a surrogate pair is not a character",
		"a: !!str \"\\uDC00\"":           "line 1: half a surrogate pair is not a character",
		"a: \xed\xa0\x80":                "it is not UTF-8; save it as UTF-8",
		"<<: 3\n":                        "only mappings can be merged",
		strings.Repeat("- ", 200000):     "nested deeper",
		strings.Repeat("- ", 150) + "x":  "nested deeper",
	} {
		_, err := schema.ToJSON("a.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: the fault is %.200v, want one with %q", text, err, want)
		}
	}
}

// thousand are the cards of a large host: each points at the one before.
func thousand() []schema.Source {
	var sources []schema.Source
	for i := range 1000 {
		sources = append(sources, schema.Source{
			File: fmt.Sprintf("entities/thing%d.yaml", i), Name: fmt.Sprintf("thing%d", i),
			Data: fmt.Appendf(nil, `
description: A generated thing.
properties:
  `+id+`
  name: {type: string, minLength: 1, maxLength: 80}
  price: {type: number, minimum: 0}
  status: {type: string, enum: [draft, live, gone], x-kit: {lifecycle: {create: {value: draft}}}}
  site: {type: [string, 'null'], format: uri}
  address: {type: object, properties: {street: {type: string}, city: {type: string}}, required: [city]}
  previousId: {x-kit: {role: {relation: {to: thing%d, kind: one}}}}
  following: {x-kit: {role: {relation: {to: thing%d, kind: many}}}}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now}, boundary: {in: closed}}}
required: [name, price, site, address, previousId]
`, (i+999)%1000, (i+1)%1000),
		})
	}
	return sources
}

func BenchmarkCompileThousand(b *testing.B) {
	sources := thousand()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.Compile(sources, schema.Builtins(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNoRegistry: without a registry every generator and conversion of a card is unknown.
func TestNoRegistry(t *testing.T) {
	_, err := schema.Compile([]schema.Source{{File: "a.yaml", Name: "a", Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  b: {type: string, x-kit: {boundary: {in: {decode: trim}}}}
`)}}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), `unknown generator "cuid2"`) || !strings.Contains(err.Error(), `conversion "trim"`) {
		t.Errorf("the error is %v", err)
	}
}
