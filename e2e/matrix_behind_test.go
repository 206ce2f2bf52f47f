package e2e_test

// shopBehind are orders and filters by values behind relations.
var shopBehind = []story{
	{name: "behind relations", as: staff, steps: []step{
		{
			name: "sorted by a field of the one row", keep: "supplier=endCursor",
			call: call{Method: "product.list", Query: `{"fields":["id"],"sort":"-supplier.name,name","limit":3}`},
			want: `{"items":[{"id":"p-lame"},{"id":"p-board-birch"},{"id":"p-rolling-pin"}],"total":84,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "and the page after it",
			call: call{Method: "product.list", Query: `{"fields":["id"],"sort":"-supplier.name,name","limit":1,"after":"$supplier"}`},
			want: `{"items":[{"id":"="}],"total":84,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "through three rows, those without one first",
			call: call{Method: "review.list", Query: `{"fields":["id"],"sort":["product.category.parent.name","id"],"limit":2}`},
			want: `{"items":[{"id":"r-066"},{"id":"r-009"}],"total":130,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "sorted by the number of rows",
			call: call{Method: "product.list", Query: `{"fields":["id"],"sort":"-reviews.count,name","limit":2}`},
			want: `{"items":[{"id":"p-chef-knife"},{"id":"p-dutch-oven"}],"total":84,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "sorted by functions of their fields",
			call: call{Method: "product.list", Query: `{"fields":["id"],"sort":"-reviews.rating.avg,-reviews.count,name","limit":2}`},
			want: `{"items":[{"id":"p-portafilter"},{"id":"p-bread-knife"}],"total":84,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "filtered by the number of rows, and by functions of their fields",
			call: call{Method: "product.list", Query: `{"fields":["id"],"sort":"id","filter":{"reviews":{"count":{"gte":3},"avg":{"rating":{"gte":4.6}}}}}`},
			want: `{"items":"=","total":"=","hasMore":false,"endCursor":"="}`,
		},
		{
			name: "rows without any count as none",
			call: call{Method: "category.list", Query: `{"fields":["id"],"sort":"id","limit":1,"filter":{"or":[{"products":{"count":{"eq":0}}},{"products":{"max":{"price":{"lt":0}}}}]}}`},
			want: `{"items":[{"id":"c-baking"}],"total":"=","hasMore":true,"endCursor":"="}`,
		},
		{
			name: "a hidden relation is unknown",
			call: call{Method: "product.list", Query: `{"sort":"supplier.name"}`, User: tom}, fail: "VALIDATION_FAILED /query/sort:unknown_key",
		},
		{
			name: "an unknown field too", graphql: "BAD_USER_INPUT",
			call: call{Method: "product.list", Query: `{"sort":"category.nothing"}`}, fail: "VALIDATION_FAILED /query/sort:unknown_key",
		},
		{
			name: "a fourth relation is too many",
			call: call{Method: "review.list", Query: `{"sort":"product.category.parent.parent.name"}`}, fail: "VALIDATION_FAILED /query/sort:operator",
		},
		{
			name: "many rows have no order of their own", graphql: "BAD_USER_INPUT",
			call: call{Method: "product.list", Query: `{"sort":"reviews.rating"}`}, fail: "VALIDATION_FAILED /query/sort:operator",
		},
	}},
}
