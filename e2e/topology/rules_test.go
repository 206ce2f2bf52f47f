package topology

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/places"
)

// TestRulesReadHiddenRows reads rows whose access rules go through a row, or by a field, that rules hide from the caller: in one process
// rules read all rows and fields, and so they do in each topology.
func TestRulesReadHiddenRows(t *testing.T) {
	rows := []call{
		{path: "/api/people/orgs", body: `{"id": "o", "name": "hidden", "level": 1}`},
		{path: "/api/people/persons", body: `{"id": "p", "name": "Ann", "orgId": "o"}`},
		{path: "/api/shop/products", body: `{"id": "x", "name": "Tea", "price": "1", "state": "active", "makerId": "o"}`},
		{path: "/api/notes/tags", body: `{"id": "t", "name": "green"}`},
		{path: "/api/shop/labels", body: `{"id": "l", "productId": "x", "tagId": "t"}`},
		{path: "/api/desk/orders", body: `{"id": "d", "title": "First", "buyerId": "p"}`},
		{path: "/api/desk/lines", body: `{"id": "n", "n": 2, "orderId": "d", "productId": "x"}`},
		{path: "/api/notes/notes", body: `{"id": "m", "text": "Call", "personId": "p", "orderId": "d"}`},
		{path: "/api/notes/notes", body: `{"id": "k", "text": "Mail", "personId": "p"}`},
	}
	reads := []struct{ user, path, want string }{
		{``, "/api/shop/products", `"items":[]`},
		{``, "/api/shop/labels", `"id":"l"`},
		{`{"id": "p"}`, "/api/desk/lines", `"id":"n"`},
		{`{"id": "p"}`, "/api/desk/lines?sort=product.name&filter[order][title]=First", `"id":"n"`},
		{`{"id": "p"}`, "/api/desk/lines?filter[product][name]=Tea", `"items":[]`},  // the caller's own condition does not see it
		{`{"id": "p"}`, "/api/desk/orders", `"items":[{"id":"d","title":"First"}]`}, // its rule reads a field that it hides
		{`{"id": "p"}`, "/api/notes/notes?filter[text]=Call", `"id":"m"`},
		{`{"id": "p"}`, "/api/notes/notes?filter[order][title]=First", `unknown_key`},
		{``, `/api/shop/labels?filter={"$rule":{"product":{"name":{"eq":"Tea"}}}}`, `unknown_key`},
	}
	signing := places.Keys(t)
	for _, p := range append(places.All(fronds, signing), places.Place{Fronds: fronds, Signing: signing}) {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &p)
			for _, c := range rows {
				c.method, c.user, c.writes = "POST", staff, true
				if got := w.answer(t, &c); got[:3] != "201" {
					t.Fatalf("%s: %s", &c, got)
				}
			}
			for _, r := range reads {
				c := call{method: "GET", path: r.path, user: r.user}
				if got := w.answer(t, &c); !strings.Contains(got, r.want) {
					t.Errorf("%s: %s\nwant %s", &c, got, r.want)
				}
			}
		})
	}
}
