package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/storetest"
)

// called are the calls that a query makes, as entity.operation, sorted.
func (b *blog) called(query, variables string) (calls []string, text string) {
	b.calls()
	text = b.do(query, variables)
	for _, c := range b.calls() {
		calls = append(calls, c.Entity+"."+c.Operation)
	}
	slices.Sort(calls)
	return calls, text
}

// TestGroups asks for aggregate and groups of connections, with the calls that answer them.
func TestGroups(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct{ query, variables, calls, want string }{
		{
			`{ posts(first: 1) { aggregate { count views { sum avg min max countDistinct } } } }`, ``, "post.aggregate",
			`{"posts":{"aggregate":{"count":9,"views":{"sum":450,"avg":50,"min":10,"max":90,"countDistinct":9}}}}`,
		},
		{
			`{ posts(filter: {status: {eq: live}}, first: 1) { total items { id } aggregate { count } } }`, ``, "post.aggregate post.list",
			`{"posts":{"total":3,"items":[{"id":1}],"aggregate":{"count":3}}}`,
		},
		{
			`{ posts { groups(by: [{status: VALUE}], having: {views: {max: {gt: 70}}}, orderBy: [{price: {sum: DESC}}]) { items { key { status views } price { avg } } hasMore } } }`, ``, "post.aggregate",
			`{"posts":{"groups":{"items":[{"key":{"status":"draft","views":null},"price":{"avg":"6.50000000"}},{"key":{"status":"gone","views":null},"price":{"avg":"5.50000000"}}],"hasMore":false}}}`,
		},
		{
			`query($by: [PostGroupsBy!]!, $having: PostHaving, $order: [PostGroupsOrderBy!], $first: Int) { posts { groups(by: $by, having: $having, orderBy: $order, first: $first) { items { key { status } count } hasMore } } }`,
			`{"by":[{"status":"VALUE"}],"having":{"not":{"views":{"sum":{"lt":140}}}},"order":[{"views":{"sum":"DESC"}}],"first":1}`, "post.aggregate",
			`{"posts":{"groups":{"items":[{"key":{"status":"draft"},"count":3}],"hasMore":true}}}`,
		},
		{ // one call for all authors, and one for each set of arguments
			`{ authors { items { id posts { a: aggregate { count } b: aggregate { views { max } } groups(by: {status: VALUE}, first: 1) { items { key { status } count } hasMore } } } } }`, ``, "author.list post.aggregate post.aggregate",
			`{"authors":{"items":[` +
				`{"id":"ada","posts":{"a":{"count":4},"b":{"views":{"max":80}},"groups":{"items":[{"key":{"status":"draft"},"count":1}],"hasMore":true}}},` +
				`{"id":"bob","posts":{"a":{"count":5},"b":{"views":{"max":90}},"groups":{"items":[{"key":{"status":"draft"},"count":2}],"hasMore":true}}},` +
				`{"id":"cyd","posts":{"a":{"count":0},"b":{"views":{"max":null}},"groups":{"items":[],"hasMore":false}}}]}}`,
		},
		{
			`{ posts(filter: {id: {eq: 1}}) { items { comments { aggregate { __typename count likes { __typename } } } } } }`, ``, "comment.aggregate post.list",
			`{"posts":{"items":[{"comments":{"aggregate":{"__typename":"CommentAggregate","count":2,"likes":{"__typename":"IntAggregate"}}}}]}}`,
		},
		{ // the ids are in the rows, one of them twice and one of a tag that is gone
			`{ posts(filter: {id: {lte: 4}}) { items { id tags { aggregate { count label { max } } groups(by: {label: VALUE}, first: 1) { items { key { label } } hasMore } } } } }`, ``, "post.list tag.aggregate tag.aggregate",
			`{"posts":{"items":[{"id":1,"tags":{"aggregate":{"count":2,"label":{"max":"SQL"}},"groups":{"items":[{"key":{"label":"GO"}}],"hasMore":true}}},` +
				`{"id":2,"tags":{"aggregate":{"count":2,"label":{"max":"WEB"}},"groups":{"items":[{"key":{"label":"GO"}}],"hasMore":true}}},` +
				`{"id":3,"tags":{"aggregate":{"count":1,"label":{"max":"SQL"}},"groups":{"items":[{"key":{"label":"SQL"}}],"hasMore":false}}},` +
				`{"id":4,"tags":{"aggregate":{"count":0,"label":{"max":null}},"groups":{"items":[],"hasMore":false}}}]}}`,
		},
		{
			`query($yes: Boolean!) { posts { aggregate @skip(if: $yes) { count } total @include(if: $yes) } }`, `{"yes":true}`, "post.list",
			`{"posts":{"total":9}}`,
		},
		{
			`query($yes: Boolean!) { posts { aggregate @skip(if: $yes) { count } total @include(if: $yes) } }`, `{"yes":false}`, "post.aggregate",
			`{"posts":{"aggregate":{"count":9}}}`,
		},
	} {
		calls, text := b.called(c.query, c.variables)
		if got := strings.Join(calls, " "); got != c.calls {
			t.Errorf("%s\ncalls %s, want %s", c.query, got, c.calls)
		}
		if want := `{"data":` + c.want + `}`; text != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.query, text, want)
		}
	}
}

