package e2e_test

// shopSearches find products by words.
var shopSearches = []story{
	{name: "search", steps: []step{
		{
			name: "finds words by their stems, the best first",
			call: call{Method: "product.list", Query: `{"search":"teas","sort":"-rank","fields":["name"]}`},
			want: `{"items":[{"name":"Tea towels, set of 3"},{"name":"Ethiopia Yirgacheffe, 250 g"}],"total":2,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "finds phrases, beginnings, alternatives and exclusions, page by page", keep: "found=endCursor",
			call: call{Method: "product.list", Query: `{"search":"\"black tea\" or teap* -glass","sort":"-rank,name","fields":["name"],"limit":1}`},
			want: `{"items":[{"name":"Brown Betty teapot, 1.1 litres"}],"total":2,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "goes on after the cursor",
			call: call{Method: "product.list", Query: `{"search":"\"black tea\" or teap* -glass","sort":"-rank,name","fields":["name"],"limit":1,"after":"$found"}`},
			want: `{"items":[{"name":"Ethiopia Yirgacheffe, 250 g"}],"total":2,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "shows where the words stand",
			call: call{Method: "product.list", Query: `{"search":"\"tea towels\" or pots","sort":"name","fields":["name","headline"],"limit":2}`},
			want: `{"items":[{"name":"House blend, 500 g","headline":"What is in the <mark>pot</mark> behind the counter."},{"name":"Moka pot, 3 cups","headline":"Moka <mark>pot</mark>, 3 cups"}],"total":4,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "stands beside a filter",
			call: call{Method: "product.list", Query: `{"search":"tea","filter":{"name":{"startsWith":"Ethiopia"}},"fields":["name"]}`},
			want: `{"items":[{"name":"Ethiopia Yirgacheffe, 250 g"}],"total":1,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "finds nothing where nothing is looked for",
			call: call{Method: "product.list", Query: `{"search":"the -tea !!","fields":["name"]}`},
			want: `{"items":[],"total":0,"hasMore":false,"endCursor":null}`,
		},
		{
			name: "is counted by aggregate",
			call: call{Method: "product.aggregate", Query: `{"search":"tea","by":"status"}`},
			want: `{"items":[{"key":{"status":"active"},"count":2}],"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "has no rank without words",
			call: call{Method: "product.list", Query: `{"sort":"-rank"}`}, fail: "VALIDATION_FAILED /query/sort:rank",
		},
	}},
}
