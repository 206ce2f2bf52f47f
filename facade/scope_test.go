package facade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// own shows an author their own posts, hides what is not theirs to know, and
// stamps what they write. Nobody in particular is denied.
func own(ctx context.Context, state access.State, door *catalog.Door, op *catalog.Operation) (access.Scope, error) {
	user := state.User()
	if user == nil {
		return access.Scope{}, kiterror.Errorf(kiterror.Unauthorized, "who are you?")
	}
	id := user["id"].(string)
	if id == "root" {
		return access.Scope{}, nil
	}
	rows, details := filter.Parse(door.Entity, raw(`{"authorId":{"eq":"`+id+`"}}`), "")
	if details != nil {
		panic(details)
	}
	return access.Scope{Rows: rows, Hide: []string{"rating", "excerpt", "editorNote"}, Set: schema.Object{{Name: "authorId", Value: raw(`"` + id + `"`)}}}, nil
}

func scoped(t *testing.T) (f *facade.Facade, ada, root, nobody facade.Caller) {
	t.Helper()
	p := storetest.Project(t)
	facade.Collect(p.Door("post"), access.CollectorFunc(own))
	f = storetest.New(t, p, storetest.NewStore(), nil)
	user := func(id string) facade.Caller { return as(f, access.State{"user": map[string]any{"id": id}}) }
	return f, user("ada"), user("root"), as(f, access.State{})
}

