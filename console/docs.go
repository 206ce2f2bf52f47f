package console

import (
	"embed"
	"net/http"
	"path"

	"github.com/frondhost/frond/client"
)

// pages are the page of the API documents and its files. They are served as they are in the
// folder, without a build.
//
//go:embed docs
var pages embed.FS

// runtime are the modules of the npm package that the page judges bodies with.
var runtime = []string{"judge.js", "engine.js", "matcher.js", "nested.js", "formats.js", "idna.js", "idnatable.js"}

// Docs returns the files of the page of the API documents, by their paths below the page's
// path; the page itself has "". The page reads the documents beside it, so that all of its
// addresses are relative to a path that ends in /docs.
func Docs() map[string]http.Handler {
	all := map[string]http.Handler{}
	entries, _ := pages.ReadDir("docs") // it is embedded
	for _, e := range entries {
		name := "/" + e.Name()
		if e.Name() == "page.html" {
			name = ""
		}
		body, _ := pages.ReadFile(path.Join("docs", e.Name()))
		all[name] = docsFile(e.Name(), body)
	}
	for _, name := range runtime {
		if body, err := client.Files.ReadFile(path.Join("dist", name)); err == nil {
			all["/"+name] = docsFile(name, body)
		}
	}
	return all
}

// docsPolicy lets the page load only its own files and call only this host.
const docsPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; script-src 'self'; style-src 'self'"

// docsFile answers with a file of the page.
func docsFile(name string, body []byte) http.Handler {
	c := &Console{policy: docsPolicy}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reads(w, r) {
			c.serve(w, r, mediaTypes[path.Ext(name)], body)
		}
	})
}
