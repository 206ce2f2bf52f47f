package e2e_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// shopMany are writes of many rows.
var shopMany = []story{
	{name: "many rows", as: staff, steps: []step{
		{
			name: "are created together",
			call: call{Method: "category.createMany", Body: `[{"id":"c-many-a","name":"Many A","slug":"many-a","parentId":null},{"id":"c-many-b","name":" Many B","slug":"many-b","parentId":"c-many-a","position":2}]`},
			want: `{"items":[{"id":"c-many-a","name":"Many A","slug":"many-a","parentId":null,"position":0},{"id":"c-many-b","name":"Many B","slug":"many-b","parentId":"c-many-a","position":2}]}`,
		},
		{
			name: "of which each fault has its index",
			call: call{Method: "category.createMany", Body: `[{"name":"Many C","slug":"many-c","parentId":null},{"name":"Many D","slug":"Many D","parentId":null,"position":-1},{"name":"Many E","slug":"many-e","parentId":null,"position":1000}]`},
			fail: "VALIDATION_FAILED /body/1/slug:pattern /body/1/position:minimum /body/2/position:maximum",
		},
		{
			name: "are none where a key is taken",
			call: call{Method: "category.createMany", Body: `[{"name":"Many C","slug":"many-c","parentId":null},{"name":"Many A","slug":"many-a","parentId":null}]`},
			fail: "CONFLICT /body/1/slug:unique",
		},
		{
			name: "and the others are not there",
			call: call{Method: "category.list", Query: `{"filter":{"slug":{"startsWith":"many-"}},"sort":"slug","fields":["slug"]}`},
			want: `{"items":[{"slug":"many-a"},{"slug":"many-b"}],"total":2,"hasMore":false,"endCursor":"*"}`,
		},
		{
			name: "are not created by customers",
			call: call{Method: "category.createMany", Body: `[{"name":"Mine","slug":"many-mine","parentId":null}]`, User: ada}, fail: "FORBIDDEN",
		},
		{
			name: "a key finds its row",
			call: call{Method: "category.upsert", Query: `{"by":"slug"}`, Body: `{"name":"Many B again","slug":"many-b","parentId":null}`},
			want: `{"created":false,"item":{"id":"c-many-b","name":"Many B again","slug":"many-b","parentId":null,"position":2}}`,
		},
		{
			name: "a new key makes one",
			call: call{Method: "category.upsert", Query: `{"by":"slug"}`, Body: `{"id":"c-many-f","name":"Many F","slug":"many-f","parentId":null}`},
			want: `{"created":true,"item":{"id":"c-many-f","name":"Many F","slug":"many-f","parentId":null,"position":0}}`,
		},
		{
			name: "of products are changed under a condition",
			call: call{Method: "product.updateMany", Query: `{"where":{"tags":{"has":"spare part"}},"max":20}`, Body: `{"stock":7}`},
			want: `{"count":"="}`,
		},
		{
			name: "are refused beyond max",
			call: call{Method: "product.updateMany", Query: `{"where":{"status":{"eq":"active"}},"max":2}`, Body: `{"stock":8}`},
			fail: "UNPROCESSABLE_ENTITY",
		},
		{
			name: "are refused without a condition",
			call: call{Method: "product.deleteMany", Query: `{"where":{}}`},
			fail: "VALIDATION_FAILED /query/where:minProperties",
		},
		{
			name: "are not deleted while others lead to one",
			call: call{Method: "product.deleteMany", Query: `{"where":{"id":{"eq":"p-tamper"}}}`},
			fail: "CONFLICT /query/where:restrict",
		},
		{
			name: "are not deleted by customers",
			call: call{Method: "product.deleteMany", Query: `{"where":{"id":{"eq":"p-tamper"}}}`, User: ada}, fail: "FORBIDDEN",
		},
	}},
}