func TestScope(t *testing.T) {
	_, ada, root, nobody := scoped(t)
	for _, c := range []struct {
		name                        string
		caller                      facade.Caller
		method, params, query, body string
		want                        string
	}{
		{"only their rows exist", ada, "post.list", ``, `{"fields":"id"}`, ``, `{"items":[{"id":"p1"}],"total":1,"hasMore":false,"endCursor":"…"}`},
		{"all exist for another", root, "post.list", ``, `{"fields":"id","limit":1}`, ``, `{"items":[{"id":"p1"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"a hidden row is nothing", ada, "post.findById", `{"id":"p2"}`, ``, ``, `null`},
		{"nor in a batch", ada, "post.findByIds", ``, `{"ids":["p2"]}`, ``, `[]`},
		{"nor for a patch", ada, "post.update", `{"id":"p2"}`, ``, `{"title":"x"}`, `NOT_FOUND`},
		{"nor to delete", ada, "post.delete", `{"id":"p2"}`, ``, ``, `false`},
		{"nobody is turned away", nobody, "post.list", ``, ``, ``, `UNAUTHORIZED`},
		{
			"a hidden field is not filtered by", ada, "post.list", ``, `{"filter":{"rating":{"gt":1}}}`, ``,
			"/query/filter/rating unknown_key: is nothing to filter post by; there is id, slug, title, body, status, authorId, author, price, views, featured, tagIds, tags, keywords, meta, dueOn, publishedAt, createdAt, updatedAt, comments",
		},
		{"nor sorted by", ada, "post.list", ``, `{"sort":"rating"}`, ``, "/query/sort unknown_key: names rating, which post cannot be sorted by; there is id, slug, title, body, status, authorId, price, views, featured, dueOn, publishedAt, createdAt, updatedAt"},
		{"nor read", ada, "post.list", ``, `{"fields":"rating"}`, ``, "/query/fields/0 unknown_key: names rating, which post does not have; there is id, slug, title, body, status, authorId, price, views, featured, tags, keywords, meta, dueOn, publishedAt, createdAt, updatedAt, etag"},
		{"nor computed", ada, "post.list", ``, `{"fields":"excerpt"}`, ``, "/query/fields/0 unknown_key: names excerpt, which post does not have; there is id, slug, title, body, status, authorId, price, views, featured, tags, keywords, meta, dueOn, publishedAt, createdAt, updatedAt, etag"},
		{
			"nor written, told like one that never was", ada, "post.update", `{"id":"p1"}`, ``, `{"rating":1,"nothing":1}`,
			"/body/rating unknown_key: is not part of the card; leave it out\n/body/nothing unknown_key: is not part of the card; leave it out",
		},
		{"nor does its type tell", ada, "post.update", `{"id":"p1"}`, ``, `{"rating":"high"}`, "/body/rating unknown_key: is not part of the card; leave it out"},
		{"what is set cannot be sent", ada, "post.create", ``, ``, `{"slug":"x","title":"X","body":null,"authorId":"alan"}`, "/body/authorId read_only: is set for you; leave it out"},
		{"nor changed", ada, "post.update", `{"id":"p1"}`, ``, `{"authorId":"ada"}`, "/body/authorId read_only: is set for you; leave it out"},
		{"through a relation hidden rows are not there", ada, "author.list", ``, `{"filter":{"posts":{"some":{}}},"fields":"id"}`, ``, `{"items":[{"id":"ada"}],"total":1,"hasMore":false,"endCursor":"…"}`},
		{"nor do they count against every", ada, "author.list", ``, `{"filter":{"posts":{"every":{"status":{"eq":"published"}}}},"fields":"id"}`, ``, `{"items":[{"id":"ada"},{"id":"alan"},{"id":"edsger"},{"id":"grace"}],"total":4,"hasMore":false,"endCursor":"…"}`},
		{"nor are their fields", ada, "author.list", ``, `{"filter":{"posts":{"some":{"rating":{"gt":1}}}}}`, ``, "/query/filter/posts/some/rating unknown_key: is nothing to filter post by; there is id, slug, title, body, status, authorId, author, price, views, featured, tagIds, tags, keywords, meta, dueOn, publishedAt, createdAt, updatedAt, comments"},
		{
			"a relation to what turns one away is no relation", nobody, "author.list", ``, `{"filter":{"posts":{"some":{}}}}`, ``,
			"/query/filter/posts unknown_key: is nothing to filter author by; there is id, name, email, bio, karma, address, mentorId, mentor, mentees, joinedAt",
		},
		{"a comment's post is scoped too", ada, "comment.list", ``, `{"filter":{"post":{}},"fields":"id"}`, ``, `{"items":[{"id":1},{"id":2},{"id":3}],"total":3,"hasMore":false,"endCursor":"…"}`},
		{
			"a handler's answer hides what is hidden", ada, "post.bySlug", `{"slug":"notes-on-the-engine"}`, ``, ``,
			`{"id":"p1","slug":"notes-on-the-engine","title":"Notes on the Engine","body":"The Analytical Engine weaves algebraical patterns.","status":"published","authorId":"ada","price":"12.50","views":9007199254740993,"featured":true,"tags":["t1","t3"],"keywords":["engine","algebra"],"meta":{"source":"memoir","pages":66},"dueOn":"2024-04-01","publishedAt":"2024-04-02T10:00:00.000Z","createdAt":"2024-03-01T08:00:00.000Z","updatedAt"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := do(t, c.caller, c.method, c.params, c.query, c.body)
			if err != nil {
				if text = refusals(err); err.Code != kiterror.ValidationFailed {
					text = string(err.Code)
				}
			}
			text = masked(text)
			if text != c.want && (!strings.HasSuffix(c.want, `updatedAt"`) || !strings.HasPrefix(text, c.want)) {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestScopeStampsWhatIsCreated(t *testing.T) {
	_, ada, _, _ := scoped(t)
	text := must(t, ada, "post.create", "", "", `{"slug":"mine","title":"Mine","body":null}`)
	holds(t, text, `{"authorId":"ada"}`)
	if strings.Contains(text, "rating") || strings.Contains(text, "excerpt") {
		t.Errorf("hidden fields in %s", text)
	}
}

// A field that has to be supplied and is hidden cannot be supplied: the refusal
// does not name it.
func TestScopeHidesARequiredField(t *testing.T) {
	p := storetest.Project(t)
	facade.Collect(p.Door("tag"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		return access.Scope{Hide: []string{"topic"}}, nil
	}))
	f := storetest.New(t, p, storetest.NewStore(), nil)
	_, err := do(t, f, "tag.create", "", "", `{"label":"x"}`)
	if kiterror.CodeOf(err) != kiterror.Forbidden || strings.Contains(err.Error(), "topic") {
		t.Errorf("%v", err)
	}
	if got, want := must(t, f, "tag.findById", `{"id":"t1"}`, "", ""), `{"id":"t1","label":"MATHEMATICS"}`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// A caller who may not read the primary key gets no cursors, for it stands in them.
func TestNoCursorsWithoutTheKey(t *testing.T) {
	p := storetest.Project(t)
	facade.Collect(p.Door("tag"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		return access.Scope{Hide: []string{"id"}}, nil
	}))
	f := storetest.New(t, p, storetest.NewStore(), nil)
	if got, want := must(t, f, "tag.list", "", `{"limit":1,"sort":"label"}`, ""), `{"items":[{"topic":"science","label":"LOGIC"}],"total":3,"hasMore":true,"endCursor":null}`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got, want := must(t, f, "tag.list", "", `{"limit":1,"offset":1,"sort":"label","fields":"label"}`, ""), `{"items":[{"label":"MACHINES"}],"total":3,"hasMore":true,"endCursor":null}`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// A collector that fails is not a collector that lets everyone in.
func TestAFailingCollectorShutsTheDoor(t *testing.T) {
	p := storetest.Project(t)
	facade.Collect(p.Door("tag"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		panic("no")
	}))
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := do(t, f, "tag.list", "", "", ""); kiterror.CodeOf(err) != kiterror.InternalError {
		t.Errorf("got %s, %v", text, err)
	}
}
