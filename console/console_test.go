package console

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// pack is a file as the build leaves it.
func pack(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// small is a console of a build as small as can be.
func small(t *testing.T) *Console {
	return open(fstest.MapFS{
		"dist/index.html":      {Data: []byte("<!doctype html><title>built</title>")},
		"dist/main-1.js.gz":    pack(t, "run()"),
		"dist/odd.exe.gz":      pack(t, "MZ"),
		"dist/licenses.txt.gz": pack(t, "theirs"),
		"dist-missing.html":    {Data: []byte("never read")},
	}, []Query{{"one", "{ a }"}}, json.RawMessage(`[{"name":"ada","user":{"id":"ada"}}]`))
}

func get(serve http.HandlerFunc, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	serve(w, r)
	return w
}

func TestServeFile(t *testing.T) {
	c := small(t)
	const kept = "public, max-age=31536000, immutable"
	for _, test := range []struct {
		name, method, path, accept string
		status                     int
		body, media, encoding      string
		cache                      string
	}{
		{"packed for who takes it", "GET", "/graphql/console/main-1.js", "gzip, br", 200, "\x1f\x8b", "text/javascript; charset=utf-8", "gzip", kept},
		{"plain for who does not", "GET", "/graphql/console/main-1.js", "", 200, "run()", "text/javascript; charset=utf-8", "", kept},
		{"plain for who refuses it", "GET", "/graphql/console/main-1.js", "br, gzip;q=0.0", 200, "run()", "text/javascript; charset=utf-8", "", kept},
		{"packed for who likes it little", "GET", "/graphql/console/main-1.js", "gzip; q=0.1", 200, "\x1f\x8b", "text/javascript; charset=utf-8", "gzip", kept},
		{"an audience's", "GET", "/partner/graphql/console/main-1.js", "", 200, "run()", "text/javascript; charset=utf-8", "", kept},
		{"the head alone", "HEAD", "/graphql/console/main-1.js", "", 200, "", "text/javascript; charset=utf-8", "", kept},
		{"the licenses, whose name stays when they change", "GET", "/graphql/console/licenses.txt", "", 200, "theirs", "text/plain; charset=utf-8", "", "no-cache"},
		{"the queries", "GET", "/graphql/console/queries.json", "gzip", 200, `[{"name":"one","query":"{ a }"}]`, "application/json; charset=utf-8", "", "no-cache"},
		{"the callers", "GET", "/graphql/console/callers.json", "", 200, `[{"name":"ada","user":{"id":"ada"}}]`, "application/json; charset=utf-8", "", "no-cache"},
		{"nothing of that name", "GET", "/graphql/console/main-2.js", "", 404, "404", "", "", ""},
		{"the page is no file", "GET", "/graphql/console/index.html", "", 404, "404", "", "", ""},
		{"of a type nobody knows", "GET", "/graphql/console/odd.exe", "", 404, "404", "", "", ""},
		{"the folder", "GET", "/graphql/console/", "", 404, "404", "", "", ""},
		{"deeper", "GET", "/graphql/console/a/main-1.js", "", 404, "404", "", "", ""},
		{"upwards", "GET", "/graphql/console/../console.go", "", 404, "404", "", "", ""},
		{"written", "POST", "/graphql/console/main-1.js", "", 405, "", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := get(c.ServeFile, test.method, test.path, "Accept-Encoding", test.accept)
			if w.Code != test.status || !strings.HasPrefix(w.Body.String(), test.body) {
				t.Fatalf("%d %q, want %d %q", w.Code, w.Body, test.status, test.body)
			}
			if w.Code != 200 {
				return
			}
			for name, want := range map[string]string{
				"Content-Type": test.media, "Content-Encoding": test.encoding, "Cache-Control": test.cache,
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": policy,
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestServePage: the page is asked for again each time, and sent once.
func TestServePage(t *testing.T) {
	c := small(t)
	w := get(c.ServePage, "GET", "/graphql")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "built") || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	if w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("Cache-Control: %q", w.Header().Get("Cache-Control"))
	}
	again := get(c.ServePage, "GET", "/graphql", "If-None-Match", w.Header().Get("ETag"))
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("%d %s, want 304", again.Code, again.Body)
	}
}

// TestMissing: without a build there is a page all the same. It brings what it
// needs, its policy lets that run and nothing else, and it says how to get the other.
func TestMissing(t *testing.T) {
	page, err := os.ReadFile("dist-missing.html")
	if err != nil {
		t.Fatal(err)
	}
	c := open(fstest.MapFS{"dist-missing.html": {Data: page}}, nil, nil)
	w := get(c.ServePage, "GET", "/graphql")
	text, got := w.Body.String(), w.Header().Get("Content-Security-Policy")
	if !strings.Contains(text, "make console build") {
		t.Error("the page does not say how the console is built")
	}
	if !strings.Contains(text, `<textarea id="headers"`) || strings.Contains(text, "GrayText") {
		t.Error("the page has no field for headers, or a colour without contrast")
	}
	for _, outside := range []string{"http://", "https://", "src=", "style="} {
		if strings.Contains(text, outside) {
			t.Errorf("the page loads something: %s", outside)
		}
	}
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-"} {
		if !strings.Contains(got, want) || strings.Contains(got, "unsafe") {
			t.Errorf("the policy %q lacks %s", got, want)
		}
	}
	if w := get(c.ServeFile, "GET", "/graphql/console/main-1.js"); w.Code != 404 {
		t.Errorf("a file: %d, want 404", w.Code)
	}
	if w := get(c.ServeFile, "GET", "/graphql/console/queries.json"); w.Body.String() != "[]" {
		t.Errorf("no queries: %s, want []", w.Body)
	}
}

// TestLate: a build that comes while the process runs takes the place of the small page, with its files.
func TestLate(t *testing.T) {
	page, err := os.ReadFile("dist-missing.html")
	if err != nil {
		t.Fatal(err)
	}
	c, dist := open(fstest.MapFS{"dist-missing.html": {Data: page}}, []Query{{"one", "{ a }"}}, nil), fstest.MapFS{}
	c.late = dist
	if w := get(c.ServePage, "GET", "/graphql"); !strings.Contains(w.Body.String(), "make run") {
		t.Errorf("before: %s", w.Body)
	}
	dist["index.html"], dist["main-1.js.gz"] = &fstest.MapFile{Data: []byte("<title>built</title>")}, pack(t, "run()")
	for path, want := range map[string]string{"/graphql/console/main-1.js": "run()", "/graphql/console/queries.json": `[{"name":"one","query":"{ a }"}]`} {
		if w := get(c.ServeFile, "GET", path); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := get(c.ServePage, "GET", "/graphql"); !strings.Contains(w.Body.String(), "built") || w.Header().Get("Content-Security-Policy") != policy {
		t.Errorf("after: %v %s", w.Header(), w.Body)
	}
}

// TestBuilt looks at what `make console` made: the page has all it names, every file
// is of a type we serve, and whose work it is stands beside it.
func TestBuilt(t *testing.T) {
	if _, err := fs.Stat(built, "dist/index.html"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("the console is not built, and CI has to build it")
		}
		t.Skip("the console is not built; `make console` builds it")
	}
	c := New(nil, nil)
	files, err := fs.ReadDir(built, "dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, packed := strings.CutSuffix(f.Name(), ".gz"); packed && mediaTypes[path.Ext(name)] == "" {
			t.Errorf("%s is of no type that is served; name it in mediaTypes", f.Name())
		}
	}
	page := get(c.ServePage, "GET", "/graphql").Body.String()
	named := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(named) < 3 {
		t.Errorf("the page names %d files, which cannot be all", len(named))
	}
	for _, m := range named {
		if w := get(c.ServeFile, "GET", "/"+m[1]); w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: %d", m[1], w.Code)
		}
	}
	licenses := get(c.ServeFile, "GET", "/graphql/console/licenses.txt").Body.String()
	for _, whose := range []string{"graphiql 5", "monaco-editor 0", "react 19", "graphql 16", "GraphQL Contributors", "Microsoft Corporation", "Meta Platforms"} {
		if !strings.Contains(licenses, whose) {
			t.Errorf("the licenses do not name %s", whose)
		}
	}
}
