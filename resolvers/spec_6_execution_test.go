package resolvers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
)

// things is a schema whose fields say their names, so that a response says what was
// collected and in which order.
const things = `
type Query { a: String b: String c: String nn: String! fails: String failsNN: String! thing: Thing things: [Thing] must: Thing! all: [Thing!]! any: Any named: Named echo(n: Int, s: String): String }
interface Named { name: String }
interface Titled implements Named { name: String title: String }
type Thing implements Named & Titled { name: String title: String a: String b: String fails: String failsNN: String! nn: String! null: String nullNN: String! thing: Thing things: [Thing] must: Thing! list: [Thing!] }
type Other implements Named { name: String b: String }
union Any = Thing | Other`

func thingsEngine(t testing.TB) *resolvers.Engine {
	no := errors.New("no")
	var thing func(depth int) world
	thing = func(depth int) world {
		w := world{"__typename": "Thing", "name": "N", "title": "T", "a": "A", "b": "B", "nn": "NN", "fails": no, "failsNN": no}
		if depth > 0 {
			w["thing"], w["must"] = thing(depth-1), thing(depth-1)
			w["things"], w["list"] = []any{thing(depth - 1), nil, thing(depth - 1)}, []any{thing(depth - 1), thing(depth - 1)}
		}
		return w
	}
	return spoken(t, things, world{
		"a": "A", "b": "B", "c": "C", "nn": "NN", "fails": no, "failsNN": no,
		"thing": thing(3), "must": thing(3), "things": []any{thing(1), thing(1)}, "all": []any{thing(1), thing(1)},
		"any": thing(1), "named": world{"__typename": "Other", "name": "O", "b": "OB"}, "echo": echoed,
	})
}

// execution is a document and what it gives: the data, and the places of errors.
type execution struct{ name, query, variables, want string }

func execute(t *testing.T, e *resolvers.Engine, rows []execution) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			a := asked(t, e, c.query, c.variables)
			got := string(a.Data)
			if len(a.Errors) > 0 {
				got += " " + a.places()
			}
			if got != c.want {
				t.Errorf("%s %s\ngot  %s\nwant %s\n%+v", c.query, c.variables, got, c.want, a.Errors)
			}
		})
	}
}

