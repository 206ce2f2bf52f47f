package gateway

import (
	"net/http"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// NewGraphQL answers GraphQL over HTTP with an engine; opts may be nil. The console's
// files are below, at /console/: mount the handler at both paths, the first ending in
// /graphql, as [RegisterGraphQL] does.
//
// A request that a page of another site sends is refused with 403, unless a handler in
// front has allowed its origin to read the answer.
func NewGraphQL(engine *resolvers.Engine, opts *GraphQLOptions) http.Handler {
	return guarded(graphqlhttp.New(engine, opts))
}

// guarded is a handler with no other guard in front of it.
func guarded(h *graphqlhttp.Handler) http.Handler {
	return (&guard.CrossSite{Page: h.IsPage}).Guard(h, graphqlhttp.Refuse)
}

// RegisterGraphQL mounts a built schema on /graphql (spec 4.3.2). caller is the caller that
// the schema was built over; opts may be nil. The error is a schema that no engine accepts,
// or trusted documents that cannot be read or, where they are enforced, executed.
func RegisterGraphQL(r Router, s *binding.Schema, caller facade.Caller, opts *GraphQLOptions) error {
	if opts == nil {
		opts = &GraphQLOptions{}
	}
	documents, err := graphqlhttp.ReadFolder(opts.Dir, opts.Settings.Documents)
	if err != nil {
		return err
	}
	h, err := graphqlhttp.Build(s, caller, opts, documents)
	if err == nil {
		err = documents.Verify(opts.Log, h.Trusted())
	}
	if err != nil {
		return err
	}
	r.Handle("/graphql", guarded(h))
	if h.HasConsole() {
		r.Handle("/graphql"+console.Path, guarded(h))
	}
	return nil
}
