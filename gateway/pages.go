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

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/startpage"
)

// pageStyle is the only style of the gateway's own pages; the content security policy has its hash.
const pageStyle = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
li{overflow-wrap:anywhere}code{font-size:.95em}a{color:#0b57d0}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8ab4f8}}
` + startpage.Style

// pagePolicy is the content security policy of the pages, which need no other files.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// page is a page of the gateway's own: a title in plain text, and HTML below it.
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
	head.Set("Cache-Control", "private, no-cache")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, page) // the client may be gone
	}
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