// TestCollecting: sections 6.3.2 and 6.3.3: which fields are collected, in which
// order, and how those of one key are merged; 3.13.1 and 3.13.2, @skip and @include.
func TestCollecting(t *testing.T) {
	execute(t, thingsEngine(t), []execution{
		{"in the order of the document", `{ c a b }`, ``, `{"c":"C","a":"A","b":"B"}`},
		{"a key stands where it came first", `{ c a b a c }`, ``, `{"c":"C","a":"A","b":"B"}`},
		{"aliases are keys", `{ x: a y: a a: b }`, ``, `{"x":"A","y":"A","a":"B"}`},
		{"a fragment's fields stand where it is spread", `{ a ...f c } fragment f on Query { b a }`, ``, `{"a":"A","b":"B","c":"C"}`},
		{"a fragment spread twice", `{ ...f a ...f } fragment f on Query { b }`, ``, `{"b":"B","a":"A"}`},
		{"fragments in fragments", `{ ...f } fragment f on Query { b ...g } fragment g on Query { a c }`, ``, `{"b":"B","a":"A","c":"C"}`},
		{"inline, with and without a type", `{ ... { b } ... on Query { a } }`, ``, `{"b":"B","a":"A"}`},
		{"objects of one key are merged", `{ thing { a } c thing { b name } }`, ``, `{"thing":{"a":"A","b":"B","name":"N"},"c":"C"}`},
		{"merged at every depth, in order", `{ thing { thing { b } a } thing { title thing { a b } } }`, ``, `{"thing":{"thing":{"b":"B","a":"A"},"a":"A","title":"T"}}`},
		{"merged through fragments", `{ thing { ...f thing { name } } ...g } fragment f on Thing { thing { a } } fragment g on Query { thing { thing { b } } }`, ``, `{"thing":{"thing":{"a":"A","name":"N","b":"B"}}}`},
		{"merged in lists", `{ things { a } things { b } }`, ``, `{"things":[{"a":"A","b":"B"},{"a":"A","b":"B"}]}`},
		{"merged with equal arguments", `{ echo(n: 1) echo(n: 1) }`, ``, `{"echo":"{\"n\":1}"}`},
		{"__typename everywhere", `{ __typename t: __typename thing { __typename thing { x: __typename } } }`, ``, `{"__typename":"Query","t":"Query","thing":{"__typename":"Thing","thing":{"x":"Thing"}}}`},
		{"__typename of unions and interfaces", `{ any { __typename } named { __typename } }`, ``, `{"any":{"__typename":"Thing"},"named":{"__typename":"Other"}}`},
		{"a condition on the type itself", `{ thing { ... on Thing { a } } }`, ``, `{"thing":{"a":"A"}}`},
		{"a condition on an interface of it", `{ thing { ... on Named { name } ... on Titled { title } } }`, ``, `{"thing":{"name":"N","title":"T"}}`},
		{"a condition on a union with it", `{ thing { ... on Any { ... on Thing { a } ... on Other { b } } } }`, ``, `{"thing":{"a":"A"}}`},
		{"conditions that do not apply", `{ named { name ... on Thing { a } ... on Other { b } ... on Titled { title } } }`, ``, `{"named":{"name":"O","b":"OB"}}`},
		{"objects of unions are merged per type", `{ any { ... on Thing { thing { a } } ... on Named { ... on Thing { thing { b } } } } }`, ``, `{"any":{"thing":{"a":"A","b":"B"}}}`},
		{"null, whatever is selected of it", `{ thing { thing { thing { thing { thing { a ...f } } } } } } fragment f on Thing { nn }`, ``, `{"thing":{"thing":{"thing":{"thing":{"thing":null}}}}}`},

		{"@skip", `{ a @skip(if: true) b @skip(if: false) }`, ``, `{"b":"B"}`},
		{"@include", `{ a @include(if: true) b @include(if: false) }`, ``, `{"a":"A"}`},
		{"neither outweighs the other", `{ a @skip(if: false) @include(if: false) b @skip(if: true) @include(if: true) c @skip(if: false) @include(if: true) nn @include(if: false) @skip(if: true) }`, ``, `{"c":"C"}`},
		{"by variables", `query($y: Boolean!, $n: Boolean!) { a @skip(if: $y) b @include(if: $n) c @skip(if: $n) nn @include(if: $y) }`, `{"y":true,"n":false}`, `{"c":"C","nn":"NN"}`},
		{"a key that is left out once is there by the other", `{ x: a @skip(if: true) b x: a }`, ``, `{"b":"B","x":"A"}`},
		{"what is left out is not merged", `{ thing { a } thing @include(if: false) { b } }`, ``, `{"thing":{"a":"A"}}`},
		{"all of an object left out", `{ thing { a @skip(if: true) } }`, ``, `{"thing":{}}`},
		{"all of the operation left out", `{ a @skip(if: true) }`, ``, `{}`},
		{"on spreads", `{ ...f @skip(if: true) ...g @include(if: true) } fragment f on Query { a } fragment g on Query { b }`, ``, `{"b":"B"}`},
		{"a spread left out may come later", `{ ...f @skip(if: true) b ...f } fragment f on Query { a }`, ``, `{"b":"B","a":"A"}`},
		{"on inline fragments", `{ ... @include(if: false) { a } ... on Query @skip(if: false) { b } }`, ``, `{"b":"B"}`},
		{"inside fragments, by the operation's variables", `query($v: Boolean!) { ...f } fragment f on Query { a @include(if: $v) b @skip(if: $v) }`, `{"v":false}`, `{"b":"B"}`},
		{"left out, it does not run", `{ fails @skip(if: true) thing { failsNN @include(if: false) a } }`, ``, `{"thing":{"a":"A"}}`},
		{"arguments of what is left out need no value", `query($n: Int) { echo(n: $n) @skip(if: true) a }`, ``, `{"a":"A"}`},
	})
}

