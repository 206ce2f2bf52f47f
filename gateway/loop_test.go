package gateway_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestGatewaysInALoop: gateways that name one another as the place of a Frond refuse its calls, of every kind and surface, after a
// few hops: no call waits for itself, and no call is sent for ever.
func TestGatewaysInALoop(t *testing.T) {
	one, two := newElsewhere(t), newElsewhere(t)
	files := letters()
	files["fronds/post/entities/stamp.yaml"] = `{required: [letterId], properties: {id: {type: string, x-kit: {role: {primary: true}}}, letterId: {type: string, x-kit: {role: {relation: {to: letter, kind: one}}}}}}`
	files["fronds/desk/entities/note.yaml"] = `{required: [letterId], properties: {id: {type: string, x-kit: {role: {primary: true}}}, letterId: {type: string, x-kit: {role: {relation: {to: letter, kind: one}}}}}}`
	files["fronds/desk/seeds/note.yaml"] = `[{id: n1, letterId: l1}, {id: n2, letterId: l2}]`
	first := front(t, folderOf(t, files), map[string]gateway.Remote{"post": {URL: two.url()}})
	second := front(t, folderOf(t, files), map[string]gateway.Remote{"post": {URL: one.url()}})
	one.stand(first.Handler())
	two.stand(second.Handler())
	const want = "hosts name one another under remotes"
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/api/post/letters", ""},
		{"GET", "/api/post/letters?filter[title]=x&sort=title", ""},
		{"GET", "/api/post/letters/l1", ""},
		{"GET", "/api/post/letters/aggregate?select=count", ""},
		{"POST", "/api/post/letters", `{"title":"x","owner":"y","id":"l9"}`},
		{"PATCH", "/api/post/letters/l1", `{"title":"x"}`},
		{"DELETE", "/api/post/letters/l1", ""},
		{"POST", "/api/desk/notes", `{"id":"n9","letterId":"l1"}`},
		{"POST", "/graphql", `{"query":"{ letters { total } notes { items { id letter { title } } } }"}`},
		{"POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"letter.list"}`},
		{"POST", "/_kit/call", `[{"jsonrpc":"2.0","id":1,"method":"letter.findById","params":{"params":{"id":"l1"}}},{"jsonrpc":"2.0","id":2,"method":"letter.list"}]`},
	} {
		before := one.calls.Load() + two.calls.Load()
		if got := as(first, "", c.method, c.path, c.body); !strings.Contains(got, want) || !strings.Contains(got, "BAD_GATEWAY") {
			t.Errorf("%s %s: %s", c.method, c.path, got)
		}
		if n := one.calls.Load() + two.calls.Load() - before; n > 100 { // a few a hop
			t.Errorf("%s %s was sent %d times", c.method, c.path, n)
		}
	}
}
