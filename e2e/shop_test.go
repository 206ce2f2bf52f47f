package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// all is every row of a list, page by page.
func all[T any](t *testing.T, url string) map[string]T {
	t.Helper()
	rows := map[string]T{}
	for after := ""; ; {
		res := send(t, "GET", url+"?limit=500"+after, "", asStaff)
		var page struct {
			Items []struct {
				ID string
				V  T
			}
			HasMore   bool
			EndCursor string
		}
		var raw struct{ Items []json.RawMessage }
		if json.Unmarshal(res.Body, &page) != nil || json.Unmarshal(res.Body, &raw) != nil || res.Status != 200 {
			t.Fatalf("%s: %d %s", url, res.Status, res.Body)
		}
		for i, item := range page.Items {
			var v T
			if err := json.Unmarshal(raw.Items[i], &v); err != nil {
				t.Fatal(err)
			}
			rows[item.ID] = v
		}
		if !page.HasMore {
			return rows
		}
		after = "&after=" + page.EndCursor
	}
}

// TestShopIsCoherent: the example's year of trade adds up, so that nobody who plays
// with it wonders whether the gateway miscounts.
func TestShopIsCoherent(t *testing.T) {
	t.Parallel()
	p := startGateway(t, shopDir)
	type product struct {
		Price, Stock int
		InStock      bool
		CategoryID   string
		CompanionIDs []string
		Status       string
	}
	type category struct{ ParentID *string }
	type order struct {
		Subtotal, Total     int // the second is computed
		Shipping            int
		Status              string
		PlacedAt, ShippedAt string
	}
	type line struct {
		OrderID, ProductID  string
		Quantity, UnitPrice int
		Total               int
	}
	products := all[product](t, p.URL+"/api/catalog/products")
	categories := all[category](t, p.URL+"/api/catalog/categories")
	orders := all[order](t, p.URL+"/api/sales/orders")
	lines := all[line](t, p.URL+"/api/sales/orderLines")
	if n := len(products) + len(categories) + len(orders) + len(lines); n < 300 {
		t.Errorf("%d rows, too few to play with", n)
	}

	sums := map[string]int{}
	for id, l := range lines {
		sums[l.OrderID] += l.Quantity * l.UnitPrice
		if l.Total != l.Quantity*l.UnitPrice {
			t.Errorf("%s: %d pieces for %d each come to %d", id, l.Quantity, l.UnitPrice, l.Total)
		}
		if l.UnitPrice != products[l.ProductID].Price {
			t.Errorf("%s sells %s for %d, its price is %d", id, l.ProductID, l.UnitPrice, products[l.ProductID].Price)
		}
	}
	for id, o := range orders {
		if sums[id] != o.Subtotal || sums[id]+o.Shipping != o.Total {
			t.Errorf("order %s: lines %d and shipping %d do not make %d and %d", id, sums[id], o.Shipping, o.Subtotal, o.Total)
		}
		if sent := o.Status == "shipped" || o.Status == "delivered"; sent != (o.ShippedAt != "") || sent && o.ShippedAt <= o.PlacedAt {
			t.Errorf("order %s is %s, placed %s, shipped %q", id, o.Status, o.PlacedAt, o.ShippedAt)
		}
	}
	deepest := 0
	for id := range categories {
		depth := 1
		for c := categories[id]; c.ParentID != nil; c = categories[*c.ParentID] {
			depth++
		}
		deepest = max(deepest, depth)
	}
	if deepest != 3 {
		t.Errorf("the tree of categories is %d levels deep, want 3", deepest)
	}
	for id, pr := range products {
		if pr.InStock != (pr.Stock > 0 && pr.Status == "active") {
			t.Errorf("product %s: %d pieces, %s, in stock: %v", id, pr.Stock, pr.Status, pr.InStock)
		}
		for _, r := range pr.CompanionIDs {
			if _, ok := products[r]; !ok || r == id {
				t.Errorf("product %s goes well with %q", id, r)
			}
		}
	}
}

// TestExamplesAreChecked: what `frond check` has to say of the shop is nothing, and
// its REST paths are pinned.
func TestExamplesAreChecked(t *testing.T) {
	t.Parallel()
	if got := run(t, "", "check", shopDir); got.code != 0 || !strings.Contains(got.stdout+got.stderr, "0 faults, 0 notices") {
		t.Errorf("exit code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}
