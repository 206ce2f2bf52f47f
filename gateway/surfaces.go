package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// mounts are the surfaces that each audience has, and everybody: behind which path,
// and what answers there.
var mounts = []struct {
	kind  facade.Surface
	path  string
	build func(*generation, *place) (http.Handler, error)
}{
	{facade.OnGraphQL, "/graphql", (*generation).graphQL},
	{facade.OnREST, "/api/", (*generation).rest},
	{facade.OnEnvelope, envelope.Path, (*generation).envelope},
}

// place is where a surface stands, and what it sees of the host. The path alone says
// whom a request is shown what: nothing in it can name another audience.
type place struct {
	surface facade.Surface
	base    string // of the audience's paths: /partner; "" for everybody
	view    *facade.Catalog
	caller  facade.Caller
	shown   func() string // the SDL, the routes or the discovery document
	shelf   *shelf        // of GraphQL: its trusted documents
	table   *rest.Table   // of REST: its routes
}

// mounted is a handler and the path it belongs at.
type mounted struct {
	path    string
	untold  bool // not to be named to who asks for a path that is not there
	handler http.Handler
	place   *place // nil: the house's own
}

// routeOf says by which route of a surface a request comes; "" where there is none.
func (p *place) routeOf(path string) func(*http.Request) string {
	if p.table == nil {
		return func(*http.Request) string { return path }
	}
	return func(r *http.Request) string { return p.table.Path(r.URL.EscapedPath()) }
}

// empty says whether nothing is to be seen: the surface is not mounted then, as if
// there were none. A host that has no doors at all has its surfaces all the same.
func (p *place) empty(whole *facade.Catalog, opts *Options) bool {
	if p.view == whole || p.surface == facade.OnGraphQL && opts.Extend != nil {
		return false
	}
	return !slices.ContainsFunc(p.view.Fronds, func(f *facade.Frond) bool { return len(f.Doors) > 0 })
}

func (g *generation) graphQL(p *place) (http.Handler, error) {
	schema, err := g.project(p)
	queries, faults := readQueries(g.config.Dir, p.surface)
	if err := errors.Join(err, faults.Err()); err != nil {
		return nil, err
	}
	if queries == nil {
		queries = firstQuery(schema)
	}
	p.shown = func() string { return schema.SDL }
	h, err := engineOf(schema, p.caller, &GraphQLOptions{
		Session: g.session, MaxBody: g.config.Limits.Body, Budget: g.budget, Log: g.log, Queries: queries,
		Settings: g.config.GraphQL, Dir: g.config.Dir, Suggest: g.Development(),
		Executed: g.executed,
	}, g.trusted)
	if err != nil {
		return nil, err
	}
	p.shelf = h.shelf
	return h, nil
}

// project builds the GraphQL schema of a surface. What Go code registers by hand is
// everybody's: an audience sees nothing that its Fronds do not name.
func (g *generation) project(p *place) (*binding.Schema, error) {
	opts := g.options
	var options projection.Options
	if opts.GraphQL != nil {
		options = *opts.GraphQL
	}
	options.Surface = p.surface
	b := projection.NewBuilder()
	err := projection.RegisterAll(b, g.facade.Catalog(), &options)
	if opts.Extend != nil && p.base == "" {
		err = errors.Join(err, opts.Extend(b))
	}
	if err != nil {
		return nil, err
	}
	for _, note := range b.Notes() {
		g.log.Warn("something of a remote is not in the GraphQL schema", "note", note)
	}
	return b.Build(p.caller)
}

func (g *generation) rest(p *place) (http.Handler, error) {
	api, err := rest.New(p.view, p.caller, &rest.Options{Base: p.base + "/api", State: g.session, MaxBody: g.config.Limits.Body, Budget: g.budget, Log: g.log})
	if err != nil {
		return nil, err
	}
	p.table, p.shown = api.Table(), api.Table().String
	return api, nil
}

