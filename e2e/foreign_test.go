package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/gateway"
)

const (
	noteCard = `{"title":"note","type":"object","more":1,"properties":{
		"id":{"type":"string","x-kit":{"role":{"primary":true}}},
		"title":{"type":"string"},
		"pages":{"type":"integer"},
		"pin":{"type":"string","x-kit":{"boundary":{"out":"closed"}}},
		"writerId":{"type":["string","null"],"x-kit":{"role":{"relation":{"to":"writer","kind":"one"}}}}},
		"required":["title","pages","writerId"],"x-kit-version":1}`
	foreignWriter = `{"title":"writer","type":"object","properties":{
		"id":{"type":"string","x-kit":{"role":{"primary":true}}},"name":{"type":"string"}},"required":["name"]}`

	oneNote = `{"id":"n1","title":"One","pages":3,"writerId":"w1"}`
	twoNote = `{"id":"n2","title":"Two","pages":4,"writerId":"w2"}`
	anyNote = `{"id":"n3","title":"Three","pages":5,"writerId":"w1"}`
)

// desk is a discovery document of one Frond with these doors, as short as the spec lets it be.
func desk(doors ...string) string {
	return `{"x-kit-version":1,"made":{"by":"somebody else"},"fronds":[{"name":"desk","colour":"red","doors":[` + strings.Join(doors, ",") + `]}]}`
}

func foreignDoor(name, card string, ops ...string) string {
	schema := ""
	if card != "" {
		schema = `,"schema":` + card
	}
	return `{"name":"` + name + `","icon":"x","ops":[` + strings.Join(ops, ",") + `]` + schema + `}`
}

func foreignOp(name, kind string, more ...string) string {
	return `{"name":"` + name + `","kind":"` + kind + `"` + strings.Join(append([]string{""}, more...), ",") + `}`
}

var (
	noteReads   = []string{foreignOp("list", "query"), foreignOp("findById", "query", `"output":`+noteCard)}
	writerReads = []string{foreignOp("findById", "query")}
)

