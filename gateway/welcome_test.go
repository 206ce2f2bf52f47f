package gateway

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/store/storetest"
)

// TestWelcome: a browser at / gets a page that leads on, anything else what it always got.
func TestWelcome(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct {
		name, method, accept string
		config               Config
		status               int
		has, hasNot          string
	}{
		{"a browser", "GET", browser, Config{GraphQL: GraphQL{Console: new(true)}}, 200, `<a href="/graphql">`, "after signing in"},
		{"a browser's HEAD", "HEAD", browser, Config{}, 200, "", "<"},
		{"the rows", "GET", browser, Config{Mode: Production}, 200, `<a href="/api/people/authors">4</a>`, ""},
		{"without documents", "GET", browser, Config{Mode: Development, NoDocuments: true}, 200, `<a href="/graphql">`, "author"},
		{"without a console", "GET", browser, Config{}, 200, "<code>/graphql</code>", `href="/graphql"`},
		{"a program", "GET", "*/*", Config{}, 404, "/graphql, /api/", "<"},
		{"a client of JSON", "GET", "application/json", Config{}, 404, "/graphql, /api/", "<"},
		{"a form", "POST", browser, Config{}, 404, "/graphql, /api/", "<"},
	} {
		c.config.Store = memoryStore
		gw, err := New(storetest.Project(t), &Options{Undecided: true, Config: c.config, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gw.Close() })
		r := httptest.NewRequest(c.method, "/", nil)
		r.Header.Set("Accept", c.accept)
		r.Header.Set("Sec-Fetch-Site", "cross-site") // a link in a mail
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		if c.method == "POST" {
			r.Header.Del("Sec-Fetch-Site")
		}
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != c.status || !strings.Contains(body, c.has) || c.hasNot != "" && strings.Contains(body, c.hasNot) {
			t.Errorf("%s: %d %s", c.name, w.Code, body)
		}
		if policy := w.Header().Get("Content-Security-Policy"); (c.status == 200) != strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: %v", c.name, w.Header())
		}
		if !strings.Contains(w.Header().Get("Vary"), "Accept") {
			t.Errorf("%s: %v", c.name, w.Header())
		}
	}
}

// TestLostPage: a browser at an unknown path gets a page that leads to /, with nothing of the
// address in it; other clients get the problem.
func TestLostPage(t *testing.T) {
	gw, err := New(storetest.Project(t), &Options{Undecided: true, Config: Config{Store: memoryStore, Title: "Books & more", Description: "For <readers>."}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	ask := func(method, path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		return w
	}
	for _, path := range []string{"/nowhere", "/docs/none", "/nowhere/%3Cscript%3E"} {
		w := ask("GET", path, "text/html,*/*;q=0.8")
		if w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), `<a href="/">`) || strings.Contains(w.Body.String(), "script") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: %v", path, w.Header())
		}
		for method, accept := range map[string]string{"GET": "application/json", "POST": "text/html"} {
			if w := ask(method, path, accept); w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s for %s: %d %v", method, path, accept, w.Code, w.Header())
			}
		}
	}
	if body := ask("GET", "/", "text/html").Body.String(); !strings.Contains(body, "<h1>Books &amp; more</h1><p>For &lt;readers&gt;.</p>") {
		t.Errorf("the start page: %s", body)
	}
	if body := ask("GET", "/openapi.json", "*/*").Body.String(); !strings.Contains(body, `"title":"Books & more","description":"For <readers>.\n\nREST`) {
		t.Errorf("the document: %.300s", body)
	}
}

// TestTitle: a title is one short line.
func TestTitle(t *testing.T) {
	for text, fine := range map[string]bool{"Bookshop": true, strings.Repeat("ä", 80): true, strings.Repeat("a", 81): false, "a\nb": false} {
		if err := new(Config).Set("title", text); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}
