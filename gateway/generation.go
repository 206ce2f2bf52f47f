package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/schema"
)

// generation is one façade with every surface over it. When a remote serves another catalog,
// a new generation takes the place of the old one; requests that began on the old one end
// there (docs/decisions/remotes.md).
type generation struct {
	host      *Host
	session   Session
	again     Session // who is calling, for a stream that goes on: nothing is counted
	facade    *facade.Facade
	callers   json.RawMessage     // see [callersOf]
	documents *graphqlhttp.Folder // trusted documents; nil: every document is trusted
	places    []*place
	mounted   []*mounted
	router    *mux.Router // over mounted
	unknown   *mounted    // answers all other paths
	// streaming ends when the generation is replaced, or the host stops: clients then open
	// their streams again on the new generation (docs/decisions/revealing-events.md).
	streaming  context.Context //nolint:containedctx // a signal of the generation's life
	endStreams context.CancelFunc
}

// newGeneration builds the surfaces over a façade, and mounts them. draining
// turns /readyz to 503.
func newGeneration(h *Host, session, again Session, draining *atomic.Bool, f *facade.Facade) (_ *generation, failed error) {
	gen := &generation{host: h, session: session, again: again, facade: f, callers: callersOf(h, f.Catalog())}
	gen.streaming, gen.endStreams = context.WithCancel(h.streaming)
	defer func() {
		if failed != nil { // what accepts websockets runs until then
			gen.endStreams()
		}
	}()
	served := f.Catalog()
	bases, faults := basesOf(served.Audiences, h.config.Audiences)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	var err error
	if gen.documents, err = graphqlhttp.ReadFolder(h.config.Dir, h.config.GraphQL.Documents); err != nil {
		return nil, err
	}
	var problems []error
	for i, base := range bases {
		audience := ""
		if i > 0 {
			audience = served.Audiences[i-1]
		}
		for _, m := range mounts {
			problem, err := gen.serve(m.kind, m.path, base, audience, m.build)
			if err != nil {
				return nil, err
			}
			problems = append(problems, problem)
		}
		gen.docs(base)
	}
	if err := distinct(problems); err != nil {
		return nil, err
	}
	if err := gen.documents.Verify(h.log, gen.trusted()...); err != nil && !h.waiting() {
		// While a remote is not discovered, documents of its fields are refused.
		return nil, err
	}
	gen.mount(&mounted{path: "/livez", Path: guard.Path{Handler: http.HandlerFunc(live)}})
	gen.mount(&mounted{path: "/readyz", Path: guard.Path{Handler: h.ready(draining, false)}})
	gen.route()
	return gen, nil
}

// ready waits for the schemas of graphql-go, and returns its refusals.
func (g *generation) ready() error {
	var problems []error
	for _, p := range g.places {
		if p.schema != nil {
			problems = append(problems, p.schema.Ready())
		}
	}
	return distinct(problems)
}

// serve builds the surface of a kind for an audience, "" for everybody, and mounts its paths.
// problem is a fault of the surface, to report together with the others' faults.
func (g *generation) serve(kind catalog.Surface, path, base, audience string, build func(*generation, *place) (http.Handler, error)) (problem, err error) {
	p := &place{surface: kind.For(audience), base: base, title: g.host.config.Title, about: g.host.config.Description}
	if p.view, err = g.facade.Catalog().Surface(p.surface); err != nil {
		return nil, err
	}
	if p.empty(g.facade.Catalog(), g.host.options) {
		return nil, nil
	}
	p.caller = g.facade.On(p.view)
	handler, problem := build(g, p)
	g.places = append(g.places, p)
	g.mount(&mounted{path: base + path, hidden: audience != "", place: p, Path: guard.Path{Handler: handler}})
	g.describe(p)
	if v := g.verifier(p); v != nil {
		g.mount(&mounted{path: envelope.FactsPath, place: p, Path: guard.Path{Handler: g.facts(p.view)}})
		if files := g.files(p); files.orNone() != nil {
			g.mount(&mounted{path: envelope.FilesPath, place: p, Path: guard.Path{Handler: g.host.counted(files.given(p.caller, v))}})
		}
	}
	if p.streams != nil {
		g.mount(&mounted{path: base + streamsPath, hidden: true, place: p, Path: guard.Path{Handler: p.streams}})
	}
	if p.graphQL != nil {
		g.mount(&mounted{path: base + path + subscriptions.EventPath, hidden: true, place: p, Path: guard.Path{Handler: handler}})
	}
	if p.graphQL != nil && p.graphQL.HasConsole() {
		g.mount(&mounted{path: base + path + console.Path, hidden: true, place: p, Path: guard.Path{Handler: handler}})
	}
	return problem, nil
}

