package gateway

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/store/storetest"
)

// TestRate: who calls too often is told when to come again, on every surface in its
// own form, and nobody else is.
func TestRate(t *testing.T) {
	gw, err := New(storetest.Project(t), &Options{
		Undecided: true,
		Config:    Config{Store: memoryStore, Identity: Identity{Dev: true}, Limits: Limits{Rate: Rate{PerMinute: 6, Burst: 3}}},
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
				r.Header.Set(DevHeader, user)
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
	r.Header.Set(DevHeader, "nonsense")
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

// TestBuckets: they fill again, and those that are full are dropped.
func TestBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(&Rate{PerMinute: 60, Burst: 2})
		a := bucketKey{user: "a"}
		for i, want := range []time.Duration{0, 0, time.Second, time.Second} {
			if got := l.take(a, time.Now()); got != want {
				t.Errorf("request %d waits %s, want %s", i, got, want)
			}
		}
		time.Sleep(1500 * time.Millisecond)
		if got := l.take(a, time.Now()); got != 0 {
			t.Errorf("it waits %s", got)
		}
		if got := l.take(a, time.Now()); got != 500*time.Millisecond {
			t.Errorf("it waits %s", got)
		}
		for i := range 1000 {
			l.take(bucketKey{address: fmt.Sprint(i)}, time.Now())
		}
		time.Sleep(time.Minute)
		if l.take(bucketKey{user: "b"}, time.Now()); len(l.buckets) != 1 {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
		for i := range mostBuckets + 10 {
			l.take(bucketKey{address: fmt.Sprint(i)}, time.Now())
		}
		if len(l.buckets) > mostBuckets {
			t.Errorf("%d buckets are kept", len(l.buckets))
		}
	})
}

// TestAddresses: whose request it is where nobody says who they are.
func TestAddresses(t *testing.T) {
	proxied := newLimiter(&Rate{PerMinute: 1, TrustedProxies: []string{"10.0.0.0/8", "127.0.0.1"}})
	direct := newLimiter(&Rate{PerMinute: 1})
	for _, c := range []struct {
		limiter       *limiter
		from, through string
		want          string
	}{
		{direct, "198.51.100.7:1234", "", "198.51.100.7"},
		{direct, "127.0.0.1:1234", "203.0.113.9", "127.0.0.1"}, // whoever calls can write that
		{direct, "[2001:db8:1:2:3::4]:80", "", "2001:db8:1:2::/64"},
		{direct, "[::ffff:198.51.100.7]:80", "", "198.51.100.7"},
		{proxied, "198.51.100.7:1234", "203.0.113.9", "198.51.100.7"},
		{proxied, "127.0.0.1:1234", "203.0.113.9", "203.0.113.9"},
		{proxied, "10.1.2.3:1234", "192.0.2.66, 203.0.113.9, 10.9.9.9", "203.0.113.9"},
		{proxied, "10.1.2.3:1234", "", "10.1.2.3"},
		{proxied, "10.1.2.3:1234", "unknown", "10.1.2.3"},
		{proxied, "10.1.2.3:1234", "203.0.113.9:4711", "203.0.113.9"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.from
		if c.through != "" {
			r.Header.Set("X-Forwarded-For", c.through)
		}
		if got := c.limiter.address(r); got != c.want {
			t.Errorf("from %s through %q: %s, want %s", c.from, c.through, got, c.want)
		}
	}
}
