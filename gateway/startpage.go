package gateway

import (
	"html"
	"net/http"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/startpage"
)

// welcome answers / to a browser with the start page, and to other clients as an unknown path.
func (g *generation) welcome(other http.Handler) http.Handler {
	surfaces, domain := g.surfaceList(), g.domain()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept, Authorization, Cookie")
		if !graphqlhttp.AcceptsPage(r) {
			other.ServeHTTP(w, r)
			return
		}
		writePage(w, r, http.StatusOK, page(g.title(), surfaces+g.fronds(r, domain)))
	})
}

// surfaceList is the description of the API, and the surfaces of everybody.
func (g *generation) surfaceList() string {
	var b strings.Builder
	if about := g.host.config.Description; about != "" {
		b.WriteString("<p>" + html.EscapeString(about) + "</p>")
	}
	b.WriteString("<ul>")
	line := func(path, about string, link bool) {
		text := "<code>" + path + "</code>"
		if link {
			text = `<a href="` + path + `">` + text + `</a>`
		}
		b.WriteString("\n<li>" + text + ": " + about)
	}
	for _, p := range g.places {
		switch {
		case p.base != "": // an audience's, which others do not learn of
		case p.surface == catalog.OnGraphQL && !p.graphQL.HasConsole():
			line(graphQLPath, "GraphQL", false)
		case p.surface == catalog.OnGraphQL:
			line(graphQLPath, "GraphQL, with a console", true)
		case p.surface == catalog.OnREST:
			line("/api/{frond}/{plural}", "REST", false)
		case p.surface == catalog.OnEnvelope:
			line(envelope.Path, "JSON-RPC 2.0, by POST; <code>"+envelope.Discover+"</code> lists the operations", false)
		}
	}
	if g.documentViews("") != nil {
		line(docsPath, "API reference, with a form for every operation", true)
	}
	if g.at(sdlPath) != &g.unknown.Path {
		line(sdlPath, "the GraphQL schema", true)
	}
	line("/livez", "whether the process runs", true)
	line("/readyz", "whether calls are welcome", true)
	b.WriteString("\n</ul>")
	return b.String()
}

// domain is the Fronds on the start page, with the names of the API documents, and with introspection those
// of GraphQL; nil without the documents.
func (g *generation) domain() *startpage.Domain {
	if g.host.config.NoDocuments {
		return nil
	}
	var views []*startpage.View
	for _, p := range g.places {
		if p.base != "" || p.graphQL != nil && !g.introspects() {
			continue
		}
		view := &startpage.View{Catalog: p.view, Caller: p.caller, Links: map[string]string{}}
		if p.table != nil {
			for _, route := range p.table.Routes() {
				if route.Operation.Name == "list" && route.Verb == http.MethodGet {
					view.Links[route.Operation.Door.Name] = route.Path
				}
			}
		}
		views = append(views, view)
	}
	return startpage.New(views...)
}

// fronds is the domain as the caller of a request sees it.
func (g *generation) fronds(r *http.Request, domain *startpage.Domain) string {
	if domain == nil || r.Method == http.MethodHead {
		return ""
	}
	var state access.State
	var err error
	if g.session != nil {
		state, err = g.session(r)
	}
	seen := startpage.Seen{State: state, By: "an anonymous caller"}
	if user := state.UserID(); user != "" {
		seen.By = user
	}
	if err != nil {
		seen.Refused = kiterror.Report(r.Context(), g.host.log, err, r.Header.Get("Traceparent")).Message
	}
	if g.documentViews("") != nil {
		seen.Docs = docsPath
	}
	ctx, account, err := g.host.budget.Open(r.Context())
	if err != nil {
		return ""
	}
	defer account.Close()
	return domain.HTML(ctx, &seen)
}