// shopNested are writes of rows with their owner.
var shopNested = []story{
	{name: "rows of an owner", as: staff, steps: []step{
		{
			name: "are written with it",
			call: call{Method: "order.update", Params: `{"id":"o-24110"}`, Body: `{"giftNote":"With lines","lines":{"create":[{"id":"l-nested-a","productId":"p-moka-3","unitPrice":490},{"id":"l-nested-b","productId":"p-moka-6","unitPrice":590,"quantity":2}]}}`},
			want: `{"id":"o-24110","reference":"*","customerId":"*","status":"*","shipTo":"*","giftNote":"With lines","taxRate":"*","shipping":"*","subtotal":"*","internalNote":null,"placedAt":"*","shippedAt":"*","total":"*"}`,
		},
		{
			name: "and are there",
			call: call{Method: "orderLine.list", Query: `{"filter":{"id":{"in":["l-nested-a","l-nested-b","l-nested-c"]}},"sort":"id"}`},
			want: `{"items":[{"id":"l-nested-a","orderId":"o-24110","productId":"p-moka-3","quantity":1,"unitPrice":490,"giftWrap":false,"total":490},
				{"id":"l-nested-b","orderId":"o-24110","productId":"p-moka-6","quantity":2,"unitPrice":590,"giftWrap":false,"total":1180}],"total":2,"hasMore":false,"endCursor":"*"}`,
		},
		{
			name: "each have their faults",
			call: call{Method: "order.update", Params: `{"id":"o-24110"}`, Body: `{"giftNote":"Lost","lines":{"create":[{"productId":"p-tamper","unitPrice":-1}],"update":[{"id":"l-nested-a","quantity":100},{"id":"l-nested-b","quantity":3}]}}`},
			fail: "VALIDATION_FAILED /body/lines/update/0/quantity:maximum /body/lines/create/0/unitPrice:minimum",
		},
		{
			name: "conflict in their place",
			call: call{Method: "order.update", Params: `{"id":"o-24110"}`, Body: `{"giftNote":"Lost","lines":{"create":[{"productId":"p-moka-6","unitPrice":1}]}}`},
			fail: "CONFLICT /body/lines/create/0/orderId:unique /body/lines/create/0/productId:unique",
		},
		{
			name: "of another owner are none",
			call: call{Method: "order.update", Params: `{"id":"o-24104"}`, Body: `{"giftNote":"Lost","lines":{"delete":["l-nested-a"]}}`},
			fail: "VALIDATION_FAILED /body/lines/delete/0:reference",
		},
		{
			name: "are as they are set",
			call: call{Method: "order.update", Params: `{"id":"o-24110"}`, Body: `{"lines":{"set":[{"id":"l-nested-b","quantity":9},{"id":"l-nested-c","productId":"p-moka-3","unitPrice":1}]}}`},
			fail: "VALIDATION_FAILED /body/lines/set/1:reference",
		},
		{
			name: "and nothing of what failed is there",
			call: call{Method: "orderLine.list", Query: `{"filter":{"order":{"giftNote":{"in":["With lines","Lost"]}},"id":{"in":["l-nested-a","l-nested-b","l-nested-c"]}},"sort":"id","fields":["id","quantity"]}`},
			want: `{"items":[{"id":"l-nested-a","quantity":1},{"id":"l-nested-b","quantity":2}],"total":2,"hasMore":false,"endCursor":"*"}`,
		},
	}},
}

// linkedProduct is a product of which the story says no more than its id and which fields are null.
func linkedProduct(id string, null ...string) string {
	row := `{"id":"` + id + `","sku":"*","image":null,"headline":null,"ean":"*","name":"*","description":"*","price":"*","weight":"*","status":"*","stock":"*","tags":"*","dimensions":"*",` +
		`"availableFrom":null,"categoryId":"*","supplierId":"*","companionIds":"*","createdAt":"*","updatedAt":"*","inStock":"*"}`
	for _, name := range null {
		row = strings.Replace(row, `"`+name+`":"*"`, `"`+name+`":null`, 1)
	}
	return row
}

// newLinked is linkedProduct of a product that the story creates.
func newLinked(id string) string {
	return strings.Replace(linkedProduct(id, "ean", "weight", "dimensions", "supplierId"), `"description":"*"`, `"description":""`, 1)
}

