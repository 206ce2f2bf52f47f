package resolvers_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/validation"
)

// everything is what today's clients ask when they want the whole schema.
const everything = `
query IntrospectionQuery {
  __schema {
    description
    queryType { name kind }
    mutationType { name kind }
    subscriptionType { name kind }
    types { ...FullType }
    directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL isOneOf
  fields(includeDeprecated: true) {
    name description
    args(includeDeprecated: true) { ...InputValue }
    type { ...TypeRef }
    isDeprecated deprecationReason
  }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
    ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }
}`

// shapes is a schema with one of everything.
const shapes = `
"What is here."
schema { query: Query mutation: Change }
directive @tag(name: String! = "a", old: Int @deprecated(reason: "use name")) repeatable on FIELD | QUERY
type Query {
  "One thing."
  thing(by: By!, size: Int = 3, kinds: [Kind!] = [BIG, SMALL], old: String @deprecated): Thing
  all: [Thing!]! @deprecated(reason: "there are many")
  any: Any
}
type Change { touch: Boolean }
interface Named { name: String }
interface Titled implements Named { name: String title: String }
type Thing implements Named & Titled { name: String title: String when: When }
type Other { x: Int }
union Any = Thing | Other
enum Kind { BIG "Not big." SMALL TINY @deprecated(reason: "too small") }
scalar When @specifiedBy(url: "https://example.org/when")
input By @oneOf { id: ID name: String }
input Box { n: Int! = 1, s: String = "a\"b", inner: Box, list: [Float] = [1.5, null], flag: Boolean @deprecated, deep: Box = {n: 2, list: [], deep: null} }
`

// loaded is a schema of types alone.
func loaded(t testing.TB, sdl string) *binding.Schema {
	t.Helper()
	s, err := validation.LoadSchema(sdl)
	if err != nil {
		t.Fatal(err)
	}
	return &binding.Schema{AST: s}
}

