package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestPostsDependOnDepthAlone: a request three relations deep, over two hosts, takes
// one post a level, however many rows there are. One kind of host has findByIds, the
// other knows nothing but JSON-RPC batches.
func TestPostsDependOnDepthAlone(t *testing.T) {
	t.Parallel()
	note := strings.Replace(noteCard, `"pages":{`, `"nextId":{"type":"string","x-kit":{"role":{"relation":{"to":"writer","kind":"one"}}}},"pages":{`, 1)
	writer := strings.Replace(foreignWriter, `"name":{`, `"bestId":{"type":"string","x-kit":{"role":{"relation":{"to":"note","kind":"one"}}}},"name":{`, 1)
	row := func(kind string, id any) map[string]any {
		n := strings.TrimLeft(fmt.Sprint(id), "nw")
		if kind == "note" {
			return map[string]any{"id": id, "title": "Note " + n, "pages": 1, "writerId": "w" + n}
		}
		return map[string]any{"id": id, "name": "Writer " + n, "bestId": "n" + n + "0"}
	}
	byID := func(kind string) func(invoked) any {
		return func(in invoked) any { return row(kind, in.Params["id"]) }
	}
	byIDs := func(kind string) func(invoked) any {
		return func(in invoked) any {
			var all []any
			for _, id := range in.Query["ids"].([]any) {
				all = append(all, row(kind, id))
			}
			return all
		}
	}
	for _, withIDs := range []bool{true, false} {
		name, ops := "batches alone", noteReads
		if withIDs {
			name, ops = "findByIds", append([]string{foreignOp("findByIds", "query")}, noteReads...)
		}
		t.Run(name, func(t *testing.T) {
			notes := &foreignHost{document: desk(foreignDoor("note", note, ops...)), answers: map[string]func(invoked) any{
				"note.findById": byID("note"), "note.findByIds": byIDs("note"),
				"note.list": func(in invoked) any {
					var all []any
					for i := range int(in.Query["limit"].(float64)) {
						all = append(all, row("note", fmt.Sprint("n", i+1)))
					}
					return map[string]any{"items": all, "total": 1000, "hasMore": true}
				},
			}}
			writers := &foreignHost{
				document: strings.Replace(desk(foreignDoor("writer", writer, ops...)), `"desk"`, `"people"`, 1),
				answers:  map[string]func(invoked) any{"writer.findById": byID("writer"), "writer.findByIds": byIDs("writer")},
			}
			url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, notes)}, "people": {URL: served(t, writers)}})
			for _, rows := range []int{2, 17, 80} {
				for depth, c := range []struct {
					document string
					desk     int
					people   int
				}{
					{`{ notes(first: %d) { items { title } } }`, 1, 0},
					{`{ notes(first: %d) { items { title writer { name } } } }`, 1, 1},
					{`{ notes(first: %d) { items { title writer { name best { title } } } } }`, 2, 1},
					{`{ notes(first: %d) { items { title writer { name best { title writer { name } } } } } }`, 2, 2},
				} {
					got := inquiry{graphql: fmt.Sprintf(c.document, rows)}.of(t, url)
					if n := strings.Count(got, `"title":"Note `); strings.Contains(got, "null") || n != rows*(1+depth/2) {
						t.Errorf("%d rows, depth %d: %d titles in %.300s", rows, depth, n, got)
					}
					if d, p := notes.counted(), writers.counted(); d != c.desk || p != c.people {
						t.Errorf("%d rows, depth %d: %d posts and %d, want %d and %d", rows, depth, d, p, c.desk, c.people)
					}
				}
			}
		})
	}
}
