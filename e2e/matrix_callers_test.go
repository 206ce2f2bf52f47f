package e2e_test

// The collectors of examples/shop, from the side of their callers: a customer sees
// their own rows, staff see all, and an anonymous caller sees the catalogue. On every
// wire a row or field that the caller may not see does not exist: one predicate decides
// for select, filter, sort, cursor and error text.

// list is a list of some fields as a caller sees it.
func list(name, user, entity, query, want string) step {
	return step{name: name, call: call{Method: entity + ".list", Query: query, User: user}, want: want}
}

// refuses is a call of a caller that fails.
func refuses(name, user, method, params, body, fail string) step {
	return step{name: name, call: call{Method: method, Params: params, Body: body, User: user}, fail: fail}
}

// gives is a call of a caller that succeeds.
func gives(name, user, method, params, body, want string) step {
	return step{name: name, call: call{Method: method, Params: params, Body: body, User: user}, want: want}
}

// asking is a list that is refused: GraphQL has the field, as others may see it, and
// leaves the verdict to the façade.
func asking(name, entity, query, fail string) step {
	return step{name: name, call: call{Method: entity + ".list", Query: query, User: tom}, fail: fail}
}

const (
	tomsOrder = `{"id":"o-24176","reference":"CK-24176","customerId":"u-tom-okafor","status":"delivered",
		"shipTo":{"name":"Tom Okafor","street":"34 Elder Street","postalCode":"E1 6BT","city":"London","country":"GB"},"giftNote":null,
		"taxRate":"0.20","shipping":0,"subtotal":17500,"placedAt":"2025-12-18T11:19:00.000Z","shippedAt":"2025-12-20T14:33:00.000Z","total":17500}`
	staffsOrder = `{"id":"o-24176","reference":"CK-24176","customerId":"u-tom-okafor","status":"delivered",
		"shipTo":{"name":"Tom Okafor","street":"34 Elder Street","postalCode":"E1 6BT","city":"London","country":"GB"},"giftNote":null,
		"internalNote":"Rang twice about the parcel; be quick and be kind.",
		"taxRate":"0.20","shipping":0,"subtotal":17500,"placedAt":"2025-12-18T11:19:00.000Z","shippedAt":"2025-12-20T14:33:00.000Z","total":17500}`
	parcel = `"giftNote":null,"shipTo":{"name":"Tom","street":"34 Elder Street","postalCode":"E1 6BT","city":"London","country":"GB"}`
)

