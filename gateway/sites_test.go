package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// asks are one request to each surface and to what stands beside them.
var asks = []surface{
	{"a REST query", "GET", "/api/app/notes", ""},
	{"a REST command", "POST", "/api/app/notes", `{"title":"x"}`},
	{"a REST command without a body", "POST", "/api/app/notes?title=x", ""},
	{"a REST patch", "PATCH", "/api/app/notes/n1", `{"title":"x"}`},
	{"a REST removal", "DELETE", "/api/app/notes/n1", ""},
	{"a REST HEAD", "HEAD", "/api/app/notes", ""},
	{"a preflight", "OPTIONS", "/api/app/notes", ""},
	{"a frame", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":7,"method":"note.list"}`},
	{"a GraphQL query", "POST", "/graphql", `{"query":"{ notes { total } }"}`},
	{"a GraphQL query by GET", "GET", "/graphql?query=%7Bnotes%7Btotal%7D%7D", ""},
	{"a file of the console", "GET", "/graphql/console/queries.json", ""},
	{"health", "GET", "/livez", ""},
	{"a path that is not there", "GET", "/nowhere", ""},
}

// TestOtherSites: what a page of another site sends is refused on every surface, by
// every method, with a body or without, in the surface's own form.
func TestOtherSites(t *testing.T) {
	for _, c := range []struct {
		name    string
		cors    gateway.CORS
		headers []string
		passes  bool
	}{
		{"a program", gateway.CORS{}, nil, true},
		{"a page of ours", gateway.CORS{}, []string{"Sec-Fetch-Site: same-origin", "Origin: http://example.com"}, true},
		{"a page of ours, an old browser", gateway.CORS{}, []string{"Origin: http://example.com"}, true},
		{"a page of ours, its port written out", gateway.CORS{}, []string{"Origin: http://EXAMPLE.com:80"}, true},
		{"an address that was typed", gateway.CORS{}, []string{"Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Accept: application/json"}, true},

		{"a page of another site", gateway.CORS{}, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://evil.example"}, false},
		{"a neighbour's", gateway.CORS{}, []string{"Sec-Fetch-Site: same-site", "Origin: https://evil.example.com"}, false},
		{"an old browser's", gateway.CORS{}, []string{"Origin: https://evil.example"}, false},
		{"one on another port", gateway.CORS{}, []string{"Origin: http://example.com:8080"}, false},
		{"a sandbox", gateway.CORS{}, []string{"Origin: null"}, false},
		{"what is no origin", gateway.CORS{}, []string{"Origin: http://%zz"}, false},
		{"an image", gateway.CORS{}, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"}, false},
		{"a word that is none", gateway.CORS{}, []string{"Sec-Fetch-Site: nearby"}, false},
		{"with a token", gateway.CORS{}, []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example", "X-Requested-With: x", "Content-Type: application/json"}, false},

		{"a site that is named", gateway.CORS{Origins: []string{shop}}, []string{"Sec-Fetch-Site: cross-site", "Origin: " + shop}, true},
		{"another one", gateway.CORS{Origins: []string{shop}}, []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, false},
		{"an image on the page of one that is named", gateway.CORS{Origins: []string{shop}}, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, false},
		{"any, where all are named", gateway.CORS{Origins: []string{"*"}}, []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, true},
		{"an image, where all are named", gateway.CORS{Origins: []string{"*"}}, []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{CORS: c.cors, GraphQL: gateway.GraphQL{Console: new(true)}}}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = gw.Close() })
			for _, a := range asks {
				headers := c.headers
				if a.method == "POST" {
					headers = append([]string{"Content-Type: application/json"}, headers...)
				}
				got := exchange(gw.Handler(), a.method, a.path, a.body, headers...)
				if (got.status != http.StatusForbidden) != c.passes {
					t.Errorf("%s: %d %s", a.name, got.status, got.body)
				}
				if !c.passes && a.method != "HEAD" {
					checkForbidden(t, a, got)
				}
			}
			if got := exchange(gw.Handler(), "GET", "/api/app/notes", ""); strings.Contains(got.body, `"title"`) && !c.passes {
				t.Errorf("a command ran: %s", got.body)
			}
		})
	}
}

