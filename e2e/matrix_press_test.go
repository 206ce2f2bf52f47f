package e2e_test

import (
	"testing"

	"github.com/frondhost/frond/gateway"
)

// press is how the doors of testdata/press are addressed.
var press = host{
	doors: map[string]doorShape{
		"author": {frond: "press", plural: "authors", one: "author", many: "authors", typ: "Author"},
		"book": {
			frond: "press", plural: "volumes", one: "volume", many: "volumes", typ: "Volume",
			keys: map[string]string{"authorId": "author", "seeAlsoIds": "seeAlso"},
		},
		"visit": {frond: "press", plural: "visits", one: "visit", many: "visits", typ: "Visit"},
		"desk":  {frond: "press", plural: "desks", one: "desk", typ: "Desk"},
	},
	types: map[string]bool{"Author": true, "Volume": true},
	queries: map[string]bool{
		"book.labels": true, "book.findCheapest": true, "book.countPages": true, "desk.check": true, "desk.whoami": true,
		"book.findByIds": true, "visit.aggregate": true,
	},
	maybe: map[string]bool{"book.findById": true, "author.findById": true, "book.findCheapest": true},
}

// TestMatrixPress runs every story of the press on five wires.
func TestMatrixPress(t *testing.T) {
	t.Parallel()
	project, err := pressProject(pressDir)
	if err != nil {
		t.Fatal(err)
	}
	config := gateway.Config{Dir: pressDir, Limits: gateway.Limits{List: gateway.ListLimits{Default: 2, Max: 3}}}
	runMatrix(t, pressStories, []*lane{
		{name: "direct", wire: newDirectWire(t, project, config)},
		{name: "envelope", wire: envelopeWire{startPress(t).URL}},
		{name: "rest", wire: restWire{startPress(t).URL, press}},
		{name: "graphql", wire: newGraphQLWire(t, startPress(t).URL, press)},
		{name: "frond call", wire: cliWire{url: startPress(t).URL}, slow: true},
	})
}

const engines = `{"id":"b-1","title":"ENGINES","author":"a-1","price":"9.50","pages":120,"copies":0,"ratio":null,"bound":true,"language":"en-GB","state":"proof",
	"seeAlso":["b-3","b-2"],"colophon":{"typeface":"Garamond","paper":{"weight":90,"mill":null}},"extra":{},"printedAt":"2026-01-31T12:00:00.000250Z","bornOn":"2000-02-29",
	"spine":"Engines (120 pp.)"}`

const (
	ada   = `{"id":"ada","roles":["printer"]}`
	rival = `{"id":"rival"}`
)

