package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/store/storetest"
)

func TestFilter(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ method, filter, want string }{
		{"post.list", `{}`, "p1 p2 p3 p4 p5"},
		{"post.list", `{"status":{"eq":"draft"}}`, "p3 p5"},
		{"post.list", `{"status":{"ne":"draft"}}`, "p1 p2 p4"},
		{"post.list", `{"status":{"in":["draft","archived"]}}`, "p3 p4 p5"},
		{"post.list", `{"status":{"notIn":["draft","archived"]}}`, "p1 p2"},
		{"post.list", `{"status":{"in":[]}}`, ""},
		{"post.list", `{"status":{"notIn":[]}}`, "p1 p2 p3 p4 p5"},
		{"post.list", `{"rating":{"gte":4.75}}`, "p1 p2"},
		{"post.list", `{"rating":{"lt":4}}`, "p4 p5"},
		{"post.list", `{"rating":{"isNull":true}}`, "p3"},
		{"post.list", `{"rating":{"isNull":false},"featured":{"eq":true}}`, "p1 p5"},
		{"post.list", `{"rating":{"ne":0}}`, "p1 p2 p3 p4"}, // a null is not 0 either
		{"post.list", `{"not":{"rating":{"lt":4}}}`, "p1 p2 p3"},
		{"post.list", `{"not":{}}`, ""},
		{"post.list", `{"price":{"lte":"9.9"}}`, "p2 p4 p5"},
		{"post.list", `{"price":{"eq":"12.5"}}`, "p1"},
		{"post.list", `{"price":{"gt":"-1.50"}}`, "p1 p2 p3 p4"},
		{"post.list", `{"views":{"eq":9007199254740993}}`, "p1"},
		{"post.list", `{"views":{"eq":9007199254740992}}`, ""},
		{"post.list", `{"views":{"gt":0,"lt":2000}}`, "p2 p3"},
		{"post.list", `{"views":{"eq":7.0}}`, "p3"},
		{"post.list", `{"title":{"contains":"On"}}`, "p2"},
		{"post.list", `{"title":{"icontains":"ON"}}`, "p1 p2 p3 p5"},
		{"post.list", `{"title":{"contains":"%"}}`, "p5"},
		{"post.list", `{"keywords":{"has":"go_to"}}`, "p5"},
		{"post.list", `{"title":{"startsWith":"The"}}`, "p3"},
		{"post.list", `{"title":{"endsWith":"Numbers"}}`, "p2"},
		{"post.list", `{"title":{"gte":"O"}}`, "p2 p3"},
		{"post.list", `{"dueOn":{"lt":"2024-05-01"}}`, "p1"},
		{"post.list", `{"createdAt":{"gt":"2024-03-03T09:00:00+01:00"}}`, "p3 p5"},
		{"post.list", `{"createdAt":{"eq":"2024-03-03T08:00:00Z"}}`, "p4"},
		{"post.list", `{"publishedAt":{"isNull":false}}`, "p1 p2"},
		{"post.list", `{"or":[{"status":{"eq":"draft"}},{"rating":{"eq":3}}]}`, "p3 p4 p5"},
		{"post.list", `{"or":[]}`, ""},
		{"post.list", `{"and":[]}`, "p1 p2 p3 p4 p5"},
		{"post.list", `{"and":[{"featured":{"eq":true}},{"status":{"eq":"draft"}}]}`, "p5"},
		{"post.list", `{"author":{"name":{"startsWith":"Al"}}}`, "p2 p3"},
		{"post.list", `{"authorId":{"eq":"ada"}}`, "p1"},
		{"post.list", `{"author":{"mentor":{"name":{"eq":"Ada Lovelace"}}}}`, "p2 p3 p4"},
		{"post.list", `{"comments":{"some":{}}}`, "p1 p2 p4"},
		{"post.list", `{"comments":{"none":{}}}`, "p3 p5"},
		{"post.list", `{"comments":{"every":{"likes":{"gte":12}}}}`, "p2 p3 p4 p5"},
		{"post.list", `{"comments":{"every":{}}}`, "p1 p2 p3 p4 p5"},
		{"post.list", `{"comments":{"some":{"author":{"name":{"contains":"Turing"}}}}}`, "p1 p2"},
		{"post.list", `{"comments":{"some":{"likes":{"eq":12}},"none":{"author":{"id":{"eq":"ada"}}}}}`, "p1"},
		{"post.list", `{"tags":{"has":"t2"}}`, "p3 p5"},
		{"post.list", `{"tagIds":{"has":"t2"}}`, "p3 p5"},
		{"post.list", `{"tags":{"some":{"topic":{"eq":"history"}}}}`, "p1"},
		{"post.list", `{"tags":{"none":{}}}`, "p4"},
		{"comment.list", `{"reply":{"likes":{"gt":0}}}`, "not"},
		{"comment.list", `{"replyTo":{"likes":{"eq":12}}}`, "2 5"},
		{"comment.list", `{"replyToId":{"eq":4}}`, "5"},
		{"comment.list", `{"replyToId":{"isNull":false}}`, "2 5"},
		{"comment.list", `{"author":{}}`, "1 2 4 5 6"},
		{"comment.list", `{"not":{"author":{}}}`, "3"},
		{"author.list", `{"posts":{"some":{"comments":{"none":{}}}}}`, "alan edsger"},
		{"author.list", `{"mentees":{"some":{"name":{"contains":"Hopper"}}}}`, "ada"},
		{"author.list", `{"karma":{"gte":42}}`, "ada alan"},
	} {
		t.Run(c.method+c.filter, func(t *testing.T) {
			text, err := do(t, f, c.method, "", `{"filter":`+c.filter+`}`, "")
			if c.want == "not" {
				if kiterror.CodeOf(err) != kiterror.ValidationFailed {
					t.Errorf("got %s, %v", text, err)
				}
				return
			}
			if err != nil {
				t.Fatal(refusals(err))
			}
			if got := ids(t, text); got != c.want {
				t.Errorf("got %s want %s", got, c.want)
			}
		})
	}
}

