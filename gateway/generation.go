package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/graphqlsse"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
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
	mounted   []mounted
	router    http.Handler
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
	gen.mount(mounted{path: "/livez", handler: http.HandlerFunc(live)})
	gen.mount(mounted{path: "/readyz", handler: h.ready(draining, false)})
	gen.route()
	return gen, nil
}

// serve builds the surface of a kind for an audience, "" for everybody, and mounts its paths.
// problem is a fault of the surface, which is reported together with those of the others.
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
	g.mount(mounted{base + path, audience != "", handler, p})
	g.describe(p)
	if kind == catalog.OnEnvelope && audience == "" {
		if facts := g.facts(p.view); facts != nil {
			g.mount(mounted{envelope.FactsPath, false, facts, p})
		}
	}
	if p.streams != nil {
		g.mount(mounted{base + streamsPath, true, p.streams, p})
	}
	if p.graphQL != nil {
		g.mount(mounted{base + path + graphqlsse.Path, true, handler, p})
	}
	if p.graphQL != nil && p.graphQL.HasConsole() {
		g.mount(mounted{base + path + console.Path, true, handler, p})
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

// mount puts a handler behind its guards, and what reports its requests.
func (g *generation) mount(m mounted) {
	m.handler = g.guard(m)
	if m.place != nil {
		m.handler = g.host.telemetry.At(string(m.place.surface), m.place.routeOf(m.path), m.handler)
	}
	g.mounted = append(g.mounted, m)
}

// guard puts the check of other sites in front of a handler: their pages may call as cors
// says, and no others.
func (g *generation) guard(m mounted) http.Handler {
	config := &g.host.config
	s := guard.CrossSite{Dev: config.Identity.Dev && g.host.options.Session == nil, Hosts: guard.NewHosts(config.Hosts)}
	var surface catalog.Surface
	if m.place != nil {
		surface = m.place.surface
	}
	if h, ok := m.handler.(*graphqlhttp.Handler); ok {
		s.Page = h.IsPage
	} else if m.place == nil { // the gateway's own paths have no data
		s.Page = func(*http.Request) bool { return true }
	}
	handler := m.handler
	if m.place != nil {
		handler = g.host.consistent(handler, formOf(surface))
	}
	cors := config.CORS
	if s.Dev {
		cors.Headers = append(slices.Clone(cors.Headers), identity.DevHeader)
	}
	return cors.Wrap(s.Guard(handler, formOf(surface)), g.host.Development())
}

// route puts the mounted paths on a router. The answer to an unknown path lists the paths.
func (g *generation) route() {
	router := mux.NewRouter().SkipClean(true)
	r := Mux(router)
	exact := map[string]http.Handler{} // by whole path, before the router is asked
	for _, m := range g.mounted {
		r.Handle(m.path, m.handler)
		if !strings.HasSuffix(m.path, "/") {
			exact[m.path] = m.handler
		}
	}
	exact["/"] = g.guard(mounted{handler: welcome(g.welcomePage(), notFound(g.paths()))})
	router.NotFoundHandler = g.guard(mounted{handler: notFound(g.paths())})
	g.router = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := exact[r.URL.Path]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		router.ServeHTTP(w, r)
	})
}

// at is the handler of a path that was mounted by some generation. A surface that has become
// empty answers as an unknown path.
func (g *generation) at(path string) http.Handler {
	for _, m := range g.mounted {
		if m.path == path {
			return m.handler
		}
	}
	return notFound(g.paths())
}

// paths are the paths that everybody may know.
func (g *generation) paths() (paths []string) {
	for _, m := range g.mounted {
		if !m.hidden {
			paths = append(paths, m.path)
		}
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
