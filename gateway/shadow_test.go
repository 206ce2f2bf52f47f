package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// shadowed starts a gateway that answers stock itself and copies its queries to a host.
func shadowed(t *testing.T, url string) *gateway.Gateway {
	t.Helper()
	gw, err := gateway.New(folderOf(t, togetherFronds), &gateway.Options{Config: gateway.Config{
		Extras: all.Extras(), Store: "memory", Identity: gateway.Identity{Dev: true}, Admin: gateway.Admin{Listen: "127.0.0.1:0"},
		Remotes: map[string]gateway.Remote{"stock": {URL: url, Shadow: 1}},
	}, Logger: silence})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw
}

// shadowReport is what the admin listener says.
func shadowReport(t *testing.T, gw *gateway.Gateway) (found gateway.ShadowReport) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/shadow", nil)
	r.Host = "127.0.0.1"
	w := httptest.NewRecorder()
	gw.AdminHandler().ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return found
}

// TestShadow: the Frond answers here, the host is asked the same queries and no commands, and differences are found by field.
func TestShadow(t *testing.T) {
	t.Parallel()
	at := newElsewhere(t)
	r, err := gateway.NewReceiver(folderOf(t, togetherFronds), "stock", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	at.stand(r.Handler())
	gw := shadowed(t, at.url())
	there := func(method, params string) string {
		status, text := send(t, "POST", at.url()+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, "Content-Type: application/json")
		if status != 200 {
			t.Fatal(status, text)
		}
		return text
	}
	there("rack.create", `{"body":{"id":"r1","name":"B"}}`)
	if got := togetherAsk(t, gw, `POST /api/stock/racks {"id": "r1", "name": "A"}`); !strings.HasPrefix(got, "201") {
		t.Fatal(got)
	}
	outcome := func(want string) {
		t.Helper()
		eventually(t, func() string {
			text, err := json.Marshal(shadowReport(t, gw).Fronds)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}, want)
	}
	if got := togetherAsk(t, gw, `GET /api/stock/boards`); !strings.HasPrefix(got, "200") {
		t.Fatal(got)
	}
	outcome(`"share":100,"same":1,"different":0,"failed":0,"dropped":0`)
	if got := togetherAsk(t, gw, `GET /api/stock/racks?fields=id,name&sort=name`); !strings.Contains(got, `"items":[{"id":"r1","name":"A"}]`) {
		t.Fatal(got)
	}
	outcome(`"same":1,"different":1,"failed":0,"dropped":0`)
	found := shadowReport(t, gw).Calls[0]
	if len(found.Differences) != 1 || found.Differences[0].Field != "items.0.name" || found.Differences[0].Here != `"A"` || found.Differences[0].There != `"B"` {
		t.Errorf("%+v", found)
	}
	if want := `frond call rack.list --state '{"user":{"id":"s","roles":["staff"]}}' fields=id,name sort=name`; found.Line != want {
		t.Errorf("line %s\nwant %s", found.Line, want)
	}
	togetherAsk(t, gw, `POST /graphql {"query": "{ rack(id: \"r1\") { name } }"}`)
	outcome(`"same":1,"different":2,"failed":0,"dropped":0`)
	togetherAsk(t, gw, `POST /api/stock/racks {"id": "r2", "name": "C"}`)
	togetherAsk(t, gw, `POST /api/atomic {"calls": [{"method": "rack.create", "params": {"body": {"id": "r3", "name": "D"}}}, {"method": "rack.list"}]}`)
	if text := there("rack.list", `{"query":{"fields":"id"}}`); !strings.Contains(text, `"items":[{"id":"r1"}]`) {
		t.Errorf("a command was copied: %s", text)
	}
	req := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	req.Host = "127.0.0.1"
	w := httptest.NewRecorder()
	gw.AdminHandler().ServeHTTP(w, req)
	for _, want := range []string{
		`frond_shadow_calls_total{entity="rack",frond="stock",operation="list",outcome="different"} 1`,
		`frond_shadow_differences_total{entity="rack",field="items.name",frond="stock",operation="list"} 1`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// TestShadowOfABadHost: a host that hangs, answers garbage or is not there changes no answer.
func TestShadowOfABadHost(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"it hangs": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // a server notices the end of a connection behind the body
			<-r.Context().Done()
		},
		"it answers garbage": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"it answers other rows": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":7}`))
		},
		"it is not there": nil,
	} {
		t.Run(name, func(t *testing.T) {
			at := newElsewhere(t)
			if answer != nil {
				at.stand(answer)
			}
			gw := shadowed(t, at.url())
			want := togetherAsk(t, gw, `GET /api/stock/racks`)
			for range 400 {
				if got := togetherAsk(t, gw, `GET /api/stock/racks`); got != want || !strings.HasPrefix(got, "200") {
					t.Fatal(got)
				}
			}
			eventually(t, func() string {
				if c := shadowReport(t, gw).Fronds[0]; c.Same+c.Different == 0 && c.Failed+c.Dropped > 0 {
					return "bad"
				}
				return ""
			}, "bad")
		})
	}
}

// TestFaultsOfAShadow names bad shares, and a Frond that does not run here.
func TestFaultsOfAShadow(t *testing.T) {
	t.Parallel()
	for share, want := range map[string]string{
		"0%": "shadow is no share; write one above 0% and up to 100%, such as 10%", "120%": "is no share", "10": "is no share", "-1%": "is no share", "some": "is no share", `"%"`: "is no share", "nan%": "is no share",
	} {
		err := new(gateway.Config).ReadText("gateway.yaml", []byte("remotes: {stock: {url: http://127.0.0.1:1, shadow: "+share+"}}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", share, err)
		}
	}
	var c gateway.Config
	if err := c.ReadText("gateway.yaml", []byte("remotes: {stock: {url: http://127.0.0.1:1, shadow: 0.5%}}")); err != nil || c.Remotes["stock"].Shadow != 0.005 || len(c.Moved()) != 0 {
		t.Errorf("%v, %v", err, c.Remotes)
	}
	for _, share := range []float64{0.1, 7} {
		_, err := gateway.New(folderOf(t, togetherFronds), &gateway.Options{Config: gateway.Config{Store: "memory", Remotes: map[string]gateway.Remote{"billing": {URL: "http://127.0.0.1:1", Shadow: share}}}, Logger: silence, Undecided: true})
		if err == nil || !strings.Contains(err.Error(), "gateway.yaml#/remotes/billing/shadow: billing does not run here, and no query of it can be copied; leave shadow out, and billing runs at its host, or write its entities in fronds/billing") {
			t.Errorf("a Frond that is not here: %v", err)
		}
		if share > 1 && !strings.Contains(err.Error(), "is no share; write one above 0 and up to 1") {
			t.Errorf("a share of a program: %v", err)
		}
	}
}
