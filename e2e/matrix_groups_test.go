package e2e_test

// shopGroups are groups of orders and lines.
var shopGroups = []story{
	{name: "groups", as: staff, steps: []step{
		{
			name: "all rows are one",
			call: call{Method: "category.aggregate", Query: `{"filter":{"parentId":{"eq":"c-beans"}}}`},
			want: `{"items":[{"key":{},"count":2}],"hasMore":false,"endCursor":null}`,
		},
		{
			name: "by a value, with sums",
			call: call{Method: "order.aggregate", Query: `{"by":"status","select":"count,subtotal.sum,subtotal.max","filter":{"status":{"in":["paid","cancelled"]}},"sort":"-subtotal.sum"}`},
			want: `{"items":[{"key":{"status":"cancelled"},"count":5,"subtotal":{"sum":48360,"max":"="}},{"key":{"status":"paid"},"count":1,"subtotal":{"sum":14660,"max":14660}}],"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "a report by quarter, the first page of it", keep: "groups=endCursor",
			call: call{Method: "order.aggregate", Query: `{"by":"placedAt:quarter","select":"count,taxRate.avg","zone":"Europe/Paris","limit":1,"filter":{"placedAt":{"lt":"2025-07-01T00:00:00+02:00"}}}`},
			want: `{"items":[{"key":{"placedAt":"2025-01-01T00:00:00+01:00"},"count":"=","taxRate":{"avg":"="}}],"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "and the page after it",
			call: call{Method: "order.aggregate", Query: `{"by":"placedAt:quarter","select":"count,taxRate.avg","zone":"Europe/Paris","limit":1,"filter":{"placedAt":{"lt":"2025-07-01T00:00:00+02:00"}},"after":"$groups"}`},
			want: `{"items":[{"key":{"placedAt":"2025-04-01T00:00:00+02:00"},"count":"=","taxRate":{"avg":"="}}],"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "conditions on groups, and a filter through a relation",
			call: call{Method: "orderLine.aggregate", Query: `{"by":"productId","select":"quantity.sum","having":{"quantity":{"sum":{"gte":3}}},"filter":{"order":{"status":{"eq":"cancelled"}}},"sort":"-quantity.sum","limit":3}`},
			want: `{"items":"=","hasMore":"=","endCursor":"="}`,
		},
		{
			name: "of the rows that are yours",
			call: call{Method: "order.aggregate", Query: `{"select":"count,subtotal.sum"}`, User: tom},
			want: `{"items":[{"key":{},"count":2,"subtotal":{"sum":24880}}],"hasMore":false,"endCursor":null}`,
		},
		{
			name: "by no field that is hidden from you",
			call: call{Method: "order.aggregate", Query: `{"by":"internalNote"}`, User: tom}, fail: "VALIDATION_FAILED /query/by:unknown_key",
		},
		{
			name: "by a unit that there is", graphql: "BAD_USER_INPUT",
			call: call{Method: "order.aggregate", Query: `{"by":"placedAt:decade","zone":"Mars"}`}, fail: "VALIDATION_FAILED /query/zone:zone /query/by:enum",
		},
	}},
}
