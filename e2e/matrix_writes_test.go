package e2e_test

const (
	anna    = `{"name":"  Anna Vogt ","email":"Anna.Vogt@Example.com","phone":null,"address":{"street":"Markt 1","postalCode":"07743","city":"Jena","country":"DE"}}`
	annaRow = `{"id":"*","name":"Anna Vogt","email":"anna.vogt@example.com","phone":null,"locale":"en-GB",
		"address":{"street":"Markt 1","postalCode":"07743","city":"Jena","country":"DE"},"birthday":null,"newsletter":false,"loyaltyPoints":0,"joinedAt":"*"}`
)

var shopCreates = []story{
	{name: "create", steps: []step{
		{
			name: "fills in what the card says: an id, a value, a time; trims and lowers",
			call: call{Method: "customer.create", Body: anna}, want: annaRow, keep: "anna=id",
		},
		{
			name: "and the row is there",
			call: call{Method: "customer.findById", Params: `{"id":"$anna"}`}, want: annaRow,
		},
		{
			name: "takes an id that is given",
			call: call{Method: "category.create", Body: `{"id":"c-spices","name":"Spices","slug":"spices","parentId":"c-kitchen","position":3}`},
			want: `{"id":"c-spices","name":"Spices","slug":"spices","parentId":"c-kitchen","position":3}`,
		},
		{
			name: "takes what goes in and does not show it",
			call: call{Method: "supplier.create", Body: `{"id":"11111111-2222-4333-8444-555555555555","name":"Gewürzkontor","email":"post@kontor.example","since":"2026-01-01",
				"iban":"DE02120300000000202051","vatId":"De310220119","address":{"street":"Sandtorkai 1","postalCode":"20457","city":"Hamburg","country":"DE"}}`},
			want: `{"id":"11111111-2222-4333-8444-555555555555","name":"Gewürzkontor","email":"post@kontor.example","website":null,"since":"2026-01-01",
				"address":{"street":"Sandtorkai 1","postalCode":"20457","city":"Hamburg","country":"DE"},"leadTimeDays":5,"vatId":"DE310220119"}`,
		},
		{
			name: "keeps nested objects, lists, lists of ids, decimals and times as they are, times in UTC",
			call: call{Method: "product.create", Body: `{"id":"p-nutmeg","sku":"spc-0001","name":"Nutmeg","price":490,"weight":"0.050","categoryId":"c-spices",
				"supplierId":"11111111-2222-4333-8444-555555555555","tags":["spice","gift"],"dimensions":{"width":2.5,"depth":2,"height":3.0},
				"companionIds":["p-whisk","p-tamper"],"createdAt":"2026-05-01T12:00:00.25+02:00","updatedAt":"2026-05-01T10:00:00Z","ean":2900000099994}`},
			want: `{"id":"p-nutmeg","sku":"SPC-0001","image":null,"headline":null,"ean":2900000099994,"name":"Nutmeg","description":"","price":490,"weight":"0.050","status":"draft","stock":0,
				"tags":["spice","gift"],"dimensions":{"width":2.5,"depth":2,"height":3},"availableFrom":null,"categoryId":"c-spices",
				"supplierId":"11111111-2222-4333-8444-555555555555","companionIds":["p-whisk","p-tamper"],
				"createdAt":"2026-05-01T10:00:00.250Z","updatedAt":"2026-05-01T10:00:00.000Z","inStock":false}`,
		},
		{
			name: "an absent list of ids is an empty one (spec 2.3)",
			call: call{Method: "product.create", Body: `{"id":"p-mace","sku":"SPC-0002","name":"Mace","price":590,"weight":null,"categoryId":"c-spices","supplierId":null}`},
			want: `{"id":"p-mace","sku":"SPC-0002","image":null,"headline":null,"ean":null,"name":"Mace","description":"","price":590,"weight":null,"status":"draft","stock":0,
				"tags":[],"dimensions":null,"availableFrom":null,"categoryId":"c-spices","supplierId":null,"companionIds":[],"createdAt":"*","updatedAt":"*","inStock":false}`,
		},
	}},
	{name: "create refuses", steps: []step{
		{
			name: "an unknown, a missing, a read-only and a null field in one answer",
			call: call{Method: "customer.create", Body: `{"name":null,"email":"kim@example.com","phone":null,"loyaltyPoints":500,"nickname":"Kim"}`},
			fail: "VALIDATION_FAILED /body/nickname:unknown_key /body/name:type /body/address:required /body/loyaltyPoints:read_only", graphql: "BAD_USER_INPUT",
		},
		{
			name: "an omitted key where null would do (spec 2.3.1)",
			call: call{Method: "category.create", Body: `{"name":"Loose","slug":"loose"}`}, fail: "VALIDATION_FAILED /body/parentId:required",
		},
		{
			name: "nothing at all, naming everything that is missing",
			call: call{Method: "category.create"}, fail: "VALIDATION_FAILED /body/name:required /body/slug:required /body/parentId:required", graphql: "GRAPHQL_VALIDATION_FAILED",
		},
		{
			name: "null for a body likewise",
			call: call{Method: "category.create", Body: `null`}, fail: "VALIDATION_FAILED /body/name:required /body/slug:required /body/parentId:required", graphql: "BAD_USER_INPUT",
		},
		{
			name: "an empty object likewise",
			call: call{Method: "category.create", Body: `{}`}, fail: "VALIDATION_FAILED /body/name:required /body/slug:required /body/parentId:required", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a body that is a list",
			call: call{Method: "customer.create", Body: `[{"name":"x"}]`}, fail: "VALIDATION_FAILED /body:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a body that is a text",
			call: call{Method: "category.create", Body: `"x"`}, fail: "VALIDATION_FAILED /body:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "nested keys that are unknown, missing or null",
			call: call{Method: "customer.create", Body: `{"name":"Kim","email":"kim@example.com","phone":null,"address":{"street":null,"postalCode":"1","planet":"Mars","country":"DE"}}`},
			fail: "VALIDATION_FAILED /body/address/planet:unknown_key /body/address/street:type /body/address/postalCode:minLength /body/address/city:required", graphql: "BAD_USER_INPUT",
		},
		{
			name: "values over their bounds",
			call: call{Method: "product.create", Body: `{"sku":"nope","name":"x","price":0,"weight":null,"stock":-1,"status":"sold","tags":["ab","ab"],"categoryId":"c-pans","supplierId":null}`},
			fail: "VALIDATION_FAILED /body/sku:pattern /body/name:minLength /body/price:minimum /body/status:enum /body/stock:minimum /body/tags:uniqueItems", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a number that comes as text",
			call: call{Method: "product.create", Body: `{"sku":"ABC-0001","name":"Pan","price":"4900","weight":null,"categoryId":"c-pans","supplierId":null}`},
			fail: "VALIDATION_FAILED /body/price:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a fraction of a cent",
			call: call{Method: "product.create", Body: `{"sku":"ABC-0001","name":"Pan","price":49.5,"weight":null,"categoryId":"c-pans","supplierId":null}`},
			fail: "VALIDATION_FAILED /body/price:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "formats that are none",
			call: call{Method: "supplier.create", Body: `{"name":"Shop","email":"nobody","website":"no uri","since":"yesterday","address":{"street":"a","postalCode":"12","city":"b","country":"DE"}}`},
			fail: "VALIDATION_FAILED /body/email:format /body/website:format /body/since:format",
		},
		{
			name: "a decimal that is none: the store could neither sort it nor go on behind it",
			call: call{Method: "product.create", Body: `{"sku":"ABC-0002","name":"Pan","price":4900,"weight":"heavy","categoryId":"c-pans","supplierId":null}`},
			fail: "VALIDATION_FAILED /body/weight:format",
		},
		{
			name: "a list that is the other side of a relation, and says where to write instead",
			call: call{Method: "category.create", Body: `{"name":"Odd","slug":"odd","parentId":null,"products":["p-tamper"]}`},
			fail: "VALIDATION_FAILED /body/products:read_only", graphql: "BAD_USER_INPUT",
		},
		{
			name: "lengths count letters, not bytes",
			call: call{Method: "category.create", Body: `{"id":"c-uml","name":"ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ","slug":"uml","parentId":null}`},
			want: `{"id":"c-uml","name":"ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ","slug":"uml","parentId":null,"position":0}`,
		},
	}},
	{name: "create conflicts", steps: []step{
		{
			name: "with a unique field, in any case of its letters",
			call: call{Method: "customer.create", Body: `{"name":"Impostor","email":"TOM.OKAFOR@example.com","phone":null,"address":{"street":"a","postalCode":"12","city":"b","country":"GB"}}`},
			fail: "CONFLICT /body/email:unique", says: "email",
		},
		{
			name: "with two fields that are unique together",
			call: call{Method: "orderLine.create", Body: `{"orderId":"o-24101","productId":"p-tamper","unitPrice":3900}`},
			fail: "CONFLICT /body/orderId:unique /body/productId:unique", says: "orderId productId together",
		},
		{
			name: "with an id that is taken",
			call: call{Method: "category.create", Body: `{"id":"c-tea","name":"Tea again","slug":"tea-again","parentId":null}`},
			fail: "CONFLICT /body/id:unique",
		},
		{
			name: "where a relation points at nothing",
			call: call{Method: "orderLine.create", Body: `{"orderId":"o-24101","productId":"p-nothing","unitPrice":1}`},
			fail: "CONFLICT /body/productId:reference", says: "product",
		},
	}},
}

