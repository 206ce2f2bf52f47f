package kittest_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/internal/kittest"
)

func TestProject(t *testing.T) {
	f := kittest.Facade(t)
	for _, c := range []struct{ method, params, query, body string }{
		{"post.list", "", `{"limit":2,"sort":"-rating,title"}`, ""},
		{"post.findById", `{"id":"p1"}`, "", ""},
		{"author.findById", `{"id":"ada"}`, "", ""},
		{"post.bySlug", `{"slug":"goto-considered"}`, "", ""},
		{"post.publish", `{"id":"p3"}`, "", `{}`},
		{"post.teasers", ``, "", ``},
		{"post.countWords", ``, "", ``},
		{"health.check", ``, "", ``},
		{"tag.list", ``, "", ``},
		{"comment.list", ``, "", ``},
	} {
		text, err := kittest.Call(t, f, c.method, facade.Invocation{Params: []byte(c.params), Query: []byte(c.query), Body: []byte(c.body)})
		t.Log(c.method, text, err)
	}
}
