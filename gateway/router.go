package gateway

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// Router is where the gateway mounts its surfaces (spec 1.4). A path that ends in a slash
// serves everything below it, any other serves itself alone; the handler answers every
// method. [http.ServeMux] is a Router; [Mux] makes one of gorilla's.
type Router interface {
	Handle(path string, h http.Handler)
}

var _ Router = (*http.ServeMux)(nil)

// Mux mounts on a router of gorilla/mux. A router with SkipClean sees paths as they were
// sent; others redirect a path with two slashes in a row.
func Mux(r *mux.Router) Router { return gorilla{r} }

type gorilla struct{ router *mux.Router }

// Handle maps a path that ends in a slash to a prefix route.
func (g gorilla) Handle(path string, h http.Handler) {
	if strings.HasSuffix(path, "/") {
		g.router.PathPrefix(path).Handler(h)
		return
	}
	g.router.Path(path).Handler(h)
}

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

// RegisterGraphQL mounts a built schema on /graphql (spec 4.3.2). caller is the caller that the
// schema was built over; opts may be nil. The error is a schema that no engine accepts, or
// trusted documents that cannot be read or, if they are enforced, executed.
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
