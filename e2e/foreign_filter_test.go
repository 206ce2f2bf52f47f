package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// plainRows answers a list whose filter is one object of fields, each with eq or in alone, as the
// shortest host does; anything else is refused.
func plainRows(all ...map[string]any) func(invoked) any {
	return func(in invoked) any {
		filter, _ := in.Query["filter"].(map[string]any)
		rows := []any{}
		for _, row := range all {
			met := true
			for name, test := range filter {
				operators, _ := test.(map[string]any)
				values, list := operators["in"].([]any)
				if eq, is := operators["eq"]; is {
					values, list = []any{eq}, true
				}
				if _, field := row[name]; !field || !list || len(operators) != 1 {
					return &kitError{Code: "VALIDATION_FAILED", Message: "a filter here is {field: {eq: value}} or {field: {in: [values]}}"}
				}
				found := false
				for _, v := range values {
					found = found || fmt.Sprint(v) == fmt.Sprint(row[name])
				}
				met = met && found
			}
			if met {
				rows = append(rows, row)
			}
		}
		return map[string]any{"items": rows, "total": len(rows), "hasMore": false, "endCursor": nil}
	}
}

// TestFiltersOfAPlainHost: a host whose list takes one object of fields is sent nothing else:
// several conditions, those of rules, of batches and of relations among them.
func TestFiltersOfAPlainHost(t *testing.T) {
	t.Parallel()
	const plain = `"input":{"title":"plain","type":"object","properties":{"filter":{"type":"object"},"limit":{"type":"integer"}}}`
	host := &foreignHost{
		document: desk(
			foreignDoor("note", noteCard, foreignOp("list", "query", plain), foreignOp("findById", "query")),
			foreignDoor("writer", foreignWriter, foreignOp("list", "query", plain), foreignOp("findById", "query"))),
		answers: map[string]func(invoked) any{
			"note.list": plainRows(
				map[string]any{"id": "n1", "title": "One", "pages": 3, "writerId": "w1"},
				map[string]any{"id": "n2", "title": "Two", "pages": 3, "writerId": "w2"},
				map[string]any{"id": "n3", "title": "One", "pages": 5, "writerId": "w1"}),
			"writer.list": plainRows(map[string]any{"id": "w1", "name": "Ada"}, map[string]any{"id": "w2", "name": "Bo"}),
		},
	}
	ruled := func(rules string) string {
		url, _, _ := housed(t, map[string]string{
			"fronds/desk/entities/note.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  pages: {type: integer}
  writerId: {x-kit: {role: {relation: {to: writer, kind: one}}}}
`,
			"fronds/desk/entities/writer.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\n  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}\n",
			"fronds/desk/frond.yaml": "doors: {note: {operations: {only: [list, findById]}}, writer: {operations: {only: [list, findById]}}}\n" +
				"collectors: {writer: open, note: [" + rules + "]}\n",
		}, map[string]gateway.Remote{"desk": {URL: served(t, host)}})
		return url
	}
	open, related, shut := ruled(`{}`), ruled(`{rows: {writer: {name: {eq: Ada}}}}`), ruled(`{rows: {writer: {name: {eq: Cy}}}}`)
	for _, c := range []struct {
		url string
		inquiry
	}{
		{open, inquiry{rest: `GET /api/desk/notes?filter[title]=One&filter[pages]=3&fields=id`, want: `{"items":[{"id":"n1"}],"total":1,"hasMore":false,"endCursor":null}`}},
		{open, inquiry{graphql: `{ notes(filter: {and: [{title: {eq: "One"}}, {title: {in: ["One", "Two"]}}]}) { total } }`, want: `{"notes":{"total":2}}`}},
		{open, inquiry{graphql: `{ notes(filter: {writer: {name: {eq: "Bo"}}}) { items { id } } }`, want: `{"notes":{"items":[{"id":"n2"}]}}`}},
		{open, inquiry{method: `note.list {"query":{"filter":{"and":[{"title":{"contains":"O"}},{"title":{"contains":"n"}}]}}}`, want: `NOT_IMPLEMENTED`}},
		{open, inquiry{method: `note.list {"query":{"filter":{"title":{"contains":"O"}}}}`, want: `VALIDATION_FAILED`}},
		{open, inquiry{graphql: `{ writers { items { name notes(filter: {pages: {eq: 3}}) { items { id } } } } }`, want: `{"writers":{"items":[{"name":"Ada","notes":{"items":[{"id":"n1"}]}},{"name":"Bo","notes":{"items":[{"id":"n2"}]}}]}}`}},
		{related, inquiry{rest: `GET /api/desk/notes?fields=id`, want: `{"items":[{"id":"n1"},{"id":"n3"}],"total":2,"hasMore":false,"endCursor":null}`}},
		{related, inquiry{rest: `GET /api/desk/notes?filter[title]=Two`, want: `{"items":[],"total":0,"hasMore":false,"endCursor":null}`}},
		{related, inquiry{graphql: `{ a: note(id: "n1") { id } b: note(id: "n2") { id } }`, want: `{"a":{"id":"n1"},"b":null}`}},
		{related, inquiry{graphql: `{ writers { items { notes { total } } } }`, want: `{"writers":{"items":[{"notes":{"total":2}},{"notes":{"total":0}}]}}`}},
		{shut, inquiry{rest: `GET /api/desk/notes`, want: `{"items":[],"total":0,"hasMore":false,"endCursor":null}`}},
		{shut, inquiry{rest: `GET /api/desk/notes/n1`, want: `Not Found NOT_FOUND`}},
	} {
		c.check(t, c.url)
	}
	if asked := host.asked(); strings.Contains(asked, `"and"`) || t.Failed() {
		t.Errorf("the host was asked: %s", strings.ReplaceAll(asked, "; ", "\n"))
	}
}
