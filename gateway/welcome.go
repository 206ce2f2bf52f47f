package gateway

import (
	"cmp"
	"html"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/wire"
	"github.com/frondhost/frond/facade/catalog"
)

// title is the name of the whole on the pages and in the API documents.
func (g *generation) title() string {
	return cmp.Or(g.host.config.Title, g.facade.Catalog().Vendor)
}

// welcomePage links the surfaces for everybody. In development it links the doors, too; in
// production their names are not shown to strangers.
func (g *generation) welcomePage() string {
	var b strings.Builder
	if about := g.host.config.Description; about != "" {
		b.WriteString("<p>" + html.EscapeString(about) + "</p>")
	}
	b.WriteString("<ul>")
	line := func(path, about string, link bool) {
		path = html.EscapeString(path)
		text := "<code>" + path + "</code>"
		if link {
			text = `<a href="` + path + `">` + text + `</a>`
		}
		b.WriteString("\n<li>" + text + ": " + about)
	}
	if !g.host.config.NoDocuments {
		line(docsPath, "API reference, with a form for every operation", true)
	}
	for _, p := range g.places {
		switch {
		case p.base != "": // an audience's, which others do not learn of
		case p.surface == catalog.OnGraphQL && !p.graphQL.HasConsole():
			line("/graphql", "GraphQL", false)
		case p.surface == catalog.OnGraphQL:
			line("/graphql", "GraphQL, with a console", true)
		case p.surface == catalog.OnREST:
			line("/api/{frond}/{plural}", "REST", false)
			if g.host.config.Mode == Development {
				b.WriteString("<ul>")
				for _, route := range p.table.Routes() {
					if route.Operation.Name == "list" {
						line(route.Path, html.EscapeString(route.Operation.Door.Name), true)
					}
				}
				b.WriteString("</ul>")
			}
		case p.surface == catalog.OnEnvelope:
			line(envelope.Path, "JSON-RPC 2.0, by POST; <code>"+wire.Discover+"</code> lists the operations", false)
		}
	}
	line("/livez", "whether the process runs", true)
	line("/readyz", "whether calls are welcome", true)
	b.WriteString("\n</ul>")
	return page(g.title(), b.String())
}
