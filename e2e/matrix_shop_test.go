package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// shopDir is the example that `make run` serves.
var shopDir = filepath.Join(root, "examples", "shop")

// shop is how the doors of examples/shop are addressed.
var shop = host{
	doors: map[string]doorShape{
		"category":  {frond: "catalog", plural: "categories", one: "category", many: "categories", typ: "Category"},
		"supplier":  {frond: "catalog", plural: "suppliers", one: "supplier", many: "suppliers", typ: "Supplier"},
		"product":   {frond: "catalog", plural: "products", one: "product", many: "products", typ: "Product"},
		"review":    {frond: "catalog", plural: "reviews", one: "review", many: "reviews", typ: "Review"},
		"customer":  {frond: "sales", plural: "customers", one: "customer", many: "customers", typ: "Customer"},
		"order":     {frond: "sales", plural: "orders", one: "order", many: "orders", typ: "Order"},
		"orderline": {frond: "sales", plural: "orderlines", one: "orderLine", many: "orderLines", typ: "OrderLine"},
	},
	types:   map[string]bool{"Category": true, "Supplier": true, "Product": true, "Review": true, "Customer": true, "Order": true, "OrderLine": true},
	queries: map[string]bool{"category.findByIds": true},
	maybe:   map[string]bool{"product.findById": true, "supplier.findById": true, "OrderLine.findById": true, "customer.findById": true},
}

// shopDirect composes the shop in this process.
func shopDirect(t testing.TB) directWire {
	t.Helper()
	project, err := facade.Read(os.DirFS(shopDir))
	if err != nil {
		t.Fatal(err)
	}
	return newDirectWire(t, project, gateway.Config{Dir: shopDir})
}

// TestMatrixShop tells every story of the shop on five wires, each over rows of its own.
func TestMatrixShop(t *testing.T) {
	runMatrix(t, shopStories(), []*lane{
		{name: "direct", wire: shopDirect(t)},
		{name: "envelope", wire: envelopeWire{startGateway(t, shopDir).URL}},
		{name: "rest", wire: restWire{startGateway(t, shopDir).URL, shop}},
		{name: "graphql", wire: newGraphQLWire(t, startGateway(t, shopDir).URL, shop)},
		{name: "frond call", wire: cliWire{startGateway(t, shopDir).URL}},
	})
}

func shopStories() []story {
	var all []story
	for _, part := range [][]story{shopReads, shopLists, shopFilters, shopCreates, shopUpdates, shopDeletes, shopRefusals} {
		all = append(all, part...)
	}
	return all
}
