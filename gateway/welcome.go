package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/wire"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/graphqlhttp"
)

// welcomeStyle is the only style of the page; the content security policy has its hash.
const welcomeStyle = `body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color:#222;background:#fff}
code{font-size:.95em}a{color:#0b57d0}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8ab4f8}}`

// welcomePolicy is the content security policy of the page, which loads nothing.
var welcomePolicy = func() string {
	sum := sha256.Sum256([]byte(welcomeStyle))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// welcome answers / to a browser with a page, and to other clients as an unknown path.
func welcome(page string, other http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if !graphqlhttp.AcceptsPage(r) {
			other.ServeHTTP(w, r)
			return
		}
		head := w.Header()
		head.Set("Content-Type", "text/html; charset=utf-8")
		head.Set("Content-Length", strconv.Itoa(len(page)))
		head.Set("Content-Security-Policy", welcomePolicy)
		head.Set("Cache-Control", "no-cache")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodHead {
			_, _ = io.WriteString(w, page) // the client may be gone
		}
	})
}

// welcomePage links the surfaces for everybody. In development it links the doors, too; in
// production their names are not shown to strangers.
func (g *generation) welcomePage() string {
	var b strings.Builder
	name := html.EscapeString(g.facade.Catalog().Vendor)
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>` +
		name + `</title><style>` + welcomeStyle + `</style><h1>` + name + `</h1><ul>`)
	line := func(path, about string, link bool) {
		path = html.EscapeString(path)
		text := "<code>" + path + "</code>"
		if link {
			text = `<a href="` + path + `">` + text + `</a>`
		}
		b.WriteString("\n<li>" + text + ": " + about)
	}
	for _, p := range g.places {
		switch {
		case p.base != "": // an audience's, which others do not learn of
		case p.surface == facade.OnGraphQL && !p.graphQL.HasConsole():
			line("/graphql", "GraphQL", false)
		case p.surface == facade.OnGraphQL:
			line("/graphql", "GraphQL, and the console", true)
		case p.surface == facade.OnREST:
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
		case p.surface == facade.OnEnvelope:
			line(envelope.Path, "JSON-RPC 2.0, by POST; <code>"+wire.Discover+"</code> lists the operations", false)
		}
	}
	if !g.host.config.NoDocuments {
		line(docsPath, "the API, with a form for every operation", true)
	}
	line("/livez", "whether the process runs", true)
	line("/readyz", "whether calls are welcome", true)
	b.WriteString("\n</ul>\n")
	return b.String()
}
