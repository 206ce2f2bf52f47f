package graphqlhttp

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// mostFirstFields is how many fields of a row the first query selects.
const mostFirstFields = 4

// FirstQuery is the query that the console opens with where the project has none: the list of
// the first door that has one. nil: no door has.
//
//	query Products {
//	  products(first: 10) {
//	    total
//	    items {
//	      id
//	      name
func FirstQuery(s *binding.Schema) []console.Query {
	for _, f := range s.AST.Query.Fields {
		b := s.Fields[s.AST.Query.Name][f.Name]
		if b == nil || b.Kind != binding.Operation || !b.Operation.Builtin || b.Operation.Name != "list" {
			continue
		}
		items := s.AST.Types[f.Type.Name()].Fields.ForName("items")
		name := schema.GraphQLType(f.Name)
		page := ""
		// A handler may answer list without paging.
		if f.Arguments.ForName("first") != nil {
			page = "(first: 10)"
		}
		return []console.Query{{Name: name, Query: fmt.Sprintf(`# Ctrl+Space shows what can be written here, Ctrl+Enter runs it.
# The book on the left has every type, the clock what ran before.
query %s {
  %s%s {
    total
    items {
      %s
    }
  }
}
`, name, f.Name, page, strings.Join(firstFields(s, s.AST.Types[items.Type.Name()]), "\n      "))}}
	}
	return nil
}

// firstFields are the first fields of a row that are values and take no arguments. A row
// without such a field gives __typename, since a selection cannot be empty (GraphQL spec 3.6).
func firstFields(s *binding.Schema, row *ast.Definition) (names []string) {
	for _, f := range row.Fields {
		b := s.Fields[row.Name][f.Name]
		if b != nil && b.Kind == binding.Column && b.Column != facade.ETag && s.AST.Types[f.Type.Name()].IsLeafType() && f.Directives.ForName("deprecated") == nil && len(names) < mostFirstFields {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		names = []string{"__typename"}
	}
	return names
}
