package e2e_test

const tamper = `{"id":"p-tamper","sku":"ESP-0110","ean":2900000010147,"image":null,"headline":null,"name":"Walnut tamper, 58 mm",
	"description":"Steel base, turned walnut handle.","price":3900,"weight":"0.410","status":"active","stock":22,
	"tags":["espresso","wood"],"dimensions":{"width":5.8,"depth":5.8,"height":9.5},"availableFrom":null,
	"categoryId":"c-espresso","supplierId":"5b1f0c3e-7a52-4d0e-9a35-0c1e6d0f1a01","companionIds":["p-espresso-machine"],
	"createdAt":"2024-02-12T08:00:00.000Z","updatedAt":"2024-02-12T08:00:00.000Z","inStock":true}`

var shopReads = []story{
	{name: "findById", steps: []step{
		{
			name: "gives the row as its card has it, without the other side of its relations",
			call: call{Method: "product.findById", Params: `{"id":"p-tamper"}`}, want: tamper,
		},
		{
			name: "gives null where there is nothing",
			call: call{Method: "product.findById", Params: `{"id":"p-nothing"}`}, want: `null`,
		},
		{
			name: "leaves write-only fields out",
			call: call{Method: "supplier.findById", Params: `{"id":"0e6f7f8b-31a4-4c6e-8d2b-6c2b3f5d2b02"}`},
			want: `{"id":"0e6f7f8b-31a4-4c6e-8d2b-6c2b3f5d2b02","name":"Kawabe Glassworks","email":"orders@kawabeglass.example",
				"website":"https://kawabeglass.example","address":{"street":"Keizersgracht 241","postalCode":"1016 EA","city":"Amsterdam","country":"NL"},
				"leadTimeDays":21,"since":"2018-09-17","vatId":"NL855124906B01"}`,
		},
		{
			name: "gives null for a nullable field that was never sent",
			call: call{Method: "supplier.findById", Params: `{"id":"f13e9b56-47c8-4a02-bd85-e60a72d18b08"}`},
			want: `{"id":"=","name":"Keramiek Van Aalst","email":"=","website":null,
				"address":{"street":"Pottenbakkerstraat 5","postalCode":"2611 RB","city":"Delft","country":"NL"},"leadTimeDays":25,"since":"2020-08-19","vatId":"NL002341775B12"}`,
		},
		{
			name: "finds entities in any spelling",
			call: call{Method: "OrderLine.findById", Params: `{"id":"l-24101-1"}`},
			want: `{"id":"l-24101-1","orderId":"o-24101","productId":"p-espresso-machine","quantity":1,"unitPrice":64900,"giftWrap":false,"total":64900}`,
		},
		{
			name: "tells an id of the wrong type from one that is nowhere",
			call: call{Method: "product.findById", Params: `{"id":["p-tamper"]}`}, fail: "VALIDATION_FAILED /params/id:type", rest: "-", graphql: "BAD_USER_INPUT",
		},
		{
			name: "wants an id",
			call: call{Method: "product.findById"}, fail: "VALIDATION_FAILED /params/id:required", graphql: "GRAPHQL_VALIDATION_FAILED",
		},
		{
			name: "takes nothing but an id",
			call: call{Method: "product.findById", Params: `{"id":"p-tamper","colour":"red"}`}, fail: "VALIDATION_FAILED /params/colour:unknown_key", graphql: "-",
		},
	}},
	{name: "findByIds", steps: []step{
		{
			name: "gives the rows in the order of the ids, and says nothing for the ones that are nowhere",
			call: call{Method: "category.findByIds", Query: `{"ids":["c-tea","c-nowhere","c-coffee"]}`},
			want: `[{"id":"c-tea","name":"Tea","slug":"tea","parentId":null,"position":1},{"id":"c-coffee","name":"Coffee","slug":"coffee","parentId":null,"position":0}]`, graphql: "-",
		},
	}},
}

