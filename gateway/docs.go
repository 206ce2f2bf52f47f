package gateway

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/describe"
	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/who"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
)

// docsPath is the page of the API documents.
const docsPath = "/docs"

// docs mounts the page of the documents of everybody or of an audience, if one of them is
// served, and the files that the page reads:
//
//	host.json    the page's facts about the host, and documents for GraphQL
//	cards.js     the judges of bodies
//	rights.json  the rights of the caller of the request
func (g *generation) docs(base string) {
	views := g.documentViews(base)
	if views == nil {
		return
	}
	add := func(name string, h http.Handler) {
		g.mount(&mounted{path: base + docsPath + name, hidden: true, Path: guard.Path{Handler: h}})
	}
	for name, file := range console.Docs() {
		add(name, file)
	}
	add("/cards.js", serveDocument("text/javascript; charset=utf-8", func() []byte { return describe.Judges(views...) }))
	add("/host.json", serveDocument("application/json", func() []byte {
		text, _ := json.Marshal(g.docsHost(base, views)) // texts and numbers alone
		return text
	}))
	add("/rights.json", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.rights(w, r, views) }))
}

// documentViews are the surfaces that the documents of everybody or of an audience describe, or nil.
func (g *generation) documentViews(base string) (views []*catalog.Catalog) {
	if g.host.config.NoDocuments {
		return nil
	}
	for _, p := range g.places {
		if p.base == base && p.surface.Kind() != catalog.OnGraphQL {
			views = append(views, p.view)
		}
	}
	return views
}

// docsHost is what /docs says of a host.
type docsHost struct {
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	SignIn      string          `json:"signIn"` // dev, token, session or none
	Callers     json.RawMessage `json:"callers,omitempty"`
	RPC         string          `json:"rpc"` // path of the envelope
	List        docsList        `json:"list"`
	GraphQL     *docsGraphQL    `json:"graphql,omitempty"` // nil: the audience has none
	// Doors are by name: the samples have ids of rows that the caller sees.
	Doors map[string]docsDoor `json:"doors"`
}

type docsDoor struct {
	Key   string            `json:"key"`   // the primary key
	Leads map[string]string `json:"leads"` // doors by the fields that hold keys of their rows
	Files []string          `json:"files,omitempty"`
}

// docsDoors are the doors of views whose rows have a key that callers read.
func docsDoors(views []*catalog.Catalog) map[string]docsDoor {
	all := map[string]docsDoor{}
	for _, view := range views {
		for d := range view.Doors() {
			if d.Entity == nil || d.Entity.Primary == nil || !d.Entity.Primary.Readable() {
				continue
			}
			one := docsDoor{Key: d.Entity.Primary.Name, Leads: map[string]string{}}
			for _, f := range d.Entity.Fields {
				if f.Link == nil || !f.Stored || f.Axes.In.Closed {
					continue
				}
				if to := view.Door(f.Link.Target.Key); to != nil {
					one.Leads[f.Name] = to.Name
				}
			}
			for _, f := range d.Files {
				one.Files = append(one.Files, f.Field.Name)
			}
			all[d.Name] = one
		}
	}
	return all
}

type docsList struct {
	Default int `json:"default"`
	Max     int `json:"max"`
}

type docsGraphQL struct {
	Path    string          `json:"path"`
	Console bool            `json:"console"`
	SDL     bool            `json:"sdl"` // schema.graphql is served
	Fields  json.RawMessage `json:"fields"`
}

func (g *generation) docsHost(base string, views []*catalog.Catalog) *docsHost {
	config := &g.host.config
	h := &docsHost{
		Title: cmp.Or(config.Title, g.facade.Catalog().Vendor+" API"), Description: config.Description, SignIn: "token", Callers: g.callers, RPC: base + envelope.Path,
		List: docsList{config.Limits.List.Default, config.Limits.List.Max}, Doors: docsDoors(views),
	}
	switch {
	case g.host.options.Session != nil:
		h.SignIn = "session"
	case config.Identity.Dev:
		h.SignIn = "dev"
	case config.Identity.Anonymous():
		h.SignIn = "none"
	}
	for _, p := range g.places {
		if p.base == base && p.graphQL != nil {
			h.GraphQL = &docsGraphQL{base + graphQLPath, p.graphQL.HasConsole(), g.introspects(), g.documented(p, views)}
		}
	}
	return h
}

