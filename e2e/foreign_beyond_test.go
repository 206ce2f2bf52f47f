package e2e_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestBeyondTheSpecification: what a document says beyond the specification, in another
// form or with another meaning than here, costs nothing: the host is served, and the
// log has each thing once.
func TestBeyondTheSpecification(t *testing.T) {
	t.Parallel()
	card := `{"title":"Notes","type":"object","nullable":false,"maxLenght":3,"properties":{
		"id":{"type":"string","format":"snowflake","x-kit":{"role":{"primary":true},"lifecycle":{"create":{"generate":"snowflake"}}}},
		"title":{"type":"string","maxLenght":10,"nullable":true,"default":7},
		"pages":{"type":"integer","enum":["short",45,45],"minimum":9,"maximum":1},
		"shelfId":{"type":"string","x-kit":{"role":{"relation":{"to":"","kind":"one"}}}},
		"writer":{"type":"string"},
		"writerId":{"type":"string","x-kit":{"role":{"relation":{"to":"writer","kind":"one","onDelete":"set-null"}}}}},
		"required":["id","title","writer","nobody"]}`
	view := `{"title":"noteLine","type":"object","x-kit-derived":{"from":"note","survived":{"id":"id","title":"title"}},
		"properties":{"id":{"type":"string"},"title":{"type":"string"}}}`
	host := &foreignHost{
		document: desk(foreignDoor("note", card, foreignOp("list", "query"), foreignOp("create", "command", `"input":`+card),
			foreignOp("findById", "query"), foreignOp("first", "query", `"output":`+view)), foreignDoor("writer", foreignWriter, writerReads...)),
		answers: map[string]func(invoked) any{
			"note.list":     always(`[{"id":"n1","title":"One","pages":3,"shelfId":"s","writer":"Ada","writerId":"w1"}]`),
			"note.first":    always(`{"id":"n1","title":"One"}`),
			"note.findById": always(`{"id":"n1","title":"One","pages":3,"shelfId":"s","writer":"Ada","writerId":"w1"}`),
			"note.create":   func(in invoked) any { return in.Body },
		},
	}
	url, _, log := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host)}})
	for _, a := range []inquiry{
		{graphql: `{ notes { items { id title shelfId writer writerId } } noteFirst { title } }`, want: `{"notes":{"items":[{"id":"n1","title":"One","shelfId":"s","writer":"Ada","writerId":"w1"}]},"noteFirst":{"title":"One"}}`},
		{rest: `GET /api/desk/notes/first`, want: `{"id":"n1","title":"One"}`},
		{method: `note.create {"body":{"title":"Two, and longer","writer":"Bo"}}`, want: `{"title":"Two, and longer","writer":"Bo"}`},
		{rest: `POST /api/desk/notes {"writer":"Bo"}`, want: `Bad Request VALIDATION_FAILED`},
	} {
		a.check(t, url)
	}
	for _, says := range []string{
		"/doors/0/schema/properties/shelfId/x-kit/role/relation: the relation does not say where it points; it is left out",
		`/properties/writer: the relation writerId already answers to the name \"writer\"; it is ignored`,
		`/required/3: required names \"nobody\"; the card has no such field; it is ignored`,
	} {
		if n := strings.Count(log.String(), says); n != 1 {
			t.Errorf("the log says %q %d times:\n%s", says, n, log)
		}
	}
}

// TestRelationsNobodyAnswers: a relation that leads to the rows of a remote by none of
// its operations is said in the log and by check; what is sent for it is refused.
func TestRelationsNobodyAnswers(t *testing.T) {
	t.Parallel()
	writer := strings.Replace(foreignWriter, `"name":{"type":"string"}`, `"name":{"type":"string"},
		"notes":{"x-kit":{"role":{"relation":{"to":"note","kind":"many"}}}},
		"roomId":{"type":["string","null"],"x-kit":{"role":{"relation":{"to":"room","kind":"one"}}}}`, 1)
	card := strings.Replace(foreignWriter, `"writer"`, `"note"`, 1)
	card = strings.Replace(card, `"name":{"type":"string"}`, `"name":{"type":"string"},"writerId":{"x-kit":{"role":{"relation":{"to":"writer","kind":"one"}}}}`, 1)
	host := &foreignHost{
		document: desk(foreignDoor("note", card, foreignOp("list", "query")), foreignDoor("writer", writer, foreignOp("create", "command", `"input":`+writer), foreignOp("list", "query"))),
		answers: map[string]func(invoked) any{
			"note.list":     always(`[{"id":"n1","name":"One","writerId":"w1"}]`),
			"writer.list":   always(`[{"id":"w1","name":"Ada"}]`),
			"writer.create": func(in invoked) any { return in.Body },
		},
	}
	remote := served(t, host)
	url, _, log := housed(t, nil, map[string]gateway.Remote{"desk": {URL: remote}})
	for _, a := range []inquiry{
		{graphql: `{ notes { items { writerId } } writers { items { name roomId } } }`, want: `{"notes":{"items":[{"writerId":"w1"}]},"writers":{"items":[{"name":"Ada","roomId":null}]}}`},
		{graphql: `{ writers { items { notes { total } } } }`, want: `GRAPHQL_VALIDATION_FAILED`},
		{graphql: `mutation { createWriter(input: {name: "Bo", notes: ["n1"]}) { name } }`, want: `GRAPHQL_VALIDATION_FAILED`},
		{rest: `POST /api/desk/writers {"name":"Bo","notes":["n1"]}`, want: `Bad Request VALIDATION_FAILED`},
		{method: `writer.create {"body":{"name":"Bo","notes":["n1"]}}`, want: `VALIDATION_FAILED`},
		{method: `writer.create {"body":{"name":"Bo","roomId":"r1"}}`, want: `{"name":"Bo","roomId":"r1"}`},
	} {
		a.check(t, url)
	}
	says := []string{
		"/properties/notes: the relation is not offered: the list of note has no input card with filter where it runs",
		"/properties/writerId: the relation is not offered: writer has no findById where it runs; the key is a plain field",
		"/properties/roomId: the relation is not offered: room is no door of any Frond here; the key is a plain field",
	}
	own := folder(t, map[string]string{
		"fronds/own/entities/own.yaml": "properties: {id: {type: string, x-kit: {role: {primary: true}}}}\n",
		"fronds/own/frond.yaml":        "collectors: {own: open}\n",
	})
	out := run(t, "", "check", own, "--remote", "desk="+remote).stdout
	for _, want := range says {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
		if !strings.Contains(out, want) {
			t.Errorf("check does not say %q:\n%s", want, out)
		}
	}

	// A relation of ours to a Frond of which nothing is known yet: it may be the other
	// side of one there, so what is sent for it cannot be kept.
	url, _, _ = housed(t, map[string]string{"fronds/own/frond.yaml": "collectors: {'*': open}\n", "fronds/own/entities/pile.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}
`}, map[string]gateway.Remote{"desk": {URL: "http://127.0.0.1:1"}})
	inquiry{rest: `POST /api/own/piles {"notes":["n1"]}`, want: `Bad Request VALIDATION_FAILED`}.check(t, url)
	inquiry{method: `pile.create {"body":{"notes":["n1"]}}`, want: `VALIDATION_FAILED`}.check(t, url)
}