var shopCallers = []story{
	{name: "rows", steps: []step{
		{
			name: "an order is shown to whose it is, without what is hidden from them",
			call: call{Method: "order.findById", Params: `{"id":"o-24176"}`, User: tom}, want: tomsOrder,
		},
		gives("whole to staff", staff, "order.findById", `{"id":"o-24176"}`, ``, staffsOrder),
		{
			name: "and to another customer it is not there",
			call: call{Method: "order.findById", Params: `{"id":"o-24176"}`, User: mara}, want: `null`,
		},
		{
			name: "as one that never was",
			call: call{Method: "order.findById", Params: `{"id":"o-00000"}`, User: mara}, want: `null`,
		},
		refuses("nobody is asked who they are", "", "order.findById", `{"id":"o-24176"}`, ``, "UNAUTHORIZED"),
		refuses("also for what is not there", "", "order.findById", `{"id":"o-00000"}`, ``, "UNAUTHORIZED"),
		refuses("an entity that is not for them is forbidden", tom, "supplier.findById", `{"id":"0e6f7f8b-31a4-4c6e-8d2b-6c2b3f5d2b02"}`, ``, "FORBIDDEN"),
		refuses("nobody is asked who they are there too", "", "supplier.list", ``, ``, "UNAUTHORIZED"),
		gives("a draft is no product to nobody", "", "product.findById", `{"id":"p-gesha"}`, ``, `null`),
		{
			name: "many by their ids: those that are theirs",
			call: call{Method: "order.findByIds", Query: `{"ids":["o-24101","o-24176","o-00000"]}`, User: tom}, want: `[` + tomsOrder + `]`, graphql: "-",
		},
	}},
	{name: "lists", steps: []step{
		list("a customer's orders, their total and their end", tom, "order", `{"fields":["id","total"],"sort":"-placedAt"}`,
			`{"items":[{"id":"o-24176","total":17500},{"id":"o-24141","total":8070}],"total":2,"hasMore":false,"endCursor":"="}`),
		{
			name: "the first page of them",
			call: call{Method: "order.list", Query: `{"fields":["id"],"sort":"-placedAt","limit":1}`, User: tom}, keep: "first=endCursor",
			want: `{"items":[{"id":"o-24176"}],"total":2,"hasMore":true,"endCursor":"="}`,
		},
		list("the next one", tom, "order", `{"fields":["id"],"sort":"-placedAt","limit":1,"after":"$first"}`, `{"items":[{"id":"o-24141"}],"total":2,"hasMore":false,"endCursor":"="}`),
		list("another's cursor shows nothing of whose it is", mara, "order", `{"fields":["id"],"sort":"-placedAt","after":"$first","total":false,"limit":1}`,
			`{"items":[{"id":"o-24171"}],"total":-1,"hasMore":"=","endCursor":"="}`),
		list("their lines, through the order", tom, "orderLine", `{"fields":["id"],"sort":"id","limit":2}`, `{"items":[{"id":"l-24141-1"},{"id":"l-24141-2"}],"total":"=","hasMore":true,"endCursor":"="}`),
		list("none of another's, however they ask", tom, "orderLine", `{"fields":["id"],"filter":{"orderId":{"eq":"o-24101"}}}`, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`),
		list("their own record and no other", tom, "customer", `{"fields":["name"]}`, `{"items":[{"name":"Tom Okafor"}],"total":1,"hasMore":false,"endCursor":"="}`),
		list("the catalogue, for nobody in particular", "", "product", `{"fields":["id","inStock"],"sort":"price","limit":1}`, `{"items":[{"id":"p-peppermint","inStock":true}],"total":83,"hasMore":true,"endCursor":"="}`),
		list("and its reviews", "", "review", `{"fields":["id"],"sort":"createdAt","limit":1}`, `{"items":[{"id":"r-001"}],"total":"=","hasMore":true,"endCursor":"="}`),
	}},
	{name: "a filter goes no further than the caller", steps: []step{
		list("whose review it is", tom, "review", `{"fields":["id"],"filter":{"customer":{"name":{"startsWith":"Mara"}}}}`, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`),
		list("which asked of one's own is answered", tom, "review", `{"fields":["customerId"],"filter":{"customer":{"name":{"startsWith":"Tom"}}},"limit":1,"total":false}`,
			`{"items":[{"customerId":"u-tom-okafor"}],"total":-1,"hasMore":"=","endCursor":"="}`),
		list("who bought a thing", tom, "product", `{"fields":["id"],"filter":{"id":{"eq":"p-espresso-machine"},"lines":{"some":{}}}}`, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`),
		list("who did not: all that can be seen is that nobody did", tom, "product", `{"fields":["id"],"filter":{"id":{"eq":"p-espresso-machine"},"lines":{"none":{}}}}`,
			`{"items":[{"id":"p-espresso-machine"}],"total":1,"hasMore":false,"endCursor":"="}`),
		list("a draft's reviews", "", "review", `{"fields":["id"],"filter":{"product":{"status":{"eq":"draft"}}}}`, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`),
	}},
	{name: "a hidden field is an unknown key", steps: []step{
		asking("to select", "order", `{"fields":["id","internalNote"]}`, "VALIDATION_FAILED /query/fields/1:unknown_key"),
		asking("to filter by", "order", `{"filter":{"internalNote":{"eq":"x"}}}`, "VALIDATION_FAILED /query/filter/internalNote:unknown_key"),
		asking("to ask whether it is null", "order", `{"filter":{"internalNote":{"isNull":true}}}`, "VALIDATION_FAILED /query/filter/internalNote:unknown_key"),
		asking("to sort by", "order", `{"sort":"-internalNote"}`, "VALIDATION_FAILED /query/sort:unknown_key"),
		asking("through a relation", "orderLine", `{"filter":{"order":{"internalNote":{"contains":"x"}}}}`, "VALIDATION_FAILED /query/filter/order/internalNote:unknown_key"),
		asking("through the other side of one", "customer", `{"filter":{"orders":{"some":{"internalNote":{"contains":"x"}}}}}`, "VALIDATION_FAILED /query/filter/orders/some/internalNote:unknown_key"),
		asking("a relation whose key is hidden", "product", `{"filter":{"supplier":{"name":{"contains":"x"}}}}`, "VALIDATION_FAILED /query/filter/supplier:unknown_key"),
		refuses("to write", tom, "order.create", ``, `{`+parcel+`,"internalNote":"x"}`, "VALIDATION_FAILED /body/internalNote:unknown_key"),
		{
			name: "in the words for a field that nobody has",
			call: call{Method: "order.list", Query: `{"filter":{"innerNote":{"eq":"x"}}}`, User: tom}, fail: "VALIDATION_FAILED /query/filter/innerNote:unknown_key", graphql: "BAD_USER_INPUT",
		},
	}},
	{name: "writing", steps: []step{
		refuses("is not for nobody", "", "review.create", ``, `{"productId":"p-tamper","rating":5,"title":"t","body":"b"}`, "UNAUTHORIZED"),
		refuses("nor is the catalogue for customers", tom, "product.update", `{"id":"p-tamper"}`, `{"price":1}`, "FORBIDDEN"),
		refuses("also where there is no such row", tom, "product.delete", `{"id":"p-nothing"}`, ``, "FORBIDDEN"),
		refuses("nor is it for nobody", "", "product.update", `{"id":"p-tamper"}`, `{"price":1}`, "UNAUTHORIZED"),
		gives("a review is its writer's", tom, "review.create", ``, `{"id":"r-tom","productId":"p-tamper","rating":5,"title":"Level","body":"At last."}`,
			`{"id":"r-tom","productId":"p-tamper","customerId":"u-tom-okafor","rating":5,"title":"Level","body":"At last.","verified":false,"createdAt":"*"}`),
		refuses("in another's name it is refused", tom, "review.create", ``, `{"productId":"p-scale","customerId":"u-mara-lindqvist","rating":1,"title":"t","body":"b"}`,
			"VALIDATION_FAILED /body/customerId:read_only"),
		refuses("even in one's own", tom, "review.create", ``, `{"productId":"p-scale","customerId":"u-tom-okafor","rating":1,"title":"t","body":"b"}`,
			"VALIDATION_FAILED /body/customerId:read_only"),
		refuses("a second time it is a conflict", tom, "review.create", ``, `{"productId":"p-tamper","rating":1,"title":"t","body":"b"}`, "CONFLICT /body/productId:unique /body/customerId:unique"),
		refuses("of a product that cannot be seen", tom, "review.create", ``, `{"productId":"p-gesha","rating":5,"title":"t","body":"b"}`, "CONFLICT /body/productId:reference"),
		refuses("is refused as of one that is not there", tom, "review.create", ``, `{"productId":"p-nothing","rating":5,"title":"t","body":"b"}`, "CONFLICT /body/productId:reference"),
		gives("they change what they wrote", tom, "review.update", `{"id":"r-tom"}`, `{"rating":4}`,
			`{"id":"r-tom","productId":"p-tamper","customerId":"u-tom-okafor","rating":4,"title":"Level","body":"At last.","verified":false,"createdAt":"*"}`),
		refuses("not what another did", mara, "review.update", `{"id":"r-tom"}`, `{"rating":1}`, "NOT_FOUND"),
		gives("nor do they delete it", mara, "review.delete", `{"id":"r-tom"}`, ``, `false`),
		gives("which changed nothing", "", "review.findById", `{"id":"r-tom"}`, ``,
			`{"id":"r-tom","productId":"p-tamper","customerId":"u-tom-okafor","rating":4,"title":"Level","body":"At last.","verified":false,"createdAt":"*"}`),
		gives("they delete their own", tom, "review.delete", `{"id":"r-tom"}`, ``, `true`),
		{
			name: "an order begins open, empty and theirs",
			call: call{Method: "order.create", Body: `{"id":"o-tom","reference":"TOM-0001",` + parcel + `}`, User: tom},
			want: `{"id":"o-tom","reference":"TOM-0001","customerId":"u-tom-okafor","status":"open","giftNote":null,"taxRate":"0.19","shipping":490,"subtotal":0,
				"shipTo":{"name":"Tom","street":"34 Elder Street","postalCode":"E1 6BT","city":"London","country":"GB"},"placedAt":"*","shippedAt":null,"total":490}`,
		},
		refuses("whatever they say", tom, "order.create", ``, `{"subtotal":1,"status":"paid",`+parcel+`}`, "VALIDATION_FAILED /body/subtotal:read_only /body/status:read_only"),
		refuses("staff say it all", staff, "order.create", ``, `{`+parcel+`}`, "VALIDATION_FAILED /body/customerId:required /body/subtotal:required"),
		{
			name: "what is computed is written by nobody",
			call: call{Method: "order.update", Params: `{"id":"o-tom"}`, Body: `{"total":1}`, User: staff}, fail: "VALIDATION_FAILED /body/total:unknown_key", graphql: "BAD_USER_INPUT",
		},
		gives("a customer changes their own record", tom, "customer.update", `{"id":"u-tom-okafor"}`, `{"phone":"+44 20 555 0100"}`,
			`{"id":"u-tom-okafor","name":"Tom Okafor","email":"tom.okafor@example.com","phone":"+44 20 555 0100","locale":"en-GB",
				"address":{"street":"34 Elder Street","postalCode":"E1 6BT","city":"London","country":"GB"},"birthday":"1979-11-02","newsletter":true,"loyaltyPoints":248,"joinedAt":"="}`),
		refuses("and finds no other", tom, "customer.update", `{"id":"u-mara-lindqvist"}`, `{"phone":null}`, "NOT_FOUND"),
		refuses("as where there is none", tom, "customer.update", `{"id":"u-nobody"}`, `{"phone":null}`, "NOT_FOUND"),
	}},
}
