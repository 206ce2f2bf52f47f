package graphqlhttp

import (
	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// FirstQuery is the query that the console opens with where the project has none: the list of
// the first door that has one. nil: no door has.
func FirstQuery(s *binding.Schema) []console.Query {
	for _, f := range s.AST.Query.Fields {
		if b := s.Fields.Of("Query", f.Name); b != nil && b.IsList() {
			return []console.Query{{Name: schema.GraphQLType(f.Name), Query: `# Ctrl+Space shows what can be written here, Ctrl+Enter runs it.
# The book on the left has every type, the clock what ran before.
` + sampleOf(s, f, "query")}}
		}
	}
	return nil
}
