package topology

import (
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/places"
)

// TestRoundTrips counts the requests of hosts: a call that crosses no line has none, a call of a moved door one, and a written reference
// across the line, or all of a write, one more. A host that has the address of the other one checks the reference too.
func TestRoundTrips(t *testing.T) {
	signing := places.Keys(t)
	create := func(path, body string) call { return call{method: "POST", path: path, body: body} }
	for _, w := range []struct {
		moved []string
		calls []call
		posts []int
	}{
		{[]string{"people"}, []call{
			create("/api/people/orgs", `{"id": "o1", "name": "One", "level": 1}`),
			create("/api/people/orgs", `{"id": "o2", "name": "Two", "level": 1}`),
			create("/api/notes/tags", `{"id": "t", "name": "green"}`),
			create("/api/shop/products", `{"id": "p1", "name": "Tea", "price": "1", "state": "active"}`),
			create("/api/shop/products", `{"id": "p2", "name": "Tea", "price": "1", "state": "active", "makerId": "o1"}`),
			create("/api/shop/products", `[{"id": "p3", "name": "Tea", "price": "1", "state": "active", "makerId": "o1"}, {"id": "p4", "name": "Tea", "price": "1", "state": "active", "makerId": "o2"}]`),
			create("/api/shop/labels", `{"id": "l", "productId": "p1", "tagId": "t"}`),
			{method: "PATCH", path: "/api/shop/products/p1", body: `{"name": "Oolong"}`},
			{method: "PATCH", path: "/api/shop/products/p1", body: `{"makerId": "o2"}`},
			{method: "PATCH", path: "/api/shop/products/p1", body: `{"makerId": null}`},
			{method: "GET", path: "/api/shop/products"},
			{method: "GET", path: "/api/shop/products/p1"},
			{method: "DELETE", path: "/api/shop/labels/l"},
		}, []int{1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0}},
		{[]string{"desk", "people"}, []call{
			create("/api/people/orgs", `{"id": "o", "name": "One", "level": 1}`),
			create("/api/people/persons", `{"id": "p", "name": "Ann", "orgId": "o"}`),
			create("/api/desk/orders", `{"id": "d", "title": "First", "buyerId": "p"}`),
			create("/api/desk/orders", `[{"id": "e", "title": "Second", "buyerId": "p"}, {"id": "f", "title": "Third", "buyerId": "p"}]`),
			{method: "PATCH", path: "/api/desk/orders/d", body: `{"title": "Last"}`},
			{method: "GET", path: "/api/desk/orders"},
			create("/api/notes/tags", `{"id": "t", "name": "green"}`),
		}, []int{1, 1, 3, 3, 1, 1, 0}}, // desk has the address of people, and asks as well
	} {
		p := places.Place{Fronds: fronds, Moved: w.moved, Signing: signing}
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			there := newWorld(t, &p)
			for i, c := range w.calls {
				c.user = staff
				before := there.Posts()
				if got := there.answer(t, &c); got[0] != '2' {
					t.Fatalf("%s: %s", &c, got)
				}
				if got := there.Posts() - before; got != w.posts[i] {
					t.Errorf("%s: %d requests of hosts, want %d", &c, got, w.posts[i])
				}
			}
		})
	}
}

// aside returns a gateway over all Fronds, one whose Frond desk runs elsewhere, and calls that cross no line.
func aside(b *testing.B) (here, there *world, calls []call) {
	b.Helper()
	signing := places.Keys(b)
	here, there = newWorld(b, &places.Place{Fronds: fronds, Signing: signing}), newWorld(b, &places.Place{Fronds: fronds, Moved: []string{"desk"}, Signing: signing})
	org := call{user: staff, method: "POST", path: "/api/people/orgs", body: `{"id": "o", "name": "One", "level": 1}`}
	for _, w := range []*world{here, there} {
		if got := w.answer(b, &org); got[:3] != "201" {
			b.Fatal(got)
		}
	}
	return here, there, []call{
		{user: staff, method: "GET", path: "/api/people/orgs/o"},
		{user: staff, method: "GET", path: "/api/notes/tags"},
		{user: staff, method: "PATCH", path: "/api/people/orgs/o", body: `{"name": "Two"}`},
		{user: staff, method: "POST", path: "/graphql", body: `{"query": "{ orgs { total items { id name } } }"}`},
	}
}

// BenchmarkAside measures calls that cross no line beside a moved Frond: ratio is their time over that without one, measured in turns.
func BenchmarkAside(b *testing.B) {
	here, there, calls := aside(b)
	for _, c := range calls {
		name, _, _ := strings.Cut(strings.TrimPrefix(c.path, "/"), "?")
		b.Run(c.method+" "+strings.ReplaceAll(name, "/", "."), func(b *testing.B) {
			b.ReportAllocs()
			var took [2]time.Duration
			for b.Loop() {
				for i, w := range []*world{here, there} {
					start := time.Now()
					w.answer(b, &c)
					took[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
		})
	}
}
