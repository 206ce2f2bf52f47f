package resolvers_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestRepeatedFields: fields of a query that ask for the same with the same arguments
// are one call, whatever they are called and wherever they stand on a level, and
// everybody gets what they selected. A mutation does what it says as often as it says.
func TestRepeatedFields(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct {
		name, query, variables string
		calls                  string
		want                   string
	}{
		{
			"one key", `{ posts(first: 1) { items { id } } posts(first: 1) { items { title } } }`, "",
			"post.list", `{"data":{"posts":{"items":[{"id":1,"title":"Post 1"}]}}}`,
		},
		{
			"two aliases", `{ a: posts(first: 1) { items { id } } b: posts(first: 1) { items { title } total } }`, "",
			"post.list", `{"data":{"a":{"items":[{"id":1}]},"b":{"items":[{"title":"Post 1"}],"total":9}}}`,
		},
		{
			"arguments and keys in another order",
			`{ a: posts(first: 1, filter: {id: {gt: 1, lt: 9}}) { items { id } } b: posts(filter: {id: {lt: 9, gt: 1}}, first: 1) { items { id } } }`, "",
			"post.list", `{"data":{"a":{"items":[{"id":2}]},"b":{"items":[{"id":2}]}}}`,
		},
		{
			"one variable", `query($n: Int) { a: posts(first: $n) { total } b: posts(first: $n) { items { id } } }`, `{"n":1}`,
			"post.list", `{"data":{"a":{"total":9},"b":{"items":[{"id":1}]}}}`,
		},
		{
			"fragments", `{ ...f ...g } fragment f on Query { a: author(id: "ada") { id } } fragment g on Query { b: author(id: "ada") { id } }`, "",
			"author.findById", `{"data":{"a":{"id":"ada"},"b":{"id":"ada"}}}`,
		},
		{
			"a relation", `{ post(id: 2) { a: author { id } b: author { age } } }`, "",
			"post.findById author.findById", `{"data":{"post":{"a":{"id":"ada"},"b":{"age":36}}}}`,
		},
		{
			"a relation of both aliases", `{ a: post(id: 2) { author { id } } b: post(id: 2) { author { age } } }`, "",
			"post.findById author.findById", `{"data":{"a":{"author":{"id":"ada"}},"b":{"author":{"age":36}}}}`,
		},
		{
			"a relation with arguments", `{ author(id: "ada") { a: posts(first: 1, offset: 1) { items { id } } b: posts(offset: 1, first: 1) { items { id } } } }`, "",
			"author.findById post.list", `{"data":{"author":{"a":{"items":[{"id":4}]},"b":{"items":[{"id":4}]}}}}`,
		},
		{
			"a named operation", `{ a: postPing b: postPing }`, "",
			"post.ping", `{"data":{"a":{"pong":[1,"zwei",null,true]},"b":{"pong":[1,"zwei",null,true]}}}`,
		},
		{
			"other arguments", `{ a: posts(first: 1) { items { id } } b: posts(first: 2) { items { id } } }`, "",
			"post.list post.list", `{"data":{"a":{"items":[{"id":1}]},"b":{"items":[{"id":1},{"id":2}]}}}`,
		},
		{
			"a text and a block that looks like it", `{ a: authors(filter: {name: {eq: "Bob"}}) { total } b: authors(filter: {name: {eq: """Bob"""}}) { total } }`, "",
			"author.list author.list", `{"data":{"a":{"total":1},"b":{"total":1}}}`,
		},
		{
			"a mutation", `mutation { a: postPublish(id: 1) { id } b: postPublish(id: 1) { id } }`, "",
			"post.publish post.publish", `{"data":{"a":{"id":1},"b":{"id":1}}}`,
		},
		{
			"relations below a mutation", `mutation { postPublish(id: 2) { a: author { id } b: author { id } } }`, "",
			"post.publish author.findById", `{"data":{"postPublish":{"a":{"id":"ada"},"b":{"id":"ada"}}}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.calls()
			got := b.do(c.query, c.variables)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var calls []string
			for _, call := range b.calls() {
				calls = append(calls, fmt.Sprintf("%s.%s", call.Entity, call.Operation))
			}
			if s := strings.Join(calls, " "); s != c.calls {
				t.Errorf("calls: %s, want %s", s, c.calls)
			}
		})
	}
}