// TestForeignHosts: what hosts of another make do, or leave out, is no reason not to
// have them: through GraphQL, REST and the envelope alike.
func TestForeignHosts(t *testing.T) {
	t.Parallel()
	notes := "[" + oneNote + "," + twoNote + "," + anyNote + "]"
	writerByID := func(in invoked) any {
		return map[string]any{"id": in.Params["id"], "name": "Writer " + fmt.Sprint(in.Params["id"])}
	}
	noteByID := always(oneNote)
	withWriters := `{"notes":{"items":[{"title":"One","writer":{"name":"Writer w1"}},{"title":"Two","writer":{"name":"Writer w2"}},{"title":"Three","writer":{"name":"Writer w1"}}]}}`
	askWriters := inquiry{graphql: `{ notes { items { title writer { name } } } }`, want: withWriters}

	for _, c := range []struct {
		name string
		host *foreignHost
		asks []inquiry
		says string // what the gateway's log has to say
	}{
		{
			name: "a bare array is a list",
			host: &foreignHost{document: desk(foreignDoor("note", noteCard, noteReads...)), answers: map[string]func(invoked) any{"note.list": always(notes)}},
			asks: []inquiry{
				{graphql: `{ notes { total hasMore items { id } } }`, want: `{"notes":{"total":3,"hasMore":false,"items":[{"id":"n1"},{"id":"n2"},{"id":"n3"}]}}`},
				{rest: `GET /api/desk/notes`, want: `{"items":` + notes + `,"total":3,"hasMore":false,"endCursor":null}`},
				{method: `note.list`, want: `{"items":` + notes + `,"total":3,"hasMore":false,"endCursor":null}`},
			},
		},
		{
			name: "a list without an input card takes a limit alone, and is cut here",
			host: &foreignHost{document: desk(foreignDoor("note", noteCard, noteReads...)), answers: map[string]func(invoked) any{"note.list": always(notes)}},
			asks: []inquiry{
				{graphql: `{ notes(first: 2) { hasMore items { id } } }`, want: `{"notes":{"hasMore":true,"items":[{"id":"n1"},{"id":"n2"}]}}`},
				{graphql: `{ notes(orderBy: [{id: ASC}]) { items { id } } }`, want: `GRAPHQL_VALIDATION_FAILED`},
				{rest: `GET /api/desk/notes?limit=1`, want: `{"items":[` + oneNote + `],"total":3,"hasMore":true,"endCursor":null}`},
				{rest: `GET /api/desk/notes?sort=title`, want: `Bad Request VALIDATION_FAILED`},
				{method: `note.list {"query":{"limit":1,"fields":["id"]}}`, want: `{"items":[{"id":"n1"}],"total":3,"hasMore":true,"endCursor":null}`},
				{method: `note.list {"query":{"filter":{"title":{"eq":"x"}}}}`, want: `VALIDATION_FAILED`},
			},
		},
		{
			name: "ids come back as text",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, writerReads...)),
				answers:  map[string]func(invoked) any{"note.list": always(notes), "writer.findById": writerByID},
				echo:     func(id any) any { return fmt.Sprint(id) },
			},
			asks: []inquiry{askWriters},
		},
		{
			name: "no findByIds: batches",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, writerReads...)),
				answers:  map[string]func(invoked) any{"note.list": always(notes), "writer.findById": writerByID},
			},
			asks: []inquiry{askWriters},
		},
		{
			name: "batches are refused with 400",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, writerReads...)),
				answers:  map[string]func(invoked) any{"note.list": always(notes), "writer.findById": writerByID},
				batch:    func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) },
			},
			asks: []inquiry{askWriters, askWriters},
		},
		{
			name: "batches are refused with one error",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, writerReads...)),
				answers:  map[string]func(invoked) any{"note.list": always(notes), "writer.findById": writerByID},
				batch: func(w http.ResponseWriter) {
					_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`))
				},
			},
			asks: []inquiry{askWriters, askWriters},
		},
		{
			name: "batches are refused by hanging up",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, writerReads...)),
				answers:  map[string]func(invoked) any{"note.list": always(notes), "writer.findById": writerByID},
				batch:    func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
			},
			asks: []inquiry{askWriters, askWriters},
		},
		{
			name: "an update card lists what a creation requires",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, append([]string{foreignOp("update", "command", `"input":`+noteCard, `"output":`+noteCard)}, noteReads...)...)),
				answers: map[string]func(invoked) any{"note.update": func(in invoked) any {
					body, _ := in.Body.(map[string]any)
					if len(body) != 1 {
						return &kitError{Code: "CONFLICT", Message: fmt.Sprint("more than the patch came: ", body)}
					}
					return map[string]any{"id": in.Params["id"], "title": body["title"], "pages": 3, "writerId": "w1"}
				}},
			},
			asks: []inquiry{
				{graphql: `mutation { updateNote(id: "n1", input: {title: "New"}) { title pages } }`, want: `{"updateNote":{"title":"New","pages":3}}`},
				{rest: `PATCH /api/desk/notes/n1 {"title":"New"}`, want: `{"id":"n1","title":"New","pages":3,"writerId":"w1"}`},
				{method: `note.update {"params":{"id":"n1"},"body":{"title":"New"}}`, want: `{"id":"n1","title":"New","pages":3,"writerId":"w1"}`},
			},
		},
		{
			name: "names with their first letter lowered only",
			host: &foreignHost{
				document: desk(
					foreignDoor("orderItem", strings.ReplaceAll(noteCard, `"title":"note"`, `"title":"orderItem"`), noteReads[0], noteReads[1]),
					foreignDoor("shelf", `{"title":"shelf","type":"object","properties":{
						"id":{"type":"string","x-kit":{"role":{"primary":true}}},
						"bestId":{"type":"string","x-kit":{"role":{"relation":{"to":"orderItem","kind":"one"}}}},
						"worstId":{"type":"string","x-kit":{"role":{"relation":{"to":"orderitem","kind":"one"}}}}}}`, foreignOp("findById", "query")),
					foreignDoor("writer", foreignWriter, writerReads...)),
				answers: map[string]func(invoked) any{
					"orderItem.findById": func(in invoked) any { return map[string]any{"id": in.Params["id"], "title": "T"} },
					"shelf.findById":     always(`{"id":"s","bestId":"n1","worstId":"n2"}`),
				},
			},
			asks: []inquiry{
				{graphql: `{ shelf(id: "s") { best { id } worst { id title } } orderItem(id: "n3") { id } }`, want: `{"shelf":{"best":{"id":"n1"},"worst":{"id":"n2","title":"T"}},"orderItem":{"id":"n3"}}`},
				{method: `orderitem.findById {"params":{"id":"n3"}}`, want: `{"id":"n3","title":"T"}`},
			},
		},
		{
			name: "operations without cards: JSON in, JSON out",
			host: &foreignHost{
				document: desk(foreignDoor("calc", "", foreignOp("getSum", "query"), foreignOp("store", "command"), `{"name":"wipe"}`)),
				answers: map[string]func(invoked) any{
					"calc.getSum": func(in invoked) any { return in },
					"calc.store":  func(in invoked) any { return []any{in.Params, in.Query, in.Body} },
					"calc.wipe":   always(`true`),
				},
			},
			asks: []inquiry{
				{
					graphql: `{ calcGetSum(params: {a: 1}, query: {of: [1, 2.5], deep: {x: null}}, input: "body") }`,
					want:    `{"calcGetSum":{"Params":{"a":1},"Query":{"of":[1,2.5],"deep":{"x":null}},"Body":"body","State":null}}`,
				},
				{graphql: `mutation { calcStore(input: [1, {a: "b"}]) }`, want: `{"calcStore":[null,null,[1,{"a":"b"}]]}`},
				{graphql: `mutation { calcWipe }`, want: `{"calcWipe":true}`},
				{graphql: `{ calcGetSum(params: 7) }`, want: `{"calcGetSum":null} VALIDATION_FAILED`},
				{rest: `GET /api/desk/calcs/get-sum?a=1&b=x&b=y`, want: `{"Params":null,"Query":{"a":"1","b":["x","y"]},"Body":null,"State":null}`},
				{rest: `POST /api/desk/calcs/store?a=1 {"deep":[true]}`, want: `[null,{"a":"1"},{"deep":[true]}]`},
				{method: `calc.getSum {"params":{"p":1},"query":{"q":2},"body":[3]}`, want: `{"Params":{"p":1},"Query":{"q":2},"Body":[3],"State":null}`},
				{method: `calc.store {"query":7}`, want: `VALIDATION_FAILED`},
			},
		},
		{
			name: "an operation without an input takes anything, whatever it gives",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, append([]string{
					foreignOp("publish", "command", `"output":`+noteCard, `"cardinality":"one"`),
					foreignOp("findByTitle", "query", `"output":`+noteCard),
					foreignOp("archive", "command", `"cardinality":"none"`),
					foreignOp("sweep", "command", `"params":{"type":"object","properties":{}}`),
				}, noteReads...)...)),
				answers: map[string]func(invoked) any{
					"note.publish": func(in invoked) any {
						return map[string]any{"id": in.Params["id"], "title": fmt.Sprint(in.Query["at"], in.Body), "pages": 1, "writerId": nil}
					},
					"note.findByTitle": func(in invoked) any { return map[string]any{"id": "n", "title": in.Query["title"], "pages": 1} },
					"note.archive":     func(in invoked) any { return []any{in.Params, in.Query, in.Body} },
					"note.sweep":       func(in invoked) any { return []any{in.Params, in.Query, in.Body} },
				},
			},
			asks: []inquiry{
				{graphql: `mutation { notePublish(id: "n1", input: "b") { id title } }`, want: `{"notePublish":{"id":"n1","title":"<nil>b"}}`},
				{graphql: `mutation { notePublish(params: {id: "n2"}, query: {at: "noon"}) { id title } }`, want: `{"notePublish":{"id":"n2","title":"noon<nil>"}}`},
				{graphql: `{ noteFindByTitle(query: {title: "T"}) { title } }`, want: `{"noteFindByTitle":{"title":"T"}}`},
				{rest: `POST /api/desk/notes/n1/publish?at=noon {"loud":true}`, want: `{"id":"n1","title":"noonmap[loud:true]","pages":1,"writerId":null}`},
				{rest: `POST /api/desk/notes/publish "b"`, want: `{"id":null,"title":"<nil>b","pages":1,"writerId":null}`},
				{rest: `GET /api/desk/notes/find-by-title?title=T`, want: `{"id":"n","title":"T","pages":1}`},
				{method: `note.publish {"params":{"id":"n1"},"body":{"loud":true}}`, want: `{"id":"n1","title":"<nil> map[loud:true]","pages":1,"writerId":null}`},
				{method: `note.archive {"params":{"id":"n1"},"query":{"q":1},"body":[2]}`, want: `[{"id":"n1"},{"q":1},[2]]`},
				{graphql: `mutation { noteSweep }`, want: `{"noteSweep":[null,null,null]}`},
				{graphql: `mutation { noteSweep(params: {id: "n1"}) }`, want: `GRAPHQL_VALIDATION_FAILED`},
				{method: `note.sweep {"params":{"id":"n1"}}`, want: `VALIDATION_FAILED`},
				{rest: `POST /api/desk/notes/sweep {"id":"n1"}`, want: `Bad Request VALIDATION_FAILED`},
			},
		},
		{
			name: "input describes the body, and nothing the params",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, append([]string{
					foreignOp("lend", "command", `"input":{"title":"noteLoan","type":"object","properties":{"days":{"type":"integer"}},"required":["days"]}`),
					foreignOp("searchLoans", "query", `"input":{"title":"noteSearch","type":"object","properties":{"days":{"type":"integer"}}}`),
				}, noteReads...)...)),
				answers: map[string]func(invoked) any{
					"note.lend":        func(in invoked) any { return []any{in.Params, in.Query, in.Body} },
					"note.searchLoans": func(in invoked) any { return []any{in.Params, in.Query, in.Body} },
				},
			},
			asks: []inquiry{
				{graphql: `mutation { noteLend(id: "n1", query: {at: "noon"}, input: {days: 3}) }`, want: `{"noteLend":[{"id":"n1"},{"at":"noon"},{"days":3}]}`},
				{graphql: `mutation { noteLend(id: "n1", input: {days: "3"}) }`, want: `GRAPHQL_VALIDATION_FAILED`},
				{rest: `POST /api/desk/notes/n1/lend?at=noon {"days":3}`, want: `[{"id":"n1"},{"at":"noon"},{"days":3}]`},
				{rest: `POST /api/desk/notes/n1/lend {"hours":3}`, want: `Bad Request VALIDATION_FAILED`},
				{rest: `GET /api/desk/notes/n1/search-loans?days=3&at=noon`, want: `[{"id":"n1"},{"at":"noon"},{"days":3}]`},
				{method: `note.lend {"params":{"id":"n1"},"body":{"days":3}}`, want: `[{"id":"n1"},null,{"days":3}]`},
				{method: `note.lend {"params":{"id":"n1"},"body":{}}`, want: `VALIDATION_FAILED`},
			},
		},
		{
			name: "a field that GraphQL cannot write",
			host: &foreignHost{
				document: desk(foreignDoor("note", strings.Replace(noteCard, `"pages":{`, `"sub-title":{"type":"string"},"pages":{`, 1),
					append([]string{foreignOp("create", "command", `"input":`+strings.Replace(noteCard, `"pages":{`, `"sub-title":{"type":"string"},"pages":{`, 1))}, noteReads...)...)),
				answers: map[string]func(invoked) any{
					"note.findById": always(`{"id":"n1","title":"One","sub-title":"And a half","pages":3,"writerId":null}`),
				},
			},
			asks: []inquiry{
				{graphql: `{ note(id: "n1") { title pages } }`, want: `{"note":{"title":"One","pages":3}}`},
				{rest: `GET /api/desk/notes/n1?fields=title,sub-title`, want: `{"title":"One","sub-title":"And a half"}`},
			},
			says: "has no name in GraphQL",
		},
		{
			name: "what does not fit the card is told once, and what is closed outward never leaves",
			host: &foreignHost{
				document: desk(foreignDoor("note", strings.Replace(noteCard, `"pages":{"type":"integer"`, `"pages":{"type":"integer","minimum":0`, 1), noteReads...)),
				answers: map[string]func(invoked) any{
					"note.findById": always(`{"id":"n1","title":"One","pages":-1,"pin":"1234","writerId":null,"extra":{"pin":"1234"}}`),
					"note.list":     always(`[{"id":"n1","title":"One","pages":3,"pin":"1234","writerId":null}]`),
				},
			},
			asks: []inquiry{
				{rest: `GET /api/desk/notes/n1`, want: `{"id":"n1","title":"One","pages":-1,"writerId":null}`},
				{graphql: `{ note(id: "n1") { title } notes { items { id title } } }`, want: `{"note":{"title":"One"},"notes":{"items":[{"id":"n1","title":"One"}]}}`},
				{rest: `GET /api/desk/notes?fields=id,pin`, want: `Bad Request VALIDATION_FAILED`},
				{method: `note.list`, want: `{"items":[{"id":"n1","title":"One","pages":3,"writerId":null}],"total":1,"hasMore":false,"endCursor":null}`},
			},
			says: "does not fit its card",
		},
		{
			name: "members beyond the card are left out, and the log names them once",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...)),
				answers: map[string]func(invoked) any{
					"note.findById": always(`{"id":"n1","title":"One","pages":3,"writerId":null,"colour":"red"}`),
				},
			},
			asks: []inquiry{
				{rest: `GET /api/desk/notes/n1`, want: `{"id":"n1","title":"One","pages":3,"writerId":null}`},
				{method: `note.findById {"params":{"id":"n1"}}`, want: `{"id":"n1","title":"One","pages":3,"writerId":null}`},
			},
			says: "member=colour",
		},
		{
			name: "a row of a wrong type, and the row of another id, are not believed",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, append([]string{foreignOp("update", "command")}, noteReads...)...), foreignDoor("writer", foreignWriter, writerReads...)),
				answers: map[string]func(invoked) any{
					"note.findById": func(in invoked) any {
						if in.Params["id"] == "n1" {
							return map[string]any{"id": "n1", "title": "One", "pages": "three", "writerId": nil}
						}
						return map[string]any{"id": "other", "title": "One", "pages": 3, "writerId": nil}
					},
					"note.update":     always(oneNote),
					"note.list":       always(`[{"id":"n1","title":"One","pages":3,"writerId":"w1"},{"id":"n2","title":7,"pages":3,"writerId":"w1"}]`),
					"writer.findById": always(`{"id":"other","name":"Bo"}`),
				},
			},
			asks: []inquiry{
				{rest: `GET /api/desk/notes/n1`, want: `Bad Gateway BAD_GATEWAY`},
				{graphql: `{ note(id: "n1") { title } }`, want: `{"note":null} BAD_GATEWAY`},
				{method: `note.findById {"params":{"id":"n1"}}`, want: `BAD_GATEWAY`},
				{rest: `GET /api/desk/notes/c1`, want: `Bad Gateway BAD_GATEWAY`},
				{graphql: `{ note(id: "c1") { id title } }`, want: `{"note":null} BAD_GATEWAY`},
				{method: `note.findById {"params":{"id":"c1"}}`, want: `BAD_GATEWAY`},
				{rest: `PATCH /api/desk/notes/c1 {"title":"x"}`, want: `Bad Gateway BAD_GATEWAY`},
				{rest: `GET /api/desk/notes`, want: `Bad Gateway BAD_GATEWAY`},
				{method: `writer.findById {"params":{"id":"OTHER"}}`, want: `{"id":"other","name":"Bo"}`},
			},
		},
		{
			name: "a row lacks a field that its card requires",
			host: &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...)),
				answers:  map[string]func(invoked) any{"note.findById": always(`{"id":"n1","title":"One","writerId":null}`)},
			},
			asks: []inquiry{
				{rest: `GET /api/desk/notes/n1`, want: `{"id":"n1","title":"One","writerId":null}`},
				{graphql: `{ note(id: "n1") { id title } }`, want: `{"note":{"id":"n1","title":"One"}}`},
				{graphql: `{ note(id: "n1") { id pages } }`, want: `{"note":null} INTERNAL_ERROR`},
			},
		},
		{
			name: "a second Frond there has the same door",
			host: &foreignHost{
				document: strings.Replace(desk(foreignDoor("note", noteCard, noteReads...)), `"fronds":[`,
					`"fronds":[{"name":"attic","doors":[`+foreignDoor("note", "", foreignOp("list", "command"))+`]},`, 1),
				answers: map[string]func(invoked) any{"note.findById": noteByID, "note.list": always(notes)},
			},
			asks: []inquiry{
				{rest: `GET /api/desk/notes/n1`, want: oneNote},
				{graphql: `{ notes(first: 1) { items { id } } }`, want: `{"notes":{"items":[{"id":"n1"}]}}`},
				{rest: `GET /api/attic/notes`, want: `Not Found NOT_FOUND`},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _, log := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, c.host)}})
			for _, a := range c.asks {
				a.check(t, url)
			}
			if n := strings.Count(log.String(), c.says); c.says != "" && n != 1 {
				t.Errorf("the log says %q %d times, want once:\n%s", c.says, n, log)
			}
			if t.Failed() {
				t.Logf("the host was asked: %s", c.host.asked())
				t.Logf("the log: %s", log)
			}
		})
	}
}

// TestRefusedFindByIDs: a host that declares findByIds and refuses it, the operation or
// the ids, is called in the next way.
func TestRefusedFindByIDs(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]any{
		"it is not there":      nil,
		"it is not made yet":   &kitError{Code: "NOT_IMPLEMENTED", Message: "later"},
		"the ids are refused":  &kitError{Code: "VALIDATION_FAILED", Message: "ids has to be a text"},
		"the frame is refused": &kitError{Code: "BAD_REQUEST", Message: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			host := &foreignHost{
				document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, append([]string{foreignOp("findByIds", "query")}, writerReads...)...)),
				answers: map[string]func(invoked) any{
					"note.list": always("[" + oneNote + "," + twoNote + "]"),
					"writer.findById": func(in invoked) any {
						return map[string]any{"id": in.Params["id"], "name": fmt.Sprint("Writer ", in.Params["id"])}
					},
				},
			}
			if refusal != nil {
				host.answers["writer.findByIds"] = func(invoked) any { return refusal }
			}
			url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host)}})
			inquiry{graphql: `{ notes { items { writer { name } } } }`, want: `{"notes":{"items":[{"writer":{"name":"Writer w1"}},{"writer":{"name":"Writer w2"}}]}}`}.check(t, url)
			if asked := host.asked(); strings.Count(asked, "writer.findByIds ") != 1 || strings.Count(asked, "writer.findById ") != 2 {
				t.Errorf("the host was asked %s", asked)
			}
		})
	}
}

// TestStrictRemote: with strict, an answer that does not fit its card is refused.
func TestStrictRemote(t *testing.T) {
	t.Parallel()
	host := &foreignHost{document: desk(foreignDoor("note", noteCard, noteReads...)), answers: map[string]func(invoked) any{
		"note.findById": always(`{"id":"n1","title":"One","pages":"three","writerId":null}`),
		"note.list":     always("[" + oneNote + "]"),
	}}
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host), Strict: true}})
	for _, a := range []inquiry{
		{rest: `GET /api/desk/notes/n1`, want: `Bad Gateway BAD_GATEWAY`},
		{graphql: `{ note(id: "n1") { title pages } }`, want: `{"note":null} BAD_GATEWAY`},
		{method: `note.findById {"params":{"id":"n1"}}`, want: `BAD_GATEWAY`},
		{rest: `GET /api/desk/notes`, want: `{"items":[` + oneNote + `],"total":1,"hasMore":false,"endCursor":null}`},
	} {
		a.check(t, url)
	}
}

// TestUnusableRemote: a host whose cards are unusable stops nothing: the rest is
// served, the reason is logged, and once its document is better it is served too.
func TestUnusableRemote(t *testing.T) {
	t.Parallel()
	bad := strings.Replace(noteCard, `"pages":{`, `"2nd page":{"type":"string"},"pages":{`, 1)
	host := &foreignHost{document: desk(foreignDoor("note", bad, noteReads...)), answers: map[string]func(invoked) any{"note.findById": always(oneNote)}}
	fine := &foreignHost{
		document: strings.Replace(desk(foreignDoor("writer", foreignWriter, writerReads...)), `"desk"`, `"people"`, 1),
		answers:  map[string]func(invoked) any{"writer.findById": always(`{"id":"w1","name":"Ada"}`)},
	}
	var better atomic.Bool
	swapping := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if better.Load() {
			(&foreignHost{document: desk(foreignDoor("note", noteCard, noteReads...)), answers: host.answers}).ServeHTTP(w, r)
			return
		}
		host.ServeHTTP(w, r)
	})
	url, _, log := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, swapping)}, "people": {URL: served(t, fine)}})
	inquiry{graphql: `{ writer(id: "w1") { name } }`, want: `{"writer":{"name":"Ada"}}`}.check(t, url)
	inquiry{rest: `GET /api/desk/notes/n1`, want: `Not Found NOT_FOUND`}.check(t, url)
	if ready := string(send(t, "GET", url+"/readyz", "").Body); !strings.Contains(ready, "desk: not known yet: BAD_GATEWAY") {
		t.Errorf("/readyz: %s", ready)
	}
	if !strings.Contains(log.String(), "2nd page") {
		t.Errorf("the log does not say why: %s", log)
	}
	better.Store(true)
	recovered(t, func() bool {
		return inquiry{graphql: `{ note(id: "n1") { title } }`}.of(t, url) == `{"note":{"title":"One"}}`
	})
}
