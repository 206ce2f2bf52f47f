package gateway_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// refielded is a project whose product had a name, which is the title now, a price, which is the
// cost, and a makerId, which is the vendorId. Staff alone sees the cost.
func refielded(t *testing.T, until string) *facade.Project {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"fronds/shop/entities/product.yaml": `{type: object, properties: {
			id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}, size: {type: integer},
			cost: {type: integer, x-kit: {lifecycle: {create: optional}}},
			vendorId: {type: string, x-kit: {role: {relation: {to: maker, kind: one}}}}}, required: [title, size, vendorId]}`,
		"fronds/shop/entities/maker.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, label: {type: string}}, required: [label]}`,
		"fronds/shop/seeds/product.yaml":  "[{id: p1, title: Saw, size: 3, cost: 7, vendorId: m1}, {id: p2, title: Axe, size: 4, cost: 8, vendorId: m2}]",
		"fronds/shop/seeds/maker.yaml":    "[{id: m1, label: Acme}, {id: m2, label: Bolt}]",
		"fronds/shop/frond.yaml": strings.ReplaceAll(`
renamed:
  product.name: {to: product.title, until: DAY}
  product.price: {to: product.cost, until: DAY}
  product.makerId: {to: product.vendorId, until: DAY}
  maker.name: {to: maker.label, until: DAY}
collectors:
  maker: open
  product:
    - {when: '"staff" in user.roles', allow: all}
    - {hide: [cost], allow: all}
`, "DAY", until),
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return read(t, files)
}

