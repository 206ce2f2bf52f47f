package leak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/sqlite"
)

// host is one world behind its surfaces.
type host struct {
	facade *facade.Facade
	kept   *facade.Facade      // where the rows are: the same, or elsewhere
	stores map[string]anyStore // of each Frond
	rest   http.Handler
	calls  http.Handler
	graph  http.Handler

	caller  facade.Caller // what a direct call goes to
	closers []func()
	fronds  map[string]string // of a spread garden: the Frond of each plural, which paths begin with

	engine *resolvers.Engine
	log    *eventLog // of a garden that announces its rows; else nil
}

// hole is where the test can open a hole: each member may stand between two
// floors. The zero value leaves everything as it is.
type hole struct {
	name      string
	store     func(facade.Store) facade.Store
	collector func(access.Collector) access.Collector
	caller    facade.Middleware
	there     facade.Middleware // of the hosts of a spread garden
	project   func(*garden, *facade.Project)
	config    func(collectors map[string]any) // of a frond.yaml, which then has the collectors
	// remote has the garden run behind an address, on a host that knows nothing of
	// callers and answers everybody everything.
	remote bool
	// events has the garden announce every row; see events_test.go.
	events bool
	// spread has the garden's entities in several Fronds, some of them on other hosts; see places_test.go.
	spread *spread
}

// anyStore is what both stores are.
type anyStore interface {
	facade.Store
	Prepare(ctx context.Context, entities []*schema.Entity) error
	Close() error
}

// database is where the gardens' rows are: a database on PostgreSQL, in which each garden has a
// schema of its own, or "" for SQLite in memory. planted counts the gardens.
var (
	database string
	planted  int
)

func openStore(ctx context.Context, log *slog.Logger) (anyStore, error) {
	if database == "" {
		return sqlite.Open(ctx, sqlite.Options{Memory: true, Logger: log})
	}
	planted++
	u, err := url.Parse(database)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	query.Set("schema", fmt.Sprint("garden", planted))
	u.RawQuery = query.Encode()
	return postgres.Open(postgres.Options{URL: u.String(), Logger: log})
}

// open compiles a garden, plants a world in it and mounts the surfaces.
func open(w *world, callers []*caller, asYAML bool, h hole) (*host, error) {
	if h.spread != nil {
		return h.spread.open(w, callers, h)
	}
	ctx := context.Background()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	store, err := openStore(ctx, quiet)
	if err != nil {
		return nil, err
	}
	p := w.garden.project(callers, asYAML, h)
	var over facade.Store = store
	if h.store != nil {
		over = h.store(store)
	}
	var f *facade.Facade
	opts := &facade.Options{Now: func() time.Time { return now }, Rehearse: rehearse.Middleware(func() *facade.Facade { return f })}
	if h.caller != nil {
		opts.Middleware = []facade.Middleware{h.caller}
	}
	b := &host{stores: map[string]anyStore{"grove": store}, closers: []func(){func() { _ = store.Close() }}}
	if h.remote {
		if err := b.elsewhere(w.garden, p, over, opts, h.events); err != nil {
			return nil, err
		}
		over = nil
	}
	compiled, err := compile.Project(p, &compile.Options{Now: opts.Now})
	if err != nil {
		return nil, err
	}
	if f, err = facade.New(compiled, over, opts); err != nil {
		return nil, err
	}
	if b.facade, b.caller = f, f; b.kept == nil {
		b.kept = f
	}
	cat := f.Catalog()
	if err := store.Prepare(ctx, b.kept.Catalog().Set.Entities); err != nil {
		return nil, err
	}
	if err := b.plant(ctx, w); err != nil {
		return nil, err
	}
	state := session(callers)
	together := func(ctx context.Context, state access.State, trace string, sent json.RawMessage) (*facade.Result, error) {
		return atomic.Run(ctx, f, cat, f.On(cat), state, trace, sent)
	}
	restOptions, engineOptions := &rest.Options{State: state, Log: quiet, Atomic: together}, &resolvers.Options{Logger: quiet}
	if h.events {
		if b.log == nil {
			b.log = &eventLog{outbox: store.Abilities().Outbox}
		}
		restOptions.Streams.Facts = followed{f, b.log}
		restOptions.Streams.Settling = 1 // nothing is committed while a list is read
		engineOptions.Watch = func(ctx context.Context, s *facade.Subscription) (resolvers.Watch, error) { return f.Watch(ctx, s) }
	}
	if b.rest, err = rest.New(cat, f, restOptions); err != nil {
		return nil, err
	}
	b.calls = envelope.NewHandler(cat, f, &envelope.Options{State: state, Log: quiet, Atomic: together})
	builder := projection.NewBuilder()
	if err := projection.RegisterAll(builder, cat, nil); err != nil {
		return nil, err
	}
	built, err := builder.Build()
	if err != nil {
		return nil, err
	}
	engine, err := resolvers.NewEngine(built, f, engineOptions)
	if err != nil {
		return nil, err
	}
	b.engine = engine
	b.graph = gateway.NewGraphQL(engine, &gateway.GraphQLOptions{Session: state, Log: quiet})
	return b, nil
}