var shopLists = []story{
	{name: "list", steps: []step{
		{
			name: "is items, total, hasMore and endCursor",
			call: call{Method: "category.list", Query: `{"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2}`},
			want: `{"items":[{"id":"c-coffee","name":"Coffee","slug":"coffee","parentId":null,"position":0},
				{"id":"c-tea","name":"Tea","slug":"tea","parentId":null,"position":1}],"total":5,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "gives fifty rows where nobody says how many",
			call: call{Method: "product.list", Query: `{"fields":["id"],"filter":{"price":{"gte":100000}}}`},
			want: `{"items":[{"id":"p-espresso-machine-duo"}],"total":1,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "of nothing is an empty page",
			call: call{Method: "product.list", Query: `{"filter":{"price":{"gt":999999}}}`},
			want: `{"items":[],"total":0,"hasMore":false,"endCursor":null}`,
		},
		{
			name: "gives only the fields asked for",
			call: call{Method: "product.list", Query: `{"fields":["name","price"],"sort":"-price","limit":3}`},
			want: `{"items":[{"name":"Rossetti Duo espresso machine","price":129900},{"name":"Rossetti Bella espresso machine","price":64900},
				{"name":"Mühlbacher Forte electric grinder","price":34900}],"total":84,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "sorts by several keys, each its own way",
			call: call{Method: "product.list", Query: `{"fields":["id","status"],"filter":{"status":{"ne":"active"}},"sort":["-status","name"]}`},
			want: `{"items":[{"id":"p-christmas-blend","status":"retired"},{"id":"p-grill-pan","status":"retired"},{"id":"p-gesha","status":"draft"}],
				"total":3,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "sorts null first",
			call: call{Method: "product.list", Query: `{"fields":["id","weight"],"filter":{"tags":{"has":"gift"},"price":{"lte":5000}},"sort":"weight,id","limit":2}`},
			want: `{"items":[{"id":"p-gift-card","weight":null},{"id":"p-jasmine","weight":"0.110"}],"total":"=","hasMore":true,"endCursor":"="}`,
		},
		{
			name: "sorts decimals as numbers",
			call: call{Method: "product.list", Query: `{"fields":["id","weight"],"sort":"-weight","limit":3}`},
			want: `{"items":[{"id":"p-espresso-machine-duo","weight":"14.200"},{"id":"p-espresso-machine","weight":"9.800"},{"id":"p-grinder-forte","weight":"5.600"}],
				"total":84,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "does not count where nobody wants to know",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"eq":"c-beans"}},"sort":"position","total":false}`},
			want: `{"items":[{"id":"c-single-origin"},{"id":"c-blends"}],"total":-1,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "skips with an offset",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"offset":3}`},
			want: `{"items":[{"id":"c-baking"},{"id":"c-table"}],"total":5,"hasMore":false,"endCursor":"="}`,
		},
	}},
	{name: "paging", steps: []step{
		{
			name: "the first page",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2}`},
			want: `{"items":[{"id":"c-coffee"},{"id":"c-tea"}],"total":5,"hasMore":true,"endCursor":"="}`, keep: "first=endCursor",
		},
		{
			name: "what comes after it",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"after":"$first"}`},
			want: `{"items":[{"id":"c-kitchen"},{"id":"c-baking"}],"total":5,"hasMore":true,"endCursor":"="}`, keep: "second=endCursor",
		},
		{
			name: "the end",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"after":"$second"}`},
			want: `{"items":[{"id":"c-table"}],"total":5,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "what comes before a cursor, in the same order",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"before":"$second"}`},
			want: `{"items":[{"id":"c-tea"},{"id":"c-kitchen"}],"total":5,"hasMore":"=","endCursor":"="}`,
		},
		{
			name: "a cursor of another order is refused",
			call: call{Method: "category.list", Query: `{"fields":["id"],"sort":"name","after":"$first"}`},
			fail: "VALIDATION_FAILED /query/after:cursor",
		},
		{
			name: "a cursor of another entity is refused",
			call: call{Method: "supplier.list", Query: `{"after":"$first"}`},
			fail: "VALIDATION_FAILED /query/after:cursor",
		},
		{
			name: "a cursor that is none is refused",
			call: call{Method: "category.list", Query: `{"after":"bm9uc2Vuc2U"}`},
			fail: "VALIDATION_FAILED /query/after:cursor",
		},
		{
			name: "between two cursors",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"after":"$first","before":"$second"}`},
			want: `{"items":[{"id":"c-kitchen"}],"total":5,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "the last behind a cursor",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"after":"$first","backward":true}`},
			want: `{"items":[{"id":"c-baking"},{"id":"c-table"}],"total":5,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "the first before a cursor",
			call: call{Method: "category.list", Query: `{"fields":["id"],"filter":{"parentId":{"isNull":true}},"sort":"position","limit":2,"before":"$second","backward":false}`},
			want: `{"items":[{"id":"c-coffee"},{"id":"c-tea"}],"total":5,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "behind an empty cursor is refused",
			call: call{Method: "category.list", Query: `{"sort":"position","after":""}`},
			fail: "VALIDATION_FAILED /query/after:cursor", graphql: "BAD_REQUEST",
		},
	}},
	{name: "list refuses", steps: []step{
		{
			name: "a limit of -1",
			call: call{Method: "product.list", Query: `{"limit":-1}`}, fail: "VALIDATION_FAILED /query/limit:minimum",
		},
		{
			name: "a limit that is no number",
			call: call{Method: "product.list", Query: `{"limit":"many"}`}, fail: "VALIDATION_FAILED /query/limit:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a key it does not know",
			call: call{Method: "product.list", Query: `{"colour":"red"}`}, fail: "VALIDATION_FAILED /query/colour:unknown_key", graphql: "-",
		},
		{
			name: "an order by a field that is not there",
			call: call{Method: "product.list", Query: `{"sort":"-colour"}`}, fail: "VALIDATION_FAILED /query/sort:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "an order by a field that may not be read",
			call: call{Method: "customer.list", Query: `{"sort":"pickupPin"}`}, fail: "VALIDATION_FAILED /query/sort:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "an order that has SQL in it",
			call: call{Method: "product.list", Query: `{"sort":"price; drop table product"}`}, fail: "VALIDATION_FAILED /query/sort:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a field that is not there",
			call: call{Method: "product.list", Query: `{"fields":["id","colour"]}`}, fail: "VALIDATION_FAILED /query/fields/1:unknown_key", graphql: "-",
		},
	}},
}

