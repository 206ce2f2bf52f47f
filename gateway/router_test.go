package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"
)

// Both routers send the same paths to the same handler, as they were written.
func TestRouters(t *testing.T) {
	gorilla := mux.NewRouter().SkipClean(true)
	standard := http.NewServeMux()
	for _, c := range []struct {
		name   string
		router Router
		serve  http.Handler
	}{
		{"gorilla", Mux(gorilla), gorilla},
		{"net/http", standard, standard},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{"/graphql", "/api/", "/_kit/call"} {
				c.router.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, path+" "+r.Method+" "+r.URL.EscapedPath())
				}))
			}
			for _, want := range []struct {
				method, path string
				status       int
				body         string
			}{
				{"POST", "/graphql", 200, "/graphql POST /graphql"},
				{"DELETE", "/graphql", 200, "/graphql DELETE /graphql"}, // the verb is the handler's business
				{"POST", "/graphql/more", 404, ""},
				{"GET", "/api/sales/orders", 200, "/api/ GET /api/sales/orders"},
				{"GET", "/api/", 200, "/api/ GET /api/"},
				{"PATCH", "/api/sales/orders/a%2Fb", 200, "/api/ PATCH /api/sales/orders/a%2Fb"},
				{"GET", "/api/sales/orders/%7Bid%7D", 200, "/api/ GET /api/sales/orders/%7Bid%7D"},
				{"POST", "/_kit/call", 200, "/_kit/call POST /_kit/call"},
				{"GET", "/apis", 404, ""},
				{"GET", "/", 404, ""},
			} {
				w := httptest.NewRecorder()
				c.serve.ServeHTTP(w, httptest.NewRequest(want.method, want.path, nil))
				if w.Code != want.status || want.body != "" && w.Body.String() != want.body {
					t.Errorf("%s %s: %d %q, want %d %q", want.method, want.path, w.Code, w.Body, want.status, want.body)
				}
			}
		})
	}
}