// documented are the sample documents of a GraphQL surface: without introspection the documents
// of operations that the other surfaces show. A surface of trusted documents alone has no
// samples.
func (g *generation) documented(p *place, views []*catalog.Catalog) json.RawMessage {
	config := &g.host.config.GraphQL
	shown := map[string]bool{}
	switch {
	case config.Documents.Mode == DocumentsEnforce:
		return json.RawMessage("[]")
	case g.introspects():
		return graphqlhttp.Samples(p.schema, nil)
	}
	for _, view := range views {
		for op := range view.Operations() {
			shown[op.Door.Name+"."+op.Name] = true
		}
		for fact := range view.Facts() {
			shown[fact.Frond.Name+".facts."+fact.Name] = view.Announces(fact)
		}
	}
	return graphqlhttp.Samples(p.schema, func(operation string) bool { return shown[operation] })
}

// introspects reports whether GraphQL describes itself.
func (g *generation) introspects() bool {
	on := g.host.config.GraphQL.Introspection
	return on != nil && *on
}

// verdict is whether a caller may call an operation.
type verdict struct {
	Operation string        `json:"operation"`
	Code      kiterror.Code `json:"code,omitempty"`    // of the refusal; "": it may be called
	PerCall   bool          `json:"perCall,omitempty"` // Go code or the host of a remote decides about each call
	Rows      string        `json:"rows,omitempty"`    // the condition on the rows that the caller has; "": all rows
}

// rights answers with the rights of the caller of a request, operation by operation.
func (g *generation) rights(w http.ResponseWriter, r *http.Request, views []*catalog.Catalog) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		guard.WriteProblem(w, r, http.StatusMethodNotAllowed, kiterror.Errorf(kiterror.MethodNotAllowed, "%s takes GET and HEAD", r.URL.Path))
		return
	}
	var state access.State
	if g.session != nil {
		var err error
		if state, err = g.session(r); err != nil {
			failed := kiterror.Report(r.Context(), g.host.log, err, r.Header.Get("Traceparent"))
			guard.WriteProblem(w, r, failed.Code.Status(), failed)
			return
		}
	}
	all := []verdict{}
	seen := map[string]bool{}
	conditions := who.NewConditions(g.facade, state)
	for _, view := range views {
		g.facade.Verdicts(r.Context(), view, state, func(op *catalog.Operation, refusal kiterror.Code, perCall bool) {
			if name := op.Door.Name + "." + op.Name; !seen[name] {
				seen[name] = true
				one := verdict{Operation: name, Code: refusal, PerCall: perCall}
				if refusal == "" {
					one.Rows = conditions.On(r.Context(), op)
				}
				all = append(all, one)
			}
		})
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = json.NewEncoder(w).Encode(all) // the client may be gone
}

// callersOf are the users that a developer may call as: one without a role, and one of each role
// that the rules name. It is nil without dev identity, where a caller does not choose who they are.
func callersOf(h *Host, served *catalog.Catalog) json.RawMessage {
	if !h.config.Identity.Dev || h.options.Session != nil {
		return nil
	}
	type user map[string]any
	type caller struct {
		Name string `json:"name"`
		User user   `json:"user"`
	}
	all := []caller{{"ada", user{"id": "ada"}}}
	for _, a := range served.Access {
		for _, rule := range a.Rules {
			for _, read := range rule.Texts {
				one := caller{"ada, " + read.Text, user{"id": "ada"}}
				switch {
				case read.Member == "roles" && read.Listed:
					one.User["roles"] = []string{read.Text}
				case read.Member == "role" && !read.Listed:
					one.User["role"] = read.Text
				default:
					continue
				}
				if !slices.ContainsFunc(all, func(c caller) bool { return c.Name == one.Name }) {
					all = append(all, one)
				}
			}
		}
	}
	text, _ := json.Marshal(all) // texts alone
	return text
}