// distinct joins the errors of the surfaces, each once: what GraphQL has no name for is a fault
// on the GraphQL of every audience.
func distinct(problems []error) error {
	var all []error
	var faults schema.Faults
	said := map[string]bool{}
	first := func(err error) bool {
		text := err.Error()
		was := said[text]
		said[text] = true
		return !was
	}
	var collect func(error)
	collect = func(err error) {
		switch err := err.(type) { //nolint:errorlint // it walks the tree itself
		case nil:
		case schema.Faults:
			for _, f := range err {
				if first(f) {
					faults = append(faults, f)
				}
			}
		case interface{ Unwrap() []error }:
			for _, e := range err.Unwrap() {
				collect(e)
			}
		default:
			if first(err) {
				all = append(all, err)
			}
		}
	}
	for _, err := range problems {
		collect(err)
	}
	return errors.Join(append(all, faults.Err())...)
}

// mount adds a handler with its guards.
func (g *generation) mount(m *mounted) {
	g.mounted = append(g.mounted, g.guard(m))
}

// guard sets the guards of a handler, and returns it: pages of other sites may call as cors says,
// and no others.
func (g *generation) guard(m *mounted) *mounted {
	config := &g.host.config
	m.Sites = &guard.CrossSite{Dev: config.Identity.Dev && g.host.options.Session == nil, Hosts: guard.NewHosts(config.Hosts)}
	if h, ok := m.Handler.(*graphqlhttp.Handler); ok {
		m.Sites.Page = h.IsPage
	} else if m.place == nil { // the gateway's own paths have no data
		m.Sites.Page = func(*http.Request) bool { return true }
	}
	if m.place != nil && m.place.table != nil {
		m.Sites.Whole = m.place.table.IsAddress
	}
	m.Fail = formOf("")
	if m.place != nil {
		m.Fail, m.Surface, m.Consistent, m.Route = formOf(m.place.surface), string(m.place.surface), g.host.copies(), m.place.routeOf(m.path)
	}
	cors := config.CORS
	if m.Sites.Dev {
		cors.Headers = append(slices.Clone(cors.Headers), identity.DevHeader)
	}
	m.ReadBy(&cors, g.host.Development())
	return m
}

// route mounts the paths on the router: a path that ends in a slash serves everything below it, and comes
// after the paths there. The answer to an unknown path lists the paths.
func (g *generation) route() {
	g.router = mux.NewRouter()
	routed := map[*mounted]bool{}
	on := func(m *mounted, serves func(path string) bool) {
		if !routed[m] {
			routed[m] = true
			// A matcher of ours costs no regular expression, which would allocate for each request.
			g.router.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return serves(r.URL.Path) }).Handler(m)
		}
	}
	exact := func(m *mounted) { on(m, func(path string) bool { return path == m.path }) }
	for _, m := range g.mounted {
		if !strings.HasSuffix(m.path, "/") {
			exact(m)
			continue
		}
		for _, below := range g.mounted {
			if strings.HasPrefix(below.path, m.path) && !strings.HasSuffix(below.path, "/") {
				exact(below)
			}
		}
		on(m, func(path string) bool { return strings.HasPrefix(path, m.path) })
	}
	g.unknown = g.guard(&mounted{Path: guard.Path{Handler: notFound(g.paths())}})
	g.router.NotFoundHandler = g.unknown
	exact(g.guard(&mounted{path: "/", Path: guard.Path{Handler: g.welcome(notFound(g.paths()))}}))
}

// matches hold the answers of the router. Its routes have no variables.
var matches = sync.Pool{New: func() any { return &mux.RouteMatch{} }}

var noVariables = map[string]string{}

// find is the handler of a request, as the router has it.
func (g *generation) find(r *http.Request) *guard.Path {
	match := matches.Get().(*mux.RouteMatch)
	*match = mux.RouteMatch{Vars: noVariables}
	found := g.unknown
	if g.router.Match(r, match) {
		found = match.Handler.(*mounted)
	}
	matches.Put(match)
	return &found.Path
}

// at is the handler of a path that some generation has mounted. A surface that has become empty
// answers as an unknown path.
func (g *generation) at(path string) *guard.Path {
	for _, m := range g.mounted {
		if m.path == path {
			return &m.Path
		}
	}
	return &g.unknown.Path
}

// paths are the paths that everybody may know.
func (g *generation) paths() (paths []string) {
	for _, m := range g.mounted {
		if !m.hidden {
			paths = append(paths, m.path)
		}
	}
	if !g.host.config.NoDocuments {
		paths = append(paths, docsPath)
	}
	return paths
}

// trusted is the trusted documents of each GraphQL surface.
func (g *generation) trusted() (all []*graphqlhttp.Trusted) {
	if g.documents == nil {
		return nil
	}
	for _, p := range g.places {
		if p.graphQL != nil {
			all = append(all, p.graphQL.Trusted())
		}
	}
	return all
}
