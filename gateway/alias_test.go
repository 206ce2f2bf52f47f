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

// renamedProject is a project whose entity product was called item, until a day. Only staff
// sees cost and deletes.
func renamedProject(t *testing.T, until string) *facade.Project {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"fronds/shop/entities/product.yaml": `{type: object, properties: {
			id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}, cost: {type: integer}}}`,
		"fronds/shop/seeds/product.yaml": "[{id: p1, title: Saw, cost: 7}, {id: p2, title: Axe, cost: 8}]",
		"fronds/shop/frond.yaml": `
renamed:
  item:
    to: product
    until: ` + until + `
doors: {product: {operations: {publish: {kind: command}}}}
collectors:
  product:
    - {when: '"staff" in user.roles', allow: all}
    - {hide: [cost], rows: {id: {eq: p1}}, allow: [list, findById, publish]}
`,
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return read(t, files)
}

// staff is the value of X-Frond-User for somebody who sees everything.
const staff = `{"id":"ada","roles":["staff"]}`

// TestAliasEverywhere: every surface answers the old name of an entity exactly as the new one,
// what is hidden and closed included, and says that it is deprecated; after its day each says
// what the new name is.
func TestAliasEverywhere(t *testing.T) {
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
	type ask struct {
		verb, path, body string
	}
	pairs := []struct {
		name    string
		old, is ask
		// guest and staff are what the answer holds for each.
		guest, staff string
	}{
		{"REST", ask{"GET", "/api/shop/items", ""}, ask{"GET", "/api/shop/products", ""}, `"total":1`, `"cost":8`},
		{"REST, a hidden field", ask{"GET", "/api/shop/items?filter[cost][gt]=1", ""}, ask{"GET", "/api/shop/products?filter[cost][gt]=1", ""}, "unknown_key", `"total":2`},
		{"REST, a hidden row", ask{"GET", "/api/shop/items/p2", ""}, ask{"GET", "/api/shop/products/p2", ""}, "NOT_FOUND", `"cost":8`},
		{"JSON-RPC", ask{"POST", "/_kit/call", rpc("item.list", "{}")}, ask{"POST", "/_kit/call", rpc("product.list", "{}")}, `"total":1`, `"cost":8`},
		{"JSON-RPC, words of lists", ask{"POST", "/_kit/call", rpc("item.list", `{"query":{"take":1}}`)}, ask{"POST", "/_kit/call", rpc("product.list", `{"query":{"take":1}}`)}, "", ""},
		{"JSON-RPC, closed", ask{"POST", "/_kit/call", rpc("Item.delete", `{"params":{"id":"p9"}}`)}, ask{"POST", "/_kit/call", rpc("product.delete", `{"params":{"id":"p9"}}`)}, "UNAUTHORIZED", "false"},
		{"JSON-RPC, no invocation", ask{"POST", "/_kit/call", rpc("item.list", `[]`)}, ask{"POST", "/_kit/call", rpc("product.list", `[]`)}, "-32602", "-32602"},
		{"JSON-RPC, an operation that is not there", ask{"POST", "/_kit/call", rpc("item.polish", `{}`)}, ask{"POST", "/_kit/call", rpc("product.polish", `{}`)}, "-32601", "-32601"},
		{"GraphQL, a list", ask{"POST", "/graphql", query("{ a: items { total items { __typename title } } }")}, ask{"POST", "/graphql", query("{ a: products { total items { __typename title } } }")}, `"total":1`, `"total":2`},
		{"GraphQL, a hidden field", ask{"POST", "/graphql", query(`{ a: item(id: "p1") { cost } }`)}, ask{"POST", "/graphql", query(`{ a: product(id: "p1") { cost } }`)}, "", `"cost":7`},
		{"GraphQL, ids", ask{"POST", "/graphql", query(`{ a: itemsByIds(ids: ["p2"]) { title } }`)}, ask{"POST", "/graphql", query(`{ a: productsByIds(ids: ["p2"]) { title } }`)}, "", `"Axe"`},
		{"GraphQL, closed", ask{"POST", "/graphql", query(`mutation { a: deleteItem(id: "p9") }`)}, ask{"POST", "/graphql", query(`mutation { a: deleteProduct(id: "p9") }`)}, "UNAUTHORIZED", `"a":false`},
		{"GraphQL, a named operation", ask{"POST", "/graphql", query(`mutation { a: itemPublish }`)}, ask{"POST", "/graphql", query(`mutation { a: productPublish }`)}, "NOT_IMPLEMENTED", "NOT_IMPLEMENTED"},
	}
	send := func(gw *gateway.Gateway, a ask, user string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(a.verb, "http://127.0.0.1:8080"+a.path, strings.NewReader(a.body))
		r.RemoteAddr = "127.0.0.1:4000"
		r.Header.Set("Content-Type", "application/json")
		if user != "" {
			r.Header.Set("X-Frond-User", user)
		}
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		return w
	}
	opts := gateway.Options{Config: gateway.Config{Identity: gateway.Identity{Dev: true}}}
	gw := gatewayOf(t, renamedProject(t, "2999-06-01"), opts)
	for _, c := range pairs {
		for user, want := range map[string]string{"": c.guest, staff: c.staff} {
			old, is := send(gw, c.old, user), send(gw, c.is, user)
			same := strings.ReplaceAll(old.Body.String(), `"instance":"/api/shop/items`, `"instance":"/api/shop/products`)
			if old.Code != is.Code || same != is.Body.String() || !strings.Contains(same, want) {
				t.Errorf("%s for %q:\n%d %s by the old name\n%d %s by the new one; want %s", c.name, user, old.Code, old.Body, is.Code, is.Body, want)
			}
			if user == "" && strings.Contains(same, `"cost":7`) {
				t.Errorf("%s: a hidden field leaves by the old name: %s", c.name, same)
			}
		}
	}
	if sdl := gw.SDL(); !strings.Contains(sdl, `item(id: ID!): Product @deprecated(reason: "renamed to product; answered until 2999-06-01")`) {
		t.Errorf("the SDL does not deprecate item: %s", sdl)
	}

	// A gateway in front of the host takes its aliases over; one that it cannot have, since a door of
	// its own has the name, it leaves out.
	remote := newElsewhere(t)
	remote.serve("shop", renamedProject(t, "2999-06-01"))
	for own, there := range map[string]bool{"note": true, "item": false} {
		behind := opts
		behind.Config.Remotes = map[string]gateway.Remote{"shop": {URL: remote.url()}}
		card := "fronds/own/entities/" + own + ".yaml"
		front := gatewayOf(t, read(t, fstest.MapFS{card: {Data: []byte(`{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}}}`)}}), behind)
		for _, c := range pairs {
			old, is := send(front, c.old, staff), send(front, c.is, staff)
			if same := strings.ReplaceAll(old.Body.String(), `"instance":"/api/shop/items`, `"instance":"/api/shop/products`); (same == is.Body.String()) != there && strings.HasPrefix(c.name, "REST") || there && same != is.Body.String() {
				t.Errorf("%s in front, beside %s:\n%s by the old name\n%s by the new one", c.name, own, old.Body, is.Body)
			}
		}
	}

	// A gateway that starts after the day still knows the name, and refuses it.
	gw = gatewayOf(t, renamedProject(t, "2020-06-01"), opts)
	for _, c := range pairs {
		w := send(gw, c.old, staff)
		if body := w.Body.String(); !strings.Contains(body, "item was renamed to product and was answered until 2020-06-01; call product") || !strings.Contains(body, `"GONE"`) {
			t.Errorf("%s after the day: %d %s", c.name, w.Code, body)
		} else if rest := strings.HasPrefix(c.name, "REST"); rest != (w.Code == 410) {
			t.Errorf("%s after the day: %d", c.name, w.Code)
		}
		if w := send(gw, c.is, staff); strings.Contains(w.Body.String(), "GONE") {
			t.Errorf("%s: the new name after the day: %s", c.name, w.Body)
		}
	}
}
