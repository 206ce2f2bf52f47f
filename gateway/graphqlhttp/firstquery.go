package graphqlhttp

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

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
