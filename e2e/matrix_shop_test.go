package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// shopDir is the example that `make run` serves.
var shopDir = filepath.Join(root, "examples", "shop")

// shop is how the doors of examples/shop are addressed.
var shop = host{
	doors: map[string]doorShape{
		"category":     {frond: "catalog", plural: "categories", one: "category", many: "categories", typ: "Category"},
		"supplier":     {frond: "catalog", plural: "suppliers", one: "supplier", many: "suppliers", typ: "Supplier"},
		"product":      {frond: "catalog", plural: "products", one: "product", many: "products", typ: "Product"},
		"theme":        {frond: "catalog", plural: "themes", one: "theme", many: "themes", typ: "Theme"},
		"producttheme": {frond: "catalog", plural: "productThemes", one: "productTheme", many: "productThemes", typ: "ProductTheme"},
		"review":       {frond: "catalog", plural: "reviews", one: "review", many: "reviews", typ: "Review"},
		"customer":     {frond: "sales", plural: "customers", one: "customer", many: "customers", typ: "Customer"},
		"order":        {frond: "sales", plural: "orders", one: "order", many: "orders", typ: "Order"},
		"orderline":    {frond: "sales", plural: "orderLines", one: "orderLine", many: "orderLines", typ: "OrderLine"},
	},
	types:   map[string]bool{"Category": true, "Supplier": true, "Product": true, "Theme": true, "ProductTheme": true, "Review": true, "Customer": true, "Order": true, "OrderLine": true},
	queries: map[string]bool{"category.findByIds": true, "order.findByIds": true, "category.aggregate": true, "product.aggregate": true, "order.aggregate": true, "orderLine.aggregate": true},
	maybe: map[string]bool{
		"product.findById": true, "supplier.findById": true, "OrderLine.findById": true, "customer.findById": true,
		"order.findById": true, "review.findById": true,
	},
	hidden: map[string][]string{"product": {"supplierId"}, "order": {"internalNote"}},
}

// shopDirect composes the shop in this process.
func shopDirect(t testing.TB) directWire {
	t.Helper()
	project, err := facade.Read(os.DirFS(shopDir))
	if err != nil {
		t.Fatal(err)
	}
	return newDirectWire(t, project, gateway.Config{Dir: shopDir, Mode: gateway.Development}) // as its gateway.yaml has it
}

// Some callers of the shop.
const (
	staff = `{"id":"s-1","roles":["staff"]}`
	mara  = `{"id":"u-mara-lindqvist","roles":[]}`
	tom   = `{"id":"u-tom-okafor"}`

	asStaff = "X-Frond-User: " + staff // as a header
)

// TestMatrixShop runs every story of the shop on each wire, over rows of its own.
func TestMatrixShop(t *testing.T) {
	t.Parallel()
	runMatrix(t, shopStories(), []*lane{
		{name: "direct", wire: shopDirect(t)},
		{name: "envelope", wire: envelopeWire{startGateway(t, shopDir).URL}},
		{name: "rest", wire: restWire{startGateway(t, shopDir).URL, shop}},
		{name: "graphql", wire: newGraphQLWire(t, startGateway(t, shopDir).URL, shop)},
		{name: "frond call --url", wire: cliWire{url: startGateway(t, shopDir).URL}, slow: true},
		{name: "frond call --dir", wire: newCLIWire(t, shopDir), slow: true},
		{name: "frond serve", wire: receiverWire{shop, startReceivers(t, shopDir, "catalog", "sales")}},
	})
}

func shopStories() []story {
	var all []story
	// Stories that are not about callers run as one who sees everything.
	for _, part := range [][]story{shopReads, shopLists, shopFilters, shopBehind, shopSearches, shopGroups, shopCreates, shopUpdates, shopDeletes, shopMany, shopNested, shopLinks, shopRefusals} {
		for _, s := range part {
			s.as = staff
			all = append(all, s)
		}
	}
	return append(all, shopCallers...)
}

// remoteStories are those for a gateway in front of the shop's Fronds: a remote takes no
// rows of an owner from it.
func remoteStories() []story {
	return slices.DeleteFunc(shopStories(), func(s story) bool { return s.name == "rows of an owner" })
}