// checkForbidden holds a refusal to the form of the surface that was asked.
func checkForbidden(t *testing.T, a surface, got reply) {
	t.Helper()
	var body struct {
		Status int                                          // of a problem
		Data   struct{ Code string }                        // likewise
		Errors []struct{ Extensions struct{ Code string } } // of GraphQL
		Error  struct{ Data struct{ Code string } }         // of a frame
	}
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatalf("%s: %v: %s", a.name, err, got.body)
	}
	code := body.Data.Code
	switch {
	case strings.HasPrefix(a.path, "/graphql"):
		code = body.Errors[0].Extensions.Code
	case a.path == "/_kit/call":
		code = body.Error.Data.Code
	}
	if code != "FORBIDDEN" || !strings.Contains(got.body, "cors.origins") {
		t.Errorf("%s: %s", a.name, got.body)
	}
}

// TestFormsOfOtherSites: a form needs no body to send a command, and some browsers
// send nothing that says where it stands.
func TestFormsOfOtherSites(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	for _, media := range []string{"", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"} {
		for _, path := range []string{"/api/app/notes?title=x", "/_kit/call", "/graphql?query=mutation%7BdeleteNote(id:1)%7D"} {
			if got := exchange(gw.Handler(), "POST", path, "", "Content-Type: "+media); got.status != http.StatusUnsupportedMediaType {
				t.Errorf("%q to %s: %d %s", media, path, got.status, got.body)
			}
		}
	}
}

