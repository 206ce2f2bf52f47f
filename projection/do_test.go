package projection_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/store/storetest"
)

// counted is a Caller that remembers what it was asked.
type counted struct {
	facade.Caller
	calls []*facade.Call
}

func (c *counted) Call(ctx context.Context, call *facade.Call) (*facade.Result, error) {
	c.calls = append(c.calls, call)
	return c.Caller.Call(ctx, call)
}

func (c *counted) methods() string {
	var names []string
	for _, call := range c.calls {
		names = append(names, call.Entity+"."+call.Operation)
	}
	c.calls = nil
	return strings.Join(names, " ")
}

// fixture is the project of storetest behind a counter, and its schema.
func fixture(tb testing.TB, register ...func(*projection.Builder) error) (*counted, *binding.Schema) {
	tb.Helper()
	f := storetest.Facade(tb)
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		tb.Fatal(err)
	}
	for _, r := range register {
		if err := r(b); err != nil {
			tb.Fatal(err)
		}
	}
	c := &counted{Caller: f}
	s, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	reference.Attach(s, c)
	return c, s
}

// do runs a document by graphql-go and gives its answer as text.
func do(tb testing.TB, s *binding.Schema, query string, vars map[string]any) string {
	tb.Helper()
	ctx := facade.WithState(context.Background(), access.State{"user": map[string]any{"id": "ada"}})
	r := graphql.Do(graphql.Params{Schema: *s.GraphQL(), RequestString: query, VariableValues: vars, Context: ctx})
	text, err := json.Marshal(r)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// same says whether two texts are the same JSON, numbers by their digits.
func same(t *testing.T, want, got string) {
	t.Helper()
	read := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return v
	}
	if d := cmp.Diff(read(want), read(got)); d != "" {
		t.Errorf("-want +got\n%s\n%s", d, got)
	}
}

