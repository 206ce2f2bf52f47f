package gateway

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/guard"
)

// generation is one façade with every surface over it. What a remote serves changes
// while the gateway runs; then there is a new one, and requests that began on the
// old one end there.
type generation struct {
	*Gateway
	facade  *facade.Facade
	trusted *library // nil: there are no trusted documents
	places  []*place
	mounted []mounted
	router  http.Handler
}

// generate builds what is mounted where, over a façade.
func (g *Gateway) generate(f *facade.Facade) (*generation, error) {
	gen := &generation{Gateway: g, facade: f}
	catalog := f.Catalog()
	bases, faults := g.config.bases(catalog.Audiences)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	var err error
	if gen.trusted, err = readLibrary(g.config.Dir, g.config.GraphQL.Documents); err != nil {
		return nil, err
	}
	var problems []error
	for i, base := range bases {
		audience := ""
		if i > 0 {
			audience = catalog.Audiences[i-1]
		}
		for _, m := range mounts {
			p := &place{surface: m.kind.For(audience), base: base}
			if p.view, err = catalog.Surface(p.surface); err != nil {
				return nil, err
			}
			if p.empty(catalog, g.options) {
				continue
			}
			p.caller = f.On(p.view)
			handler, err := m.build(gen, p)
			problems = append(problems, err)
			gen.places = append(gen.places, p)
			gen.mount(mounted{base + m.path, audience != "", handler, p})
			if m.kind == facade.OnGraphQL && on(g.config.GraphQL.Console) {
				gen.mount(mounted{base + m.path + console.Path, true, handler, p})
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if err := gen.trusted.settle(g.log, gen.shelves()...); err != nil && !g.waiting() {
		// A document of what a remote has not told of yet is refused until it has.
		return nil, err
	}
	gen.mount(mounted{path: "/livez", handler: http.HandlerFunc(live)})
	gen.mount(mounted{path: "/readyz", handler: g.ready(&g.draining)})
	gen.route()
	return gen, nil
}

func (g *generation) mount(m mounted) {
	m.handler = g.guard(m)
	if m.place != nil {
		m.handler = g.telemetry.At(string(m.place.surface), m.place.routeOf(m.path), m.handler)
	}
	g.mounted = append(g.mounted, m)
}

// guard stands in front of everything that is mounted: it lets other sites' pages in
// as cors says, and no others.
func (g *generation) guard(m mounted) http.Handler {
	s := guard.CrossSite{Dev: g.config.Identity.Dev && g.options.Session == nil, Hosts: guard.NewHosts(g.config.Hosts)}
	var surface facade.Surface
	if m.place != nil {
		surface = m.place.surface
	}
	if h, ok := m.handler.(*graphQL); ok {
		s.Page = h.isPage
	} else if m.place == nil { // the house's own: no data
		s.Page = func(*http.Request) bool { return true }
	}
	return g.config.CORS.Wrap(s.Guard(m.handler, formOf(surface)))
}

// route puts what is mounted on a router; at other paths it is said which there are.
func (g *generation) route() {
	router := mux.NewRouter().SkipClean(true)
	r := Mux(router)
	exact := map[string]http.Handler{} // by the whole path: nothing is to be looked for
	for _, m := range g.mounted {
		r.Handle(m.path, m.handler)
		if !strings.HasSuffix(m.path, "/") {
			exact[m.path] = m.handler
		}
	}
	exact["/"] = g.guard(mounted{handler: g.welcome()})
	router.NotFoundHandler = g.guard(mounted{handler: nowhere(g.paths())})
	g.router = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := exact[r.URL.Path]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		router.ServeHTTP(w, r)
	})
}

// at is what answers at a path that was mounted once; a surface that shows nothing
// any more is not there.
func (g *generation) at(path string) http.Handler {
	for _, m := range g.mounted {
		if m.path == path {
			return m.handler
		}
	}
	return nowhere(g.paths())
}

// paths are those that everybody may be told.
func (g *generation) paths() (paths []string) {
	for _, m := range g.mounted {
		if !m.untold {
			paths = append(paths, m.path)
		}
	}
	return paths
}

// shelves are the trusted documents of each GraphQL surface.
func (g *generation) shelves() (shelves []*shelf) {
	for _, p := range g.places {
		if p.shelf != nil {
			shelves = append(shelves, p.shelf)
		}
	}
	return shelves
}
