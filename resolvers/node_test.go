package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/store/storetest"
)

// id is the global id of a row of the blog.
func (b *blog) id(entity, key string) string {
	return binding.NodeIDOf(b.facade.Catalog().Door(entity).Entity, json.RawMessage(key))
}

// list is ids as the argument of Query.nodes.
func list(ids ...string) string { return `["` + strings.Join(ids, `", "`) + `"]` }

// TestNodes: rows by their global ids, in the order they were asked for.
func TestNodes(t *testing.T) {
	b := newBlog(t)
	ada, bob, two, goTag := b.id("author", `"ada"`), b.id("author", `"bob"`), b.id("post", "2"), b.id("tag", `"go"`)
	const of = ` { __typename ... on Author { name } ... on Post { title } ... on Tag { label } }`
	author := func(name string) string { return `{"__typename":"Author","name":"` + name + `"}` }
	adas, bobs := author(`Ada \"the\" Great`), author("Bob")
	for _, c := range []struct{ name, query, want string }{
		{"several types, in the order of the ids", `{ nodes(nodeIds: ` + list(bob, two, ada, goTag) + `)` + of + ` }`, `{"nodes":[` + bobs + `,{"__typename":"Post","title":"Post 2"},` + adas + `,{"__typename":"Tag","label":"GO"}]}`},
		{"one twice", `{ nodes(nodeIds: ` + list(ada, two, ada) + `) { ... on Author { name } } }`, `{"nodes":[{"name":"Ada \"the\" Great"},{},{"name":"Ada \"the\" Great"}]}`},
		{"none", `{ nodes(nodeIds: []) { nodeId } }`, `{"nodes":[]}`},
		{"an id that stands alone is a list of one", `{ nodes(nodeIds: "` + bob + `")` + of + ` }`, `{"nodes":[` + bobs + `]}`},
		{"no id, no such type, no such row", `{ nodes(nodeIds: ` + list("gibberish", "", binding.NodeIDOf(b.facade.Catalog().Door("tag").Entity, json.RawMessage(`"gone"`)), "bm9ib2R5OiJ4MSI", bob) + `)` + of + ` }`, `{"nodes":[null,null,null,null,` + bobs + `]}`},
		{"a key of another kind than the type's", `{ nodes(nodeIds: ` + list(b.id("post", `"two"`), b.id("author", "7"), bob) + `)` + of + ` }`, `{"nodes":[null,null,` + bobs + `]}`},
		{"node alike", `{ a: node(nodeId: "gibberish") { nodeId } b: node(nodeId: "` + b.id("post", `"two"`) + `") { nodeId } c: node(nodeId: "` + b.id("author", "7") + `") { nodeId } d: node(nodeId: "` + bob + `")` + of + ` }`, `{"a":null,"b":null,"c":null,"d":` + bobs + `}`},
		{"by a fragment on the interface", `{ nodes(nodeIds: ` + list(two, bob) + `) { ...n } } fragment n on Node { nodeId }`, `{"nodes":[{"nodeId":"` + two + `"},{"nodeId":"` + bob + `"}]}`},
		{"what stands below them", `{ nodes(nodeIds: ` + list(two, bob) + `) { ... on Post { author { name } } ... on Author { mentor { name } } } }`, `{"nodes":[{"author":{"name":"Ada \"the\" Great"}},{"mentor":{"name":"Ada \"the\" Great"}}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := b.do(c.query, ""), `{"data":`+c.want+`}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			b.same(t, c.query, "")
		})
	}
}

// TestNodesByVariable: the ids come as clients send them.
func TestNodesByVariable(t *testing.T) {
	b := newBlog(t)
	ids := fmt.Sprintf(`{"ids":[%q,%q]}`, b.id("author", `"bob"`), b.id("post", "2"))
	got := b.do(`query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Author { name } } }`, ids)
	if want := `{"data":{"nodes":[{"nodeId":"` + b.id("author", `"bob"`) + `","name":"Bob"},{"nodeId":"` + b.id("post", "2") + `"}]}}`; got != want {
		t.Error(got)
	}
}

// TestNodesAreBatched: one call for each type, each key in it once.
func TestNodesAreBatched(t *testing.T) {
	b := newBlog(t)
	b.do(`{ nodes(nodeIds: `+list(b.id("post", "1"), b.id("author", `"ada"`), b.id("post", "2"), b.id("post", "1"), "x")+`) { ... on Post { title author { name } } ... on Author { name } } }`, "")
	var got []string
	for _, c := range b.calls() {
		if c.Each == nil {
			t.Fatalf("%s.%s for one", c.Entity, c.Operation)
		}
		got = append(got, fmt.Sprintf("%s.%s%s%s", c.Entity, c.Operation, c.Select, c.Each.Keys))
	}
	slices.Sort(got)
	want := `author.findById[name]["ada"] author.findById[name]["bob" "ada"] post.findById[title authorId][1 2]`
	if s := strings.Join(got, " "); s != want {
		t.Errorf("called %s, want %s", s, want)
	}
}

