package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/gateway"
)

const shop = "https://shop.example"

// exchange sends one request to a handler.
func exchange(h http.Handler, method, path, body string, headers ...string) reply {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}

func varies(h http.Header, on string) bool {
	var names []string
	for _, line := range h.Values("Vary") {
		for name := range strings.SplitSeq(line, ",") {
			names = append(names, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	return slices.Contains(names, strings.ToLower(on))
}

// with is a gateway that knows callers by tokens, with cors.
func with(t *testing.T, cors gateway.CORS) (*gateway.Gateway, *issuer) {
	t.Helper()
	iss := newIssuer(t)
	config := iss.config
	config.CORS = cors
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: config}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	})
	return gw, iss
}

func allowed(h http.Header) (names []string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	return names
}

func TestCORSIsClosedByDefault(t *testing.T) {
	gw, _ := with(t, gateway.CORS{})
	for _, s := range surfaces {
		for _, method := range []string{s.method, http.MethodOptions} {
			got := exchange(gw.Handler(), method, s.path, s.body, "Origin: "+shop, "Access-Control-Request-Method: POST")
			if names := allowed(got.header); names != nil {
				t.Errorf("%s %s: %v", method, s.path, names)
			}
		}
	}
}

// What a browser asks beforehand is answered on every path, before anybody asks who
// is calling: a preflight carries no token, and one that does is not checked.
func TestPreflight(t *testing.T) {
	gw, _ := with(t, gateway.CORS{Origins: []string{shop, "http://localhost:3000"}})
	for _, path := range []string{"/graphql", "/api/app/notes", "/api/app/notes/n1", "/_kit/call", "/nowhere"} {
		for _, c := range []struct {
			name, origin, method, headers string
			ok                            bool
		}{
			{"what is needed", shop, "POST", "authorization,content-type", true},
			{"from the other origin", "http://localhost:3000", "PATCH", "if-match", true},
			{"without headers", shop, "DELETE", "", true},
			{"from elsewhere", "https://mallory.example", "POST", "content-type", false},
			{"from nearly there", "https://shop.example.mallory.example", "POST", "content-type", false},
			{"from there, without encryption", "http://shop.example", "POST", "content-type", false},
			{"from there, another port", "https://shop.example:8443", "POST", "content-type", false},
			{"from a file", "null", "POST", "content-type", false},
			{"a header that is not allowed", shop, "POST", "x-frond-user", false},
			{"a method that is none of ours", shop, "TRACE", "", false},
		} {
			headers := []string{"Origin: " + c.origin, "Access-Control-Request-Method: " + c.method, "Authorization: Bearer x"}
			if c.headers != "" {
				headers = append(headers, "Access-Control-Request-Headers: "+c.headers)
			}
			got := exchange(gw.Handler(), http.MethodOptions, path, "", headers...)
			origin := got.header.Get("Access-Control-Allow-Origin")
			if got.status != http.StatusNoContent || (origin == c.origin) != c.ok || !c.ok && len(allowed(got.header)) > 0 {
				t.Errorf("%s, %s: %d %v", path, c.name, got.status, got.header)
			}
			if !varies(got.header, "Origin") {
				t.Errorf("%s, %s: Vary %q", path, c.name, got.header.Values("Vary"))
			}
			if c.ok && (got.header.Get("Access-Control-Max-Age") != "600" || got.header.Get("Access-Control-Allow-Credentials") != "") {
				t.Errorf("%s, %s: %v", path, c.name, got.header)
			}
		}
	}
}

// Answers can be read by the pages that are named, refusals among them, and no cache
// mixes them up.
func TestCORSOfAnswers(t *testing.T) {
	gw, iss := with(t, gateway.CORS{Origins: []string{shop}, Credentials: true, MaxAge: -1})
	for _, s := range surfaces {
		for name, authorization := range map[string]string{"anonymous": "", "known": "Authorization: Bearer " + iss.ec.Token(nil, nil), "refused": "Authorization: Bearer x"} {
			for _, origin := range []string{shop, "https://mallory.example", ""} {
				var headers []string
				if origin != "" {
					headers = append(headers, "Origin: "+origin)
				}
				if authorization != "" {
					headers = append(headers, authorization)
				}
				got := exchange(gw.Handler(), s.method, s.path, s.body, headers...)
				h := got.header
				reads := h.Get("Access-Control-Allow-Origin") == shop && h.Get("Access-Control-Allow-Credentials") == "true" && strings.Contains(h.Get("Access-Control-Expose-Headers"), "Etag")
				foreign := origin != shop && origin != ""
				if reads != (origin == shop) || origin != shop && len(allowed(h)) > 0 || (got.status == 403) != foreign || !foreign && (got.status == 401) != (name == "refused") || !varies(h, "Origin") {
					t.Errorf("%s, %s, from %q: %d %v", s.name, name, origin, got.status, h)
				}
			}
		}
		if got := exchange(gw.Handler(), s.method, s.path, s.body); s.name == "GraphQL" && !varies(got.header, "Accept") {
			t.Errorf("%s: Vary %v", s.name, got.header.Values("Vary"))
		}
	}
	got := exchange(gw.Handler(), http.MethodOptions, "/graphql", "", "Origin: "+shop, "Access-Control-Request-Method: POST")
	if got.header.Get("Access-Control-Max-Age") != "0" || got.header.Get("Access-Control-Allow-Credentials") != "true" {
		t.Errorf("%v", got.header)
	}
}

// Everyone's pages may read what anybody may read: no cookie is ever sent along.
func TestCORSForEveryone(t *testing.T) {
	gw, _ := with(t, gateway.CORS{Origins: []string{"*"}})
	got := exchange(gw.Handler(), "GET", "/api/app/notes", "", "Origin: https://mallory.example", "Cookie: a=b")
	if h := got.header; h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%v", h)
	}
	config := gateway.Config{CORS: gateway.CORS{Origins: []string{"*"}, Credentials: true}}
	if _, err := gateway.New(notes(t), quiet(gateway.Options{Config: config})); err == nil || !strings.Contains(err.Error(), "#/cors/credentials") {
		t.Errorf("everyone with cookies: %v", err)
	}
}

// Mounted on a router of the author's, the surfaces keep it.
func TestCORSWhereMounted(t *testing.T) {
	gw, _ := with(t, gateway.CORS{Origins: []string{shop}})
	standard, gorilla := http.NewServeMux(), mux.NewRouter()
	gw.Mount(standard)
	gw.Mount(gateway.Mux(gorilla))
	for name, router := range map[string]http.Handler{"net/http": standard, "gorilla": gorilla} {
		got := exchange(router, "POST", "/graphql", `{"query":"{ notes { total } }"}`, "Origin: "+shop)
		if got.header.Get("Access-Control-Allow-Origin") != shop || !strings.Contains(got.body, `"total":0`) {
			t.Errorf("%s: %v %s", name, got.header, got.body)
		}
	}
}
