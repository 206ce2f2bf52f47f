package resolvers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/language"
)

// TestDocuments: what is wrong with a request itself is reported before anything runs,
// with a code clients know and the place (specification 5, 6.1, 7.1.2).
func TestDocuments(t *testing.T) {
	b := newBlog(t)
	valid := language.CodeValidation
	for _, c := range []struct {
		name, query, operation string
		code, message          string // message: how it begins; code "" for a document that runs
	}{
		// Parsing.
		{"nothing", ``, "", "GRAPHQL_PARSE_FAILED", "The request has no query"},
		{"white space", " \n\t", "", "GRAPHQL_PARSE_FAILED", "The request has no query"},
		{"a comment", "# { a }", "", "GRAPHQL_PARSE_FAILED", "The document has no operation"},
		{"half a document", `{ posts {`, "", "GRAPHQL_PARSE_FAILED", "Expected Name, found <EOF>"},
		{"an empty selection", `{ posts { } }`, "", "GRAPHQL_PARSE_FAILED", "expected at least one definition, found }"},
		{"half a surrogate pair", `{ author(id: "x\ud800") { id } }`, "", "GRAPHQL_PARSE_FAILED", `The escape \ud800 is half a surrogate pair`},
		{"the other half", `{ author(id: "\uDC00\ud800") { id } }`, "", "GRAPHQL_PARSE_FAILED", `The escape \uDC00 is half a surrogate pair`},
		{"half a surrogate pair before an escape", `{ author(id: "\uDbff\n") { id } }`, "", "GRAPHQL_PARSE_FAILED", `The escape \uDbff is half a surrogate pair`},
		{"half a surrogate pair in braces", `{ author(id: "\u{D800}") { id } }`, "", "GRAPHQL_PARSE_FAILED", `Invalid character escape sequence`},
		{"half a surrogate pair in a default", `query($id: ID = "\ud800") { author(id: $id) { id } }`, "", "GRAPHQL_PARSE_FAILED", `The escape \ud800 is half a surrogate pair`},
		{"half a surrogate pair behind a block string", "{ a: author(id: \"\"\"\\ud800 \\\"\"\" \"\"\") { id } # \"\n b: author(id: \"\\ud800\") { id } }", "", "GRAPHQL_PARSE_FAILED", `The escape \ud800 is half a surrogate pair`},
		{"bytes that are no UTF-8", "{ author(id: \"\xed\xa0\x80\") { id } }", "", "GRAPHQL_PARSE_FAILED", `The document is not UTF-8`},
		{"a type", `type A { b: C }`, "", "GRAPHQL_PARSE_FAILED", "Unexpected Name"},
		{"only a fragment", `fragment f on Post { id }`, "", "GRAPHQL_PARSE_FAILED", "The document has no operation"},

		// Operations (6.1).
		{"several without a name", `query A { __typename } query B { __typename }`, "", language.CodeOperation, "The document has several operations"},
		{"one of several", `query A { __typename } query B { __typename }`, "B", "", ""},
		{"none of that name", `query A { __typename }`, "B", language.CodeOperation, "The document has no operation of the name"},
		{"no name, and one is asked for", `{ __typename }`, "A", language.CodeOperation, "The document has no operation of the name"},
		{"a name that is empty is none", `query A { __typename }`, "", "", ""},
		{"two of a name", `query A { __typename } query A { __typename }`, "A", valid, `There can be only one operation named "A".`},
		{"one without a name among others", `{ __typename } query A { __typename }`, "A", valid, "This anonymous operation must be the only defined operation."},
		{"a subscription", `subscription { posts { total } }`, "", valid, "Cannot query field"},
		{"descriptions (2025)", `"what it is for" query A("which" $n: Int) { posts(first: $n) { total } }`, "A", "", ""},

		// Fields.
		{"an unknown field", `{ nope }`, "", valid, `Cannot query field "nope" on type "Query".`},
		{"an unknown field, without a guess", `{ post(id: 1) { titel } }`, "", valid, `Cannot query field "titel" on type "Post".`},
		{"a field that is closed", `{ author(id: "a") { secret } }`, "", valid, `Cannot query field "secret" on type "Author".`},
		{"no selection where there has to be one", `{ post(id: 1) }`, "", valid, `Field "post" of type "Post" must have a selection of subfields.`},
		{"a selection where there is none", `{ post(id: 1) { title { x } } }`, "", valid, `Field "title" must not have a selection since type "String" has no subfields.`},
		{"an unknown argument", `{ posts(nope: 1) { total } }`, "", valid, `Unknown argument "nope" on field "Query.posts".`},
		{"a missing argument", `{ post { id } }`, "", valid, `Field "post" argument "id" of type "Int!" is required, but it was not provided.`},
		{"an argument twice", `{ post(id: 1, id: 2) { id } }`, "", valid, `There can be only one argument named "id".`},

		// Merging (5.3.2).
		{"one key, two fields", `{ post(id: 1) { a: id a: title } }`, "", valid, `Fields "a" conflict because "id" and "title" are different fields.`},
		{"one key, two arguments", `{ a: post(id: 1) { id } a: post(id: 2) { id } }`, "", valid, `Fields "a" conflict because they have differing arguments.`},
		{"one key, an argument and none", `{ a: posts(first: 1) { total } a: posts { total } }`, "", valid, `Fields "a" conflict because they have differing arguments.`},
		{"one key, objects of other keys in another order", `{ a: posts(filter: {id: {eq: 1}, views: {eq: 2}}) { total } a: posts(filter: {views: {eq: 2}, id: {eq: 1}}) { total } }`, "", "", ""},
		{"one key, two types of parents, one shape", `{ node(nodeId: "x") { ... on Post { a: title } ... on Author { a: name } } }`, "", "", ""},
		{"one key, two types of parents, two shapes", `{ node(nodeId: "x") { ... on Post { a: views } ... on Author { a: name } } }`, "", valid, `Fields "a" conflict because they return conflicting types "Int!" and "String!".`},
		{"one key, two types of parents, one may be null", `{ node(nodeId: "x") { ... on Post { a: title } ... on Author { a: email } } }`, "", valid, `Fields "a" conflict because they return conflicting types "String!" and "String".`},
		{"one key of two types of parents, two shapes below", `{ node(nodeId: "x") { ... on Post { a: author { x: name } } ... on Author { a: mentor { x: age } } } }`, "", valid, `Fields "x" conflict because they return conflicting types`},
		{"one key, below fragments", `{ post(id: 1) { ...f ...g } } fragment f on Post { author { a: name } } fragment g on Post { author { a: email } }`, "", valid, `Fields "a" conflict because "name" and "email" are different fields.`},
		{"a key of an interface and of a type", `{ node(nodeId: "x") { a: nodeId ... on Post { a: title } } }`, "", valid, `Fields "a" conflict because`},
		{"an alias of the same field", `{ post(id: 1) { id: id id } }`, "", "", ""},

		// Fragments.
		{"an unknown fragment", `{ ...nope }`, "", valid, `Unknown fragment "nope".`},
		{"an unused fragment", `{ __typename } fragment f on Post { id }`, "", valid, `Fragment "f" is never used.`},
		{"a fragment twice", `{ ...f } fragment f on Query { __typename } fragment f on Query { __typename }`, "", valid, `There can be only one fragment named "f".`},
		{"a fragment on a scalar", `{ ...f } fragment f on Int { x }`, "", valid, `Fragment "f" cannot condition on non composite type "Int".`},
		{"a fragment on an unknown type", `{ ... on Nope { x } }`, "", valid, `Unknown type "Nope".`},
		{"a fragment that can never be", `{ post(id: 1) { ... on Author { id } } }`, "", valid, `Fragment cannot be spread here as objects of type "Post" can never be of type "Author".`},
		{"a fragment on an interface", `{ post(id: 1) { ... on Node { nodeId } } }`, "", "", ""},

		// Directives.
		{"an unknown directive", `{ __typename @nope }`, "", valid, `Unknown directive "@nope".`},
		{"a directive that nothing here answers", `{ ...f @defer } fragment f on Query { __typename }`, "", valid, `Unknown directive "@defer".`},
		{"a directive in the wrong place", `query @skip(if: true) { __typename }`, "", valid, `Directive "@skip" may not be used on QUERY.`},
		{"a directive twice", `{ __typename @skip(if: true) @skip(if: false) }`, "", valid, `The directive "@skip" can only be used once at this location.`},
		{"a directive without its argument", `{ __typename @skip }`, "", valid, `Directive "@skip" argument "if" of type "Boolean!" is required, but it was not provided.`},

		// Variables.
		{"an unknown variable", `{ post(id: $n) { id } }`, "", valid, `Variable "$n" is not defined.`},
		{"an unused variable", `query A($n: Int) { __typename }`, "", valid, `Variable "$n" is never used in operation "A".`},
		{"a variable twice", `query($n: Int!, $n: Int!) { post(id: $n) { id } }`, "", valid, `There can be only one variable named "$n".`},
		{"a variable of an output type", `query($n: Post) { post(id: 1) { id @skip(if: $n) } }`, "", valid, `Variable "$n" cannot be non-input type "Post".`},
		{"a variable of an unknown type", `query($n: Nope) { posts(first: $n) { total } }`, "", valid, `Unknown type "Nope".`},
		{"a variable in a fragment of two operations", `query A($n: Int!) { ...f } query B($n: Int) { ...f } fragment f on Query { post(id: $n) { id } }`, "A", valid, `Variable "$n" of type "Int" used in position expecting type "Int!".`},
		{"a variable in a list", `query($n: Int!) { postsByIds(ids: [$n, 2]) { id } }`, "", language.CodeInput, `Variable "$n" of required type "Int!" was not provided.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.calls()
			r := b.engine.Execute(context.Background(), &resolvers.Request{Query: c.query, OperationName: c.operation})
			got := string(r.Body)
			if c.code == "" {
				if !r.Executed || r.Status != 200 || strings.Contains(got, `"errors"`) {
					t.Errorf("%d %s, want it to run", r.Status, got)
				}
				return
			}
			var body struct {
				Errors []struct {
					Message    string
					Locations  []any
					Extensions struct{ Code string }
				}
			}
			decode(t, got, &body)
			if r.Executed || r.Status != 400 || len(body.Errors) == 0 || strings.Contains(got, `"data"`) {
				t.Fatalf("%d %s, want a refusal", r.Status, got)
			}
			said := false
			for _, e := range body.Errors {
				said = said || strings.HasPrefix(e.Message, c.message)
				if e.Extensions.Code != c.code || c.code == valid && len(e.Locations) == 0 {
					t.Errorf("%s: want the code %s and a place", got, c.code)
				}
			}
			if !said {
				t.Errorf("got  %s\nwant %s", got, c.message)
			}
			if n := len(b.calls()); n > 0 {
				t.Errorf("%d calls were made", n)
			}
		})
	}
}

// TestReadOnly: a request that came by GET runs no mutation.
func TestReadOnly(t *testing.T) {
	b := newBlog(t)
	r := b.engine.Execute(context.Background(), &resolvers.Request{Query: `mutation { postPublish(id: 1) { id } }`, ReadOnly: true})
	if r.Status != 405 || r.Executed || !strings.Contains(string(r.Body), `"METHOD_NOT_ALLOWED"`) || len(b.calls()) > 0 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

// TestSuggestions: off by default, for a name that is guessed is a name that leaks.
func TestSuggestions(t *testing.T) {
	b := newBlog(t)
	for _, suggest := range []bool{false, true} {
		e, err := resolvers.NewEngine(b.schema, b.recorder, &resolvers.Options{Suggest: suggest})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ query, variables, want string }{
			{`{ post(id: 1) { titel } }`, ``, `Cannot query field \"titel\" on type \"Post\". Did you mean \"title\"?`},
			{`{ posts { title } }`, ``, `Cannot query field \"title\" on type \"PostConnection\". Did you mean \"items { title }\"?`},
			{`{ posts { totl } }`, ``, `Cannot query field \"totl\" on type \"PostConnection\". Did you mean \"total\"?`},
			{`{ posts(filter: {titel: {eq: "x"}}) { total } }`, ``, `Field \"titel\" is not defined by type \"PostFilter\". Did you mean \"title\"?`},
			{`{ posts(filter: {title: {contain: "x"}}) { total } }`, ``, `Field \"contain\" is not defined by type \"StringFilter\". Did you mean \"contains\"`},
			{`{ posts(filter: {title: {like: "x"}}) { total } }`, ``, `Did you mean \"contains\", \"startsWith\", \"endsWith\", or \"icontains\"? It has eq, ne,`},
			{`{ posts(filter: {title: {not: "x"}}) { total } }`, ``, `Did you mean \"ne\" or \"notIn\"? It has eq,`},
			{`{ posts(filter: {title: {sounds: "x"}}) { total } }`, ``, `Field \"sounds\" is not defined by type \"StringFilter\". It has eq, ne, in, notIn, lt, lte, gt, gte, contains, startsWith, endsWith, icontains, isNull.`},
			{`query($f: PostFilter) { posts(filter: $f) { total } }`, `{"f":{"title":{"contain":"x"}}}`, `Field \"contain\" is not defined by type \"StringFilter\". Did you mean \"contains\"`},
			{`{ posts(orderBy: [{title: ASC, views: DESC}]) { total } }`, ``, ``},
		} {
			got := string(e.Execute(context.Background(), &resolvers.Request{Query: c.query, Variables: []byte(c.variables)}).Body)
			if strings.Contains(got, "Did you mean") != (suggest && strings.Contains(c.want, "Did you mean")) || suggest && !strings.Contains(got, c.want) {
				t.Errorf("suggest %v: %s\n got %s\nwant %s", suggest, c.query, got, c.want)
			}
			if c.want == "" && !strings.Contains(got, `OneOf Input Object \"PostOrderBy\" must specify exactly one key.`) {
				t.Errorf("two keys in one object: %s", got)
			}
		}
	}
}

