package e2e_test

import (
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestHostsThatAnswerOtherwise: a host whose cards have changed under a relation, and one that answers more keys than it was asked
// for, are named as the fault; no caller is asked to correct a query that they did not write.
func TestHostsThatAnswerOtherwise(t *testing.T) {
	t.Parallel()
	refuses := func(invoked) any {
		return &kitError{Code: "VALIDATION_FAILED", Message: "fields has an unknown name", Details: []any{map[string]any{"path": "fields.0", "pointer": "/query/fields/0", "code": "unknown_key", "message": "is unknown"}}}
	}
	notes := always("[" + oneNote + "," + twoNote + "]")
	for _, c := range []struct {
		name    string
		ops     []string
		answers map[string]func(invoked) any
		want    string
	}{
		{
			"cards have changed",
			[]string{foreignOp("findById", "query"), foreignOp("findByIds", "query")},
			map[string]func(invoked) any{"note.list": notes, "writer.findByIds": refuses, "writer.findById": refuses},
			`{"notes":{"items":[{"title":"One","writer":null},{"title":"Two","writer":null}]}} BAD_GATEWAY BAD_GATEWAY`,
		},
		{
			"more keys than asked",
			[]string{foreignOp("findById", "query"), foreignOp("findByIds", "query")},
			map[string]func(invoked) any{"note.list": notes, "writer.findByIds": always(`[{"id":"w1","name":"A"},{"id":"w2","name":"B"},{"id":"w3","name":"C"}]`)},
			`{"notes":{"items":[{"title":"One","writer":null},{"title":"Two","writer":null}]}} BAD_GATEWAY BAD_GATEWAY`,
		},
		{
			"as many keys as asked, and null",
			[]string{foreignOp("findById", "query"), foreignOp("findByIds", "query")},
			map[string]func(invoked) any{"note.list": notes, "writer.findByIds": always(`[null,{"id":"w2","name":"B"}]`)},
			`{"notes":{"items":[{"title":"One","writer":null},{"title":"Two","writer":{"name":"B"}}]}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			host := &foreignHost{document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, c.ops...)), answers: c.answers}
			url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host)}})
			inquiry{graphql: `{ notes { items { title writer { name } } } }`, want: c.want}.check(t, url)
		})
	}
}
