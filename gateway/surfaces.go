package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/rest"
)

// mounts are the surfaces, for everybody and for each audience: their paths, and what
// builds their handlers.
var mounts = []struct {
	kind  catalog.Surface
	path  string
	build func(*generation, *place) (http.Handler, error)
}{
	{catalog.OnGraphQL, graphQLPath, (*generation).graphQL},
	{catalog.OnREST, restPath, (*generation).rest},
	{catalog.OnEnvelope, envelope.Path, (*generation).envelope},
}

// place is a mounted surface and its view of the host. The path alone selects the view of a
// request: the request cannot name another audience.
type place struct {
	surface catalog.Surface
	base    string // path of the audience: /partner; "" for everybody
	title   string // of the API documents, and about what they describe
	about   string
	view    *catalog.Catalog
	caller  facade.Caller
	shown   func() string        // the SDL, the routes or the discovery document
	graphQL *graphqlhttp.Handler // of GraphQL
	schema  *binding.Schema      // likewise
	table   *rest.Table          // of REST: its routes
	streams http.Handler         // of REST: several streams in one answer
}

// mounted is a handler behind its guards, and the path it belongs at.
type mounted struct {
	guard.Path
	path   string
	hidden bool   // not listed in the answer to an unknown path
	place  *place // nil: one of the gateway's own paths
}

// ServeHTTP answers without the guards of the path: [guard.Front] has them.
func (m *mounted) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.Handler.ServeHTTP(w, r) }

// routeOf finds the route of a request to a surface, or "".
func (p *place) routeOf(path string) func(*http.Request) string {
	if p.table == nil || !strings.HasSuffix(path, "/") {
		return func(*http.Request) string { return path }
	}
	return func(r *http.Request) string { return p.table.Path(r.URL.EscapedPath()) }
}

// empty reports whether the surface is empty and so not mounted. A host without any doors has
// its surfaces all the same.
func (p *place) empty(whole *catalog.Catalog, opts *Options) bool {
	if p.view == whole || p.surface == catalog.OnGraphQL && opts.Extend != nil {
		return false
	}
	return !slices.ContainsFunc(p.view.Fronds, func(f *catalog.Frond) bool { return len(f.Doors) > 0 })
}

// graphQL builds the handler of a GraphQL surface. Trusted documents that it cannot execute are
// reported by the generation, which knows whether another surface can.
func (g *generation) graphQL(p *place) (http.Handler, error) {
	schema, err := g.project(p)
	queries, faults := graphqlhttp.ReadQueries(g.host.config.Dir, p.surface)
	if err := errors.Join(err, faults.Err()); err != nil {
		return nil, err
	}
	if queries == nil {
		queries = graphqlhttp.FirstQuery(schema)
	}
	p.schema, p.shown = schema, schema.SDL
	p.graphQL, err = graphqlhttp.Build(schema, p.caller, &GraphQLOptions{
		Session: g.session, MaxBody: g.host.config.Limits.Body, Budget: g.host.budget, Log: g.host.log, Queries: queries,
		Settings: g.host.config.GraphQL, Dir: g.host.config.Dir, Suggest: g.host.Development(),
		Executed: g.host.executed, Watch: g.watch(p), Atomic: oneTransaction{g.facade, p.view}, Callers: g.callers, Newer: g.host.store.can.Newer,
	}, g.documents)
	if err != nil {
		return nil, err
	}
	p.graphQL.Sockets, p.graphQL.Streams = g.sockets(p.graphQL), g.events(p.graphQL)
	return p.graphQL, nil
}

// project builds the GraphQL schema of a surface. Fields that Go code registers are in the
// schema for everybody alone: an audience sees only the operations that its Fronds name.
func (g *generation) project(p *place) (*binding.Schema, error) {
	opts := g.host.options
	var options projection.Options
	if opts.GraphQL != nil {
		options = *opts.GraphQL
	}
	options.Surface = p.surface
	options.Files = g.files(p).describe
	if g.host.config.Files.Presign > 0 {
		options.FileLink = func(ctx context.Context, d *catalog.Door, file *facade.File, size *catalog.FileSize) (string, error) {
			if d.Frond.Remote != "" {
				return "", nil
			}
			return g.host.files.Load().Link(ctx, file, size)
		}
	}
	options.FileURL = fileURLs(g.facade.Catalog(), p.surface, p.base+"/api")
	audiences := append([]string{graphqlhttp.Everybody}, g.facade.Catalog().Audiences...)
	for _, name := range g.host.config.GraphQL.SemanticNonNull {
		if !slices.Contains(audiences, name) {
			return nil, fmt.Errorf("graphql.semanticNonNull: there is no audience %q; write %s", name, strings.Join(audiences, " or "))
		}
		audience, _, own := strings.Cut(string(p.surface), "/")
		options.SemanticNonNull = options.SemanticNonNull || name == audience && own || name == graphqlhttp.Everybody && !own
	}
	b := projection.NewBuilder()
	err := projection.RegisterAll(b, g.facade.Catalog(), &options)
	if opts.Extend != nil && p.base == "" {
		err = errors.Join(err, opts.Extend(b))
	}
	if err != nil {
		return nil, err
	}
	for _, note := range b.Notes() {
		g.host.log.Warn("something of a remote is not in the GraphQL schema", "note", note)
	}
	return b.Build()
}

