package resolvers_test

import (
	"encoding/json"
	"testing"
)

// TestCompletion: what leaves fits its type (specification 6.4.3), and what does
// not is null at the nearest place that may be (6.4.4), with one error per place.
func TestCompletion(t *testing.T) {
	s := newBlog(t).schema
	for _, c := range []struct {
		name  string
		rows  fake
		query string
		want  string
	}{
		{
			"keys stand in the order of the selection",
			fake{"post": `[{"title":"T","id":1}]`},
			`{ post(id: 1) { title id __typename t: title } }`,
			`{"data":{"post":{"title":"T","id":1,"__typename":"Post","t":"T"}}}`,
		},
		{
			"merged fields stand where the key came first",
			fake{"author": `[{"id":"a","name":"N","address":{"street":"S","zip":"Z","geo":{"lat":1,"lon":2}}}]`},
			`{ author(id: "a") { address { street } name ...f address { zip geo { lat } } } } fragment f on Author { id address { geo { lon } } }`,
			`{"data":{"author":{"address":{"street":"S","geo":{"lon":2,"lat":1},"zip":"Z"},"name":"N","id":"a"}}}`,
		},
		{
			"an absent column that may be null",
			fake{"post": `[{"id":1}]`},
			`{ post(id: 1) { id body } }`,
			`{"data":{"post":{"id":1,"body":null}}}`,
		},
		{
			"an absent column that may not",
			fake{"post": `[{"id":1}]`},
			`{ post(id: 1) { id title } }`,
			`{"data":{"post":null},"errors":[{"message":"Cannot return null for non-nullable field Post.title.","locations":[{"line":1,"column":20}],"path":["post","title"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"null in a required place of a list's item takes the page along, and its neighbour stands",
			fake{"tag": `[]`, "post": `[{"id":1,"title":"a"},{"id":2,"title":null}]`},
			`{ tags { total } posts { items { title } } }`,
			`{"data":{"tags":{"total":0},"posts":null},"errors":[{"message":"Cannot return null for non-nullable field Post.title.","locations":[{"line":1,"column":34}],"path":["posts","items",1,"title"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"one error, though two fields break",
			fake{"post": `[{"id":1,"title":null,"status":null}]`},
			`{ post(id: 1) { status title } }`,
			`{"data":{"post":null},"errors":[{"message":"Cannot return null for non-nullable field Post.status.","locations":[{"line":1,"column":17}],"path":["post","status"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"a nested object ends at the nearest null",
			fake{"author": `[{"id":"a","address":{"street":null}}]`},
			`{ author(id: "a") { id address { street } } }`,
			`{"data":{"author":{"id":"a","address":null}},"errors":[{"message":"Cannot return null for non-nullable field AuthorAddress.street.","locations":[{"line":1,"column":34}],"path":["author","address","street"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"and in a nested object of it",
			fake{"author": `[{"id":"a","address":{"street":"S","geo":{"lat":1}}}]`},
			`{ author(id: "a") { address { street geo { lat lon } } } }`,
			`{"data":{"author":{"address":{"street":"S","geo":null}}},"errors":[{"message":"Cannot return null for non-nullable field AuthorAddressGeo.lon.","locations":[{"line":1,"column":48}],"path":["author","address","geo","lon"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"a list's item that may not be null",
			fake{"post": `[{"id":1,"words":["a",null]}]`},
			`{ post(id: 1) { words } }`,
			`{"data":{"post":null},"errors":[{"message":"Cannot return null for non-nullable field Post.words.","locations":[{"line":1,"column":17}],"path":["post","words",1],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"a list that is none",
			fake{"post": `[{"id":1,"words":"a"}]`},
			`{ post(id: 1) { words } }`,
			`{"data":{"post":null},"errors":[{"message":"Expected a list for field Post.words, and found none.","locations":[{"line":1,"column":17}],"path":["post","words"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"lists in lists",
			fake{"post": `[{"id":1,"grid":[[1,2],[],[3]]}]`},
			`{ post(id: 1) { grid } }`,
			`{"data":{"post":{"grid":[[1,2],[],[3]]}}}`,
		},
		{
			"an object that is none",
			fake{"author": `[{"id":"a","address":"S"}]`},
			`{ author(id: "a") { address { street } } }`,
			`{"data":{"author":{"address":null}},"errors":[{"message":"Expected an object for field Author.address, and found none.","locations":[{"line":1,"column":21}],"path":["author","address"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"a row that a relation does not find",
			fake{"post": `[{"id":1,"authorId":"x"}]`, "author": `[]`},
			`{ post(id: 1) { author { name } } }`,
			`{"data":{"post":{"author":null}}}`,
		},
		{
			"a relation that breaks below ends there, for each parent",
			fake{"post": `[{"id":1,"authorId":"x"},{"id":2,"authorId":"x"}]`, "author": `[{"id":"x"}]`},
			`{ posts { items { id author { name } } } }`,
			`{"data":{"posts":{"items":[{"id":1,"author":null},{"id":2,"author":null}]}},"errors":[{"message":"Cannot return null for non-nullable field Author.name.","locations":[{"line":1,"column":31}],"path":["posts","items",0,"author","name"],"extensions":{"code":"INTERNAL_ERROR"}},{"message":"Cannot return null for non-nullable field Author.name.","locations":[{"line":1,"column":31}],"path":["posts","items",1,"author","name"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"a batch that fails is an error at each parent",
			fake{"post": `[{"id":1,"authorId":"x"},{"id":2,"authorId":"y"}]`, "author.findById": "fails"},
			`{ posts { items { id author { name } } } }`,
			`{"data":{"posts":{"items":[{"id":1,"author":null},{"id":2,"author":null}]}},"errors":[{"message":"author.findById fails","locations":[{"line":1,"column":22}],"path":["posts","items",0,"author"],"extensions":{"code":"CONFLICT","entity":"author","operation":"findById"}},{"message":"author.findById fails","locations":[{"line":1,"column":22}],"path":["posts","items",1,"author"],"extensions":{"code":"CONFLICT","entity":"author","operation":"findById"}}]}`,
		},
		{
			"a row that fails leaves the other root fields",
			fake{"post.findById": "fails", "tag": `[]`},
			`{ post(id: 1) { id } tags { items { id } } }`,
			`{"data":{"post":null,"tags":{"items":[]}},"errors":[{"message":"post.findById fails","locations":[{"line":1,"column":3}],"path":["post"],"extensions":{"code":"CONFLICT","entity":"post","operation":"findById"}}]}`,
		},
		{
			"so does a page",
			fake{"post.list": "fails", "tag": `[]`},
			`{ tags { total } p: posts { total } }`,
			`{"data":{"tags":{"total":0},"p":null},"errors":[{"message":"post.list fails","locations":[{"line":1,"column":18}],"path":["p"],"extensions":{"code":"CONFLICT","entity":"post","operation":"list"}}]}`,
		},
		{
			"an alias is the key of the path",
			fake{"post": `[{"id":1}]`},
			`{ p: post(id: 1) { t: title } }`,
			`{"data":{"p":null},"errors":[{"message":"Cannot return null for non-nullable field Post.title.","locations":[{"line":1,"column":20}],"path":["p","t"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"every place of a merged field is told",
			fake{"post": `[{"id":1}]`},
			"{ post(id: 1) { title\n title } }",
			`{"data":{"post":null},"errors":[{"message":"Cannot return null for non-nullable field Post.title.","locations":[{"line":1,"column":17},{"line":2,"column":2}],"path":["post","title"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"a view that came as a value",
			fake{"post.latest": `[{"id":1,"title":"T","authorId":"a","more":[1]}]`, "author": `[{"id":"a","name":"N"}]`},
			`{ postLatest(n: 1) { title author { name } } }`,
			`{"data":{"postLatest":[{"title":"T","author":{"name":"N"}}]}}`,
		},
		{
			"a page that came as a value",
			fake{"post.hot": `{"items":[{"id":1}],"total":7,"hasMore":true,"endCursor":"c"}`},
			`{ postHot { items { id } total hasMore endCursor } }`,
			`{"data":{"postHot":{"items":[{"id":1}],"total":7,"hasMore":true,"endCursor":"c"}}}`,
		},
		{
			"a row that came as null",
			fake{"post.byTitle": `null`},
			`{ postByTitle(title: "x") { id } }`,
			`{"data":{"postByTitle":null}}`,
		},
		{
			"rows that are none",
			fake{"post.latest": `[1]`},
			`{ postLatest(n: 1) { id } }`,
			`{"data":{"postLatest":null},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":3}],"path":["postLatest"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"JSON as it is",
			fake{"post.ping": `{"a": [1, {"b":null}],"é":"\u00e9"}`},
			`{ postPing }`,
			`{"data":{"postPing":{"a": [1, {"b":null}],"é":"\u00e9"}}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := untraced(faked(t, s, c.rows, c.query, ""))
			if !json.Valid([]byte(got)) {
				t.Fatalf("%s is no JSON", got)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLeaves: every scalar lets out what it stands for, and nothing else.
func TestLeaves(t *testing.T) {
	s := newBlog(t).schema
	for _, c := range []struct {
		field, value string
		want         string // "" where it is refused
	}{
		{"views", `0`, `0`},
		{"views", `-7`, `-7`},
		{"views", `2147483647`, `2147483647`},
		{"views", `-2147483648`, `-2147483648`},
		{"views", `2147483648`, ``},
		{"views", `-2147483649`, ``},
		{"views", `3.0`, `3`},
		{"views", `1e3`, `1000`},
		{"views", `1.5`, ``},
		{"views", `"1"`, ``},
		{"views", `true`, ``},
		{"views", `[1]`, ``},
		{"title", `"a \"b\" \u0000"`, `"a \"b\" \u0000"`},
		{"title", `7`, ``},
		{"title", `{}`, ``},
		{"status", `"live"`, `"live"`},
		{"status", `"liv\u0065"`, `"live"`},
		{"status", `"LIVE"`, ``},
		{"status", `1`, ``},
		{"createdAt", `"2024-01-01T00:00:00.000Z"`, `"2024-01-01T00:00:00.000Z"`},
		{"authorId", `"a"`, `"a"`},
		{"authorId", `7`, `"7"`},
		{"authorId", `7.5`, ``},
		{"authorId", `false`, ``},
	} {
		t.Run(c.field+" "+c.value, func(t *testing.T) {
			got := faked(t, s, fake{"post": `[{"id":1,"` + c.field + `":` + c.value + `}]`}, `{ post(id: 1) { v: `+c.field+` } }`, "")
			want := `{"data":{"post":{"v":` + c.want + `}}}`
			if c.want != "" && got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if c.want == "" {
				var r struct {
					Data   map[string]any
					Errors []struct {
						Message string
						Path    []any
					}
				}
				decode(t, got, &r)
				if r.Data["post"] != nil || len(r.Errors) != 1 || len(r.Errors[0].Path) != 2 {
					t.Errorf("got %s, want an error at post.v", got)
				}
			}
		})
	}
	for _, c := range []struct{ field, value, want string }{
		{"fans", `9007199254740993`, `9007199254740993`},
		{"rating", `1.5e-7`, `1.5e-7`},
		{"settings", `{"a":[1]}`, `{"a":[1]}`},
	} {
		got := faked(t, s, fake{"author": `[{"id":"a","` + c.field + `":` + c.value + `}]`}, `{ author(id: "a") { v: `+c.field+` } }`, "")
		if want := `{"data":{"author":{"v":` + c.want + `}}}`; got != want {
			t.Errorf("%s: got %s, want %s", c.field, got, want)
		}
	}
}
