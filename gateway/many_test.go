package gateway

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/store/storetest"
)

// TestManyOnEverySurface writes many rows, and calls as one transaction, over HTTP.
func TestManyOnEverySurface(t *testing.T) {
	gw, err := New(storetest.ManyProject(t), &Options{
		Undecided: true, Config: Config{Store: memoryStore, Identity: Identity{Dev: true}}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // in the answer
	}{
		{"POST", "/api/shop/products", `[{"id":"a","sku":"aa","price":1,"sellerId":"s"},{"id":"b","sku":"bb","price":2,"sellerId":"s"}]`, 201, `{"items":[{"id":"a",`},
		{"POST", "/api/shop/products", `[{"sku":"cc","price":1,"sellerId":"s"},{"sku":"c","price":-1,"sellerId":"s"}]`, 400, `"pointer":"/body/1/sku"`},
		{"POST", "/api/shop/products", `{"id":"c","sku":"cc","price":3,"sellerId":"s"}`, 201, `"id":"c"`},
		{"PATCH", "/api/shop/products?filter[price][lt]=3&max=5", `{"price":7}`, 200, `{"count":2}`},
		{"PATCH", "/api/shop/products?filter[price][gt]=0&max=2", `{"price":8}`, 422, `"details":{"count":3,"max":2}`},
		{"PATCH", "/api/shop/products", `{"price":8}`, 400, `"pointer":"/query/where"`},
		{"PATCH", "/api/shop/products?where[price][gt]=0", `{"price":8}`, 400, `is not a parameter of product.updateMany`},
		{"PUT", "/api/shop/products?by=sku", `{"sku":"dd","price":4,"sellerId":"s"}`, 201, `{"created":true,"item":{`},
		{"PUT", "/api/shop/products?by=sku&fields=price", `{"sku":"dd","price":5,"sellerId":"s"}`, 200, `{"created":false,"item":{"price":5}}`},
		{"DELETE", "/api/shop/products?filter[sku]=dd", ``, 200, `{"count":1}`},
		{"GET", "/api/shop/products?fields=sku,price&sort=sku", ``, 200, `"items":[{"sku":"aa","price":7},{"sku":"bb","price":7},{"sku":"cc","price":3}]`},

		{"POST", "/graphql", `{"query":"mutation { createProducts(input: [{id: \"g\", sku: \"gg\", price: 1, sellerId: \"s\"}, {id: \"h\", sku: \"hh\", price: 2, sellerId: \"s\"}]) { sku price } }"}`, 200, `{"data":{"createProducts":[{"sku":"gg","price":1},{"sku":"hh","price":2}]}}`},
		{"POST", "/graphql", `{"query":"mutation { updateProducts(where: {price: {lte: 2}}, set: {price: 6}, max: 2) { count items { sku price } } }"}`, 200, `{"data":{"updateProducts":{"count":2,"items":[{"sku":"gg","price":6},{"sku":"hh","price":6}]}}}`},
		{"POST", "/graphql", `{"query":"mutation { updateProducts(where: {price: {lte: 6}}, set: {price: 6}, max: 1) { count } }"}`, 200, `{"data":{"updateProducts":null},"errors":[`},
		{"POST", "/graphql", `{"query":"mutation { upsertProduct(by: SKU, input: {sku: \"ii\", price: 1, sellerId: \"s\"}) { created product { sku } } }"}`, 200, `{"data":{"upsertProduct":{"created":true,"product":{"sku":"ii"}}}}`},
		{"POST", "/graphql", `{"query":"mutation { upsertProduct(by: AISLE_PLACE, input: {sku: \"jj\", price: 1, sellerId: \"s\", aisle: \"A\", place: 1}) { created } }"}`, 200, `{"data":{"upsertProduct":{"created":true}}}`},
		{"POST", "/graphql", `{"query":"mutation { deleteProducts(where: {sku: {in: [\"gg\", \"hh\"]}}) { count items { sku } } }"}`, 200, `{"data":{"deleteProducts":{"count":2,"items":[{"sku":"gg"},{"sku":"hh"}]}}}`},

		// A condition with an empty part writes nothing.
		{"POST", "/graphql", `{"query":"mutation($x: String) { deleteProducts(where: {price: {gte: 0}, sku: {eq: $x}}) { count } }"}`, 200, `$x has no value, so that the write would lose the condition where.sku.eq`},
		{"POST", "/graphql", `{"query":"mutation($x: Int) { updateProducts(where: {price: {gte: 0, lte: $x}}, set: {price: 9}) { count } }"}`, 200, `the condition where.price.lte`},
		{"POST", "/graphql", `{"query":"mutation($x: StringFilter) { deleteProducts(where: {price: {gte: 0}, or: [{sku: $x}]}) { count } }"}`, 200, `errors`},
		{"POST", "/graphql", `{"query":"mutation($w: ProductFilter!) { deleteProducts(where: $w) { count } }","variables":{"w":{"price":{"gte":0},"sku":{}}}}`, 200, `"pointer":"/query/where/sku"`},
		{"POST", "/graphql", `{"query":"mutation($x: Int) { deleteProduct(id: \"a\", where: {price: {lt: $x}}) }"}`, 200, `the condition where.price.lt`},
		{"DELETE", `/api/shop/products?filter={"price":{"gte":0},"sku":{"notIn":[]}}`, ``, 400, `"pointer":"/query/where/sku/notIn"`},
		{"DELETE", `/api/shop/products/a?where={"sku":{}}`, ``, 400, `"pointer":"/query/where/sku"`},
		{"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"product.deleteMany","params":{"query":{"where":{"sku":{"contains":""}}}}}`, 200, `"pointer":"/query/where/sku/contains"`},
		{"GET", "/api/shop/products?fields=sku,price&sort=sku&filter[price][lt]=9&limit=3", ``, 200, `"items":[{"sku":"aa","price":7},{"sku":"bb","price":7},{"sku":"cc","price":3}]`},

		{"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"rpc.atomic","params":{"calls":[{"method":"brand.create","params":{"body":{"id":"x"}}},{"method":"brand.findById","params":{"params":{"id":{"$result":"0.id"}},"query":{"fields":"id"}}}]}}`, 200, `"result":{"results":[{"id":"x","hidden":false},{"id":"x"}]}`},
		{"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"rpc.atomic","params":{"calls":[{"method":"brand.create","params":{"body":{"id":"y"}}},{"method":"brand.create","params":{"body":{}}}]}}`, 200, `"call":1,"details":[{"path":"id","pointer":"/calls/1/body/id"`},
		{"POST", "/api/atomic", `{"calls":[{"method":"brand.create","params":{"body":{"id":"z"}}}]}`, 200, `{"results":[{"id":"z","hidden":false}]}`},
		{"POST", "/api/atomic", `{"calls":[{"method":"brand.create","params":{"body":{"id":"w"}}},{"method":"brand.create","params":{"body":{"id":"z"}}}]}`, 409, `"call":1`},
		{"GET", "/api/atomic", ``, 405, `this path is served under POST`},
		{"GET", "/api/shop/brands?fields=id&sort=id", ``, 200, `"items":[{"id":"x"},{"id":"z"}]`},

		{"POST", "/graphql", `{"query":"mutation @atomic { a: createBrand(input: {id: \"m\"}) { id } __typename b: updateBrand(id: \"m\", input: {hidden: true}) { id hidden } }"}`, 200, `{"data":{"a":{"id":"m"},"__typename":"Mutation","b":{"id":"m","hidden":true}}}`},
		{"POST", "/graphql", `{"query":"mutation @atomic { a: createBrand(input: {id: \"n\"}) { id } __typename b: createBrand(input: {id: \"z\"}) { id } c: createBrand(input: {id: \"o\"}) { id } }"}`, 200, `{"data":{"a":null,"__typename":"Mutation","b":null,"c":null},"errors":[{"message":`},
		{"POST", "/graphql", `{"query":"mutation @atomic { a: createBrand(input: {id: \"n\"}) { id } b: createBrand(input: {id: \"z\"}) { id } }"}`, 200, `"path":["b"],"extensions":{"code":"CONFLICT"`},
		{"POST", "/graphql", `{"query":"mutation @atomic { a: createBrand(input: {id: \"n\"}) { id } b: createBrand(input: {id: \"n\"}) { id } }"}`, 200, `{"data":{"a":null,"b":null},"errors":[`},
		{"POST", "/graphql", `{"query":"query @atomic { __typename }"}`, 200, `Directive \"@atomic\" may not be used on QUERY.`},
		{"GET", "/api/shop/brands?fields=id&sort=id", ``, 200, `"items":[{"id":"m"},{"id":"x"},{"id":"z"}]`},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = "127.0.0.1:40000"
		r.Header.Set(identity.DevHeader, `{"id":"admin","role":"admin"}`)
		w := httptest.NewRecorder()
		gw.Handler().ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s:\n got %d %s\nwant %d %s", c.method, c.path, c.body, w.Code, w.Body, c.status, c.want)
		}
	}
}