// close ends the processes of a world, and then its stores.
func (b *host) close() {
	for _, c := range slices.Backward(b.closers) {
		c()
	}
}

// elsewhere moves the project's Frond to a host of its own, which has neither its
// collectors nor its presenters.
func (b *host) elsewhere(g *garden, p *facade.Project, store facade.Store, opts *facade.Options, events bool) error {
	bare := g.project(nil, true, hole{remote: true, events: events})
	compiled, err := compile.Project(bare, &compile.Options{Now: opts.Now})
	if err != nil {
		return err
	}
	there, err := facade.New(compiled, store, &facade.Options{Now: opts.Now})
	if err != nil {
		return err
	}
	b.kept = there
	far := client.New("http://grove.example", &client.Options{
		Transport: through{b.given(there, envelope.NewHandler(there.Catalog(), there, &envelope.Options{TrustState: true}), events)},
		Log:       slog.New(slog.DiscardHandler),
	})
	if events {
		b.log.far = far.Facts("grove")
	}
	p.Fronds[0].Remote = "http://grove.example"
	opts.Remotes = remote.New(map[string]facade.Caller{p.Fronds[0].Name: far.With(there.Catalog())})
	return nil
}

// through is a transport that ends in a handler of this process.
type through struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (t through) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.ServeHTTP(w, r)
	return w.Result(), nil
}

// project is a garden as its author would have it: cards, doors with operations of
// their own, handlers that answer more than they may, and the collectors.
func (g *garden) project(callers []*caller, asYAML bool, h hole) *facade.Project {
	p := &facade.Project{Registry: schema.Builtins()}
	made := 0
	p.Registry.Generators["counter"] = func() (json.RawMessage, error) {
		made++
		return fmt.Appendf(nil, `"made%08d"`, made), nil
	}
	for _, name := range g.fronds() {
		p.Fronds = append(p.Fronds, g.frond(name, callers, asYAML, h))
	}
	for _, e := range g.entities {
		door := p.Door(e.name)
		facade.Handle(door, "listRaw", raw(e, false))
		facade.Handle(door, "listCut", raw(e, false))
		facade.Handle(door, "getPage", raw(e, true))
		facade.Handle(door, touch, touched(e))
		if e.dump != "" && !(h.remote && asYAML && callers == nil) {
			facade.Present(door, e.dump, schema.Shape{Type: "string"}, func(_ context.Context, found []rows.Row) ([]string, error) {
				var all []string
				for _, r := range found {
					all = append(all, string(r.JSON()))
				}
				return all, nil
			})
		}
		if asYAML {
			continue
		}
		var c access.Collector = access.CollectorFunc(collect)
		if h.collector != nil {
			c = h.collector(c)
		}
		facade.Collect(door, c)
	}
	if h.project != nil {
		h.project(g, p)
	}
	return p
}

// frond is a Frond of a garden: its cards and its frond.json.
func (g *garden) frond(name string, callers []*caller, asYAML bool, h hole) *project.Frond {
	src := &project.Frond{Name: name}
	own := slices.DeleteFunc(slices.Clone(g.entities), func(e *entity) bool { return e.frond != name })
	doors := map[string]any{}
	for _, e := range own {
		src.Cards = append(src.Cards,
			schema.Source{File: e.name + ".json", Name: e.name, Data: []byte(e.card())},
			schema.Source{File: e.name + "Cut.json", Name: e.name + "Cut", View: true, Data: []byte(e.view())})
		doors[e.name] = map[string]any{"operations": map[string]any{
			"listRaw": map[string]any{"kind": "query", "output": e.name, "cardinality": "many"},
			"listCut": map[string]any{"kind": "query", "output": e.name + "Cut", "cardinality": "many"},
			"getPage": map[string]any{"kind": "query", "output": e.name, "cardinality": "page"},
			touch: map[string]any{
				"kind": "command", "output": e.name, "cardinality": "maybe",
				"params": map[string]any{"type": "object", "properties": map[string]any{"id": map[string]any{"type": "string"}}, "required": []string{"id"}},
			},
		}}
	}
	config, opened, searches := map[string]any{"doors": doors}, map[string]any{}, map[string]any{}
	for _, e := range own {
		opened[e.name] = "*"
		if fields := e.searched(); len(fields) > 0 {
			search := map[string]any{"fields": fields}
			if slices.ContainsFunc(e.fields, func(f *field) bool { return fields[f.name] != nil && !f.shut }) {
				search["headline"] = headline
			}
			searches[e.name] = search
		}
	}
	nestings := map[string][]string{}
	for _, f := range g.nestings() {
		if f.of.frond != name {
			continue
		}
		nestings[f.of.name] = append(nestings[f.of.name], f.name)
	}
	config["many"], config["search"], config["nested"] = opened, searches, nestings
	if asYAML && callers != nil {
		collectors := g.collectors(name, callers)
		if h.config != nil {
			h.config(collectors)
		}
		config["collectors"] = collectors
	}
	if h.events {
		config["changes"] = "*"
	}
	src.Config = project.Text{File: "frond.json", Data: []byte(encode(config))}
	return src
}