// TestGroupPages reads groups page by page.
func TestGroupPages(t *testing.T) {
	b := newBlog(t)
	var got []string
	after := "null"
	for range 5 {
		var r struct {
			Data struct {
				Posts struct {
					Groups struct {
						Items     []struct{ Key json.RawMessage }
						HasMore   bool
						EndCursor json.RawMessage
					}
				}
			}
		}
		decode(t, b.do(`query($after: String) { posts { groups(by: {authorId: VALUE}, orderBy: {authorId: {key: DESC}}, first: 1, after: $after) { items { key { authorId } } hasMore endCursor } } }`, `{"after":`+after+`}`), &r)
		for _, g := range r.Data.Posts.Groups.Items {
			got = append(got, string(g.Key))
		}
		if after = string(r.Data.Posts.Groups.EndCursor); !r.Data.Posts.Groups.HasMore {
			break
		}
	}
	if want := `{"authorId":"bob"} {"authorId":"ada"}`; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestGroupRefusals: what groups refuse is an error at the field alone.
func TestGroupRefusals(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct{ query, code, message string }{
		{`{ posts { total groups(by: [{createdAt: DAY}], zone: "Mars") { hasMore } } }`, "VALIDATION_FAILED", "zone is no time zone; write a name such as Europe/Paris"},
		{`{ posts { total groups(by: [{status: VALUE}], first: -1) { hasMore } } }`, "VALIDATION_FAILED", "limit must be at least 0"},
		{`{ posts { total groups(by: [{status: VALUE}, {status: VALUE}]) { hasMore } } }`, "VALIDATION_FAILED", "by names status twice; a field groups once"},
		{`query { posts { total groups(by: [{status: VALUE}], after: "x") { hasMore } } }`, "VALIDATION_FAILED", "after is no cursor of post.aggregate in this order"},
		{`{ posts { total groups(by: [{status: VALUE}], orderBy: [{views: {sum: DESC, avg: ASC}}]) { hasMore } } }`, "", "must specify exactly one key"},
	} {
		var r struct {
			Data   struct{ Posts struct{ Total int } }
			Errors []struct {
				Message    string
				Path       []any
				Extensions struct{ Code string }
			}
		}
		decode(t, b.do(c.query, ""), &r)
		if len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message, c.message) || c.code != "" && (r.Errors[0].Extensions.Code != c.code || r.Data.Posts.Total != 9) {
			t.Errorf("%s: %+v", c.query, r)
		}
	}
}

