package resolvers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestNothingIsLost: what fails out of the ordinary way is an error with its place
// all the same, never a null that looks like one.
func TestNothingIsLost(t *testing.T) {
	b := newBlogWith(t, handWritten)
	for _, c := range []struct{ name, query, variables, want string }{
		{
			"a computed field of a row that was loaded", `{ post(id: 1) { rival { id broken excerpt } } }`, ``,
			`{"data":{"post":{"rival":{"id":2,"broken":null,"excerpt":"TEXT"}}},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":28}],"path":["post","rival","broken"]`,
		},
		{
			"and of rows in a list", `{ firstAuthors { posts(first: 1) { items { rival { broken } } } } }`, ``,
			`"path":["firstAuthors",0,"posts","items",0,"rival","broken"]`,
		},
		{
			"the name of __type, spoiled by a variable", `query($n: String = "Post") { __type(name: $n) { name } }`, `{"n":null}`,
			`{"data":{"__type":null},"errors":[{"message":"$n is null where a value of the non-null type \"String!\" is expected; send one.","locations":[{"line":1,"column":30}],"path":["__type"]`,
		},
		{
			"includeDeprecated, spoiled by a variable", `query($d: Boolean = true) { __type(name: "PostStatus") { name enumValues(includeDeprecated: $d) { name } } }`, `{"d":null}`,
			`{"data":{"__type":{"name":"PostStatus","enumValues":null}},"errors":[{"message":"$d is null where a value of the non-null type \"Boolean!\" is expected; send one.","locations":[{"line":1,"column":63}],"path":["__type","enumValues"]`,
		},
		{
			"where null may not be, it takes what holds it along", `query($d: Boolean = true) { __type(name: "Query") { fields { name args(includeDeprecated: $d) { name } } } }`, `{"d":null}`,
			`{"data":{"__type":{"fields":null}},"errors":[{"message":"$d is null`,
		},
		{"a literal null is refused at once", `{ __type(name: "PostStatus") { enumValues(includeDeprecated: null) { name } } }`, ``, `"code":"GRAPHQL_VALIDATION_FAILED"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := untraced(b.do(c.query, c.variables)); !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestTokens: what is no token is named, and a number ends where it ends
// (specification 2.9.1: no name and no dot behind it).
func TestTokens(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct{ query, want string }{
		{`{ posts(first: 1offset: 2) { total } }`, `"message":"The number 1 runs into \"o\"; put a space or a comma between them.","locations":[{"line":1,"column":16}]`},
		{`{ é: __typename }`, `"column":3`},
		{`{ a(é: 1) }`, `"column":5`},
		{`query($n: Int = 2$m: Int) { posts(first: $n, offset: $m) { total } }`, `"data":{"posts":{"total":9}}`},
		{`query($n: Int = 2e0_x: Int) { posts(first: $n) { total } }`, `GRAPHQL_PARSE_FAILED`},
		{`{ posts(first: 1"") { total } }`, `GRAPHQL_PARSE_FAILED`},
		{`{ author(id: "é" ) { name posts(first: 1e) { total } } }`, `GRAPHQL_PARSE_FAILED`},
		{`{ author(id: "é😀") { name posts(first: 1last: null) { total } } }`, `"column":40`},
		{`{ posts(first: 01) { total } }`, `Invalid number, unexpected digit after 0: \"1\".`},
		{`{ author(id: "\x") { name } }`, `Invalid character escape sequence`},
		{`{ author(id: "a`, `Unterminated string.`},
		{`{ posts(first:3) { total } }`, `"data":{"posts":{"total":9}}`},
	} {
		if got := b.do(c.query, ""); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.query, got, c.want)
		}
	}
}

// TestManyErrors: a response has the first hundred errors of an execution, and how many more there are.
func TestManyErrors(t *testing.T) {
	b := newBlogWith(t, handWritten)
	var aliases strings.Builder
	for i := range 25 {
		fmt.Fprintf(&aliases, "b%d: broken ", i)
	}
	var got struct {
		Data   any
		Errors []struct {
			Message    string
			Path       []any
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(b.do(`{ posts { items { rival { `+aliases.String()+` } } } }`, ``)), &got); err != nil {
		t.Fatal(err)
	}
	if n := len(got.Errors); got.Data == nil || n != 101 || len(got.Errors[99].Path) == 0 || got.Errors[100].Extensions.Code != "ERROR_LIMIT_EXCEEDED" {
		t.Fatalf("%d errors, the last %+v", n, got.Errors[n-1])
	}
	if want := "125 more errors are left out after the first 100."; got.Errors[100].Message != want {
		t.Errorf("%q, want %q", got.Errors[100].Message, want)
	}
}