// files are the files as a surface shows them.
func (g *generation) files(p *place) shownFiles {
	h := g.host
	return shownFiles{h.files.Load(), h.topology, h.budget, h.log, g.facade, p.view}
}

// rest builds the handler of a REST surface.
func (g *generation) rest(p *place) (http.Handler, error) {
	api, err := rest.New(p.view, p.caller, &rest.Options{
		Base: p.base + "/api", State: g.session, MaxBody: g.host.config.Limits.Body, Budget: g.host.budget, Log: g.host.log, Streams: g.streams(), Atomic: g.together(p), Files: g.files(p).orNone(),
	})
	if err != nil {
		return nil, err
	}
	p.table, p.streams, p.shown = api.Table(), api.Streams(), api.Table().String
	return api, nil
}

// envelope builds the handler of JSON-RPC. The session or a signed state identifies the caller: the state of a
// frame, which only a receiver believes, is ignored.
func (g *generation) envelope(p *place) (http.Handler, error) {
	view := *p.view
	view.GivesFiles, view.IgnoresState = g.verifier(p) != nil, g.host.options.Session != nil || !g.host.config.Identity.Anonymous()
	view.Atomic, view.Rehearses = g.host.store.can.Transactor != nil, rehearse.Can(g.host.store.can)
	p.shown = func() string { return string(view.Discovery().AppendJSON(nil)) }
	return g.host.counted(envelope.NewHandler(&view, p.caller, &envelope.Options{
		State: g.session, Verifier: g.verifier(p), Nonces: g.host.store.can.Nonces,
		MaxBody: g.host.config.Limits.Body, Budget: g.host.budget, Called: calledFrame, Log: g.host.log, Atomic: g.together(p),
	})), nil
}

// counted counts this host among those that a call passes, if it has remotes.
func (h *Host) counted(next http.Handler) http.Handler {
	if h.topology == nil {
		return next
	}
	return envelope.CountHops(next)
}

// verifier verifies calls of other gateways, on the envelope that everybody sees; it may be nil.
func (g *generation) verifier(p *place) *signing.Verifier {
	if p.surface != catalog.OnEnvelope {
		return nil
	}
	return g.host.verifier
}

// oneTransaction makes the calls of a GraphQL mutation one transaction.
type oneTransaction struct {
	*facade.Facade
	view *catalog.Catalog
}

// Joins implements [resolvers.Transactor].
func (t oneTransaction) Joins(ctx context.Context, state access.State, entity, operation string) error {
	_, err := t.Facade.Joins(ctx, t.view, state, entity, operation)
	return err
}

// PassesOn implements [resolvers.Transactor].
func (t oneTransaction) PassesOn(calls []*facade.Call) (bool, error) {
	return t.Facade.PassesOn(t.view, calls)
}

// PassOn implements [resolvers.Transactor].
func (t oneTransaction) PassOn(ctx context.Context, calls []*facade.Call) ([]*facade.Result, error) {
	found, _, err := t.Facade.PassOn(ctx, t.On(t.view), calls, nil)
	return found, err
}

// PassRehearsal implements [resolvers.Transactor].
func (t oneTransaction) PassRehearsal(ctx context.Context, w catalog.Words, calls []*facade.Call) (*rehearse.Rehearsal, []*facade.Result, error) {
	return rehearse.PassOn(ctx, w, t.Facade, t.On(t.view), calls)
}

// Rehearse implements [resolvers.Transactor].
func (t oneTransaction) Rehearse(ctx context.Context, w catalog.Words, state access.State, trace string, calls []*facade.Call, fn func(context.Context) error) (*rehearse.Rehearsal, error) {
	return rehearse.Run(ctx, w, &rehearse.Command{Facade: t.Facade, Caller: t.On(t.view), State: state, Trace: trace, Value: calls, Do: fn})
}

// together makes calls as one transaction, by caller, which answers what view shows.
func together(f func() *facade.Facade, view *catalog.Catalog, caller facade.Caller) func(context.Context, access.State, string, json.RawMessage) (*facade.Result, error) {
	return func(ctx context.Context, state access.State, trace string, sent json.RawMessage) (*facade.Result, error) {
		return atomic.Run(ctx, f(), view, caller, state, trace, sent)
	}
}

// together makes calls of a surface as one transaction.
func (g *generation) together(p *place) func(context.Context, access.State, string, json.RawMessage) (*facade.Result, error) {
	return together(func() *facade.Facade { return g.facade }, p.view, g.facade.On(p.view))
}