func (g *generation) envelope(p *place) (http.Handler, error) {
	p.shown = func() string { return string(p.view.Discovery().AppendJSON(nil)) }
	return envelope.NewHandler(p.view, p.caller, &envelope.Options{State: g.session, MaxBody: g.config.Limits.Body, Budget: g.budget, Called: calledFrame, Log: g.log}), nil
}

// Shown is what a surface shows, as text: of graphql the SDL, of rest the routes, of
// envelope the discovery document, and likewise of an audience's: partner/rest.
func (g *Gateway) Shown(s facade.Surface) (string, error) {
	if _, err := g.Catalog().Surface(s); err != nil {
		return "", err
	}
	for _, p := range g.current.Load().places {
		if p.surface == s {
			return p.shown(), nil
		}
	}
	return "", fmt.Errorf("the surface %s shows nothing and is not mounted; name doors for it under surfaces in a frond.yaml", s)
}

// SDL is the GraphQL schema that everybody sees, as text; "" where it is not mounted.
func (g *Gateway) SDL() string {
	text, _ := g.Shown(facade.OnGraphQL)
	return text
}

// bases are the paths that everybody and each audience have in front of theirs: ""
// first, then /{audience}, or what the setting audiences says.
func (c *Config) bases(audiences []string) (bases []string, faults schema.Faults) {
	fault := func(audience, message, remedy string) {
		faults = append(faults, schema.Fault{File: setting.File, Pointer: "/audiences/" + jsontext.Token(audience), Message: message, Remedy: remedy})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Audiences)) {
		if !slices.Contains(audiences, name) {
			there := "there is no audience; name one under surfaces in a frond.yaml"
			if len(audiences) > 0 {
				there = "the audiences are " + strings.Join(audiences, ", ")
			}
			fault(name, fmt.Sprintf("no Frond shows anything to an audience %s", name), there)
		}
	}
	bases = append(bases, "")
	taken := map[string]string{"/livez": "the house", "/readyz": "the house"} // path to whose it is
	for _, m := range mounts {
		taken[strings.TrimSuffix(m.path, "/")] = "everybody"
	}
	for _, name := range audiences {
		base, set := c.Audiences[name]
		if !set {
			base = "/" + name
		}
		if err := checkBase(base); err != nil {
			fault(name, fmt.Sprintf("%q is no path an audience could have", base), err.Error())
		}
		for _, path := range slices.Sorted(maps.Keys(taken)) {
			if within(base, path) || within(path, base) {
				fault(name, fmt.Sprintf("the audience %s would stand at %s, and %s is %s's", name, base, path, taken[path]),
					fmt.Sprintf("write another path in %s: audiences: {%s: /for-%[2]s}", setting.File, name))
				break
			}
		}
		taken[base] = "the audience " + name
		bases = append(bases, base)
	}
	return bases, faults
}

// within says whether a path is another one, or below it.
func within(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '/')
}

var errBase = errors.New("write a path of letters, digits, - and _, such as /partner or /b2b/v1")

func checkBase(path string) error {
	rest, ok := strings.CutPrefix(path, "/")
	for segment := range strings.SplitSeq(rest, "/") {
		if !ok || segment == "" || strings.ContainsFunc(segment, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
		}) {
			return errBase
		}
	}
	return nil
}

// readAudiences reads the paths of audiences: a map in the file, elsewhere JSON or
// partner=/b2b with commas between them.
func readAudiences(text string) (map[string]string, error) {
	help := errors.New("write a path for each audience, such as {partner: /b2b} in the file, or partner=/b2b elsewhere")
	all := map[string]string{}
	if doc := []byte(text); jsontext.Check(doc) == nil {
		if jsontext.KindOf(doc) != jsontext.Object {
			return nil, help
		}
		if err := json.Unmarshal(doc, &all); err != nil {
			return nil, help
		}
	} else {
		for pair := range strings.SplitSeq(text, ",") {
			name, path, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, help
			}
			all[strings.TrimSpace(name)] = strings.TrimSpace(path)
		}
	}
	for _, path := range all {
		if err := checkBase(path); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}