// TestFormsWithoutASite: a form with the visitor's cookie is refused where the browser does not name the
// page's site.
func TestFormsWithoutASite(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	const cookie = "Cookie: session=x"
	for _, c := range []struct {
		headers []string
		refused bool
	}{
		{[]string{cookie, "Content-Type: multipart/form-data; boundary=x"}, true},
		{[]string{cookie, "Content-Type: Text/Plain"}, true},
		{[]string{cookie, "Content-Type: application/x-www-form-urlencoded"}, true},
		{[]string{cookie, "Content-Type: multipart/form-data; boundary=x", "X-Requested-With: x"}, false},
		{[]string{cookie, "Content-Type: multipart/form-data; boundary=x", "Origin: http://example.com"}, false},
		{[]string{cookie, "Content-Type: multipart/form-data; boundary=x", "Sec-Fetch-Site: same-origin"}, false},
		{[]string{cookie, "Content-Type: application/json"}, false},
		{[]string{"Content-Type: multipart/form-data; boundary=x"}, false},
	} {
		r := httptest.NewRequest("POST", "/api/app/notes", strings.NewReader(`{}`))
		for _, h := range c.headers {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		if (w.Code == http.StatusForbidden) != c.refused {
			t.Errorf("%q: %d %s", c.headers, w.Code, w.Body)
		}
	}
}

// TestLinksFromOtherSites: a link leads to pages, whoever's page or mail it stands in, and
// never to data.
func TestLinksFromOtherSites(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{GraphQL: gateway.GraphQL{Console: new(true)}}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	const html = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	link := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", html}
	for _, c := range []struct {
		name, method, path string
		headers            []string
		status             int
	}{
		{"the console", "GET", "/graphql", link, 200},
		{"the console with a query", "GET", "/graphql?query=%7Bnotes%7Btotal%7D%7D", link, 200},
		{"REST", "GET", "/api/app/notes", link, 403},
		{"a query, for who takes JSON", "GET", "/graphql?query=%7Bnotes%7Btotal%7D%7D", append(link[:3:3], "Accept: application/json"), 403},
		{"the console in a frame", "GET", "/graphql", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", html}, 403},
		{"the console, fetched", "GET", "/graphql", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", html}, 403},
		{"a form", "POST", "/api/app/notes?title=x", link, 403},
	} {
		got := exchange(gw.Handler(), c.method, c.path, "", c.headers...)
		if got.status != c.status || c.status == 200 && !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %v", c.name, got.status, got.header)
		}
	}
}

// TestOtherSitesElsewhere: the receiver and the admin listener have the same check.
func TestOtherSitesElsewhere(t *testing.T) {
	r, err := gateway.NewReceiver(library(t), "people", &gateway.ReceiverOptions{Options: *quiet(gateway.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Admin: gateway.Admin{Listen: "127.0.0.1:0"}}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	for name, ask := range map[string]func(...string) reply{
		"the receiver": func(headers ...string) reply {
			return exchange(r.Handler(), "POST", "/_kit/call", `{"jsonrpc":"2.0","id":7,"method":"writer.list"}`, headers...)
		},
		"the admin listener": func(headers ...string) reply { return exchange(gw.AdminHandler(), "GET", "/metrics", "", headers...) },
	} {
		if got := ask(); got.status != 200 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if got := ask("Sec-Fetch-Site: cross-site", "Origin: https://evil.example"); got.status != 403 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// TestDevIdentityAndPages: where the caller may be anyone, pages of this machine alone
// may call, whatever cors.origins says.
func TestDevIdentityAndPages(t *testing.T) {
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{
		Identity: gateway.Identity{Dev: true}, Hosts: []string{"shop.test"}, CORS: gateway.CORS{Origins: []string{shop, "http://localhost:3000"}},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	for _, c := range []struct {
		origin string
		site   string
		passes bool
	}{
		{"", "", true},
		{"http://localhost:3000", "same-site", true},
		{"http://127.0.0.1:8080", "same-origin", true},
		{"http://[::1]:8080", "same-origin", true},
		{"http://shop.test:8080", "same-origin", true},
		{"http://evil.example", "same-origin", false}, // its name leads here
		{shop, "cross-site", false},
		{"null", "same-origin", false},
	} {
		for _, a := range surfaces {
			var headers []string
			if c.origin != "" {
				headers = []string{"Origin: " + c.origin, "Sec-Fetch-Site: " + c.site}
			}
			if got := exchange(gw.Handler(), a.method, a.path, a.body, headers...); (got.status != 403) != c.passes {
				t.Errorf("%s from %q: %d %s", a.name, c.origin, got.status, got.body)
			}
		}
	}
}

// TestLocalPagesInDevelopment: the page of a development server on this machine reads every
// surface of a gateway in development, preflights included, and none of one in production.
func TestLocalPagesInDevelopment(t *testing.T) {
	const vite = "http://localhost:5173"
	for _, c := range []struct {
		name, mode string
		dev        bool
		cors       gateway.CORS
		origin     string
		passes     bool
	}{
		{"production", gateway.Production, false, gateway.CORS{}, vite, false},
		{"production with dev identity", gateway.Production, true, gateway.CORS{}, vite, false},
		{"production with another origin", gateway.Production, false, gateway.CORS{Origins: []string{shop}}, vite, false},
		{"development", gateway.Development, false, gateway.CORS{}, vite, true},
		{"development with dev identity", gateway.Development, true, gateway.CORS{}, vite, true},
		{"an address of loopback", gateway.Development, true, gateway.CORS{}, "http://127.0.0.1:3000", true},
		{"IPv6", gateway.Development, true, gateway.CORS{}, "http://[::1]:3000", true},
		{"with another origin", gateway.Development, false, gateway.CORS{Origins: []string{shop}}, vite, true},
		{"the other origin", gateway.Development, false, gateway.CORS{Origins: []string{shop}}, shop, true},
		{"with every origin", gateway.Development, false, gateway.CORS{Origins: []string{"*"}}, vite, true},
		{"another site", gateway.Development, false, gateway.CORS{}, "https://evil.example", false},
		{"a name that begins like it", gateway.Development, true, gateway.CORS{}, "http://localhost.evil.example", false},
		{"an address that begins like it", gateway.Development, true, gateway.CORS{}, "http://127.0.0.1.evil.example", false},
		{"a neighbour in the network", gateway.Development, false, gateway.CORS{}, "http://192.168.0.7:5173", false},
		{"a sandbox", gateway.Development, false, gateway.CORS{}, "null", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Mode: c.mode, Identity: gateway.Identity{Dev: c.dev}, CORS: c.cors}}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = gw.Close() })
			for _, a := range surfaces {
				got := exchange(gw.Handler(), a.method, a.path, a.body, "Origin: "+c.origin, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors")
				if readable := got.header.Get("Access-Control-Allow-Origin") != ""; (got.status != http.StatusForbidden) != c.passes || readable != c.passes {
					t.Errorf("%s: %d %v %s", a.name, got.status, got.header, got.body)
				}
				wanted := "content-type"
				if c.dev {
					wanted += ",x-frond-user"
				}
				got = exchange(gw.Handler(), http.MethodOptions, a.path, "", "Origin: "+c.origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: "+wanted)
				if allowed := got.header.Get("Access-Control-Allow-Headers") == wanted; allowed != c.passes {
					t.Errorf("%s, preflight: %d %v", a.name, got.status, got.header)
				}
			}
		})
	}
}