func TestDo(t *testing.T) {
	tests := []struct {
		name  string
		query string
		vars  map[string]any
		data  string
		calls string
	}{
		{
			"every kind of column",
			`{ post(id: "p1") { id slug title body status authorId price rating views featured tagIds keywords meta dueOn publishedAt createdAt excerpt __typename } }`, nil,
			`{"post": {"id": "p1", "slug": "notes-on-the-engine", "title": "Notes on the Engine", "body": "The Analytical Engine weaves algebraical patterns.",
				"status": "published", "authorId": "ada", "price": "12.50", "rating": 4.75, "views": 9007199254740993, "featured": true, "tagIds": ["t1", "t3"],
				"keywords": ["engine", "algebra"], "meta": {"source": "memoir", "pages": 66}, "dueOn": "2024-04-01", "publishedAt": "2024-04-02T10:00:00.000Z",
				"createdAt": "2024-03-01T08:00:00.000Z", "excerpt": "The Analytical Engine", "__typename": "Post"}}`,
			"post.findById",
		},
		{
			"a row that is not there",
			`{ post(id: "nobody") { id } postBySlug(slug: "nothing") { id } }`, nil,
			`{"post": null, "postBySlug": null}`, "",
		},
		{
			"a nested object, null where it is, and nulls in it",
			`{ authors(orderBy: [{id: ASC}], first: 3) { items { id address { street city zip } } } }`, nil,
			`{"authors": {"items": [
				{"id": "ada", "address": {"street": "12 St James's Square", "city": "London", "zip": "SW1Y 4LB"}},
				{"id": "alan", "address": {"street": "Bletchley Park", "city": "Milton Keynes", "zip": null}},
				{"id": "edsger", "address": null}]}}`,
			"author.list",
		},
		{
			"a relation to one: one call for the page",
			`{ posts(orderBy: [{id: ASC}]) { items { id author { name mentor { name } } } } }`, nil,
			`{"posts": {"items": [
				{"id": "p1", "author": {"name": "Ada Lovelace", "mentor": null}},
				{"id": "p2", "author": {"name": "Alan Turing", "mentor": {"name": "Ada Lovelace"}}},
				{"id": "p3", "author": {"name": "Alan Turing", "mentor": {"name": "Ada Lovelace"}}},
				{"id": "p4", "author": {"name": "Grace Hopper", "mentor": {"name": "Ada Lovelace"}}},
				{"id": "p5", "author": {"name": "Edsger Dijkstra", "mentor": {"name": "Grace Hopper"}}}]}}`,
			"post.list author.findById author.findById",
		},
		{
			"relations to many, three levels deep, each with its page",
			`{ authors(orderBy: [{id: ASC}], first: 2) { items { id posts(orderBy: [{title: DESC}], first: 1) { total hasMore items { id comments { total items { id replies { items { text } } } } } } } } }`, nil,
			`{"authors": {"items": [
				{"id": "ada", "posts": {"total": 1, "hasMore": false, "items": [{"id": "p1", "comments": {"total": 3, "items": [
					{"id": 1, "replies": {"items": [{"text": "Seconded."}]}}, {"id": 2, "replies": {"items": []}}, {"id": 3, "replies": {"items": []}}]}}]}},
				{"id": "alan", "posts": {"total": 2, "hasMore": true, "items": [{"id": "p3", "comments": {"total": 0, "items": []}}]}}]}}`,
			"author.list post.list comment.list comment.list",
		},
		{
			"ids in the row, in their order, paged",
			`{ posts(orderBy: [{id: ASC}], first: 3) { items { tags(last: 1) { total hasMore items { label } pageInfo { hasPreviousPage } } } } }`, nil,
			`{"posts": {"items": [
				{"tags": {"total": 2, "hasMore": false, "items": [{"label": "MACHINES"}], "pageInfo": {"hasPreviousPage": true}}},
				{"tags": {"total": 1, "hasMore": false, "items": [{"label": "MATHEMATICS"}], "pageInfo": {"hasPreviousPage": false}}},
				{"tags": {"total": 2, "hasMore": false, "items": [{"label": "LOGIC"}], "pageInfo": {"hasPreviousPage": true}}}]}}`,
			"post.list tag.findById",
		},
		{
			"edges and items of one connection, by fragments and aliases",
			`query ($yes: Boolean!) { posts(first: 1, orderBy: [{id: DESC}]) { ...page edges { node { ... on Node { nodeId } ...row @include(if: $yes) title @skip(if: $yes) } } } }
			 fragment page on PostConnection { items { again: id } total }
			 fragment row on Post { id }`,
			map[string]any{"yes": true},
			`{"posts": {"total": 5, "items": [{"again": "p5"}], "edges": [{"node": {"nodeId": "cG9zdDoicDUi", "id": "p5"}}]}}`,
			"post.list",
		},
		{
			"filters: enums, relations, lists, and, or, not",
			`{ posts(orderBy: [{id: ASC}], filter: {or: [{status: {in: [draft]}, author: {name: {startsWith: "Alan"}}}, {tags: {some: {label: {eq: "machines"}}}}], not: {views: {eq: 7}}}) { items { id } } }`, nil,
			`{"posts": {"items": [{"id": "p1"}]}}`,
			"post.list",
		},
		{
			"an integer key, and an int64 by variable",
			`query ($n: BigInt!) { comment(id: $n) { id replyToId replyTo { id text } } }`,
			map[string]any{"n": 2},
			`{"comment": {"id": 2, "replyToId": 1, "replyTo": {"id": 1, "text": "Remarkable."}}}`,
			"comment.findById comment.findById",
		},
		{
			"many rows by id, in their order",
			`{ postsByIds(ids: ["p3", "nobody", "p1"]) { id author { id } } }`, nil,
			`{"postsByIds": [{"id": "p3", "author": {"id": "alan"}}, {"id": "p1", "author": {"id": "ada"}}]}`,
			"post.findByIds author.findById",
		},
		{
			"named operations: one or null, many of a view, a value",
			`{ postBySlug(slug: "the-imitation-game") { id author { name } } postTeasers(tag: "t3") { id title status } postCountWords healthCheck }`, nil,
			`{"postBySlug": {"id": "p3", "author": {"name": "Alan Turing"}}, "postTeasers": [{"id": "p1", "title": "Notes on the Engine", "status": "published"}], "postCountWords": 27, "healthCheck": "well"}`, "",
		},
		{
			"the node behind a global id",
			`{ node(nodeId: "cG9zdDoicDUi") { __typename nodeId ... on Post { title author { name } } ... on Author { name } } none: node(nodeId: "gibberish") { nodeId } gone: node(nodeId: "cG9zdDoicDki") { nodeId } }`, nil,
			`{"node": {"__typename": "Post", "nodeId": "cG9zdDoicDUi", "title": "Go To Considered Harmful, 100%", "author": {"name": "Edsger Dijkstra"}}, "none": null, "gone": null}`, "",
		},
		{
			"a create, an update and a delete, in their order",
			`mutation { createTag(input: {topic: "art", label: "prints"}) { topic label } updatePost(id: "p5", input: {title: "Changed"}) { title author { name } } deleteComment(id: 6) gone: deleteComment(id: 6) }`, nil,
			`{"createTag": {"topic": "art", "label": "PRINTS"}, "updatePost": {"title": "Changed", "author": {"name": "Edsger Dijkstra"}}, "deleteComment": true, "gone": false}`,
			"tag.create post.update comment.delete comment.delete author.findById",
		},
		{
			"a command with params and a body",
			`mutation ($in: PublishInput) { postPublish(id: "p3", input: $in) { id status publishedAt } }`,
			map[string]any{"in": map[string]any{"at": "2024-07-01T12:00:00Z"}},
			`{"postPublish": {"id": "p3", "status": "published", "publishedAt": "2024-07-01T12:00:00.000Z"}}`,
			"post.publish",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			caller, s := fixture(t)
			same(t, `{"data": `+tt.data+`}`, do(t, s, tt.query, tt.vars))
			if got := caller.methods(); tt.calls != "" && got != tt.calls {
				t.Errorf("called %s, want %s", got, tt.calls)
			}
		})
	}
}

