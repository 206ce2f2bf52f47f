package gateway

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/store/storetest"
)

// TestRate: a caller over the rate is refused with Retry-After, on every surface in its
// own form, and no other caller is.
func TestRate(t *testing.T) {
	gw, err := New(storetest.Project(t), &Options{
		Undecided: true,
		Config:    Config{Store: memoryStore, Identity: Identity{Dev: true}, Limits: Limits{Rate: guard.Rate{PerMinute: 6, Burst: 3}}},
		Logger:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	asks := []struct{ method, path, body string }{
		{"GET", "/api/people/authors", ""},
		{"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"author.list"}`},
		{"POST", "/graphql", `{"query":"{ __typename }"}`},
	}
	for _, a := range asks {
		user := fmt.Sprintf(`{"id":"%s"}`, strings.ReplaceAll(a.path, "/", ""))
		ask := func(user string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(a.method, a.path, strings.NewReader(a.body))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = "127.0.0.1:40000"
			if user != "" {
				r.Header.Set(identity.DevHeader, user)
			}
			w := httptest.NewRecorder()
			gw.Handler().ServeHTTP(w, r)
			return w
		}
		for range 3 {
			if w := ask(user); w.Code != 200 {
				t.Errorf("%s: %d %s", a.path, w.Code, w.Body)
			}
		}
		w := ask(user)
		var said struct {
			Data   struct{ Code string }                        // of a problem
			Errors []struct{ Extensions struct{ Code string } } // of GraphQL
			Error  struct{ Data struct{ Code string } }         // of a frame
		}
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		code := said.Data.Code + said.Error.Data.Code
		for _, e := range said.Errors {
			code += e.Extensions.Code
		}
		if w.Code != 429 || code != "TOO_MANY_REQUESTS" || w.Header().Get("Retry-After") != "10" {
			t.Errorf("%s: %d %q %v", a.path, w.Code, code, w.Header())
		}
		if w := ask(`{"id":"somebody else at ` + a.path + `"}`); w.Code != 200 {
			t.Errorf("%s, another user: %d %s", a.path, w.Code, w.Body)
		}
		if w := ask(""); w.Code != 200 {
			t.Errorf("%s, an anonymous caller: %d %s", a.path, w.Code, w.Body)
		}
	}
	// The anonymous callers are one, at one address: three have called. One whose
	// credential does not hold is of that address, too.
	r := httptest.NewRequest("GET", "/api/people/authors", nil)
	r.RemoteAddr = "127.0.0.1:50000"
	r.Header.Set(identity.DevHeader, "nonsense")
	w := httptest.NewRecorder()
	if gw.Handler().ServeHTTP(w, r); w.Code != 429 {
		t.Errorf("guessing: %d %s", w.Code, w.Body)
	}
	for _, path := range []string{"/livez", "/readyz"} { // nobody is asked who they are
		w := httptest.NewRecorder()
		if gw.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != 200 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