// TestFieldAliasEverywhere: every surface, of the host that has the rows and of a gateway in
// front of it, answers the old name of a field with the value of the new one, and takes it in
// bodies, filters and orders; what is hidden stays hidden. After the day a call that uses the
// old name is GONE, and rows do not have it.
func TestFieldAliasEverywhere(t *testing.T) {
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	}
	query := func(text string) string {
		body, err := json.Marshal(map[string]string{"query": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	graphql := func(text string) [3]string { return [3]string{"POST", "/graphql", query(text)} }
	send := func(gw *gateway.Gateway, a [3]string, user string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(a[0], "http://127.0.0.1:8080"+a[1], strings.NewReader(a[2]))
		r.RemoteAddr = "127.0.0.1:4000"
		r.Header.Set("Content-Type", "application/json")
		if user != "" {
			r.Header.Set("X-Frond-User", user)
		}
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		return w
	}
	cases := []struct {
		name         string
		ask          [3]string
		guest, staff string // what the answer holds for each; "" is not looked at
	}{
		{"REST, a row", [3]string{"GET", "/api/shop/products/p1?fields=id,name", ""}, `{"id":"p1","name":"Saw"}`, `{"id":"p1","name":"Saw"}`},
		{"REST, a hidden field", [3]string{"GET", "/api/shop/products/p1?fields=price", ""}, "unknown_key", `{"price":7}`},
		{"REST, a filter", [3]string{"GET", "/api/shop/products?filter[price][gte]=8&filter[maker][name]=Bolt", ""}, "unknown_key", `"cost":8,"vendorId":"m2","name":"Axe","price":8,"makerId":"m2"}],"total":1`},
		{"REST, an order", [3]string{"GET", "/api/shop/products?sort=name&fields=title", ""}, `[{"title":"Axe"},{"title":"Saw"}]`, `[{"title":"Axe"},{"title":"Saw"}]`},
		{"REST, a body", [3]string{"PATCH", "/api/shop/products/p2", `{"name":"Adze"}`}, `"title":"Adze"`, `"title":"Adze"`},
		{"REST, both names", [3]string{"PATCH", "/api/shop/products/p2", `{"name":"Adze","title":"Axe"}`}, `"pointer":"/body/name","code":"exclusive"`, `"exclusive"`},
		{"REST, a condition", [3]string{"DELETE", "/api/shop/products/p2?where[price][gt]=100", ""}, "unknown_key", "PRECONDITION_FAILED"},
		{"JSON-RPC, a body", [3]string{"POST", "/_kit/call", rpc("product.update", `{"params":{"id":"p2"},"body":{"name":"Axe"}}`)}, `"title":"Axe"`, `"title":"Axe"`},
		{"JSON-RPC, a list", [3]string{"POST", "/_kit/call", rpc("product.list", `{"query":{"filter":{"name":{"eq":"Axe"}},"sort":["-price"],"fields":["name"]}}`)}, "unknown_key", `"items":[{"name":"Axe"}]`},
		{
			"GraphQL, a row", graphql(`{ product(id: "p1") { n: name t: title name makerId maker { name } vendor { label } } }`),
			`{"n":"Saw","t":"Saw","name":"Saw","makerId":"m1","maker":{"name":"Acme"},"vendor":{"label":"Acme"}}`, `"maker":{"name":"Acme"}`,
		},
		{"GraphQL, a hidden field", graphql(`{ product(id: "p1") { price } }`), "", `"price":7`},
		{"GraphQL, a list", graphql(`{ products(filter: {maker: {name: {eq: "Bolt"}}}, orderBy: [{name: ASC}]) { items { name } } }`), `"items":[{"name":"Axe"}]`, `"items":[{"name":"Axe"}]`},
		{"GraphQL, a body", graphql(`mutation { updateProduct(id: "p2", input: {name: "Axe"}) { title name } }`), `{"title":"Axe","name":"Axe"}`, `{"title":"Axe","name":"Axe"}`},
		{"GraphQL, a creation", graphql(`mutation { createProduct(input: {id: "p1", name: "Saw", size: 1, makerId: "m1"}) { name } }`), `"CONFLICT"`, `"CONFLICT"`},
		{"GraphQL, nothing", graphql(`mutation { createProduct(input: {id: "p3", size: 1}) { name } }`), `"pointer":"/body/title"`, `"pointer":"/body/title"`},
	}
	ask := func(t *testing.T, gw *gateway.Gateway) {
		for _, c := range cases {
			for user, want := range map[string]string{"": c.guest, staff: c.staff} {
				if got := send(gw, c.ask, user).Body.String(); !strings.Contains(got, want) {
					t.Errorf("%s for %q: %s\nwant %s", c.name, user, got, want)
				} else if user == "" && (strings.Contains(got, "cost") || strings.Contains(got, `"price":7`) || strings.Contains(got, `"price":8`)) {
					t.Errorf("%s: a hidden field is named: %s", c.name, got)
				}
			}
		}
		// The version of a row is the same with the old name and without it.
		tags := map[string]bool{}
		for _, fields := range []string{"title", "name", "id,title,name"} {
			// What follows the dot is of the fields that are answered.
			version, _, _ := strings.Cut(send(gw, [3]string{"GET", "/api/shop/products/p1?fields=" + fields, ""}, staff).Header().Get("ETag"), ".")
			tags[version] = true
		}
		if len(tags) != 1 || tags[""] {
			t.Errorf("the versions are %v", tags)
		}
		if sdl := gw.SDL(); !strings.Contains(sdl, `  name: String! @deprecated(reason: "renamed to title; answered until`) || !strings.Contains(sdl, `  maker: Maker @deprecated(reason: "renamed to vendorId;`) {
			t.Errorf("the SDL lacks the old names: %s", sdl)
		}
	}
	opts := gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}}}
	t.Run("local", func(t *testing.T) { ask(t, gatewayOf(t, refielded(t, "2999-06-01"), opts)) })
	t.Run("remote", func(t *testing.T) {
		remote := newElsewhere(t)
		remote.serve("shop", refielded(t, "2999-06-01"))
		behind := opts
		behind.Config.Remotes = map[string]gateway.Remote{"shop": {URL: remote.url()}}
		ask(t, gatewayOf(t, read(t, fstest.MapFS{"fronds/own/entities/note.yaml": {Data: []byte(`{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}}}`)}}), behind))
	})
	t.Run("gone", func(t *testing.T) {
		gw := gatewayOf(t, refielded(t, "2020-06-01"), opts)
		for _, c := range cases {
			if c.name == "GraphQL, nothing" || c.name == "REST, both names" {
				continue
			}
			w := send(gw, c.ask, staff)
			if body := w.Body.String(); !strings.Contains(body, `"GONE"`) || !strings.Contains(body, " and was answered until 2020-06-01; write ") {
				t.Errorf("%s after the day: %d %s", c.name, w.Code, body)
			} else if strings.HasPrefix(c.name, "REST") != (w.Code == 410) {
				t.Errorf("%s after the day: %d", c.name, w.Code)
			}
		}
		if got := send(gw, [3]string{"GET", "/api/shop/products/p1", ""}, staff).Body.String(); got != `{"id":"p1","title":"Saw","size":3,"cost":7,"vendorId":"m1"}` {
			t.Errorf("a row after the day: %s", got)
		}
	})
}