// TestDoPages walks a connection by its cursors, forward and back.
func TestDoPages(t *testing.T) {
	caller, s := fixture(t)
	type page struct {
		Data struct {
			Posts struct {
				EndCursor string
				Edges     []struct {
					Cursor string
					Node   struct{ ID string }
				}
				PageInfo struct {
					HasNextPage, HasPreviousPage bool
					StartCursor, EndCursor       string
				}
			}
		}
		Errors []any
	}
	get := func(args string) page {
		t.Helper()
		var p page
		text := do(t, s, `{ posts(orderBy: [{rating: DESC}, {title: ASC}], `+args+`) { endCursor edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`, nil)
		if err := json.Unmarshal([]byte(text), &p); err != nil || p.Errors != nil {
			t.Fatal(err, text)
		}
		return p
	}
	ids := func(p page) (ids string) {
		for _, e := range p.Data.Posts.Edges {
			ids += e.Node.ID
		}
		return ids
	}
	first := get("first: 2")
	second := get(`first: 2, after: "` + first.Data.Posts.EndCursor + `"`)
	back := get(`last: 2, before: "` + second.Data.Posts.PageInfo.StartCursor + `"`)
	end := get("last: 2")
	for _, step := range []struct {
		name, want string
		got        page
		next, prev bool
	}{
		{"first", "p1p2", first, true, false},
		{"second", "p4p5", second, true, true},
		{"back", "p1p2", back, true, false},
		{"end", "p5p3", end, false, true},
	} {
		info := step.got.Data.Posts.PageInfo
		if got := ids(step.got); got != step.want || info.HasNextPage != step.next || info.HasPreviousPage != step.prev {
			t.Errorf("%s: %s, next %v, previous %v; want %s, %v, %v", step.name, got, info.HasNextPage, info.HasPreviousPage, step.want, step.next, step.prev)
		}
		edges := step.got.Data.Posts.Edges
		if info.StartCursor != edges[0].Cursor || info.EndCursor != edges[len(edges)-1].Cursor {
			t.Errorf("%s: the cursors of pageInfo are not those of the edges", step.name)
		}
	}
	caller.calls = nil
	do(t, s, `{ posts { items { id } } }`, nil)
	if q := string(caller.calls[0].Invocation.Query); !strings.Contains(q, `"total":false`) {
		t.Errorf("a list whose total nobody asks for counted: %s", q)
	}
	if got := caller.calls[0].Select; cmp.Diff([]string{"id"}, got) != "" {
		t.Errorf("the call selects %q", got)
	}
}

// TestDoState: the caller's state travels by the context.
func TestDoState(t *testing.T) {
	caller, s := fixture(t)
	do(t, s, `{ posts { items { author { id } } } }`, nil)
	for _, c := range caller.calls {
		if c.Invocation.State.User()["id"] != "ada" {
			t.Errorf("%s.%s went without the caller's state", c.Entity, c.Operation)
		}
	}
}