var shopUpdates = []story{
	{name: "update", steps: []step{
		{
			name: "changes what is there and leaves the rest",
			call: call{Method: "category.update", Params: `{"id":"c-serving"}`, Body: `{"name":" Serving and carving "}`},
			want: `{"id":"c-serving","name":"Serving and carving","slug":"serving","parentId":"c-table","position":1}`,
		},
		{
			name: "null is no patch",
			call: call{Method: "category.update", Params: `{"id":"c-serving"}`, Body: `null`}, fail: "VALIDATION_FAILED /body:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "of nothing changes nothing",
			call: call{Method: "category.update", Params: `{"id":"c-serving"}`, Body: `{}`},
			want: `{"id":"c-serving","name":"Serving and carving","slug":"serving","parentId":"c-table","position":1}`,
		},
		{
			name: "an explicit null clears",
			call: call{Method: "category.update", Params: `{"id":"c-serving"}`, Body: `{"parentId":null}`},
			want: `{"id":"c-serving","name":"Serving and carving","slug":"serving","parentId":null,"position":1}`,
		},
		{
			name: "writes the time of a change by itself",
			call: call{Method: "product.update", Params: `{"id":"p-grill-pan"}`, Body: `{"stock":0}`},
			want: `{"id":"p-grill-pan","sku":"=","image":null,"headline":null,"ean":"=","name":"=","description":"=","price":7200,"weight":"3.100","status":"retired","stock":0,"tags":["cast iron"],
				"dimensions":{"width":27,"depth":45,"height":5},"availableFrom":null,"categoryId":"c-pans","supplierId":"=","companionIds":["p-skillet"],
				"createdAt":"2024-02-12T08:00:00.000Z","updatedAt":"*","inStock":false}`,
		},
		{
			name: "a nested object is patched too: what is absent in it stays",
			call: call{Method: "customer.update", Params: `{"id":"u-clara-hoffmann"}`, Body: `{"address":{"street":"Neue Straße 2","postalCode":"20359","city":"Hamburg","country":"DE"}}`},
			want: `{"id":"u-clara-hoffmann","name":"Clara Hoffmann","email":"clara.hoffmann@example.com","phone":null,"locale":"de-DE","birthday":"1995-12-09","newsletter":false,
				"address":{"street":"Neue Straße 2","postalCode":"20359","city":"Hamburg","country":"DE","note":"Second courtyard, left-hand stairs."},"loyaltyPoints":"=","joinedAt":"="}`,
		},
	}},
	{name: "update refuses", steps: []step{
		{
			name: "what may not change, may not be written, is unknown, or is null",
			call: call{Method: "customer.update", Params: `{"id":"u-tom-okafor"}`, Body: `{"joinedAt":"2020-01-01T00:00:00Z","loyaltyPoints":9,"nickname":"T","name":null}`},
			fail: "VALIDATION_FAILED /body/nickname:unknown_key /body/name:type /body/loyaltyPoints:read_only /body/joinedAt:immutable", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a new identity",
			call: call{Method: "category.update", Params: `{"id":"c-tea"}`, Body: `{"id":"c-tee"}`}, fail: "VALIDATION_FAILED /body/id:immutable", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a row that is not there",
			call: call{Method: "category.update", Params: `{"id":"c-nowhere"}`, Body: `{"name":"x"}`}, fail: "NOT_FOUND",
		},
		{
			name: "a value that is another row's",
			call: call{Method: "category.update", Params: `{"id":"c-tea"}`, Body: `{"slug":"coffee"}`}, fail: "CONFLICT /body/slug:unique",
		},
		{
			name: "a relation to nothing",
			call: call{Method: "category.update", Params: `{"id":"c-tea"}`, Body: `{"parentId":"c-nowhere"}`}, fail: "CONFLICT /body/parentId:reference",
		},
	}},
}

