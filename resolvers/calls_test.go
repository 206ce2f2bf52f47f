package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
)

// names are the calls as entity.operation, in an order of their own: those of one
// level go out together.
func names(calls []*facade.Call) string {
	var list []string
	for _, c := range calls {
		list = append(list, c.Entity+"."+c.Operation)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestCalls: one call a relation and level, however many rows, and none twice.
func TestCalls(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct{ name, query, want string }{
		{"the root alone", `{ posts { items { id } } }`, `post.list`},
		{"a relation of every row", `{ posts { items { author { name } } } }`, `author.findById post.list`},
		{"three levels", `{ posts { items { author { mentor { posts { items { id } } } } } } }`, `author.findById author.findById post.list post.list`},
		{"the key is in the row: still a call, the row has more", `{ posts { items { authorId } } }`, `post.list`},
		{"aliases of a relation with the same arguments", `{ posts { items { a: author { id } b: author { name } author { email } } } }`, `author.findById post.list`},
		{"aliases of a list with the same arguments", `{ a: posts(first: 2) { total } b: posts(first: 2) { items { id } } }`, `post.list`},
		{"with other arguments", `{ a: posts(first: 2) { total } b: posts(first: 3) { items { id } } }`, `post.list post.list`},
		{"through items and edges alike", `{ posts { items { author { id } } edges { node { author { name } } } } }`, `author.findById post.list`},
		{"the same rows below different fragments", `{ posts { ...a ...b } } fragment a on PostConnection { items { comments(first: 1) { total } } } fragment b on PostConnection { items { comments(first: 1) { items { id } } } }`, `comment.list post.list`},
		{"a relation that no row has", `{ authors(filter: {mentorId: {isNull: true}}) { items { mentor { name } } } }`, `author.list`},
		{"no rows at all", `{ posts(first: 0) { items { author { name } } } }`, `post.list`},
		{"ids that stand in rows", `{ posts { items { tags { items { label } } } } }`, `post.list tag.findById`},
		{"what is left out", `{ posts { items { id author @skip(if: true) { name } } } tags @include(if: false) { total } }`, `post.list`},
		{"nothing but names", `{ __typename posts { __typename } }`, `post.list`},
		{"mutations under one key", `mutation { postPublish(id: 1) { id } postPublish(id: 1) { status } }`, `post.publish`},
		{"mutations under two", `mutation { a: postPublish(id: 1) { id } b: postPublish(id: 1) { id } }`, `post.publish post.publish`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.calls()
			answer := b.do(c.query, "")
			if got := names(without(b.calls(), "update")); got != c.want || strings.Contains(answer, `"errors"`) {
				t.Errorf("called %s, want %s: %s", got, c.want, answer)
			}
		})
	}
}

// without drops the calls that handlers make themselves.
func without(calls []*facade.Call, op string) []*facade.Call {
	return slices.DeleteFunc(calls, func(c *facade.Call) bool { return c.Operation == op })
}

// TestCallsDoNotGrow: the calls depend on the depth of a query and never on rows.
func TestCallsDoNotGrow(t *testing.T) {
	b := newBlog(t)
	const query = `query($n: Int) { posts(first: $n) { items { author { mentor { name } posts(first: 5) { items { comments { items { text } } } } } tags { items { id } } } } }`
	count := func(n string) int { b.calls(); b.do(query, `{"n":`+n+`}`); return len(b.calls()) }
	few := count("1")
	for i := 100; i < 160; i++ {
		_, err := b.facade.Call(context.Background(), &facade.Call{Entity: "post", Operation: "create", Select: []string{"id"}, Invocation: facade.Invocation{
			Body: json.RawMessage(fmt.Sprintf(`{"id":%d,"title":"P","body":null,"authorId":"bob","tags":["go"]}`, i)),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if many := count("60"); few != 6 || many != few {
		t.Errorf("%d calls for one row, %d for many, want 6", few, many)
	}
}

// TestSelect: only what is written, and what leads further, is read.
func TestSelect(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct{ name, query, want string }{
		{"columns once each", `{ posts { items { title t: title id } } }`, `post[title id]`},
		{"the key of a relation", `{ posts { items { title author { name } } } }`, `post[title authorId] author[name]`},
		{"the row's own key for a list", `{ posts { items { comments { total } } } }`, `post[id] comment[]`},
		{"the row's own key for a global id", `{ tags { items { nodeId } } }`, `tag[id]`},
		{"a computed field", `{ posts { items { excerpt } } }`, `post[excerpt]`},
		{"nothing", `{ posts { total items { __typename } } }`, `post[]`},
		{"of a node, by its type", `{ node(nodeId: "` + binding.NodeIDOf(b.facade.Catalog().Door("tag").Entity, json.RawMessage(`"go"`)) + `") { ... on Tag { label } ... on Post { title } } }`, `tag[label]`},
		{"a key below a fragment that is skipped", `{ posts { items { id ... on Post @skip(if: true) { author { name } } } } }`, `post[id]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.calls()
			b.do(c.query, "")
			var got []string
			for _, call := range b.calls() {
				if call.Select == nil {
					t.Error("nil selects everything")
				}
				got = append(got, fmt.Sprint(call.Entity, call.Select))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("read %s, want %s", s, c.want)
			}
		})
	}
	b.calls()
	b.do(`{ a: posts { edges { cursor } } b: posts(first: 1) { pageInfo { startCursor } } c: posts(first: 2) { endCursor } }`, "")
	cursors := 0
	for _, c := range b.calls() {
		if c.Cursors {
			cursors++
		}
	}
	if cursors != 2 {
		t.Errorf("%d calls ask for a cursor of every row, want 2: the last one comes anyway", cursors)
	}
}

// TestEach: a batch has each key once, and none that is null.
func TestEach(t *testing.T) {
	b := newBlog(t)
	b.do(`{ posts { items { editor { name } author { name } tags { items { id } } } } }`, "")
	for _, c := range b.calls()[1:] {
		seen := map[string]bool{}
		for _, k := range c.Each.Keys {
			if seen[string(k)] || string(k) == "null" {
				t.Errorf("%s.%s asks for %s, again or at all", c.Entity, c.Operation, k)
			}
			seen[string(k)] = true
		}
	}
}

// TestMutationsRunOneByOne: a root field is done, with all that stands below it,
// before the next begins. One that fails ends neither what is committed nor what
// follows, unless an author's own field says that it may not be null.
func TestMutationsRunOneByOne(t *testing.T) {
	b := newBlog(t)
	b.do(`mutation { a: postPublish(id: 1) { author { name } } b: postPublish(id: 2) { author { name } } }`, "")
	var order []string
	for _, c := range without(b.calls(), "update") {
		order = append(order, c.Entity)
	}
	if s := strings.Join(order, " "); s != "post author post author" {
		t.Errorf("called %s", s)
	}
	got := b.do(`mutation { a: postPublish(id: 1) { id } b: postPublish(id: 404) { id } c: postPublish(id: 2) { id } }`, "")
	if n := len(without(b.calls(), "update")); n != 3 || !strings.HasPrefix(got, `{"data":{"a":{"id":1},"b":null,"c":{"id":2}},"errors":[{"message":"there is no post 404"`) {
		t.Errorf("%d calls: %s", n, got)
	}

	b = newBlogWith(t, handWritten)
	got = b.do(`mutation { a: postPublish(id: 1) { id } b: must c: postPublish(id: 2) { id } }`, "")
	if n := len(without(b.calls(), "update")); n != 1 || !strings.HasPrefix(got, `{"data":null,"errors":[{"message":"it must not"`) {
		t.Errorf("%d calls: %s", n, got)
	}
}
