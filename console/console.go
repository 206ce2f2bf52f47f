// Package console is the page that a browser gets from GraphQL's path: GraphiQL with its
// editor, out of this binary alone.
//
// `make console` builds it into dist/, which git ignores. A program without that build has a
// small page instead, which says so; a fresh clone needs only Go.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// built has dist/ after its build, and always the page in place of it: the pattern has to match
// something.
//
//go:embed all:dist*
var built embed.FS

// Query is one that the page offers, in a tab of its own.
type Query struct {
	Name  string `json:"name"`
	Query string `json:"query"`
}

// Console is the page and its files. Its methods may be called from many goroutines.
//
// All addresses in the page are relative to its own path, which ends in /graphql; its files are
// below that, at [Path].
type Console struct {
	files   fs.FS // nil: the page is the small one, and has none
	page    []byte
	policy  string
	queries []byte
	callers []byte

	late  fs.FS                   // a folder that a build may come into while the process runs; nil: none does
	built atomic.Pointer[Console] // the console of that build; nil: it has not come
}

// Path is where the files are, after the path of the page.
const Path = "/console/"

// New is the console of this binary, with queries to begin with, and the callers that dev identity
// lets a developer choose from: a JSON list of {name, user}. nil: the page offers no choice.
//
// Where the binary has no build of the page, the variable GRAPHIQL_DIST may name the folder of one that is
// still being made, as `make run` does: the small page is answered until it is there.
func New(queries []Query, callers json.RawMessage) *Console {
	c := open(built, queries, callers)
	if dir := os.Getenv("GRAPHIQL_DIST"); dir != "" && c.files == nil {
		c.late = os.DirFS(dir)
	}
	return c
}

// now is the console of a build that came while the process runs, or c.
func (c *Console) now() *Console {
	if c.late == nil {
		return c
	}
	if built := c.built.Load(); built != nil {
		return built
	}
	page, err := fs.ReadFile(c.late, "index.html")
	if err != nil {
		return c
	}
	c.built.CompareAndSwap(nil, &Console{files: c.late, page: page, policy: policy, queries: c.queries, callers: c.callers})
	return c.built.Load()
}

// GraphiQL's editor writes its colours into style elements and attributes of its own, so inline
// styles are allowed (docs/decisions/graphql-http.md). All else has to be a file of this origin.
// Workers take their policy from their own files, which have it too.
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; " +
	"font-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self' 'unsafe-inline'; worker-src 'self'"

// open makes a console of a folder such as this one.
func open(folder fs.FS, queries []Query, callers json.RawMessage) *Console {
	if queries == nil {
		queries = []Query{} // [] and not null
	}
	if callers == nil {
		callers = json.RawMessage("[]")
	}
	c := &Console{policy: policy, callers: callers}
	c.queries, _ = json.Marshal(queries) // strings alone: it cannot fail
	var err error
	if c.page, err = fs.ReadFile(folder, "dist/index.html"); err == nil {
		c.files, _ = fs.Sub(folder, "dist") // it can be read, so it is there
		return c
	}
	c.page, _ = fs.ReadFile(folder, "dist-missing.html") // the build ends where it is not
	c.policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; img-src data:; " +
		"script-src " + inlineHash(c.page, "script") + "; style-src " + inlineHash(c.page, "style")
	return c
}

// inlineHash is the CSP source of the one such element in a page.
func inlineHash(page []byte, element string) string {
	m := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindSubmatch(page)
	sum := sha256.Sum256(m[1])
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// ServePage answers with the page.
func (c *Console) ServePage(w http.ResponseWriter, r *http.Request) {
	c = c.now()
	c.serve(w, r, mediaTypes[".html"], c.page)
}

// mediaTypes are the types of the build's files.
var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json; charset=utf-8",
	".svg":  "image/svg+xml",
	".ttf":  "font/ttf",
	".txt":  "text/plain; charset=utf-8",
}

// ServeFile answers a path below [Path]: queries.json, the queries to begin with; callers.json, the callers to
// choose from; licenses.txt, the authors of the page; and the parts of the page, whose names are made of their
// content and which never change.
func (c *Console) ServeFile(w http.ResponseWriter, r *http.Request) {
	if !reads(w, r) {
		return
	}
	c = c.now()
	dir, name := path.Split(r.URL.Path)
	if !strings.HasSuffix(dir, Path) {
		http.NotFound(w, r)
		return
	}
	media := mediaTypes[path.Ext(name)]
	switch name {
	case "queries.json":
		c.serve(w, r, media, c.queries)
		return
	case "callers.json":
		c.serve(w, r, media, c.callers)
		return
	}
	packed, err := c.read(name + ".gz")
	if err != nil || media == "" {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("Vary", "Accept-Encoding")
	if name != "licenses.txt" {
		head.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if takesGzip(r) {
		head.Set("Content-Encoding", "gzip")
		c.serve(w, r, media, packed)
		return
	}
	plain, err := unpack(packed)
	if err != nil {
		http.Error(w, "the file cannot be unpacked", http.StatusInternalServerError)
		return
	}
	c.serve(w, r, media, plain)
}

// reads reports whether a request reads a file, and refuses any other.
func reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "files are read with GET", http.StatusMethodNotAllowed)
	return false
}

func (c *Console) read(name string) ([]byte, error) {
	if c.files == nil {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(c.files, name)
}

// serve writes what never changes while the process runs.
func (c *Console) serve(w http.ResponseWriter, r *http.Request, media string, body []byte) {
	head := w.Header()
	head.Set("Content-Type", media)
	head.Set("Content-Security-Policy", c.policy)
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	if head.Get("Cache-Control") == "" { // asked for again each time, and mostly answered with 304
		sum := sha256.Sum256(body)
		head.Set("Cache-Control", "no-cache")
		head.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:12])+`"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// takesGzip says whether Accept-Encoding names gzip and does not refuse it.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return strings.Trim(weight, " 0.") != "q="
		}
	}
	return false
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