// TestOneDocumentManyRequests: what is kept of a document is right for every value
// of the variables in its @skip and @include, in any order.
func TestOneDocumentManyRequests(t *testing.T) {
	b := newBlog(t)
	const query = `query($a: Boolean!, $b: Boolean = true) { tag: tags(first: 1) { items { id @include(if: $a) ...f @skip(if: $b) } } } fragment f on Tag { label }`
	for range 3 {
		for variables, want := range map[string]string{
			`{"a":true,"b":true}`:   `{"id":"go"}`,
			`{"a":true,"b":false}`:  `{"id":"go","label":"GO"}`,
			`{"a":false,"b":false}`: `{"label":"GO"}`,
			`{"a":false}`:           `{}`,
		} {
			if got := b.do(query, variables); got != `{"data":{"tag":{"items":[`+want+`]}}}` {
				t.Errorf("%s: %s", variables, got)
			}
		}
	}
}

// TestSurrogates: a pair of escapes is the character it names, in a block string an
// escape is none, and half a pair is pointed at.
func TestSurrogates(t *testing.T) {
	b := newBlog(t)
	run := func(query string) string {
		return string(b.engine.Execute(context.Background(), &resolvers.Request{Query: query}).Body)
	}
	for _, query := range []string{
		`{ author(id: "\uD83D\uDE00 \\ud800 \u{1F600}") { id } }`, `{ author(id: """\ud800""") { id } } # "\ud800"`,
	} {
		if got := run(query); got != `{"data":{"author":null}}` {
			t.Errorf("%s\nsays %s", query, got)
		}
	}
	got := run("{ author(id: \"é\") { id }\r\n  b: author(id: \"\\ud83d\\ude00\\ud83d\") { id } }")
	if want := `"locations":[{"line":2,"column":30}]`; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
