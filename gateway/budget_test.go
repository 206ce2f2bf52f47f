package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/gateway"
)

// ask is one request of a handler, without a socket.
func askHandler(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestNoRoomOnAnySurface: where there is no room every surface says so in its own form,
// with Retry-After, and health is answered all the same. Where there is none for large
// answers alone, small ones are answered.
func TestNoRoomOnAnySurface(t *testing.T) {
	const bound = 4 << 20
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{
		Limits: gateway.Limits{Memory: bound, Executions: 2}, Admin: gateway.Admin{Listen: "127.0.0.1:0"},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	title := strings.Repeat("A note. ", 2000)
	for i := range 50 {
		body, _ := json.Marshal(map[string]any{"id": fmt.Sprintf("n%02d", i), "title": title})
		if w := askHandler(gw.Handler(), "POST", "/api/app/notes", string(body)); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	frame := func(id int, query string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"note.list","params":{"query":%s}}`, id, query)
	}
	type request struct{ name, method, path, body, want string }
	large := []request{
		{"GraphQL", "POST", "/graphql", `{"query":"{ notes(first: 50) { items { id title } } }"}`, `{"data":null,"errors":[{"message":"`},
		{"REST", "GET", "/api/app/notes?limit=50", "", `{"type":"about:blank","title":"Service Unavailable","status":503,`},
		{"a frame", "POST", "/_kit/call", frame(7, `{"limit":50}`), `{"jsonrpc":"2.0","id":7,"error":{`},
		{"a batch", "POST", "/_kit/call", "[" + frame(7, `{"limit":50}`) + "," + frame(8, `{"limit":1,"fields":"id"}`) + "]", `[{"jsonrpc":"2.0","id":7,"error":{`},
	}
	small := []request{
		{"GraphQL", "POST", "/graphql", `{"query":"{ note(id: \"n07\") { id } }"}`, `{"data":{"note":{"id":"n07"}}}`},
		{"REST", "GET", "/api/app/notes/n07?fields=id", "", `{"id":"n07"}`},
		{"a frame", "POST", "/_kit/call", frame(7, `{"limit":1,"fields":"id"}`), `{"jsonrpc":"2.0","id":7,"result":{`},
	}
	check := func(t *testing.T, requests []request, status int) {
		t.Helper()
		for _, r := range requests {
			w := askHandler(gw.Handler(), r.method, r.path, r.body)
			want := status
			if r.name == "a batch" && status == 503 && w.Code == 200 { // what of it there is room for is answered
				want = 200
			}
			if w.Code != want || !strings.HasPrefix(w.Body.String(), r.want) && status == 200 {
				t.Errorf("%s: %d %.200s, want %d %s", r.name, w.Code, w.Body, status, r.want)
			}
			if status != 503 {
				continue
			}
			if s, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || s < 1 || s > 3 || !strings.Contains(w.Body.String(), `"SERVICE_UNAVAILABLE"`) {
				t.Errorf("%s: Retry-After: %q, %.300s", r.name, w.Header().Get("Retry-After"), w.Body)
			}
			if tag := w.Header().Get("ETag") + w.Header().Get("Link"); tag != "" {
				t.Errorf("%s: headers of the answer that is not given: %s", r.name, tag)
			}
		}
		if w := askHandler(gw.Handler(), "GET", "/readyz", ""); w.Code != 200 {
			t.Errorf("/readyz: %d %s", w.Code, w.Body)
		}
	}
	gone := func(t *testing.T, held int64) {
		t.Helper()
		if s := gw.Budget().State(); s.Used != held {
			t.Errorf("%d bytes are in use afterwards, want %d", s.Used, held)
		}
	}
	t.Run("enough", func(t *testing.T) {
		for _, r := range large {
			w := askHandler(gw.Handler(), r.method, r.path, r.body)
			if w.Code != 200 || strings.Contains(w.Body.String(), `error`) {
				t.Errorf("%s: %d %.300s", r.name, w.Code, w.Body)
			}
		}
		gone(t, 0)
	})
	t.Run("none for large ones", func(t *testing.T) {
		_, hog, err := gw.Budget().Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer hog.Close()
		for err == nil {
			err = hog.Reserve(32 << 10)
		}
		held := gw.Budget().State().Used
		for _, r := range large {
			if w := askHandler(gw.Handler(), r.method, r.path, r.body); !strings.HasPrefix(w.Body.String(), r.want) {
				t.Errorf("%s: %.200s, want %s", r.name, w.Body, r.want)
			}
		}
		check(t, large, 503)
		check(t, small, 200)
		gone(t, held)
	})
	t.Run("none at all", func(t *testing.T) {
		var all []*budget.Account
		for {
			_, a, err := gw.Budget().Open(t.Context())
			if err != nil {
				break
			}
			all = append(all, a)
		}
		check(t, small, 503)
		if w := askHandler(gw.AdminHandler(), "GET", "/metrics", ""); !strings.Contains(w.Body.String(), "frond_memory_budget_bytes 4.194304e+06\n") ||
			!strings.Contains(w.Body.String(), "frond_memory_used_bytes 4.194304e+06\n") || strings.Contains(w.Body.String(), `frond_refused_total{for="memory"} 0`) {
			t.Errorf("/metrics: %d %.2000s", w.Code, w.Body)
		}
		for _, a := range all {
			a.Close()
		}
		check(t, small, 200)
		gone(t, 0)
	})
	t.Run("no execution is left", func(t *testing.T) {
		var all []*budget.Account
		for range 2 {
			_, a, err := gw.Budget().Open(t.Context())
			if err == nil {
				err = a.Begin()
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, a)
		}
		check(t, small, 503)
		for _, a := range all {
			a.Close()
		}
		check(t, small, 200)
		gone(t, 0)
	})
}

// TestMemorySettings reads what may be written, and says what may not.
func TestMemorySettings(t *testing.T) {
	var c gateway.Config
	for _, s := range []struct {
		key, text string
		want      func() bool
	}{
		{"limits.memory", "64MiB", func() bool { return c.Limits.Memory == 64<<20 }},
		{"limits.memory", "2GiB", func() bool { return c.Limits.Memory == 2<<30 }},
		{"limits.memory", "50%", func() bool { return c.Limits.Memory > 1<<20 }},
		{"limits.memory", "off", func() bool { return c.Limits.Memory < 0 }},
		{"limits.memory", "0", func() bool { return c.Limits.Memory < 0 }},
		{"limits.executions", "100", func() bool { return c.Limits.Executions == 100 }},
		{"limits.executions", "auto", func() bool { return c.Limits.Executions >= 256 }},
		{"limits.executions", "off", func() bool { return c.Limits.Executions < 0 }},
		{"limits.write", "30s", func() bool { return c.Limits.Write == 30e9 }},
		{"limits.write", "off", func() bool { return c.Limits.Write < 0 }},
	} {
		if err := c.Set(s.key, s.text); err != nil || !s.want() {
			t.Errorf("%s: %s: %v, %+v", s.key, s.text, err, c.Limits)
		}
	}
	for _, s := range [][3]string{
		{"limits.memory", "64KiB", "at least 1MiB"},
		{"limits.memory", "95%", "at most 90%"},
		{"limits.memory", "-1", "write a number of bytes"},
		{"limits.memory", "lots", "off"},
		{"limits.executions", "-1", "auto or off"},
		{"limits.write", "1ms", "at least 100ms"},
	} {
		if err := c.Set(s[0], s[1]); err == nil || !strings.Contains(err.Error(), s[2]) {
			t.Errorf("%s: %s: %v, want one that says %s", s[0], s[1], err, s[2])
		}
	}
}