var shopDeletes = []story{
	{name: "delete", steps: []step{
		{
			name: "says that there was a row",
			call: call{Method: "review.delete", Params: `{"id":"r-002"}`}, want: `true`,
		},
		{
			name: "says that there was none",
			call: call{Method: "review.delete", Params: `{"id":"r-002"}`}, want: `false`,
		},
		{
			name: "is refused where others point here and their card restricts it",
			call: call{Method: "product.delete", Params: `{"id":"p-tamper"}`}, fail: "CONFLICT /params/id:restrict", says: "orderLine productId",
		},
		{
			name: "takes along what cascades",
			call: call{Method: "order.delete", Params: `{"id":"o-24101"}`}, want: `true`,
		},
		filter("and nothing of it is left", "orderLine", `{"orderId":{"eq":"o-24101"}}`, ``),
		{
			name: "lets go what points here and may be null",
			call: call{Method: "supplier.delete", Params: `{"id":"11111111-2222-4333-8444-555555555555"}`}, want: `true`,
		},
		filter("and those rows stay", "product", `{"id":{"eq":"p-nutmeg"},"supplierId":{"isNull":true}}`, `{"id":"p-nutmeg"}`),
	}},
}

var shopRefusals = []story{
	{name: "unknown", steps: []step{
		{
			name: "operation: the answer names what is served",
			call: call{Method: "product.explode"}, fail: "NOT_FOUND", says: "list findById create", rest: "METHOD_NOT_ALLOWED", graphql: "-",
		},
		{
			name: "operation that this door does not offer",
			call: call{Method: "category.delete", Params: `{"id":"c-tea"}`}, fail: "NOT_FOUND", says: "findById", rest: "METHOD_NOT_ALLOWED", graphql: "-",
		},
		{
			name: "entity: the answer names what is served",
			call: call{Method: "gadget.list"}, fail: "NOT_FOUND", says: "category product", graphql: "-",
		},
	}},
}