func TestDoErrors(t *testing.T) {
	boom := func(b *projection.Builder) error {
		if err := projection.RegisterType(b, "Post", graphql.Fields{
			"panics": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { panic("the password is hunter2") }},
			"later": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) {
				return func() (any, error) { return nil, kiterror.Errorf(kiterror.Locked, "come back later") }, nil
			}},
			"fails": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return nil, errors.New("dial 10.0.0.7: refused") }},
		}); err != nil {
			return err
		}
		return nil
	}
	tests := []struct{ name, query, want string }{
		{
			"a refused body, every detail", `mutation { createPost(input: {slug: "NOT A SLUG", title: "", authorId: "ada"}) { id } }`,
			`{"data": {"createPost": null}, "errors": [{"message": "*", "locations": [{"line": 1, "column": 12}], "path": ["createPost"], "extensions": {"code": "VALIDATION_FAILED", "entity": "post", "operation": "create", "details": "*"}}]}`,
		},
		{
			"a conflict", `mutation { postPublish(id: "p1", input: {at: "2024-07-01T12:00:00Z"}) { id } }`,
			`{"data": {"postPublish": null}, "errors": [{"message": "the post is published already", "locations": [{"line": 1, "column": 12}], "path": ["postPublish"], "extensions": {"code": "CONFLICT", "entity": "post", "operation": "publish"}}]}`,
		},
		{
			"an operation nobody answers", `mutation { postArchive(id: "p1") }`,
			`{"data": {"postArchive": null}, "errors": [{"message": "*", "locations": [{"line": 1, "column": 12}], "path": ["postArchive"], "extensions": {"code": "NOT_IMPLEMENTED", "entity": "post", "operation": "archive"}}]}`,
		},
		{
			"a relation that fails costs the relation", `{ post(id: "p1") { id comments(first: -1) { total } } }`,
			`{"data": {"post": {"id": "p1", "comments": null}}, "errors": [{"message": "*", "locations": [{"line": 1, "column": 23}], "path": ["post", "comments"], "extensions": {"code": "VALIDATION_FAILED", "entity": "comment", "operation": "list", "details": "*"}}]}`,
		},
		{
			"contradicting pages", `{ post(id: "p1") { comments(first: 1, last: 1) { total } } }`,
			`{"data": {"post": {"comments": null}}, "errors": [{"message": "first and last were both sent; send one of them", "locations": [{"line": 1, "column": 20}], "path": ["post", "comments"], "extensions": {"code": "BAD_REQUEST"}}]}`,
		},
		{
			"a panic by hand leaks nothing", `{ post(id: "p1") { panics } }`,
			`{"data": {"post": {"panics": null}}, "errors": [{"message": "something went wrong on our side", "locations": [{"line": 1, "column": 20}], "path": ["post", "panics"], "extensions": {"code": "INTERNAL_ERROR"}}]}`,
		},
		{
			"an error by hand leaks nothing", `{ post(id: "p1") { fails } }`,
			`{"data": {"post": {"fails": null}}, "errors": [{"message": "something went wrong on our side", "locations": [{"line": 1, "column": 20}], "path": ["post", "fails"], "extensions": {"code": "INTERNAL_ERROR"}}]}`,
		},
		{
			"an error that comes later keeps its code", `{ post(id: "p1") { later } }`,
			`{"data": {"post": {"later": null}}, "errors": [{"message": "come back later", "locations": [{"line": 1, "column": 20}], "path": ["post", "later"], "extensions": {"code": "LOCKED"}}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, s := fixture(t, boom)
			got := do(t, s, tt.query, nil)
			var v struct {
				Data   any              `json:"data"`
				Errors []map[string]any `json:"errors"`
			}
			if err := json.Unmarshal([]byte(got), &v); err != nil || len(v.Errors) != 1 {
				t.Fatal(err, got)
			}
			if strings.Contains(tt.want, `"message": "*"`) {
				v.Errors[0]["message"] = "*" // the façade's own words, held by its tests
			}
			if x, _ := v.Errors[0]["extensions"].(map[string]any); strings.Contains(tt.want, `"details": "*"`) && x["details"] != nil {
				x["details"] = "*"
			}
			text, _ := json.Marshal(v)
			same(t, tt.want, string(text))
		})
	}
}

// TestDoConcurrently: a schema is shared by all requests.
func TestDoConcurrently(t *testing.T) {
	f := storetest.Facade(t)
	s, err := build(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	const query = `query ($s: PostStatus) { posts(filter: {status: {eq: $s}}, orderBy: [{id: ASC}]) { items { id status author { posts { items { status } } } tags { items { nodeId } } } } node(nodeId: "cG9zdDoicDUi") { ... on Post { status } } }`
	var wg sync.WaitGroup
	answers := make([]string, 8)
	for i := range answers {
		wg.Go(func() {
			for range 5 {
				answers[i] = do(t, s, query, map[string]any{"s": "draft"})
			}
		})
	}
	wg.Wait()
	for _, a := range answers {
		if strings.Contains(a, "errors") {
			t.Fatal(a)
		}
		same(t, answers[0], a)
	}
}