// raw is a handler that finds the rows its caller may see and then answers the
// whole of them, as they stand inside, with members that are in no card.
func raw(e *entity, page bool) facade.Handler {
	return func(ctx context.Context, _ *facade.Call) (any, error) {
		seen, err := facade.Do[facade.List[struct {
			ID string `json:"id"`
		}]](ctx, facade.From(ctx), e.name+".list", facade.Invocation{Query: json.RawMessage(`{"limit":500,"fields":"id"}`)})
		if err != nil {
			return nil, err
		}
		ids := []string{}
		for _, r := range seen.Items {
			ids = append(ids, r.ID)
		}
		whole, err := facade.Do[[]map[string]any](ctx, facade.Inside(ctx), e.name+".findByIds", facade.Invocation{Query: json.RawMessage(encode(map[string]any{"ids": ids}))})
		if err != nil {
			return nil, err
		}
		if page {
			return map[string]any{"items": whole, "total": len(whole), "hasMore": false}, nil
		}
		return whole, nil
	}
}

// touched is a handler that answers the whole of a row which its caller may see.
func touched(e *entity) facade.Handler {
	return func(ctx context.Context, c *facade.Call) (any, error) {
		call := &facade.Call{Entity: e.name, Operation: "findById", Invocation: facade.Invocation{ID: c.Invocation.ID, Params: c.Invocation.Params}}
		seen, err := facade.From(ctx).Call(ctx, call)
		if err != nil || seen.Rows.Len() == 0 {
			return nil, err
		}
		return facade.Inside(ctx).Call(ctx, call)
	}
}

// collect is the collector of every door: the scope travels in the caller's state.
func collect(_ context.Context, state access.State, door *catalog.Door, op *catalog.Operation) (access.Scope, error) {
	c, _ := state.User()["scopes"].(*caller)
	if c == nil {
		return access.Scope{}, kiterror.Errorf(kiterror.Unauthorized, "say who you are")
	}
	for e, s := range c.scopes {
		if e.name != door.Name {
			continue
		}
		if !s.opens(op.Name) {
			return access.Scope{}, kiterror.Errorf(kiterror.Forbidden, "you may not do this")
		}
		out := access.Scope{Hide: s.hide, ReadOnly: s.fixed}
		if s.rows != nil {
			f, details := filter.Parse(door.Entity, json.RawMessage(encode(s.rows.filter(nil))), "/rows")
			if len(details) > 0 {
				return access.Scope{}, fmt.Errorf("%v", details)
			}
			out.Rows = f
		}
		for _, f := range e.fields { // in declaration order, which is that of a map nowhere
			if v, ok := s.set[f.name]; ok {
				out.Set = append(out.Set, schema.Member{Name: f.name, Value: json.RawMessage(encode(v))})
			}
		}
		return out, nil
	}
	if c.rest == "rules" && op.Name == touch {
		return access.Scope{}, kiterror.Errorf(kiterror.Forbidden, "you may not do this")
	}
	return access.Scope{}, nil
}