func shapesEngine(t *testing.T) *resolvers.Engine {
	t.Helper()
	never := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic("called") })
	e, err := resolvers.NewEngine(loaded(t, shapes), never, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestIntrospection: the answers of specification 4, one by one.
func TestIntrospection(t *testing.T) {
	e := shapesEngine(t)
	for _, c := range []struct{ name, query, want string }{
		{
			"the schema", `{ __schema { __typename description queryType { name } mutationType { name } subscriptionType { name } } }`,
			`{"__schema":{"__typename":"__Schema","description":"What is here.","queryType":{"name":"Query"},"mutationType":{"name":"Change"},"subscriptionType":null}}`,
		},
		{"no such type", `{ __type(name: "Nope") { name } }`, `{"__type":null}`},
		{"by a variable's default", `query($n: String! = "Kind") { __type(name: $n) { kind } }`, `{"__type":{"kind":"ENUM"}}`},
		{
			"an object", `{ __type(name: "Thing") { kind name description fields { name } interfaces { name } possibleTypes { name } enumValues { name } inputFields { name } ofType { name } specifiedByURL isOneOf } }`,
			`{"__type":{"kind":"OBJECT","name":"Thing","description":null,"fields":[{"name":"name"},{"name":"title"},{"name":"when"}],"interfaces":[{"name":"Named"},{"name":"Titled"}],"possibleTypes":null,"enumValues":null,"inputFields":null,"ofType":null,"specifiedByURL":null,"isOneOf":null}}`,
		},
		{
			"an interface", `{ __type(name: "Named") { kind fields { name } interfaces { name } possibleTypes { name } } }`,
			`{"__type":{"kind":"INTERFACE","fields":[{"name":"name"}],"interfaces":[],"possibleTypes":[{"name":"Thing"}]}}`,
		},
		{
			"an interface of an interface", `{ __type(name: "Titled") { interfaces { name } possibleTypes { name } } }`,
			`{"__type":{"interfaces":[{"name":"Named"}],"possibleTypes":[{"name":"Thing"}]}}`,
		},
		{
			"a union", `{ __type(name: "Any") { kind fields { name } interfaces { name } possibleTypes { name } } }`,
			`{"__type":{"kind":"UNION","fields":null,"interfaces":null,"possibleTypes":[{"name":"Thing"},{"name":"Other"}]}}`,
		},
		{
			"a scalar", `{ __type(name: "When") { kind specifiedByURL fields { name } } }`,
			`{"__type":{"kind":"SCALAR","specifiedByURL":"https://example.org/when","fields":null}}`,
		},
		{
			"an enum", `{ __type(name: "Kind") { enumValues { name description } } }`,
			`{"__type":{"enumValues":[{"name":"BIG","description":null},{"name":"SMALL","description":"Not big."}]}}`,
		},
		{
			"deprecated values", `{ __type(name: "Kind") { enumValues(includeDeprecated: true) { name isDeprecated deprecationReason } } }`,
			`{"__type":{"enumValues":[{"name":"BIG","isDeprecated":false,"deprecationReason":null},{"name":"SMALL","isDeprecated":false,"deprecationReason":null},{"name":"TINY","isDeprecated":true,"deprecationReason":"too small"}]}}`,
		},
		{
			"fields, none of introspection's own", `{ __type(name: "Query") { fields { name } all: fields(includeDeprecated: true) { name isDeprecated deprecationReason } } }`,
			`{"__type":{"fields":[{"name":"thing"},{"name":"any"}],"all":[{"name":"thing","isDeprecated":false,"deprecationReason":null},{"name":"all","isDeprecated":true,"deprecationReason":"there are many"},{"name":"any","isDeprecated":false,"deprecationReason":null}]}}`,
		},
		{
			"arguments and their defaults", `{ __type(name: "Query") { fields { args(includeDeprecated: true) { name defaultValue isDeprecated deprecationReason type { kind name ofType { kind name ofType { name } } } } } } }`,
			`{"__type":{"fields":[{"args":[` +
				`{"name":"by","defaultValue":null,"isDeprecated":false,"deprecationReason":null,"type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"INPUT_OBJECT","name":"By","ofType":null}}},` +
				`{"name":"size","defaultValue":"3","isDeprecated":false,"deprecationReason":null,"type":{"kind":"SCALAR","name":"Int","ofType":null}},` +
				`{"name":"kinds","defaultValue":"[BIG, SMALL]","isDeprecated":false,"deprecationReason":null,"type":{"kind":"LIST","name":null,"ofType":{"kind":"NON_NULL","name":null,"ofType":{"name":"Kind"}}}},` +
				`{"name":"old","defaultValue":null,"isDeprecated":true,"deprecationReason":"No longer supported","type":{"kind":"SCALAR","name":"String","ofType":null}}]},{"args":[]}]}}`,
		},
		{
			"arguments in use", `{ __type(name: "Query") { fields { args { name } } } }`,
			`{"__type":{"fields":[{"args":[{"name":"by"},{"name":"size"},{"name":"kinds"}]},{"args":[]}]}}`,
		},
		{
			"an input", `{ __type(name: "Box") { isOneOf inputFields { name defaultValue } all: inputFields(includeDeprecated: true) { name } } }`,
			`{"__type":{"isOneOf":false,"inputFields":[{"name":"n","defaultValue":"1"},{"name":"s","defaultValue":"\"a\\\"b\""},{"name":"inner","defaultValue":null},{"name":"list","defaultValue":"[1.5, null]"},{"name":"deep","defaultValue":"{n: 2, list: [], deep: null}"}],` +
				`"all":[{"name":"n"},{"name":"s"},{"name":"inner"},{"name":"list"},{"name":"flag"},{"name":"deep"}]}}`,
		},
		{"one of", `{ __type(name: "By") { isOneOf } }`, `{"__type":{"isOneOf":true}}`},
		{"aliases", `{ x: __type(name: "Kind") { n: name k: kind v: enumValues { n: name } } y: __type(name: "Nope") { name } }`, `{"x":{"n":"Kind","k":"ENUM","v":[{"n":"BIG"},{"n":"SMALL"}]},"y":null}`},
		{"beside the data", `{ __typename __schema { queryType { name } } __type(name: "When") { name } }`, `{"__typename":"Query","__schema":{"queryType":{"name":"Query"}},"__type":{"name":"When"}}`},
		{"through fragments on Query", `{ ...f } fragment f on Query { __schema { ...g } } fragment g on __Schema { queryType { ...h } } fragment h on __Type { __typename name }`, `{"__schema":{"queryType":{"__typename":"__Type","name":"Query"}}}`},
		{"a built-in scalar", `{ __type(name: "Int") { kind name specifiedByURL isOneOf fields { name } } }`, `{"__type":{"kind":"SCALAR","name":"Int","specifiedByURL":null,"isOneOf":null,"fields":null}}`},
		{"by a variable that was left out", `query($d: Boolean) { __type(name: "Kind") { enumValues(includeDeprecated: $d) { name } } }`, `{"__type":{"enumValues":[{"name":"BIG"},{"name":"SMALL"}]}}`},
		{
			"places of directives are those of the specification", `{ __type(name: "__DirectiveLocation") { enumValues { name } } }`,
			`{"__type":{"enumValues":[{"name":"QUERY"},{"name":"MUTATION"},{"name":"SUBSCRIPTION"},{"name":"FIELD"},{"name":"FRAGMENT_DEFINITION"},{"name":"FRAGMENT_SPREAD"},{"name":"INLINE_FRAGMENT"},{"name":"VARIABLE_DEFINITION"},` +
				`{"name":"SCHEMA"},{"name":"SCALAR"},{"name":"OBJECT"},{"name":"FIELD_DEFINITION"},{"name":"ARGUMENT_DEFINITION"},{"name":"INTERFACE"},{"name":"UNION"},{"name":"ENUM"},{"name":"ENUM_VALUE"},{"name":"INPUT_OBJECT"},{"name":"INPUT_FIELD_DEFINITION"}]}}`,
		},
		{"merged fields and fragments", `{ __type(name: "When") { name ...a } } fragment a on __Type { kind name }`, `{"__type":{"name":"When","kind":"SCALAR"}}`},
		{"what is skipped", `{ __type(name: "When") { name @skip(if: true) kind } }`, `{"__type":{"kind":"SCALAR"}}`},
		{
			"introspection of introspection", `{ __type(name: "__TypeKind") { enumValues { name } } }`,
			`{"__type":{"enumValues":[{"name":"SCALAR"},{"name":"OBJECT"},{"name":"INTERFACE"},{"name":"UNION"},{"name":"ENUM"},{"name":"INPUT_OBJECT"},{"name":"LIST"},{"name":"NON_NULL"}]}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(e.Execute(context.Background(), &resolvers.Request{Query: c.query}).Body)
			if want := `{"data":` + c.want + `}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}

	t.Run("directives", func(t *testing.T) {
		got := string(e.Execute(context.Background(), &resolvers.Request{Query: `{ __schema { directives { name isRepeatable locations args { name } } } }`}).Body)
		for _, want := range []string{
			`{"name":"tag","isRepeatable":true,"locations":["FIELD","QUERY"],"args":[{"name":"name"}]}`,
			`{"name":"oneOf","isRepeatable":false`, `{"name":"skip"`, `{"name":"include"`, `{"name":"deprecated"`, `{"name":"specifiedBy"`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %s", got, want)
			}
		}
		if strings.Contains(got, `"defer"`) {
			t.Error("@defer is there, and nothing answers it")
		}
	})
}

// TestIntrospectionWhole: what tools ask is within the limits, and says what the
// schema says.
func TestIntrospectionWhole(t *testing.T) {
	b := newBlog(t)
	var r struct {
		Data struct {
			Schema struct {
				Types []struct {
					Kind, Name string
					Fields     []struct {
						Name string
						Args []struct{ Name string }
						Type map[string]any
					}
					InputFields []struct {
						Name string
						Type map[string]any
					}
				}
			} `json:"__schema"`
		}
		Errors []any
	}
	decode(t, b.do(everything, ""), &r)
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors)
	}
	var got, want []string
	for _, typ := range r.Data.Schema.Types {
		for _, f := range typ.Fields {
			s := typ.Kind + " " + typ.Name + "." + f.Name + "("
			for _, a := range f.Args {
				s += a.Name + " "
			}
			got = append(got, s+") "+typeText(f.Type))
		}
		for _, f := range typ.InputFields {
			got = append(got, typ.Kind+" "+typ.Name+"."+f.Name+" "+typeText(f.Type))
		}
	}
	for _, def := range b.schema.AST.Types {
		for _, f := range def.Fields {
			switch {
			case strings.HasPrefix(f.Name, "__"):
			case def.Kind == ast.InputObject:
				want = append(want, string(def.Kind)+" "+def.Name+"."+f.Name+" "+f.Type.String())
			default:
				s := string(def.Kind) + " " + def.Name + "." + f.Name + "("
				for _, a := range f.Arguments {
					s += a.Name + " "
				}
				want = append(want, s+") "+f.Type.String())
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func typeText(t map[string]any) string {
	inner, _ := t["ofType"].(map[string]any)
	switch t["kind"] {
	case "NON_NULL":
		return typeText(inner) + "!"
	case "LIST":
		return "[" + typeText(inner) + "]"
	}
	return t["name"].(string)
}

// TestNoIntrospection: off, the schema is nobody's business; __typename still is.
func TestNoIntrospection(t *testing.T) {
	b := newBlog(t)
	e, err := resolvers.NewEngine(b.schema, b.recorder, &resolvers.Options{NoIntrospection: true})
	if err != nil {
		t.Fatal(err)
	}
	for query, refused := range map[string]bool{
		`{ __schema { queryType { name } } }`: true, `{ __type(name: "Post") { name } }`: true, `{ __typename tags { __typename } }`: false,
	} {
		got := string(e.Execute(context.Background(), &resolvers.Request{Query: query, Variables: json.RawMessage(`null`)}).Body)
		if strings.Contains(got, "Introspection is off here") != refused {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// TestOneOf: an input of which exactly one field is sent (2025).
func TestOneOf(t *testing.T) {
	e := shapesEngine(t)
	for _, c := range []struct{ query, variables, want string }{
		{`{ thing(by: {id: 1, name: "a"}) { name } }`, ``, `OneOf Input Object \"By\" must specify exactly one key.`},
		{`{ thing(by: {}) { name } }`, ``, `OneOf Input Object \"By\" must specify exactly one key.`},
		{`{ thing(by: {id: null}) { name } }`, ``, `Field \"By.id\" must be non-null.`},
		{`query($n: String) { thing(by: {name: $n}) { name } }`, `{"n":"a"}`, `must be non-nullable to be used for OneOf Input Object \"By\"`},
		{`query($b: By!) { thing(by: $b) { name } }`, `{"b":{}}`, `Exactly one key must be specified for OneOf type \"By\".`},
		{`query($b: By!) { thing(by: $b) { name } }`, `{"b":{"id":1,"name":"a"}}`, `Exactly one key must be specified for OneOf type \"By\".`},
		{`query($b: By!) { thing(by: $b) { name } }`, `{"b":{"id":null}}`, `Field \"id\" must be non-null.`},
	} {
		got := string(e.Execute(context.Background(), &resolvers.Request{Query: c.query, Variables: json.RawMessage(c.variables)}).Body)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.query, c.variables, got, c.want)
		}
	}
}

// TestIntrospectionDescribes: every kind of element has its description, and null
// where it has none.
func TestIntrospectionDescribes(t *testing.T) {
	never := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic("called") })
	e, err := resolvers.NewEngine(loaded(t, `
"The schema." schema { query: Query }
"A directive." directive @tag("Its argument." name: String, bare: String) on FIELD
directive @bare on FIELD
"An object." type Query { "A field." a("An argument." of: In, bare: Int): U bare: E }
"A union." union U = Query
"An interface." interface I { a: S }
"An enum." enum E { "A value." A B }
"An input." input In { "An input field." a: Int b: Int }
"A scalar." scalar S
scalar Bare
`), never, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema struct {
			Description string
			Types       []struct {
				Name, Description               *string
				Fields, InputFields, EnumValues []described
			}
			Directives []described
		} `json:"__schema"`
	}
	a := asked(t, e, `{ __schema { description
		types { name description fields { name description args { name description } } inputFields { name description } enumValues { name description } }
		directives { name description args { name description } } } }`, "")
	decode(t, string(a.Data), &got)
	want := map[string]string{
		"Query": "An object.", "Query.a": "A field.", "Query.a.of": "An argument.", "Query.a.bare": "", "Query.bare": "",
		"U": "A union.", "I": "An interface.", "I.a": "", "E": "An enum.", "E.A": "A value.", "E.B": "",
		"In": "An input.", "In.a": "An input field.", "In.b": "", "S": "A scalar.", "Bare": "",
		"@tag": "A directive.", "@tag.name": "Its argument.", "@tag.bare": "", "@bare": "",
	}
	said := map[string]string{}
	say := func(name string, d *string) {
		if said[name] = ""; d != nil {
			if said[name] = *d; *d == "" {
				t.Errorf("%s has an empty description, which is none", name)
			}
		}
	}
	for _, typ := range got.Schema.Types {
		if strings.HasPrefix(*typ.Name, "__") || *typ.Name == "String" || *typ.Name == "Boolean" || *typ.Name == "Int" {
			continue
		}
		say(*typ.Name, typ.Description)
		for _, f := range slices.Concat(typ.Fields, typ.InputFields, typ.EnumValues) {
			say(*typ.Name+"."+f.Name, f.Description)
			for _, arg := range f.Args {
				say(*typ.Name+"."+f.Name+"."+arg.Name, arg.Description)
			}
		}
	}
	for _, d := range got.Schema.Directives {
		if d.Name != "tag" && d.Name != "bare" {
			continue
		}
		say("@"+d.Name, d.Description)
		for _, arg := range d.Args {
			say("@"+d.Name+"."+arg.Name, arg.Description)
		}
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Schema.Description != "The schema." {
		t.Errorf("the schema is described as %q", got.Schema.Description)
	}
}

type described struct {
	Name        string
	Description *string
	Args        []described
}

// TestBuiltInsOfSeptember2025: built-in scalars that nothing refers to are no part of
// the schema, and the reason of @deprecated is never null.
func TestBuiltInsOfSeptember2025(t *testing.T) {
	scalars := func(sdl string) string {
		t.Helper()
		e := spoken(t, sdl, world{})
		var got struct {
			Schema struct {
				Types      []struct{ Kind, Name string }
				Directives []struct {
					Name string
					Args []struct {
						DefaultValue string
						Type         struct {
							Kind   string
							OfType struct{ Name string }
						}
					}
				}
			} `json:"__schema"`
		}
		decode(t, string(asked(t, e, `{ __schema { types { kind name } directives { name args { defaultValue type { kind ofType { name } } } } } }`, "").Data), &got)
		for _, d := range got.Schema.Directives {
			if d.Name != "deprecated" {
				continue
			}
			if a := d.Args[0]; len(d.Args) != 1 || a.Type.Kind != "NON_NULL" || a.Type.OfType.Name != "String" || a.DefaultValue != `"No longer supported"` {
				t.Errorf("@deprecated takes %+v", d.Args)
			}
		}
		var names []string
		for _, typ := range got.Schema.Types {
			if typ.Kind == "SCALAR" {
				names = append(names, typ.Name)
			}
		}
		return strings.Join(names, " ")
	}
	for sdl, want := range map[string]string{
		`type Query { a: String }`:                                          "Boolean String",
		`type Query { a(b: [Int!]): [ID] }`:                                 "Boolean ID Int String",
		`type Query { a: T } type T { b(in: In): T } input In { c: Float }`: "Boolean Float String",
		`directive @d(n: ID) on FIELD type Query { a: String }`:             "Boolean ID String",
		`type Query { a: S } scalar S`:                                      "Boolean S String",
	} {
		if got := scalars(sdl); got != want {
			t.Errorf("%s has the scalars %s, want %s", sdl, got, want)
		}
	}
	e := spoken(t, `type Query { a(s: String): String }`, world{})
	execute(t, e, []execution{{"a built-in scalar that is not referred to", `{ __type(name: "Float") { name } }`, ``, `{"__type":null}`}})
	if a := asked(t, e, `query ($f: Float) { a(s: $f) }`, ""); len(a.Errors) == 0 || a.Errors[0].Message != `Unknown type "Float".` {
		t.Errorf("%+v", a.Errors)
	}
}