// TestNumbers: a door that has aggregate and no list has a root field for its numbers alone. Both executors answer it.
func TestNumbers(t *testing.T) {
	p, err := facade.Read(fstest.MapFS{
		"entities/visit.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  page: {type: string}\n  ms: {type: integer}\nrequired: [page, ms]\n")},
		"frond.yaml":          {Data: []byte("search: {visit: {fields: {page: A}}}\ndoors: {visit: {operations: {only: [aggregate]}}}\ncollectors:\n  visit:\n    - when: user.id == \"ada\"\n    - rows: {ms: {lt: 30}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	store := storetest.NewStore()
	f, err := facade.New(storetest.Compiled(t, p), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := f.Catalog().Set.Entity("visit")
	for i := range 6 {
		record, err := f.Complete(t.Context(), e, fmt.Appendf(nil, `{"id":"v%d","page":%q,"ms":%d}`, i, []string{"home", "shop"}[i%2], 10*i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Insert(t.Context(), e, []facade.Record{record}, nil, rows.NewLayout(nil)); err != nil {
			t.Fatal(err)
		}
	}
	b := &blog{facade: f, recorder: &recorder{next: f}}
	builder := projection.NewBuilder()
	if err := projection.RegisterAll(builder, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	if b.schema, err = builder.Build(); err != nil {
		t.Fatal(err)
	}
	b.limit(t, resolvers.Limits{})
	sdl := b.schema.SDL()
	for _, want := range []string{"  visits(\n    filter: VisitFilter\n", "  ): VisitNumbers\n", "type VisitNumbers {\n", "  aggregate: VisitAggregate\n", "  groups(by: [VisitGroupsBy!]!, "} {
		if !strings.Contains(sdl, want) {
			t.Errorf("the schema lacks %q", want)
		}
	}
	for _, no := range []string{"VisitConnection", "VisitOrder", "visitAggregate"} {
		if strings.Contains(sdl, no) {
			t.Errorf("the schema has %s", no)
		}
	}
	for _, c := range []struct{ query, variables, calls, want string }{
		{`{ visits { aggregate { count ms { sum } } } }`, ``, "visit.aggregate", `{"visits":{"aggregate":{"count":3,"ms":{"sum":30}}}}`},
		{`{ visits(filter: {page: {eq: "shop"}}) { aggregate { count } } }`, ``, "visit.aggregate", `{"visits":{"aggregate":{"count":1}}}`},
		{`query($f: VisitFilter, $s: String) { visits(filter: $f, search: $s) { aggregate { count } } }`, `{"f":{"ms":{"gt":0}},"s":"home or shop"}`, "visit.aggregate", `{"visits":{"aggregate":{"count":2}}}`},
		{
			`{ visits { groups(by: [{page: VALUE}], having: {count: {gte: 2}}, orderBy: [{ms: {max: DESC}}]) { items { key { page } count } hasMore } } }`, ``, "visit.aggregate",
			`{"visits":{"groups":{"items":[{"key":{"page":"home"},"count":2}],"hasMore":false}}}`,
		},
		{`{ a: visits { aggregate { count } } b: visits(filter: {ms: {lt: 5}}) { aggregate { count } groups(by: [{page: VALUE}]) { items { count } } } }`, ``, "visit.aggregate visit.aggregate visit.aggregate", `{"a":{"aggregate":{"count":3}},"b":{"aggregate":{"count":1},"groups":{"items":[{"count":1}]}}}`},
		{`{ visits { __typename } }`, ``, "", `{"visits":{"__typename":"VisitNumbers"}}`},
		{`query($no: Boolean!) { visits { __typename aggregate @include(if: $no) { count } } }`, `{"no":false}`, "", `{"visits":{"__typename":"VisitNumbers"}}`},
	} {
		calls, text := b.called(c.query, c.variables)
		if got := strings.Join(calls, " "); got != c.calls {
			t.Errorf("%s\ncalls %s, want %s", c.query, got, c.calls)
		}
		if want := `{"data":` + c.want + `}`; text != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.query, text, want)
		}
		b.same(t, c.query, c.variables)
	}
}