// linked lists the themes that the rows in between lead to, of the products of the story.
func linked(want string) step {
	return step{
		name: "and the rows in between are so",
		call: call{Method: "productTheme.list", Query: `{"filter":{"themeId":{"in":["t-red","t-blue"]}},"sort":"productId,themeId","fields":["productId","themeId"]}`},
		want: want,
	}
}

// shopLinks are relations through rows in between.
var shopLinks = []story{
	{name: "rows through others", as: staff, steps: []step{
		{name: "one side", call: call{Method: "theme.create", Body: `{"id":"t-red","name":"Red"}`}, want: `{"id":"t-red","name":"Red"}`},
		{name: "and another of it", call: call{Method: "theme.create", Body: `{"id":"t-blue","name":"Blue"}`}, want: `{"id":"t-blue","name":"Blue"}`},
		{
			name: "are connected by an update", call: call{Method: "product.update", Params: `{"id":"p-tamper"}`, Body: `{"themes":{"connect":["t-red","t-blue"]}}`},
			want: linkedProduct("p-tamper"),
		},
		linked(`{"items":[{"productId":"p-tamper","themeId":"t-blue"},{"productId":"p-tamper","themeId":"t-red"}],"total":2,"hasMore":false,"endCursor":"*"}`),
		{
			name: "are filtered by", call: call{Method: "product.list", Query: `{"filter":{"themes":{"some":{"name":{"eq":"Red"}}}},"fields":["id"]}`},
			want: `{"items":[{"id":"p-tamper"}],"total":1,"hasMore":false,"endCursor":"*"}`,
		},
		{
			name: "and from the other side", call: call{Method: "theme.list", Query: `{"filter":{"products":{"some":{"id":{"eq":"p-tamper"}}},"id":{"in":["t-red","t-blue"]}},"sort":"id","fields":["id"]}`},
			want: `{"items":[{"id":"t-blue"},{"id":"t-red"}],"total":2,"hasMore":false,"endCursor":"*"}`,
		},
		{
			name: "are counted", call: call{Method: "product.list", Query: `{"filter":{"themes":{"count":{"gte":2}},"id":{"eq":"p-tamper"}},"fields":["id"]}`},
			want: `{"items":[{"id":"p-tamper"}],"total":1,"hasMore":false,"endCursor":"*"}`,
		},
		{
			name: "have the faults in their places", call: call{Method: "product.update", Params: `{"id":"p-tamper"}`, Body: `{"themes":{"connect":["t-red","t-none"],"disconnect":["t-red"]}}`},
			fail: "VALIDATION_FAILED /body/themes/disconnect/0:reference /body/themes/connect/1:reference",
		},
		{
			name: "are none that are not there", call: call{Method: "product.update", Params: `{"id":"p-tamper"}`, Body: `{"themes":{"connect":["t-red","t-none"]}}`},
			fail: "VALIDATION_FAILED /body/themes/connect/1:reference",
		},
		{
			name: "are not connected by customers", call: call{Method: "product.update", Params: `{"id":"p-tamper"}`, Body: `{"themes":{"disconnect":["t-red"]}}`, User: ada},
			fail: "FORBIDDEN",
		},
		{
			name: "are as they are set", call: call{Method: "product.update", Params: `{"id":"p-tamper"}`, Body: `{"themes":{"set":["t-blue"]}}`},
			want: linkedProduct("p-tamper"),
		},
		{
			name: "are connected with many rows", call: call{Method: "product.createMany", Body: `[{"id":"p-link-a","sku":"LNK-0001","name":"Link A","price":1,"weight":null,"categoryId":"c-baking","supplierId":null,"themes":{"connect":["t-red","t-blue"]}},
				{"id":"p-link-b","sku":"LNK-0002","name":"Link B","price":1,"weight":null,"categoryId":"c-baking","supplierId":null,"themes":{"set":["t-red"]}}]`},
			want: `{"items":[` + newLinked("p-link-a") + `,` + newLinked("p-link-b") + `]}`,
		},
		{
			name: "of which each fault has its place", call: call{Method: "product.createMany", Body: `[{"sku":"LNK-0003","name":"Link C","price":1,"weight":null,"categoryId":"c-baking","supplierId":null,"themes":{"connect":["t-red"]}},
				{"sku":"LNK-0004","name":"Link D","price":1,"weight":null,"categoryId":"c-baking","supplierId":null,"themes":{"connect":["t-red","t-none"]}}]`},
			fail: "VALIDATION_FAILED /body/1/themes/connect/1:reference",
		},
		{
			name: "are connected with a row that is known by its key", call: call{Method: "product.upsert", Query: `{"by":"sku"}`, Body: `{"sku":"LNK-0002","name":"Link B","price":1,"weight":null,"categoryId":"c-baking","supplierId":null,"themes":{"set":["t-blue"]}}`},
			want: `{"created":false,"item":` + newLinked("p-link-b") + `}`,
		},
		linked(`{"items":[{"productId":"p-link-a","themeId":"t-blue"},{"productId":"p-link-a","themeId":"t-red"},{"productId":"p-link-b","themeId":"t-blue"},{"productId":"p-tamper","themeId":"t-blue"}],"total":4,"hasMore":false,"endCursor":"*"}`),
		{
			name: "are disconnected under a condition", call: call{Method: "product.updateMany", Query: `{"where":{"sku":{"startsWith":"LNK-"}}}`, Body: `{"themes":{"connect":["t-red"],"disconnect":["t-blue"]}}`},
			want: `{"count":2}`,
		},
		linked(`{"items":[{"productId":"p-link-a","themeId":"t-red"},{"productId":"p-link-b","themeId":"t-red"},{"productId":"p-tamper","themeId":"t-blue"}],"total":3,"hasMore":false,"endCursor":"*"}`),
	}},
}

