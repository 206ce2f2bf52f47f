package storetest_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// The project that every room tests with answers what its comment promises.
func TestProject(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ method, params, query, want string }{
		{"post.list", "", `{"limit":2,"sort":"-rating,title","fields":"id"}`, `"items":[{"id":"p1"},{"id":"p2"}],"total":5,"hasMore":true`},
		{"post.findById", `{"id":"p1"}`, "", `"views":9007199254740993`},
		{"post.findById", `{"id":"p4"}`, "", `"excerpt":null`},
		{"author.findById", `{"id":"edsger"}`, "", `"mentorId":"grace","joinedAt":"2024-03-05T11:00:00.000Z"`},
		{"post.bySlug", `{"slug":"goto-considered"}`, "", `"price":"-1.5"`},
		{"post.bySlug", `{"slug":"nothing"}`, "", `null`},
		{"post.teasers", "", `{"tag":"t3"}`, `[{"id":"p1","title":"Notes on the Engine","status":"published","publishedAt":"2024-04-02T10:00:00.000Z"}]`},
		{"post.publish", `{"id":"p3"}`, "", `"status":"published"`},
		{"post.countWords", "", "", "27"},
		{"tag.findById", `{"id":"t2"}`, "", `"label":"LOGIC"`},
		{"comment.list", "", "", `"total":6`},
		{"health.check", "", "", `"well"`},
	} {
		text, err := storetest.Call(t, f, c.method, facade.Invocation{Params: []byte(c.params), Query: []byte(c.query)})
		if err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %s %v, want %s", c.method, c.params, text, err, c.want)
		}
	}
	for method, want := range map[string]kiterror.Code{"post.publish": kiterror.Conflict, "post.archive": kiterror.NotImplemented, "audit.list": kiterror.NotFound} {
		if _, err := storetest.Call(t, f, method, facade.Invocation{Params: []byte(`{"id":"p1"}`)}); kiterror.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", method, err, want)
		}
	}
}
