package resolvers_test

import (
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
