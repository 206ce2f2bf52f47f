package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/storetest"
)

// A schema that somebody built is mounted on either router and answers there (spec 4.3.2).
func TestRegisterGraphQL(t *testing.T) {
	f := storetest.Facade(t)
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	gorilla, standard := mux.NewRouter(), http.NewServeMux()
	for name, at := range map[string]struct {
		router gateway.Router
		serve  http.Handler
	}{
		"gorilla":  {gateway.Mux(gorilla), gorilla},
		"net/http": {standard, standard},
	} {
		t.Run(name, func(t *testing.T) {
			if err := gateway.RegisterGraphQL(at.router, schema, f, nil); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"{ __typename posts(first: 1) { items { __typename } } }"}`))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			at.serve.ServeHTTP(w, r)
			const want = `{"data":{"__typename":"Query","posts":{"items":[{"__typename":"Post"}]}}}`
			if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusOK || got != want {
				t.Errorf("%d %s\nwant %s", w.Code, got, want)
			}
		})
	}
}
