package resolvers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/resolvers"
)

// TestCheck: what a request would be refused for is reported of a document beforehand,
// with its place.
func TestCheck(t *testing.T) {
	b := newBlog(t)
	e, err := resolvers.NewEngine(b.schema, b.recorder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, document string
		want           []resolvers.Problem // of the message, its beginning
	}{
		{"fine", "{ __typename }", nil},
		{"variables are nobody's business yet", "query($x: Int!) { post(id: $x) { title } }", nil},
		{"no GraphQL", "{\n  posts {", []resolvers.Problem{{Line: 2, Column: 10, Code: "GRAPHQL_PARSE_FAILED", Message: "Expected Name"}}},
		{"nothing", " \n", []resolvers.Problem{{Code: "GRAPHQL_PARSE_FAILED", Message: "The request has no query"}}},
		{"unknown fields", "{\n  nope\n  never\n}", []resolvers.Problem{
			{Line: 2, Column: 3, Code: "GRAPHQL_VALIDATION_FAILED", Message: `Cannot query field "nope"`},
			{Line: 3, Column: 3, Code: "GRAPHQL_VALIDATION_FAILED", Message: `Cannot query field "never"`},
		}},
		{"over a limit", "{ " + strings.Repeat("__typename ", 21) + "}", []resolvers.Problem{{Code: "ROOT_FIELD_LIMIT_EXCEEDED", Message: "The operation has more than 20"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := e.Check(c.document)
			for i := range got {
				if i < len(c.want) && strings.HasPrefix(got[i].Message, c.want[i].Message) {
					got[i].Message = c.want[i].Message
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