// TestErrors: section 6.4.4, errors and null: an error where it happened, null at
// the nearest place that may be; 7.1, the response.
func TestErrors(t *testing.T) {
	execute(t, thingsEngine(t), []execution{
		{"null, and the rest", `{ a fails b }`, ``, `{"a":"A","fails":null,"b":"B"} 1:5/fails`},
		{"the path is of keys, not of names", `{ x: fails }`, ``, `{"x":null} 1:3/x`},
		{"every node of the field", "{ fails\n fails\n  ...f } fragment f on Query { fails }", ``, `{"fails":null} 1:3+2:2+3:32/fails`},
		{"one for each place", `{ x: fails y: fails thing { fails } }`, ``, `{"x":null,"y":null,"thing":{"fails":null}} 1:3/x 1:12/y 1:29/thing.fails`},
		{"one for each item", `{ things { fails } }`, ``, `{"things":[{"fails":null},{"fails":null}]} 1:12/things.0.fails 1:12/things.1.fails`},
		{"a null that may be is none", `{ thing { null } }`, ``, `{"thing":{"null":null}}`},
		{"required: its object", `{ thing { a failsNN } b }`, ``, `{"thing":null,"b":"B"} 1:13/thing.failsNN`},
		{"null for required", `{ thing { nullNN } }`, ``, `{"thing":null} 1:11/thing.nullNN`},
		{"required below required: up to what may be null", `{ thing { must { must { failsNN } } } b }`, ``, `{"thing":null,"b":"B"} 1:25/thing.must.must.failsNN`},
		{"the nearest, not the farthest", `{ thing { thing { must { failsNN } } a } }`, ``, `{"thing":{"thing":null,"a":"A"}} 1:26/thing.thing.must.failsNN`},
		{"all of the data", `{ a must { failsNN } }`, ``, `null 1:12/must.failsNN`},
		{"at the root", `{ failsNN a }`, ``, `null 1:3/failsNN`},
		{"items that may be null", `{ things { failsNN } }`, ``, `{"things":[null,null]} 1:12/things.0.failsNN 1:12/things.1.failsNN`},
		{"items that may not: the list, with one error", `{ thing { list { failsNN } a } }`, ``, `{"thing":{"list":null,"a":"A"}} 1:18/thing.list.0.failsNN`},
		{"a required list of required items", `{ a all { failsNN } }`, ``, `null 1:11/all.0.failsNN`},
		{"errors before a null that takes them along", `{ thing { fails nullNN } }`, ``, `{"thing":null} 1:11/thing.fails 1:17/thing.nullNN`},
		{"two aliases of an object fail apart", `{ x: thing { failsNN } y: thing { a } }`, ``, `{"x":null,"y":{"a":"A"}} 1:14/x.failsNN`},
	})
}