// isMany reports whether an operation writes many rows.
func isMany(op string) bool { return strings.HasSuffix(op, "Many") || op == "upsert" }

// many is the verb of a write of many rows, and its condition as the filter of REST.
func (w restWire) many(c *call, t *testing.T) (verb string) {
	query := members(t, c.Query)
	if where, ok := query["where"]; ok {
		query["filter"] = where
		delete(query, "where")
	}
	if len(query) > 0 {
		c.Query = encode(t, query)
	}
	return map[string]string{"createMany": "POST", "updateMany": "PATCH", "deleteMany": "DELETE", "upsert": "PUT"}[c.op()]
}

// many makes a write of many rows by GraphQL, and gives its answer the form of the other wires.
func (w *graphqlWire) many(t *testing.T, c call, door doorShape) (answer, bool) {
	many := strings.ToUpper(door.many[:1]) + door.many[1:]
	field, ok := w.fields[map[string]string{"createMany": "create" + many, "updateMany": "update" + many, "deleteMany": "delete" + many, "upsert": "upsert" + door.typ}[c.op()]]
	if !ok {
		return answer{}, false
	}
	r := request{wire: w, field: field, variables: map[string]json.RawMessage{}}
	if c.Body != "" {
		r.argument(map[bool]string{true: "set", false: "input"}[c.op() == "updateMany"], json.RawMessage(c.Body))
	}
	for name, v := range members(t, c.Query) {
		if name == "by" {
			v = json.RawMessage(strings.ReplaceAll(strings.ToUpper(string(v)), ",", "_"))
		}
		r.argument(name, v)
	}
	if r.missing != "" {
		return answer{}, false
	}
	row := w.selection(door.typ, door, nil, w.unseen(c))
	document := r.document(door, nil, nil, false)
	switch c.op() {
	case "upsert":
		document = strings.TrimSuffix(document, " } }") + " item: " + door.one + " " + row + " } }"
	case "createMany":
		document = strings.TrimSuffix(document, w.selection(door.typ, door, nil, nil)+" }") + row + " }"
	}
	data, errs := w.post(t, document, r.variables, c.userHeader()...)
	if len(errs) > 0 {
		return answer{Err: w.failure(t, errs)}, true
	}
	value := decode(t, data).(map[string]any)["it"]
	if c.op() == "createMany" {
		value = map[string]any{"items": value}
	}
	if made, ok := value.(map[string]any); ok {
		value = maps.Clone(made)
	}
	return answer{Value: value}, true
}
