package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
)

// pageStyle is the only style of the gateway's own pages; the content security policy has its hash.
const pageStyle = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color:#222;background:#fff}
li{overflow-wrap:anywhere}code{font-size:.95em}a{color:#0b57d0}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8ab4f8}}`

// pagePolicy is the content security policy of the pages, which load nothing.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// page is a page of the gateway's own: a title, which is text, and HTML below it.
func page(title, body string) string {
	title = html.EscapeString(title)
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>` +
		title + `</title><style>` + pageStyle + `</style><h1>` + title + `</h1>` + body + "\n"
}

// writePage answers a GET or a HEAD with a page.
func writePage(w http.ResponseWriter, r *http.Request, status int, page string) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(page)))
	head.Set("Content-Security-Policy", pagePolicy)
	head.Set("Cache-Control", "no-cache")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, page) // the client may be gone
	}
}

// welcome answers / to a browser with a page, and to other clients as an unknown path.
func welcome(page string, other http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if !graphqlhttp.AcceptsPage(r) {
			other.ServeHTTP(w, r)
			return
		}
		writePage(w, r, http.StatusOK, page)
	})
}

// notFoundPage is the page at an unknown path.
var notFoundPage = page("Page not found", `<p>There is nothing at this address. <a href="/">The start page</a> lists what is served here.</p>`)

// notFound answers an unknown path with 404: a browser with a page, other clients with the list
// of paths.
func notFound(paths []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if graphqlhttp.AcceptsPage(r) {
			writePage(w, r, http.StatusNotFound, notFoundPage)
			return
		}
		guard.WriteProblem(w, r, http.StatusNotFound, kiterror.Errorf(kiterror.NotFound, "no route at %s; the routes are %s", r.URL.Path, strings.Join(paths, ", ")))
	})
}

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
			line(envelope.Path, "JSON-RPC 2.0, by POST; <code>"+envelope.Discover+"</code> lists the operations", false)
		}
	}
	line("/livez", "whether the process runs", true)
	line("/readyz", "whether calls are welcome", true)
	b.WriteString("\n</ul>")
	return page(g.title(), b.String())
}
