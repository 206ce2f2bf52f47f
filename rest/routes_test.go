package rest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/rest"
)

// TestRouteTable is the whole table of testdata/project.
func TestRouteTable(t *testing.T) {
	table, err := rest.Derive(blog(t), "")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/routes.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("(-want +got; -update rewrites):\n%s", diff)
	}
}

func TestBasePath(t *testing.T) {
	for base, want := range map[string]string{
		"": "/api/blog/posts", "/": "/blog/posts", "v1/": "/v1/blog/posts", "/x/api": "/x/api/blog/posts",
	} {
		table, err := rest.Derive(blog(t), base)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range table.Routes() {
			found = found || r.Path == want
		}
		if !found {
			t.Errorf("base %q: no route %s", base, want)
		}
		h := serve(t, value(`true`), &rest.Options{Base: base})
		if w := ask(t, h, "GET "+want, nil, ""); w.Code != 200 {
			t.Errorf("base %q: GET %s: %d", base, want, w.Code)
		}
	}
}

// TestClaimedTwice: all paths with two owners are reported at once, with both names.
func TestClaimedTwice(t *testing.T) {
	frond := &catalog.Frond{Name: "shop"}
	door := func(name, plural string, ops ...string) {
		d := &catalog.Door{Name: name, Frond: frond, Plural: plural, Origin: "frond.yaml"}
		for _, op := range ops {
			d.Operations = append(d.Operations, &catalog.Operation{Name: op, Door: d})
		}
		frond.Doors = append(frond.Doors, d)
	}
	door("goods", "goods", "list")
	door("good", "goods", "list")
	door("order", "orders", "placeNow", "placenow", "PlaceNow", "place_now")
	_, err := rest.New(&catalog.Catalog{Fronds: []*catalog.Frond{frond}}, value("1"), nil)
	if err == nil {
		t.Fatal("no fault")
	}
	want := strings.Join([]string{
		"frond.yaml#/doors/good: the path /api/shop/goods is claimed by goods and by good; give one of them another plural: good: {plural: …}",
		"frond.yaml#/doors/order/operations/PlaceNow: the path /api/shop/orders/place-now is claimed by placeNow and by PlaceNow; rename one of the operations",
		"frond.yaml#/doors/order/operations/place_now: the path /api/shop/orders/place-now is claimed by placeNow and by place_now; rename one of the operations",
	}, "\n")
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
