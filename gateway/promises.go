package gateway

import (
	"maps"
	"slices"

	"github.com/frondhost/frond/gateway/graphqlhttp"
)

// Promises are the settings that callers depend on: a change of one may refuse a request that
// passed, or move it. `frond diff` compares them.
type Promises struct {
	List ListLimits
	// Audiences are the paths in front of the surfaces of audiences that the settings name.
	Audiences map[string]string
	// Documents are the texts of the trusted documents, by each of their ids. Enforced says
	// that all others are refused.
	Documents map[string]string
	Enforced  bool
	// Limits are the bounds of one request, by their keys: limits.body in bytes,
	// graphql.limits.depth.
	Limits map[string]int64
	// Remotes are the names of the Fronds that run elsewhere.
	Remotes []string
}

// Promises returns them, defaults filled in. The error is that of the folder of trusted
// documents, schema.Faults.
func (c Config) Promises() (*Promises, error) {
	c = c.withDefaults()
	folder, err := graphqlhttp.ReadFolder(c.Dir, c.GraphQL.Documents)
	if err != nil {
		return nil, err
	}
	l := c.GraphQL.Limits
	return &Promises{
		List: c.Limits.List, Audiences: c.Audiences, Remotes: slices.Sorted(maps.Keys(c.Remotes)),
		Documents: folder.Texts(), Enforced: c.GraphQL.Documents.Mode == DocumentsEnforce,
		Limits: map[string]int64{
			"limits.body":             c.Limits.Body,
			"graphql.limits.document": int64(l.Document), "graphql.limits.tokens": int64(l.Tokens), "graphql.limits.depth": int64(l.Depth),
			"graphql.limits.aliases": int64(l.Aliases), "graphql.limits.roots": int64(l.Roots), "graphql.limits.fields": int64(l.Fields),
			"graphql.limits.expanded": int64(l.Expanded),
		},
	}, nil
}