// filter is a list of the ids that meet a filter, in their order.
func filter(name, entity, condition, ids string) step {
	end := `"="`
	if ids == "" {
		end = "null"
	}
	return step{
		name: name,
		call: call{Method: entity + ".list", Query: `{"fields":["id"],"sort":"id","limit":9,"total":false,"filter":` + condition + `}`},
		want: `{"items":[` + ids + `],"total":-1,"hasMore":"=","endCursor":` + end + `}`,
	}
}

var shopFilters = []story{
	{name: "filter", steps: []step{
		filter("eq", "product", `{"sku":{"eq":"ESP-0101"}}`, `{"id":"p-espresso-machine"}`),
		filter("ne and in", "category", `{"parentId":{"in":["c-tea"]},"slug":{"ne":"teaware"}}`, `{"id":"c-tea-leaves"}`),
		filter("notIn", "category", `{"parentId":{"eq":"c-coffee"},"slug":{"notIn":["beans","grinding"]}}`, `{"id":"c-brewing"}`),
		filter("lt, on cents", "product", `{"price":{"lt":700}}`, `{"id":"p-group-gasket"},{"id":"p-paper-filters"},{"id":"p-peppermint"}`),
		filter("lte and gte together", "product", `{"price":{"gte":650,"lte":690}}`, `{"id":"p-group-gasket"},{"id":"p-paper-filters"}`),
		filter("gt, on a decimal: as a number, not as text", "product", `{"weight":{"gt":"5.5"}}`,
			`{"id":"p-espresso-machine"},{"id":"p-espresso-machine-duo"},{"id":"p-grinder-forte"}`),
		filter("gte, on a date", "supplier", `{"since":{"gte":"2021-04-12"}}`, `{"id":"71e8d3a5-b20c-4e6f-8f94-c1a95d3ecf12"},{"id":"a86f2e1d-c30b-4d54-97ea-4b9d63f7ad10"}`),
		filter("lt, on a date-time in another zone", "customer", `{"joinedAt":{"lt":"2024-03-03T13:00:00+01:00"}}`, `{"id":"u-mara-lindqvist"}`),
		filter("eq, on a number over 32 bits", "product", `{"ean":{"eq":2900000010147}}`, `{"id":"p-tamper"}`),
		filter("contains, letter for letter", "product", `{"name":{"contains":"Moka"}}`, `{"id":"p-moka-3"},{"id":"p-moka-6"}`),
		filter("icontains, in any case", "product", `{"name":{"icontains":"MOKA"}}`, `{"id":"p-moka-3"},{"id":"p-moka-6"}`),
		filter("startsWith", "product", `{"sku":{"startsWith":"KNF-"}}`, `{"id":"p-bread-knife"},{"id":"p-chef-knife"},{"id":"p-paring-knife"}`),
		filter("endsWith", "product", `{"name":{"endsWith":"500 g"}}`, `{"id":"p-blend-nordlys"},{"id":"p-christmas-blend"},{"id":"p-house-blend"}`),
		filter("a percent sign is a percent sign", "product", `{"name":{"contains":"%"}}`, ``),
		filter("a quote is a quote", "product", `{"name":{"eq":"' or 1=1 --"}}`, ``),
		filter("isNull", "product", `{"supplierId":{"isNull":true}}`, `{"id":"p-christmas-blend"},{"id":"p-gift-card"},{"id":"p-house-blend"}`),
		filter("isNull: false", "product", `{"availableFrom":{"isNull":false},"status":{"eq":"active"}}`, `{"id":"p-cold-brew"},{"id":"p-grinder-piccolo"}`),
		filter("has", "product", `{"tags":{"has":"sourdough"}}`, `{"id":"p-banneton"},{"id":"p-dough-scraper"},{"id":"p-lame"}`),
		filter("in a list of nothing holds for nothing", "product", `{"id":{"in":[]}}`, ``),
		filter("an empty filter holds for everything", "supplier", `{"and":[{},{"name":{"startsWith":"Lin"}}]}`, `{"id":"39c5a0e8-6bd1-4f9e-8c27-d84f10b69c09"}`),
		filter("or, and, not", "product", `{"or":[{"price":{"gte":100000}},{"and":[{"status":{"eq":"retired"}},{"not":{"tags":{"has":"seasonal"}}}]}]}`,
			`{"id":"p-espresso-machine-duo"},{"id":"p-grill-pan"}`),
		filter("through a relation to one", "product", `{"category":{"parent":{"slug":{"eq":"grinding"}}},"tags":{"has":"spare part"}}`, `{"id":"p-burr-set"}`),
		filter("the raw key of a relation", "product", `{"categoryId":{"eq":"c-sharpening"}}`, `{"id":"p-honing-rod"},{"id":"p-whetstone"}`),
		filter("some", "product", `{"reviews":{"some":{"rating":{"eq":1}}}}`, `{"id":"p-lapsang"}`),
		filter("none", "product", `{"categoryId":{"eq":"c-teapots"},"reviews":{"none":{}}}`, ``),
		filter("every, which holds where there are none", "product", `{"sku":{"startsWith":"GFT-"},"lines":{"every":{"quantity":{"lte":99}}}}`, `{"id":"p-gift-card"}`),
		filter("across two Fronds", "review", `{"customer":{"name":{"eq":"Tom Okafor"}},"product":{"price":{"gt":1}},"rating":{"gt":5}}`, ``),
	}},
	{name: "filter refuses", steps: []step{
		{
			name: "null by eq, and names isNull",
			call: call{Method: "product.list", Query: `{"filter":{"supplierId":{"eq":null}}}`}, fail: "VALIDATION_FAILED /query/filter/supplierId/eq:type",
		},
		{
			name: "an operator it does not know",
			call: call{Method: "product.list", Query: `{"filter":{"price":{"near":3}}}`}, fail: "VALIDATION_FAILED /query/filter/price/near:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a field that is not there",
			call: call{Method: "product.list", Query: `{"filter":{"colour":{"eq":"red"}}}`}, fail: "VALIDATION_FAILED /query/filter/colour:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a field that may not be read, in the same words",
			call: call{Method: "customer.list", Query: `{"filter":{"pickupPin":{"eq":"1234"}}}`}, fail: "VALIDATION_FAILED /query/filter/pickupPin:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "the same through a relation",
			call: call{Method: "order.list", Query: `{"filter":{"customer":{"pickupPin":{"eq":"1234"}}}}`}, fail: "VALIDATION_FAILED /query/filter/customer/pickupPin:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a value of the wrong type",
			call: call{Method: "product.list", Query: `{"filter":{"price":{"gt":"cheap"}}}`}, fail: "VALIDATION_FAILED /query/filter/price/gt:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a relation of many without saying some, none or every",
			call: call{Method: "product.list", Query: `{"filter":{"reviews":{"rating":{"eq":1}}}}`}, fail: "VALIDATION_FAILED /query/filter/reviews/rating:unknown_key", graphql: "BAD_USER_INPUT",
		},
	}},
}