func TestListRefuses(t *testing.T) {
	f := storetest.Facade(t)
	deep := strings.Repeat(`{"not":`, 20) + `{}` + strings.Repeat(`}`, 20)
	wide := `{"or":[` + strings.TrimSuffix(strings.Repeat(`{"featured":{"eq":true}},`, 400), ",") + `]}`
	for _, c := range []struct{ method, query, want string }{
		{"post.list", `{"filter":{"prize":{"gte":1}}}`, "/query/filter/prize unknown_key: is nothing to filter post by; did you mean price?; there is"},
		{"post.list", `{"filter":{"editorNote":{"eq":"x"}}}`, "/query/filter/editorNote unknown_key: is nothing to filter post by; there is id, slug, title, body, status, authorId, author, price, rating"},
		{"post.list", `{"filter":{"excerpt":{"eq":"x"}}}`, "/query/filter/excerpt unknown_key: is nothing to filter post by"},
		{"post.list", `{"filter":{"price":{"gte":1}}}`, `/query/filter/price/gte type: must be a decimal number in quotes, such as "12.50"`},
		{"post.list", `{"filter":{"price":10}}`, `/query/filter/price type: must be an object of operators; write {"eq": …} around the value`},
		{"post.list", `{"filter":{"rating":{"eq":null}}}`, `/query/filter/rating/eq type: must not be null, to which nothing is equal; to ask for rows without a value, write {"isNull": true}`},
		{"post.list", `{"filter":{"rating":{"in":[1,null]}}}`, `/query/filter/rating/in/1 type: must not be null, to which nothing is equal; leave it out, and ask with isNull`},
		{"post.list", `{"filter":{"rating":{"in":1}}}`, `/query/filter/rating/in type: must be a list of values`},
		{"post.list", `{"filter":{"rating":{"contains":"1"}}}`, `/query/filter/rating/contains operator: is no operator of rating; it takes eq, ne, in, notIn, lt, lte, gt, gte, isNull`},
		{"post.list", `{"filter":{"featured":{"gt":true}}}`, `/query/filter/featured/gt operator: is no operator of featured; it takes eq, ne, in, notIn, isNull`},
		{"post.list", `{"filter":{"meta":{"eq":{}}}}`, `/query/filter/meta/eq operator: is no operator of meta; it takes isNull`},
		{"post.list", `{"filter":{"title":{"like":"x"}}}`, `/query/filter/title/like unknown_key: is no operator; did you mean contains or startsWith or endsWith or icontains? title takes eq, ne, in, notIn, lt, lte, gt, gte, contains, startsWith, endsWith, icontains, isNull`},
		{"post.list", `{"filter":{"status":{"eq":"gone"}}}`, `/query/filter/status/eq type: must be one of draft, published, archived`},
		{"post.list", `{"filter":{"views":{"eq":1.5}}}`, `/query/filter/views/eq type: must be a whole number`},
		{"post.list", `{"filter":{"views":{"eq":92233720368547758080}}}`, `/query/filter/views/eq type: must be a whole number`},
		{"post.list", `{"filter":{"rating":{"eq":1e999}}}`, `/query/filter/rating/eq type: must be a number`},
		{"post.list", `{"filter":{"createdAt":{"gt":"yesterday"}}}`, `/query/filter/createdAt/gt type: must be a date and time such as 2026-01-31T12:00:00Z`},
		{"post.list", `{"filter":{"dueOn":{"gt":"2026-02-30"}}}`, `/query/filter/dueOn/gt type: must be a date such as 2026-01-31`},
		{"post.list", `{"filter":{"author":{"eq":"ada"}}}`, `/query/filter/author operator: must be a filter of author; to compare the key itself, write {"authorId": {"eq": …}}`},
		{"post.list", `{"filter":{"author":null}}`, `/query/filter/author type: must be a filter, not null; to ask for rows without one, write {"authorId": {"isNull": true}}`},
		{"post.list", `{"filter":{"author":{"password":{"eq":"x"}}}}`, `/query/filter/author/password unknown_key: is nothing to filter author by`},
		{"post.list", `{"filter":{"comments":{"any":{}}}}`, `/query/filter/comments/any unknown_key: is no operator of many rows; there is some, none, every`},
		{"post.list", `{"filter":{"comments":{"some":{"x":1}}}}`, `/query/filter/comments/some/x unknown_key: is nothing to filter comment by`},
		{"post.list", `{"filter":{"or":{}}}`, `/query/filter/or type: must be a list of filters`},
		{"post.list", `{"filter":[]}`, `/query/filter type: must be a filter, an object such as {"name": {"eq": "…"}}`},
		{"post.list", `{"filter":` + deep + `}`, "depth: is nested deeper than 12 levels; ask for less at once"},
		{"post.list", `{"filter":` + wide + `}`, "size: is past the 300 conditions a filter may have; ask for less at once"},
		{"post.list", `{"filter":{"a/b~c":{}}}`, "/query/filter/a~1b~0c unknown_key: is nothing to filter post by"},
		{"post.list", `{"sort":"-prize"}`, "/query/sort unknown_key: names prize, which post cannot be sorted by; did you mean price?; there is id, slug"},
		{"post.list", `{"sort":"price:desc"}`, "/query/sort unknown_key: names price:desc, which post cannot be sorted by; write -price"},
		{"post.list", `{"sort":"id,price asc"}`, "/query/sort unknown_key: names price asc, which post cannot be sorted by; write price"},
		{"post.list", `{"sort":"price.DESC"}`, "/query/sort unknown_key: names price.DESC, which post cannot be sorted by; write -price"},
		{"post.list", `{"sort":"editorNote.desc"}`, "/query/sort unknown_key: names editorNote.desc, which post cannot be sorted by: post has no editorNote; there is author"},
		{"post.list", `{"price":"5"}`, "/query/price unknown_key: is not a key of post.list; write filter[price] to filter by the field"},
		{"post.list", `{"editorNote":"5"}`, "/query/editorNote unknown_key: is not a key of post.list; there is filter"},
		{"post.list", `{"sort":"editorNote"}`, "/query/sort unknown_key: names editorNote, which post cannot be sorted by; there is id"},
		{"post.list", `{"sort":"author.password"}`, "/query/sort unknown_key: names author.password, which post cannot be sorted by: author has no password; there is id"},
		{"post.list", `{"sort":"author.nothing"}`, "/query/sort unknown_key: names author.nothing, which post cannot be sorted by: author has no nothing; there is id"},
		{"post.list", `{"sort":"authr.name"}`, "/query/sort unknown_key: names authr.name, which post cannot be sorted by: post has no authr; did you mean author?; there is author"},
		{"post.list", `{"sort":"comments"}`, "/query/sort unknown_key: names comments, which post cannot be sorted by; there is id"},
		{"post.list", `{"sort":"comments.text"}`, "/query/sort operator: names comments.text, which leads to many rows; write comments.count, or a function behind a field, such as avg"},
		{"post.list", `{"sort":"comments.text.avg"}`, "/query/sort operator: names comments.text.avg, which has no avg; it has countDistinct, min, max"},
		{"post.list", `{"sort":"comments.count,-comments.count"}`, "/query/sort uniqueItems: names comments.count twice; leave the second one out"},
		{"post.list", `{"filter":{"comments":{"avg":{"text":{"eq":1}}}}}`, "/query/filter/comments/avg/text operator: has no avg; it has countDistinct, min, max"},
		{"post.list", `{"filter":{"comments":{"avg":{"x":{"eq":1}}}}}`, "/query/filter/comments/avg/x unknown_key: is nothing to filter comment by"},
		{"post.list", `{"filter":{"comments":{"avg":1}}}`, "/query/filter/comments/avg type: must be an object of fields"},
		{"post.list", `{"filter":{"comments":{"count":{"gte":"x"}}}}`, "/query/filter/comments/count/gte type: must be a whole number"},
		{"post.list", `{"filter":{"comments":{"count":{"contains":1}}}}`, "/query/filter/comments/count/contains operator: is no operator of comments.count; it takes eq, ne"},
		{"post.list", `{"sort":"meta"}`, "/query/sort operator: names meta, whose values have no order"},
		{"post.list", `{"sort":"title,-title"}`, "/query/sort uniqueItems: names title twice; leave the second one out"},
		{"post.list", `{"sort":{"title":"asc"}}`, `/query/sort type: must be names of fields, such as "-createdAt,title" or ["-createdAt", "title"]`},
		{"post.list", `{"limit":-1}`, "/query/limit minimum: must be at least 0"},
		{"post.list", `{"limit":1.5}`, "/query/limit type: must be a whole number"},
		{"post.list", `{"limit":"5"}`, "/query/limit type: must be a whole number"},
		{"post.list", `{"offset":-1}`, "/query/offset minimum: must be at least 0"},
		{"post.list", `{"total":"no"}`, "/query/total type: must be true or false"},
		{"post.list", `{"count":"about"}`, "/query/count enum: must be exact, estimated, none, true or false"},
		{"post.list", `{"count":1}`, "/query/count enum: must be exact, estimated, none, true or false"},
		{"post.list", `{"count":"none","total":true}`, "/query/count exclusive: cannot stand beside total; send one of them"},
		{"post.list", `{"fields":"id,editorNote"}`, "/query/fields/1 unknown_key: names editorNote, which post does not have; there is id"},
		{"post.list", `{"fields":5}`, `/query/fields type: must be names of fields, such as "id,title" or ["id", "title"]`},
		{"post.list", `{"page":2}`, "/query/page unknown_key: is not a key of post.list; there is filter, sort, limit, after, before, backward, offset, fields, total"},
		{"post.list", `{"after":"x","before":"y"}`, "/query/after cursor: is no cursor of post.list in this order; send the endCursor of a page with the same sort, or leave it out to start at the beginning\n/query/before cursor: is no cursor"},
		{"post.list", `{"after":""}`, "/query/after cursor: is empty and no cursor; leave it out to read from the beginning"},
		{"post.list", `{"after":"","before":""}`, "/query/after cursor: is empty and no cursor; leave it out to read from the beginning"},
		{"post.list", `{"backward":"yes"}`, "/query/backward type: must be true or false"},
		{"post.list", `{"backward":true,"offset":1}`, "/query/offset exclusive: counts from the beginning and cannot stand beside backward; send one of them"},
		{"post.list", `{"after":"x","offset":1}`, "/query/offset exclusive: cannot be combined with a cursor; send one of them"},
		{"post.list", `{"after":"x"}`, "/query/after cursor: is no cursor of post.list in this order; send the endCursor of a page with the same sort, or leave it out to start at the beginning"},
		{"post.list", `{"after":5}`, "/query/after type: must be a cursor: the endCursor of a page of this list"},
		{"post.list", `[]`, "/query type: must be an object"},
		{"post.list", `{"limit":-1,"sort":"x","filter":{"y":{}}}`, "/query/limit minimum: must be at least 0\n/query/sort unknown_key"},
	} {
		t.Run(c.query[:min(60, len(c.query))], func(t *testing.T) {
			text, err := do(t, f, c.method, "", c.query, "")
			if kiterror.CodeOf(err) != kiterror.ValidationFailed && kiterror.CodeOf(err) != "" || err == nil {
				t.Fatalf("got %s, %v", text, err)
			}
			if got := refusals(err); !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// However much is wrong with a call, an answer names a hundred things.
func TestRefusalsEnd(t *testing.T) {
	f := storetest.Facade(t)
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, `,"k%d":{}`, i)
	}
	many := "{" + keys.String()[1:] + "}"
	for _, c := range []struct{ query, body string }{
		{many, ""}, {`{"filter":` + many + `}`, ""}, {"", many},
	} {
		method := "post.list"
		if c.body != "" {
			method = "post.create"
		}
		_, err := do(t, f, method, "", c.query, c.body)
		if n := strings.Count(refusals(err), "\n") + 1; n != 100 {
			t.Errorf("%d refusals", n)
		}
	}
}

func TestListShape(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ name, query, want string }{
		{"fields in the card's order", `{"fields":"status,id","limit":1}`, `{"items":[{"id":"p1","status":"published"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"a list of fields", `{"fields":["slug"],"limit":1}`, `{"items":[{"slug":"notes-on-the-engine"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"a computed field alone", `{"fields":"excerpt","limit":2,"sort":"-id"}`, `{"items":[{"excerpt":"For a number"},{"excerpt":null}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"not counted", `{"fields":"id","total":false,"limit":5}`, `{"items":[{"id":"p1"},{"id":"p2"},{"id":"p3"},{"id":"p4"},{"id":"p5"}],"total":-1,"hasMore":false,"endCursor":"…"}`},
		{"no count", `{"fields":"id","count":"none","limit":1}`, `{"items":[{"id":"p1"}],"total":-1,"hasMore":true,"endCursor":"…"}`},
		{"no count, as others say it", `{"fields":"id","count":false,"limit":1}`, `{"items":[{"id":"p1"}],"total":-1,"hasMore":true,"endCursor":"…"}`},
		{"an exact count", `{"fields":"id","count":"exact","limit":1}`, `{"items":[{"id":"p1"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"a count", `{"fields":"id","count":true,"limit":1}`, `{"items":[{"id":"p1"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"an estimate of few rows", `{"fields":"id","count":"estimated","limit":1}`, `{"items":[{"id":"p1"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"none but the total", `{"limit":0}`, `{"items":[],"total":5,"hasMore":true,"endCursor":null}`},
		{"past the end", `{"offset":9}`, `{"items":[],"total":5,"hasMore":false,"endCursor":null}`},
		{
			"a null is as good as nothing", `{"filter":null,"sort":null,"limit":null,"after":null,"offset":null,"total":null,"fields":["id"]}`,
			`{"items":[{"id":"p1"},{"id":"p2"},{"id":"p3"},{"id":"p4"},{"id":"p5"}],"total":5,"hasMore":false,"endCursor":"…"}`,
		},
		{"total is of the filter, whatever the page", `{"filter":{"status":{"eq":"draft"}},"limit":1,"fields":"id"}`, `{"items":[{"id":"p3"}],"total":2,"hasMore":true,"endCursor":"…"}`},
		{"the empty before is the end", `{"before":"","limit":2,"fields":"id"}`, `{"items":[{"id":"p4"},{"id":"p5"}],"total":5,"hasMore":false,"endCursor":"…"}`},
		{"backward without a cursor too", `{"backward":true,"limit":2,"fields":"id"}`, `{"items":[{"id":"p4"},{"id":"p5"}],"total":5,"hasMore":false,"endCursor":"…"}`},
		{"not backward before the end", `{"before":"","backward":false,"limit":2,"fields":"id"}`, `{"items":[{"id":"p1"},{"id":"p2"}],"total":5,"hasMore":true,"endCursor":"…"}`},
		{"no field at all", `{"fields":[],"limit":1}`, `{"items":[{}],"total":5,"hasMore":true,"endCursor":"…"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := must(t, f, "post.list", "", c.query, "")
			if at := strings.Index(text, `"endCursor":"`); at >= 0 {
				text = text[:at] + `"endCursor":"…"}`
			}
			if text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestListLimits(t *testing.T) {
	p := storetest.Project(t)
	for _, f := range p.Fronds {
		if f.Name == "people" {
			f.Config = project.Text{File: "frond.yaml", Data: []byte("doors: {author: {list: {default: 1, max: 2}}}")}
		}
	}
	compiled, err := compile.Project(p, &compile.Options{List: project.ListLimits{Default: 3, Max: 4}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seed.Write(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, query, want string }{
		{"author.list", `{}`, "ada"},
		{"author.list", `{"limit":50}`, "ada alan"},
		{"post.list", `{}`, "p1 p2 p3"},
		{"post.list", `{"limit":9}`, "p1 p2 p3 p4"},
	} {
		if got := ids(t, must(t, f, c.method, "", c.query, "")); got != c.want {
			t.Errorf("%s %s: got %s want %s", c.method, c.query, got, c.want)
		}
	}
}

// Walking all pages in any order, in either direction, with any page size, meets
// every row once and in order: nothing is skipped and nothing repeated.
func TestPagesMeetEveryRowOnce(t *testing.T) {
	f := storetest.Facade(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		likes, author, reply := rnd.IntN(4), "null", "null"
		if rnd.IntN(3) > 0 {
			author = []string{`"ada"`, `"alan"`, `"grace"`}[rnd.IntN(3)]
		}
		if rnd.IntN(2) == 0 {
			reply = fmt.Sprint(1 + rnd.IntN(6))
		}
		must(t, f, "comment.create", "", "", fmt.Sprintf(`{"id":%d,"postId":"p%d","authorId":%s,"replyTo":%s,"text":"t%d","likes":%d,"at":"2024-01-0%dT00:00:00Z"}`,
			100+i, 1+rnd.IntN(5), author, reply, rnd.IntN(3), likes, 1+rnd.IntN(3)))
	}
	keys := []string{"likes", "authorId", "replyTo", "text", "at", "postId", "id"}
	for range 150 {
		rnd.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		var sort []string
		for _, k := range keys[:rnd.IntN(4)] {
			sort = append(sort, []string{"", "-"}[rnd.IntN(2)]+k)
		}
		query := fmt.Sprintf(`"sort":%q,"fields":"id","total":false`, strings.Join(sort, ","))
		if rnd.IntN(2) == 0 {
			query += `,"filter":{"likes":{"gte":1}}`
		}
		whole := ids(t, must(t, f, "comment.list", "", "{"+query+`,"limit":500}`, ""))
		limit := 1 + rnd.IntN(20)

		var forward []string
		page := facade.List[struct{ ID int }]{HasMore: true}
		for after := `null`; page.HasMore; after = fmt.Sprintf("%q", page.EndCursor) {
			text := must(t, f, "comment.list", "", fmt.Sprintf(`{%s,"limit":%d,"after":%s}`, query, limit, after), "")
			page = facade.List[struct{ ID int }]{}
			if err := json.Unmarshal([]byte(text), &page); err != nil {
				t.Fatal(err)
			}
			forward = append(forward, ids(t, text))
		}
		if got := strings.TrimSpace(strings.Join(forward, " ")); got != whole {
			t.Fatalf("%s, pages of %d forward\n%s\nwhole\n%s", query, limit, got, whole)
		}

		var backward []string
		more := true
		for before := ""; more; {
			res, err := f.Call(t.Context(), &facade.Call{
				Entity: "comment", Operation: "list", Cursors: true,
				Invocation: facade.Invocation{Query: raw(fmt.Sprintf(`{%s,"limit":%d,"before":%q}`, query, limit, before))},
			})
			if err != nil {
				t.Fatal(err)
			}
			if before != "" != res.HasMore {
				t.Fatalf("reading backward, hasMore is %v before %q", res.HasMore, before)
			}
			backward = append([]string{ids(t, string(res.AppendJSON(nil)))}, backward...)
			if more = res.HasPrevious; more {
				before = res.Cursors[0]
			}
		}
		if got := strings.TrimSpace(strings.Join(backward, " ")); got != whole {
			t.Fatalf("%s, pages of %d backward\n%s\nwhole\n%s", query, limit, got, whole)
		}
	}
}

// TestRanges: of the rows behind after and before before, limit takes the first, or
// with backward the last. More says whether the range has others in the direction of
// reading, and against it whether rows lie outside.
func TestRanges(t *testing.T) {
	f := storetest.Facade(t)
	res, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Cursors: true, Invocation: facade.Invocation{Query: raw(`{"sort":"-id"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]string{} // p5 p4 p3 p2 p1
	for i, cursor := range res.Cursors {
		at[fmt.Sprintf("p%d", 5-i)] = cursor
	}
	for _, c := range []struct {
		query          string
		want           string
		more, previous bool
	}{
		{`"after":"p5","before":"p1"`, "p4 p3 p2", false, true},
		{`"after":"p5","before":"p1","limit":3`, "p4 p3 p2", false, true},
		{`"after":"p5","before":"p1","limit":2`, "p4 p3", true, true},
		{`"after":"p5","before":"p1","limit":0`, "", true, true},
		{`"after":"p5","before":"p1","limit":2,"backward":false`, "p4 p3", true, true},
		{`"after":"p5","before":"p1","limit":2,"backward":true`, "p3 p2", true, true},
		{`"after":"p5","before":"p1","limit":3,"backward":true`, "p4 p3 p2", true, false},
		{`"after":"p4","before":"p3"`, "", false, true},
		{`"after":"p2","before":"p4"`, "", false, true},
		{`"after":"p2","before":"p4","backward":true`, "", true, false},
		{`"before":"p2","limit":2`, "p4 p3", true, true},
		{`"before":"p2","limit":2,"backward":false`, "p5 p4", true, false},
		{`"before":"p2","limit":3,"backward":false`, "p5 p4 p3", false, false},
		{`"after":"p4","limit":2`, "p3 p2", true, true},
		{`"after":"p4","limit":2,"backward":true`, "p2 p1", false, true},
		{`"after":"p4","limit":3,"backward":true`, "p3 p2 p1", false, false},
		{`"after":"p4","before":"","limit":2,"backward":true`, "p2 p1", false, true},
		{`"after":"p4","before":"","limit":2`, "p3 p2", true, true},
	} {
		query := c.query
		for id, cursor := range at {
			query = strings.ReplaceAll(query, `"`+id+`"`, `"`+cursor+`"`)
		}
		res, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Behind: true, Invocation: facade.Invocation{Query: raw(`{"sort":"-id",` + query + `}`)}})
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if got := ids(t, string(res.AppendJSON(nil))); got != c.want || res.HasMore != c.more || res.HasPrevious != c.previous || res.Total != 5 {
			t.Errorf("%s: %q of %d, more %v, previous %v; want %q of 5, %v, %v", c.query, got, res.Total, res.HasMore, res.HasPrevious, c.want, c.more, c.previous)
		}
	}
}

func TestEach(t *testing.T) {
	f := storetest.Facade(t)
	keys := func(texts ...string) (out []json.RawMessage) {
		for _, k := range texts {
			out = append(out, raw(k))
		}
		return out
	}
	for _, c := range []struct {
		name string
		call facade.Call
		want string
	}{
		{
			"one row for many ids",
			facade.Call{
				Entity: "tag", Operation: "findById", Select: []string{"id"},
				Each: &facade.Each{Field: "id", Keys: keys(`"t3"`, `"t9"`, `"t1"`, `"t3"`, `null`, `7`)},
			},
			`[{"id":"t3"},null,{"id":"t1"},{"id":"t3"},null,null]`,
		},
		{
			"a page for many parents",
			facade.Call{
				Entity: "comment", Operation: "list", Select: []string{"id"},
				Each:       &facade.Each{Field: "postId", Keys: keys(`"p1"`, `"p3"`, `"p2"`, `"p1"`, `null`)},
				Invocation: facade.Invocation{Query: raw(`{"limit":2,"sort":"-likes"}`)},
			},
			`[{"items":[{"id":1},{"id":2}],"total":3,"hasMore":true,"endCursor":"…"},` +
				`{"items":[],"total":0,"hasMore":false,"endCursor":null},` +
				`{"items":[{"id":5},{"id":4}],"total":2,"hasMore":false,"endCursor":"…"},` +
				`{"items":[{"id":1},{"id":2}],"total":3,"hasMore":true,"endCursor":"…"},` +
				`{"items":[],"total":0,"hasMore":false,"endCursor":null}]`,
		},
		{
			"with a filter of its own",
			facade.Call{
				Entity: "comment", Operation: "list", Select: []string{"id"},
				Each:       &facade.Each{Field: "postId", Keys: keys(`"p1"`)},
				Invocation: facade.Invocation{Query: raw(`{"filter":{"likes":{"gt":3}},"total":false}`)},
			},
			`[{"items":[{"id":1}],"total":-1,"hasMore":false,"endCursor":"…"}]`,
		},
		{"no keys", facade.Call{Entity: "comment", Operation: "list", Each: &facade.Each{Field: "postId"}}, `[]`},
		{
			"computed once for all",
			facade.Call{
				Entity: "post", Operation: "findById", Select: []string{"excerpt"},
				Each: &facade.Each{Field: "id", Keys: keys(`"p1"`, `"p4"`)},
			},
			`[{"excerpt":"The Analytical Engine"},{"excerpt":null}]`,
		},
		{"by a field that is no key", facade.Call{Entity: "post", Operation: "findById", Each: &facade.Each{Field: "slug"}}, "VALIDATION_FAILED"},
		{"by a field nobody reads", facade.Call{Entity: "post", Operation: "list", Each: &facade.Each{Field: "editorNote"}}, "VALIDATION_FAILED"},
		{"what is not batched", facade.Call{Entity: "post", Operation: "delete", Each: &facade.Each{Field: "id"}}, "BAD_REQUEST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := f.Call(t.Context(), &c.call)
			var text string
			if err != nil {
				text = string(kiterror.CodeOf(err))
			} else {
				text = string(res.AppendJSON(nil))
			}
			text = masked(text)
			if text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

// masked is a text with its cursors made equal.
func masked(text string) string {
	const head = `"endCursor":"`
	parts := strings.Split(text, head)
	for i := 1; i < len(parts); i++ {
		parts[i] = "…" + parts[i][strings.IndexByte(parts[i], '"'):]
	}
	return strings.Join(parts, head)
}

// The store is asked once, whatever the number of keys, and for no column that is
// not read.
func TestOneExecutionForAllKeys(t *testing.T) {
	store := &counting{Store: storetest.NewStore()}
	f := storetest.New(t, storetest.Project(t), store, nil)
	store.finds = nil
	var keys []json.RawMessage
	for i := range 100 {
		keys = append(keys, raw(fmt.Sprintf(`"p%d"`, i%7)))
	}
	if _, err := f.Call(t.Context(), &facade.Call{
		Entity: "post", Operation: "findById", Select: []string{"title"},
		Each: &facade.Each{Field: "id", Keys: keys},
	}); err != nil {
		t.Fatal(err)
	}
	if len(store.finds) != 1 {
		t.Fatalf("%d trips", len(store.finds))
	}
	q := store.finds[0]
	if len(q.Each.Values) != 7 {
		t.Errorf("%d keys were asked for, 7 are distinct", len(q.Each.Values))
	}
	if got := strings.Join(q.Select.Fields, " "); got != "title" {
		t.Errorf("selected %s", got)
	}
	before := q.Select
	if _, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Select: []string{"title"}}); err != nil {
		t.Fatal(err)
	}
	if store.finds[1].Select != before {
		t.Error("the layout of a selection is made anew for every call")
	}
}

// counting remembers what it was asked.
type counting struct {
	facade.Store
	finds []*facade.Find
}

func (s *counting) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	s.finds = append(s.finds, q)
	return s.Store.Find(ctx, q)
}