// TestNodesAreBounded: as many as the limit, and not one more, with variables and without.
func TestNodesAreBounded(t *testing.T) {
	b := newBlog(t)
	b.limit(t, resolvers.Limits{Tokens: -1})
	ids := func(n int) string { return `["x"` + strings.Repeat(`,"x"`, n-1) + `]` }
	for n, want := range map[int]string{
		binding.MaxNodes:        `{"data":{"nodes":[null` + strings.Repeat(",null", binding.MaxNodes-1) + `]}}`,
		binding.MaxNodes + 1:    `{"data":{"nodes":null},"errors":[{"message":"nodeIds has more than 500 ids; ask for fewer at once","locations":[{"line":1,"column":25}],"path":["nodes"],"extensions":{"code":"BAD_REQUEST"}}]}`,
		binding.MaxNodes * 1000: `{"data":{"nodes":null},"errors":[{"message":"nodeIds has more than 500 ids; ask for fewer at once","locations":[{"line":1,"column":25}],"path":["nodes"],"extensions":{"code":"BAD_REQUEST"}}]}`,
	} {
		if got := b.do(`query ($ids: [ID!]!) {  nodes(nodeIds: $ids) { nodeId } }`, `{"ids":`+ids(n)+`}`); got != want {
			t.Errorf("%d ids: %s", n, short(got))
		}
	}
	b.same(t, `{ nodes(nodeIds: `+ids(binding.MaxNodes+1)+`) { nodeId } }`, "")
}

// TestNodesThatFail: a type that cannot be read costs its own places and no others.
func TestNodesThatFail(t *testing.T) {
	b := newBlog(t)
	f := fake{"author.findById": "fails", "tag": `[{"id":"go","label":"GO"}]`, "post.findById": `[1]`}
	got := untraced(faked(t, b.schema, f, `{ nodes(nodeIds: `+list(b.id("tag", `"go"`), b.id("author", `"ada"`), b.id("post", "1"), b.id("author", `"bob"`))+`) { ... on Tag { label } } }`, ""))
	const at = `"locations":[{"line":1,"column":3}],"path":["nodes",`
	want := `{"data":{"nodes":[{"label":"GO"},null,null,null]},"errors":[` +
		`{"message":"author.findById fails",` + at + `1],"extensions":{"code":"CONFLICT","entity":"author","operation":"findById"}},` +
		`{"message":"something went wrong on our side",` + at + `2],"extensions":{"code":"INTERNAL_ERROR"}},` +
		`{"message":"author.findById fails",` + at + `3],"extensions":{"code":"CONFLICT","entity":"author","operation":"findById"}}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = faked(t, b.schema, f, `{ node(nodeId: "`+b.id("author", `"ada"`)+`") { nodeId } }`, "")
	if want = `{"data":{"node":null},"errors":[{"message":"author.findById fails","locations":[{"line":1,"column":3}],"path":["node"],"extensions":{"code":"CONFLICT","entity":"author","operation":"findById"}}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNodesHidden: a row that a collector hides looks like one that is not there.
func TestNodesHidden(t *testing.T) {
	p, err := facade.Read(fstest.MapFS{
		"entities/note.yaml": &fstest.MapFile{Data: []byte("title: note\ntype: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  owner: {type: string}\n")},
		"frond.yaml":         &fstest.MapFile{Data: []byte("collectors:\n  note:\n    - when: user.id == 'root'\n    - when: user.id != nil\n      rows: {owner: {eq: $user.id}}\n    - deny: all\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err = projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e, err := resolvers.NewEngine(s, f, &resolvers.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	as := func(user string) access.State {
		if user == "" {
			return access.State{}
		}
		return access.State{"user": map[string]any{"id": user, "roles": []any{}}}
	}
	for id, owner := range map[string]string{"a": "mara", "b": "tom"} {
		if _, err := f.Call(context.Background(), &facade.Call{Entity: "note", Operation: "create", Invocation: facade.Invocation{
			Body: json.RawMessage(fmt.Sprintf(`{"id":%q,"owner":%q}`, id, owner)), State: as("root"),
		}}); err != nil {
			t.Fatal(err, kiterror.AsError(err).Details)
		}
	}
	note := f.Catalog().Door("note").Entity
	id := func(key string) string { return binding.NodeIDOf(note, json.RawMessage(`"`+key+`"`)) }
	query := `{ nodes(nodeIds: ` + list(id("a"), id("b"), id("c")) + `) { ... on Note { owner } } }`
	for user, want := range map[string]string{
		"root": `{"data":{"nodes":[{"owner":"mara"},{"owner":"tom"},null]}}`,
		"mara": `{"data":{"nodes":[{"owner":"mara"},null,null]}}`,
		"tom":  `{"data":{"nodes":[null,{"owner":"tom"},null]}}`,
	} {
		if got := string(e.Execute(context.Background(), &resolvers.Request{Query: query, State: as(user)}).Body); got != want {
			t.Errorf("%s: %s", user, got)
		}
	}
	got := string(e.Execute(context.Background(), &resolvers.Request{Query: query}).Body)
	if !strings.HasPrefix(got, `{"data":{"nodes":[null,null,null]},"errors":[{`) || strings.Count(got, `"UNAUTHORIZED"`) != 3 {
		t.Errorf("nobody, of a row and of none alike: %s", got)
	}
}