// TestRequestErrors: section 7.1.2: what is refused before execution has errors and
// no data; what is executed has data, be it null.
func TestRequestErrors(t *testing.T) {
	e := thingsEngine(t)
	for _, c := range []struct {
		name, query, operation, variables string
		want                              string // the members, the code of the first error, its place
	}{
		{"executed", `{ a }`, ``, ``, `data`},
		{"executed, with an error", `{ fails }`, ``, ``, `data errors INTERNAL_ERROR 1:3/fails`},
		{"executed, data null", `{ failsNN }`, ``, ``, `data errors INTERNAL_ERROR 1:3/failsNN`},
		{"no document", ``, ``, ``, `errors GRAPHQL_PARSE_FAILED `},
		{"white space and comments", " \n# nothing\n", ``, ``, `errors GRAPHQL_PARSE_FAILED `},
		{"no grammar", "{\n  a( }", ``, ``, `errors GRAPHQL_PARSE_FAILED 2:6`},
		{"an unknown character", "{ a ? }", ``, ``, `errors GRAPHQL_PARSE_FAILED 1:5`},
		{"a string without end", `{ echo(s: "x) }`, ``, ``, `errors GRAPHQL_PARSE_FAILED 1:16`},
		{"only fragments", `fragment f on Query { a }`, ``, ``, `errors GRAPHQL_PARSE_FAILED `},
		{"not valid", `{ nope }`, ``, ``, `errors GRAPHQL_VALIDATION_FAILED 1:3`},
		{"a variable that does not fit", `query($n: Int) { echo(n: $n) }`, ``, `{"n":"x"}`, `errors BAD_USER_INPUT 1:7`},
		{"variables that are no object", `{ a }`, ``, `[]`, `errors BAD_USER_INPUT `},
		// 6.1, GetOperation.
		{"several, and no name", `query A { a } query B { b }`, ``, ``, `errors OPERATION_RESOLUTION_FAILURE `},
		{"several, by name", `query A { a } query B { b }`, `B`, ``, `data`},
		{"several, a name nobody has", `query A { a } query B { b }`, `C`, ``, `errors OPERATION_RESOLUTION_FAILURE `},
		{"one, by name", `query A { a }`, `A`, ``, `data`},
		{"one, by no name", `query A { a }`, ``, ``, `data`},
		{"one, by another name", `query A { a }`, `B`, ``, `errors OPERATION_RESOLUTION_FAILURE `},
		{"one without a name, by a name", `{ a }`, `A`, ``, `errors OPERATION_RESOLUTION_FAILURE `},
		{"a fragment is no operation", `query A { ...f } query B { b } fragment f on Query { a }`, `f`, ``, `errors OPERATION_RESOLUTION_FAILURE `},
		{"of an operation that does not run, variables need no value", `query A { a } query B($n: Int!) { echo(n: $n) }`, `A`, ``, `data`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := e.Execute(context.Background(), &resolvers.Request{Query: c.query, OperationName: c.operation, Variables: json.RawMessage(c.variables)})
			var members map[string]json.RawMessage
			decode(t, string(r.Body), &members)
			var got []string
			for _, name := range []string{"data", "errors", "extensions"} {
				if members[name] != nil {
					got = append(got, name)
				}
			}
			var a answer
			decode(t, string(r.Body), &a)
			if len(a.Errors) > 0 {
				got = append(got, a.Errors[0].Extensions.Code, a.places())
			}
			if s := strings.Join(got, " "); s != c.want || len(got) == 0 || (got[0] == "data") != r.Executed || (r.Status == 200) != r.Executed {
				t.Errorf("got  %s\nwant %s\n%s", s, c.want, r.Body)
			}
		})
	}
}

// TestSerial: sections 6.2.2 and 6.3.4: the fields of a mutation take effect one
// after another, each finished before the next begins, whatever becomes of them.
func TestSerial(t *testing.T) {
	const sdl = `
type Query { a: String }
type Mutation { add(n: Int!): Box fail(n: Int!): Box must(n: Int!): Box! }
type Box { sum: Int later: Int again: Box }`
	var log []string
	sum := 0
	box := func() world {
		w := world{}
		w["sum"] = func(map[string]any) any { log = append(log, fmt.Sprint("sum ", sum)); return sum }
		w["later"] = func() (any, error) { log = append(log, fmt.Sprint("later ", sum)); return sum, nil }
		w["again"] = world{"sum": w["sum"]}
		return w
	}
	change := func(name string, give func() any) any {
		return func(args map[string]any) any {
			sum += args["n"].(int)
			log = append(log, fmt.Sprint(name, " ", args["n"]))
			return give()
		}
	}
	e := spoken(t, sdl, world{
		"add":  change("add", func() any { return box() }),
		"fail": change("fail", func() any { return kiterror.Errorf(kiterror.Conflict, "no") }),
		"must": change("must", func() any { return kiterror.Errorf(kiterror.Conflict, "no") }),
	})
	for _, c := range []struct{ query, log, want string }{
		{`mutation { a: add(n: 1) { sum } b: add(n: 2) { sum } }`, `add 1, sum 1, add 2, sum 3`, `{"a":{"sum":1},"b":{"sum":3}}`},
		{`mutation { a: add(n: 1) { later again { sum } } b: add(n: 2) { sum } }`, `add 1, later 1, sum 1, add 2, sum 3`, `{"a":{"later":1,"again":{"sum":1}},"b":{"sum":3}}`},
		{`mutation { b: add(n: 5) { sum } a: add(n: 1) { sum } }`, `add 5, sum 5, add 1, sum 6`, `{"b":{"sum":5},"a":{"sum":6}}`},
		{`mutation { a: add(n: 1) { sum } b: fail(n: 2) { sum } c: add(n: 3) { sum } }`, `add 1, sum 1, fail 2, add 3, sum 6`, `{"a":{"sum":1},"b":null,"c":{"sum":6}} 1:33/b`},
		{`mutation { add(n: 1) { sum } add(n: 1) { later } }`, `add 1, sum 1, later 1`, `{"add":{"sum":1,"later":1}}`},
		{`mutation { ...f b: add(n: 2) { sum } } fragment f on Mutation { a: add(n: 1) { sum } b: add(n: 2) { sum } }`, `add 1, sum 1, add 2, sum 3`, `{"a":{"sum":1},"b":{"sum":3}}`},
		{`mutation { a: add(n: 1) @skip(if: true) { sum } b: add(n: 2) { sum } }`, `add 2, sum 2`, `{"b":{"sum":2}}`},
		{`mutation { __typename a: add(n: 1) { __typename } }`, `add 1`, `{"__typename":"Mutation","a":{"__typename":"Box"}}`},
		// A required field takes the whole answer along, and nothing runs after it.
		{`mutation { a: add(n: 1) { sum } b: must(n: 2) { sum } c: add(n: 3) { sum } }`, `add 1, sum 1, must 2`, `null 1:33/b`},
	} {
		log, sum = nil, 0
		a := asked(t, e, c.query, ``)
		got := string(a.Data)
		if len(a.Errors) > 0 {
			got += " " + a.places()
		}
		if s := strings.Join(log, ", "); s != c.log || got != c.want {
			t.Errorf("%s\ngot  %s: %s\nwant %s: %s", c.query, s, got, c.log, c.want)
		}
	}
}