var pressStories = []story{
	{name: "a door with numbers alone", steps: []step{
		{
			name: "groups its rows",
			call: call{Method: "visit.aggregate", Query: `{"by":"page","select":"count,seconds.avg","filter":{"page":{"ne":"none"}}}`},
			want: `{"items":[{"key":{"page":"books"},"count":1,"seconds":{"avg":null}},{"key":{"page":"home"},"count":2,"seconds":{"avg":5}}],"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "or takes all of them together",
			call: call{Method: "visit.aggregate", Query: `{"select":"seconds.sum","filter":{"page":{"eq":"home"}}}`},
			want: `{"items":[{"key":{},"seconds":{"sum":10}}],"hasMore":false,"endCursor":null}`,
		},
	}},
	{name: "rows", steps: []step{
		{
			name: "are shown as the boundary says, computed fields among them",
			call: call{Method: "book.findById", Params: `{"id":"b-1"}`}, want: engines,
		},
		{
			name: "whole numbers over 53 bits stay whole",
			call: call{Method: "book.list", Query: `{"fields":["pages"],"filter":{"pages":{"eq":9007199254740993}}}`},
			want: `{"items":[{"pages":9007199254740993}],"total":1,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "a page holds as many rows as the host says, where nobody asks",
			call: call{Method: "author.list", Query: `{"fields":["name"]}`},
			want: `{"items":[{"name":"Ada"},{"name":"Brontë"}],"total":4,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "and never more than it says",
			call: call{Method: "author.list", Query: `{"fields":["name"],"limit":400}`},
			want: `{"items":[{"name":"Ada"},{"name":"Brontë"},{"name":"Çelik"}],"total":4,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "a page of no rows still counts",
			call: call{Method: "author.list", Query: `{"limit":0}`},
			want: `{"items":[],"total":4,"hasMore":true,"endCursor":null}`,
		},
		{
			name: "a computed field is given where it is asked for, whatever else is",
			call: call{Method: "book.list", Query: `{"fields":["spine"],"limit":1}`},
			want: `{"items":[{"spine":"Engines (120 pp.)"}],"total":3,"hasMore":true,"endCursor":"="}`,
		},
		{
			name: "a computed field is no filter",
			call: call{Method: "book.list", Query: `{"filter":{"spine":{"eq":"x"}}}`}, fail: "VALIDATION_FAILED /query/filter/spine:unknown_key", graphql: "BAD_USER_INPUT",
		},
		{
			name: "a relation without the suffix Id filters by its key",
			call: call{Method: "book.list", Query: `{"fields":["id"],"filter":{"authorId":{"eq":"a-1"}}}`},
			want: `{"items":[{"id":"b-1"},{"id":"b-2"}],"total":2,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "and by what stands behind it",
			call: call{Method: "book.list", Query: `{"fields":["id"],"filter":{"author":{"name":{"startsWith":"Br"}}}}`},
			want: `{"items":[{"id":"b-3"}],"total":1,"hasMore":false,"endCursor":"="}`,
		},
		{
			name: "a relation without the suffix Id is written by its name",
			call: call{Method: "book.create", Body: `{"id":"b-9","title":" winds ","author":"a-3","price":"1.00","pages":8,"bound":null,"language":"fr-FR","extra":{"deep":[{"er":null}]}}`},
			want: `{"id":"b-9","title":"WINDS","author":"a-3","price":"1.00","pages":8,"copies":0,"ratio":null,"bound":null,"language":"fr-FR","state":"proof",
				"seeAlso":[],"colophon":null,"extra":{"deep":[{"er":null}]},"printedAt":null,"bornOn":"2000-02-29","spine":"winds (8 pp.)"}`,
		},
		{
			name: "an entity without a door is nowhere",
			call: call{Method: "ledger.list"}, fail: "NOT_FOUND", says: "author book", graphql: "-",
		},
		{
			name: "an operation that is not among the door's is nowhere",
			call: call{Method: "author.update", Params: `{"id":"a-1"}`, Body: `{"name":"x"}`}, fail: "NOT_FOUND", says: "findById", rest: "METHOD_NOT_ALLOWED", graphql: "-",
		},
	}},
	{name: "operations", steps: []step{
		{
			name: "a value that is no shape",
			call: call{Method: "desk.check"}, want: `true`,
		},
		{
			name: "a sum",
			call: call{Method: "book.countPages"}, want: `1413`,
		},
		{
			name: "many rows of a view: its fields and no others",
			call: call{Method: "book.labels"},
			want: `[{"id":"b-1","title":"ENGINES","price":"9.50"},{"id":"b-2","title":"NOTES","price":"10.00"},{"id":"b-3","title":"MOORS","price":"0.99"}]`,
		},
		{
			name: "one row or none: one; its computed field is made of the row as it is kept",
			call: call{Method: "book.findCheapest", Params: `{"under":5}`},
			want: `{"id":"b-3","title":"MOORS","author":"a-2","price":"0.99","pages":300,"copies":0,"ratio":null,"bound":false,"language":"en-GB","state":"print",
				"seeAlso":[],"colophon":null,"extra":{"any":[1,2,{"thing":null}]},"printedAt":null,"bornOn":"2000-02-29","spine":"Moors (300 pp.)"}`,
		},
		{
			name: "one row or none: none",
			call: call{Method: "book.findCheapest", Params: `{"under":0}`}, want: `null`,
		},
		{
			name: "a body with an explicit null",
			call: call{Method: "book.shelve", Body: `{"shelf":"A","row":null}`}, want: `"A"`,
		},
		{
			name: "a body with a value",
			call: call{Method: "book.shelve", Body: `{"shelf":"A","row":7}`}, want: `"A-7"`,
		},
		{
			name: "a body is judged: missing, unknown, null",
			call: call{Method: "book.shelve", Body: `{"shelf":null,"floor":2}`}, fail: "VALIDATION_FAILED /body/floor:unknown_key /body/shelf:type /body/row:required", graphql: "BAD_USER_INPUT",
		},
		{
			name: "no body is an empty one, and names what is missing",
			call: call{Method: "book.shelve"}, fail: "VALIDATION_FAILED /body/shelf:required /body/row:required", graphql: "GRAPHQL_VALIDATION_FAILED",
		},
		{
			name: "params are judged too",
			call: call{Method: "book.findCheapest", Params: `{"under":"five"}`}, fail: "VALIDATION_FAILED /params/under:type", graphql: "BAD_USER_INPUT",
		},
		{
			name: "what takes nothing refuses everything",
			call: call{Method: "desk.check", Params: `{"loud":true}`}, fail: "VALIDATION_FAILED /params/loud:unknown_key", rest: "-", graphql: "-",
		},
		{
			name: "and a body as well",
			call: call{Method: "book.fail", Params: `{"how":"fine"}`, Body: `{"x":1}`}, fail: "VALIDATION_FAILED /body/x:unknown_key", graphql: "-",
		},
		{
			name: "null and absent arrive as what they are",
			call: call{Method: "desk.echo", Body: `{"a":null,"any":{"x":null,"y":[]}}`}, want: `{"a":null,"any":{"x":null,"y":[]}}`,
		},
	}},
	{name: "callers", steps: []step{
		{name: "nobody is null", call: call{Method: "desk.whoami"}, want: `null`},
		{name: "somebody is who they are", call: call{Method: "desk.whoami", User: ada}, want: `{"id":"ada","roles":["printer"]}`},
		{
			name: "what is hidden from somebody is so in a view of it too, whoever read the rows",
			call: call{Method: "book.labels", User: rival}, graphql: "VALIDATION_FAILED",
			want: `[{"id":"b-1","title":"ENGINES"},{"id":"b-2","title":"NOTES"},{"id":"b-3","title":"MOORS"}]`,
		},
		{
			name: "and to what a handler asks in their name",
			call: call{Method: "book.findCheapest", Params: `{"under":5}`, User: rival}, fail: "VALIDATION_FAILED /query/sort:unknown_key /query/filter/price:unknown_key", at: "book.list", graphql: "VALIDATION_FAILED",
		},
		{name: "nobody may not print", call: call{Method: "book.reprint", Params: `{"id":"b-3"}`, Body: `{"copies":5,"paper":null}`}, fail: "UNAUTHORIZED"},
		{
			name: "somebody may, and writes what is closed to others", call: call{Method: "book.reprint", Params: `{"id":"b-3"}`, Body: `{"copies":5,"paper":null}`, User: ada},
			want: `{"id":"b-3","title":"MOORS","author":"a-2","price":"0.99","pages":300,"copies":5,"ratio":null,"bound":false,"language":"en-GB","state":"print",
				"seeAlso":[],"colophon":null,"extra":{"any":[1,2,{"thing":null}]},"printedAt":null,"bornOn":"2000-02-29","spine":"Moors (300 pp.)"}`,
		},
		{name: "a row that is not there", call: call{Method: "book.reprint", Params: `{"id":"b-0"}`, Body: `{"copies":5,"paper":null}`, User: ada}, fail: "NOT_FOUND", at: "book.update"},
		{
			name: "bounds of the input", call: call{Method: "book.reprint", Params: `{"id":"b-3"}`, Body: `{"copies":0}`, User: ada},
			fail: "VALIDATION_FAILED /body/copies:minimum /body/paper:required",
		},
	}},
	{name: "failures", steps: []step{
		{
			name: "a code of the handler's, with its details",
			call: call{Method: "book.fail", Params: `{"how":"coded"}`}, fail: "CONFLICT", says: "paper",
		},
		{
			name: "a code behind other words",
			call: call{Method: "book.fail", Params: `{"how":"wrapped"}`}, fail: "LOCKED", says: "prints",
		},
		{
			name: "an error nobody coded says nothing of itself",
			call: call{Method: "book.fail", Params: `{"how":"uncoded"}`}, fail: "INTERNAL_ERROR", says: "our side",
		},
		{
			name: "a panic neither",
			call: call{Method: "book.fail", Params: `{"how":"panic"}`}, fail: "INTERNAL_ERROR", says: "our side",
		},
		{
			name: "declared, and answered by nobody",
			call: call{Method: "book.bind"}, fail: "NOT_IMPLEMENTED",
		},
	}},
}
