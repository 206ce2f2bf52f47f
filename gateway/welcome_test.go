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
		{"a browser", "GET", browser, Config{GraphQL: GraphQL{Console: new(true)}}, 200, `<a href="/graphql">`, "/api/people/authors"},
		{"a browser's HEAD", "HEAD", browser, Config{}, 200, "", "<"},
		{"in development", "GET", browser, Config{Mode: Development}, 200, `<a href="/api/people/authors">`, ""},
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