// TestTypenames: __typename on every generated type: roots, connections, edges,
// pages, nodes, rows and what is nested in them.
func TestTypenames(t *testing.T) {
	b := newBlog(t)
	execute(t, b.engine, []execution{
		{
			"pages", `{ __typename posts(first: 1) { __typename items { __typename } edges { __typename node { __typename } } pageInfo { __typename } } }`, ``,
			`{"__typename":"Query","posts":{"__typename":"PostConnection","items":[{"__typename":"Post"}],"edges":[{"__typename":"PostEdge","node":{"__typename":"Post"}}],"pageInfo":{"__typename":"PageInfo"}}}`,
		},
		{
			"rows", `{ author(id: "ada") { __typename address { __typename geo { __typename } } links { __typename } posts(first: 1) { __typename items { __typename author { __typename } tags { __typename } } } } }`, ``,
			`{"author":{"__typename":"Author","address":{"__typename":"AuthorAddress","geo":{"__typename":"AuthorAddressGeo"}},"links":[{"__typename":"AuthorLinks"},{"__typename":"AuthorLinks"}],"posts":{"__typename":"PostConnection","items":[{"__typename":"Post","author":{"__typename":"Author"},"tags":{"__typename":"TagConnection"}}]}}}`,
		},
		{"nodes", `{ node(nodeId: "cG9zdDoz") { __typename ... on Node { __typename } ... on Post { x: __typename } } }`, ``, `{"node":{"__typename":"Post","x":"Post"}}`},
		{"changes", `mutation { __typename a: postPublish(id: 1) { __typename } }`, ``, `{"__typename":"Mutation","a":{"__typename":"Post"}}`},
		{"introspection", `{ __schema { __typename types { __typename } } __type(name: "Post") { __typename fields { __typename } } }`, ``, typenamesOf(t, b)},
	})
}

func typenamesOf(t testing.TB, b *blog) string {
	post := b.schema.AST.Types["Post"]
	return `{"__schema":{"__typename":"__Schema","types":[` + strings.TrimSuffix(strings.Repeat(`{"__typename":"__Type"},`, len(b.schema.AST.Types)), ",") +
		`]},"__type":{"__typename":"__Type","fields":[` + strings.TrimSuffix(strings.Repeat(`{"__typename":"__Field"},`, len(post.Fields)), ",") + `]}}`
}
