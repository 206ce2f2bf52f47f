package console

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
)

// pages are the page of the API documents and its files. It is written as it is served: nothing
// builds it.
//
//go:embed docs
var pages embed.FS

// Docs are the files of the page of the API documents, by their paths after where the page
// stands: "" is the page itself.
var Docs = []string{"", "/docs.js", "/docs.css"}

// docsPolicy lets the page load its own files and call this host, and nothing else.
const docsPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; script-src 'self'; style-src 'self'"

// ServeDocs answers with one of [Docs]. The page reads the documents beside it, so that all of
// its addresses are relative to a path that ends in /docs.
func ServeDocs(name string) http.Handler {
	file := "docs/page.html"
	if name != "" {
		file = path.Join("docs", name)
	}
	body, err := fs.ReadFile(pages, file)
	if err != nil {
		panic(err) // a file that is in Docs and not in the binary
	}
	c := &Console{policy: docsPolicy}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "files are read with GET", http.StatusMethodNotAllowed)
			return
		}
		c.serve(w, r, mediaTypes[path.Ext(file)], body)
	})
}