// plant writes a world's rows through the store itself. What points forward is set
// once everything is there.
func (b *host) plant(ctx context.Context, w *world) error {
	set := b.kept.Catalog().Set
	none := rows.NewLayout([]string{"id"})
	record := func(e *schema.Entity, r row, when func(*schema.Property) bool) facade.Record {
		var out facade.Record
		for _, p := range e.Fields {
			if v := r[p.Name]; v != nil && p.Stored && when(p) {
				out = append(out, schema.Member{Name: p.Name, Value: json.RawMessage(encode(v))})
			}
		}
		return out
	}
	later := func(p *schema.Property) bool { return p.Link != nil && !p.Link.Many && p.Shape.Nullable }
	for _, e := range w.garden.entities {
		var records []facade.Record
		entity := set.Entity(e.name)
		for _, r := range w.rows[e] {
			records = append(records, record(entity, r, func(p *schema.Property) bool { return !later(p) }))
		}
		if _, err := b.stores[e.frond].Insert(ctx, entity, records, nil, none); err != nil {
			return fmt.Errorf("planting %s: %w", e.name, err)
		}
	}
	for _, e := range w.garden.entities {
		entity := set.Entity(e.name)
		for _, r := range w.rows[e] {
			change := record(entity, r, later)
			if len(change) == 0 {
				continue
			}
			if _, err := b.stores[e.frond].Update(ctx, entity, json.RawMessage(encode(r.id())), nil, change, nil, none); err != nil {
				return fmt.Errorf("planting %s: %w", e.name, err)
			}
		}
	}
	return nil
}

// harvest is what stands in the store, all of it.
func (b *host) harvest(g *garden) (*world, error) {
	w := &world{g, map[*entity][]row{}}
	for _, e := range g.entities {
		entity := b.kept.Catalog().Set.Entity(e.name)
		var names []string
		for _, p := range entity.Fields {
			if p.Stored {
				names = append(names, p.Name)
			}
		}
		found, err := b.stores[e.frond].Find(context.Background(), &facade.Find{
			Entity: entity, Select: rows.NewLayout(names), Sort: []facade.SortKey{{Field: entity.Primary}}, Limit: 10_000,
		})
		if err != nil {
			return nil, err
		}
		v, err := decode(found.Rows.AppendJSON(nil))
		if err != nil {
			return nil, err
		}
		for _, r := range v.([]any) {
			w.rows[e] = append(w.rows[e], row(r.(map[string]any)))
		}
	}
	w.sort()
	return w, nil
}

// text is a world as text: two stores with the same text hold the same rows.
func (w *world) text() string {
	all := map[string]any{}
	for e, rows := range w.rows {
		all[e.name] = rows
	}
	v, err := decode([]byte(encode(all)))
	if err != nil {
		panic(err)
	}
	return encode(v)
}

// request is one request on one surface.
type request struct {
	surface string // rest, envelope, graphql, direct
	method  string
	path    string
	headers []string // name, value, name, value
	body    string
	call    *facade.Call // of direct
}

func (r request) String() string {
	if r.call != nil {
		return "direct " + encode(r.call)
	}
	out := r.surface + " " + r.method + " " + r.path + " " + r.body
	if len(r.headers) > 0 {
		out += " " + strings.Join(r.headers, " ")
	}
	return out
}

// answer is all that comes back: what a caller could look at.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) String() string {
	out := fmt.Sprintf("%d\n", a.status)
	names := make([]string, 0, len(a.header))
	for name := range a.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out += name + ": " + strings.Join(a.header[name], ", ") + "\n"
	}
	return out + "\n" + sealed.ReplaceAllString(string(a.body), `"rehearsal":"…"`)
}

// ask sends a request as a caller.
func (b *host) ask(c *caller, r request) answer {
	made.count(r)
	return b.send(c, r)
}

func (b *host) send(c *caller, r request) answer {
	if r.call != nil {
		call := *r.call
		call.Invocation.State = access.State{"user": c.user}
		res, err := b.caller.Call(context.Background(), &call)
		if err != nil {
			e := kiterror.AsError(err)
			return answer{status: e.Code.Status(), body: []byte(encode(e))}
		}
		return answer{status: 200, body: res.AppendJSON(nil)}
	}
	if path, ok := strings.CutPrefix(r.path, "/api/grove/"); ok && b.fronds != nil {
		plural := path
		if end := strings.IndexAny(path, "/?"); end >= 0 {
			plural = path[:end]
		}
		r.path = "/api/" + b.fronds[plural] + "/" + path
	}
	handler := map[string]http.Handler{"rest": b.rest, "envelope": b.calls, "graphql": b.graph}[r.surface]
	q := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
	q.Header.Set("X-Caller", c.name)
	q.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(r.headers); i += 2 {
		q.Header.Add(r.headers[i], r.headers[i+1])
	}
	if r.body == "" {
		q.Body, q.ContentLength = http.NoBody, 0
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, q)
	for _, name := range []string{"Date", "X-Request-Id", "Traceparent", "Server-Timing"} {
		w.Header().Del(name)
	}
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}
