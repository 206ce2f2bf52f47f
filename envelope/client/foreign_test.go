package client_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// foreign is a host of another make: its document, and what it answers to a method.
// It keeps the params of every frame it was sent.
type foreign struct {
	document string
	results  map[string]string // by method
	asked    []string          // method, a space, params
}

func (f *foreign) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := func(frame []byte) string {
		method := jsontext.Unquote(jsontext.Get(frame, "method"))
		if method == envelope.Discover {
			return `{"jsonrpc":"2.0","id":` + idIn(string(frame)) + `,"result":` + f.document + `}`
		}
		f.asked = append(f.asked, method+" "+string(jsontext.Get(frame, "params")))
		result, known := f.results[method]
		if !known {
			return `{"jsonrpc":"2.0","id":` + idIn(string(frame)) + `,"error":{"code":-32601,"message":"Method not found"}}`
		}
		return `{"jsonrpc":"2.0","id":` + idIn(string(frame)) + `,"result":` + result + `}`
	}
	text := ""
	if jsontext.KindOf(body) == jsontext.Array {
		var all []string
		for _, frame := range jsontext.Elements(body) {
			all = append(all, answer(frame))
		}
		text = "[" + strings.Join(all, ",") + "]"
	} else {
		text = answer(body)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(strings.NewReader(text))}, nil
}

// met is a remote that has read the host's document.
func (f *foreign) met(t testing.TB, opts *client.Options) *client.Remote {
	t.Helper()
	if opts == nil {
		opts = &client.Options{}
	}
	opts.Transport = f
	r := remote(t, "http://host", opts)
	if f.document != "" {
		if _, err := r.Discover(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func invocation(query string) facade.Invocation {
	if query == "" {
		return facade.Invocation{}
	}
	return facade.Invocation{Query: json.RawMessage(query)}
}

// What is sent to a host is what its document says it takes, spelled as it spells it.
func TestFramesSent(t *testing.T) {
	const (
		card  = `{"type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"title":{"type":"string"},"body":{"type":"string"}}}`
		list  = `{"type":"object","properties":{"filter":{"type":"object"},"limit":{"type":"integer"},"fields":{"type":"array"}}}`
		plain = `{"fronds":[{"name":"blog","doors":[{"name":"Post","ops":[{"name":"list","kind":"query"},{"name":"findById","kind":"query"}]}]}],"more":1}`
		full  = `{"x-kit-version":1,"fronds":[{"name":"blog","doors":[{"name":"poST","schema":` + card + `,"ops":[
			{"name":"list","kind":"query","input":` + list + `,"extra":{}},{"name":"findById","kind":"query","query":` + list + `}]}],"facts":[]}]}`
	)
	filtered := strings.Replace(full, `"limit":{"type":"integer"},`, "", 1) // its list takes no limit
	page := `{"items":[{"id":"a","title":"t"}],"total":1,"hasMore":false,"endCursor":null}`
	for _, c := range []struct {
		name     string
		document string
		call     facade.Call
		want     string // what was asked; or the failure
	}{
		{"as it was called, where nothing is known", "", facade.Call{Entity: "POST", Operation: "nothing"}, `POST.nothing {}`},
		{"the document's spelling", plain, facade.Call{Entity: "post", Operation: "findById"}, `Post.findById {}`},
		{"a method the document does not name", plain, facade.Call{Entity: "post", Operation: "nothing"}, `post.nothing {}`},
		{"a list without a card takes limit alone", plain, facade.Call{Entity: "post", Operation: "list", Invocation: invocation(`{"limit":3,"total":false,"after":null}`)}, `Post.list {"query":{"limit":3}}`},
		{"and nothing else", plain, facade.Call{Entity: "post", Operation: "list"}, `Post.list {}`},
		{
			"what would answer other rows is refused", plain,
			facade.Call{Entity: "post", Operation: "list", Invocation: invocation(`{"filter":{"a":{"eq":1}},"sort":"a"}`)},
			`{"code":"VALIDATION_FAILED","message":"the host that answers this list does not know filter","entity":"post","operation":"list","details":[{"path":"filter","pointer":"/query/filter","code":"unknown_key","message":"is not known to the host that answers this list; leave it out"},{"path":"sort","pointer":"/query/sort","code":"unknown_key","message":"is not known to the host that answers this list; leave it out"}]}`,
		},
		{"a key of nobody's is the host's to refuse", plain, facade.Call{Entity: "post", Operation: "list", Invocation: invocation(`{"colour":"red","limit":1}`)}, `Post.list {"query":{"colour":"red","limit":1}}`},
		{"no limit, where it is not taken", filtered, facade.Call{Entity: "post", Operation: "list", Invocation: invocation(`{"limit":3,"filter":{"a":{"eq":1}}}`)}, `poST.list {"query":{"filter":{"a":{"eq":1}}}}`},
		{"fields, where they are taken", full, facade.Call{Entity: "post", Operation: "list", Select: []string{"id", "title"}}, `poST.list {"query":{"fields":["id","title"]}}`},
		{"fields beside the caller's query", full, facade.Call{Entity: "post", Operation: "list", Select: []string{"id"}, Invocation: invocation(`{"limit":1,"total":true}`)}, `poST.list {"query":{"fields":["id"],"limit":1}}`},
		{"the caller's own fields", full, facade.Call{Entity: "post", Operation: "list", Select: []string{"id"}, Invocation: invocation(`{"fields":"title"}`)}, `poST.list {"query":{"fields":"title"}}`},
		{"not fields that are made here", full, facade.Call{Entity: "post", Operation: "list", Select: []string{"id", "excerpt"}}, `poST.list {}`},
		{"not fields of nothing", full, facade.Call{Entity: "post", Operation: "list", Select: []string{}}, `poST.list {}`},
		{"fields of one row, where they are taken", full, facade.Call{Entity: "post", Operation: "findById", Select: []string{"body"}}, `poST.findById {"query":{"fields":["body"]}}`},
		{"no fields, where they are not", plain, facade.Call{Entity: "post", Operation: "findById", Select: []string{"body"}}, `Post.findById {}`},
		{
			"many keys without a filter", plain,
			facade.Call{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: keysOf(`"a"`)}},
			`{"code":"NOT_IMPLEMENTED","message":"remote post.list does not support filter, so rows cannot be found by authorId","entity":"post","operation":"list"}`,
		},
	} {
		f := &foreign{document: c.document, results: map[string]string{"POST.nothing": "1", "post.nothing": "1", "Post.list": page, "poST.list": page, "Post.findById": "null", "poST.findById": "null"}}
		got := ""
		if _, err := f.met(t, nil).Call(t.Context(), &c.call); err != nil {
			got = kitError(err)
		} else {
			got = strings.Join(f.asked, "; ")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestPagesInAConsumersWords: a page is requested with the caller's limit, whatever form the host's
// lists have; of a host that ignores both, it is cut out of all rows.
func TestPagesInAConsumersWords(t *testing.T) {
	const document = `{"fronds":[{"name":"people","doors":[{"name":"author","ops":[{"name":"list","kind":"query"}]}]}]}`
	for _, c := range []struct{ name, answer, page, want string }{
		{"a list result", `{"items":[{"id":"c"},{"id":"d"}],"total":5,"hasMore":true,"endCursor":null}`, "2", `{"items":[{"id":"c"},{"id":"d"}],"total":5,"hasMore":true,"endCursor":null}`},
		{"a whole array", `[{"id":"c"},{"id":"d"}]`, "2", `{"items":[{"id":"c"},{"id":"d"}],"total":-1,"hasMore":true,"endCursor":null}`},
		{"a short array", `[{"id":"e"}]`, "3", `{"items":[{"id":"e"}],"total":5,"hasMore":false,"endCursor":null}`},
		{"behind the end", `[]`, "4", `{"items":[],"total":-1,"hasMore":false,"endCursor":null}`},
		{"all rows in an array", `[{"id":"a"},{"id":"b"},{"id":"c"}]`, "2", `{"items":[{"id":"c"}],"total":3,"hasMore":false,"endCursor":null}`},
		{"all rows, and an earlier page", `[{"id":"a"},{"id":"b"},{"id":"c"}]`, "1", `{"items":[{"id":"a"},{"id":"b"}],"total":3,"hasMore":true,"endCursor":null}`},
		{"all rows in a list result", `{"items":[{"id":"a"},{"id":"b"},{"id":"c"}],"total":3,"hasMore":false,"endCursor":null}`, "2", `{"items":[{"id":"c"}],"total":3,"hasMore":false,"endCursor":null}`},
		{"all rows, and a page behind them", `[{"id":"a"},{"id":"b"},{"id":"c"}]`, "3", `{"items":[],"total":3,"hasMore":false,"endCursor":null}`},
	} {
		f := &foreign{document: document, results: map[string]string{"author.list": c.answer}}
		r := f.met(t, nil).With(storetest.Facade(t).Catalog())
		for range 2 { // the form is learned, and then known
			f.asked = nil
			result, err := r.Call(t.Context(), &facade.Call{Entity: "author", Operation: "list", Invocation: invocation(`{"page":` + c.page + `,"limit":2}`)})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if diff := cmp.Diff(c.want, string(result.AppendJSON(nil))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
			if diff := cmp.Diff([]string{`author.list {"query":{"page":` + c.page + `,"limit":2}}`}, f.asked); diff != "" {
				t.Errorf("%s: asked (-want +got):\n%s", c.name, diff)
			}
		}
	}
}

// findByIds is asked for where the document has it, spelled and narrowed likewise.
// Its rows come in any order, without those that are not there or with null for them.
func TestRowsByTheirIDs(t *testing.T) {
	catalog := storetest.Facade(t).Catalog()
	document := func(op string) string {
		return `{"fronds":[{"name":"people","doors":[{"name":"Author","ops":[{"name":"findById","kind":"query"}` + op + `]}]}]}`
	}
	with := document(`,{"name":"findByIds","kind":"query"}`)
	fields := document(`,{"name":"findByIds","kind":"query","query":{"type":"object","properties":{"ids":{"type":"array"},"fields":{"type":"array"}}}}`)
	call := &facade.Call{
		Entity: "author", Operation: "findById", Select: []string{"name"},
		Each: &facade.Each{Field: "id", Keys: keysOf(`"ada"`, `"nobody"`, `"alan"`)},
	}
	single := `Author.findById {"params":{"id":"ada"}}; Author.findById {"params":{"id":"nobody"}}; Author.findById {"params":{"id":"alan"}}`
	for _, c := range []struct {
		name, document, result string
		asked, want            string
	}{
		{"in another order", with, `[{"id":"alan","name":"A"},{"id":"ada","name":"B"}]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `[{"id":"ada","name":"B"},null,{"id":"alan","name":"A"}]`},
		{"null for no row", with, `[{"id":"ada"},null,{"id":"alan"}]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `[{"id":"ada"},null,{"id":"alan"}]`},
		{"a row twice", with, `[{"id":"ada"},{"id":"ada","x":1}]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `[{"id":"ada","x":1},null,null]`},
		{"more than was asked", with, `[{"id":"ada"},{"id":"eve"}]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `BAD_GATEWAY`},
		{"as a page", with, `{"items":[{"id":"alan"}],"total":1}`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `[null,null,{"id":"alan"}]`},
		{"narrowed", fields, `[]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"],"fields":["name","id"]}}`, `[null,null,null]`},
		{"rows without their key", with, `[{"name":"A"}]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `BAD_GATEWAY`},
		{"no rows at all", with, `7`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `BAD_GATEWAY`},
		{"something among the rows", with, `[1]`, `Author.findByIds {"query":{"ids":["ada","nobody","alan"]}}`, `BAD_GATEWAY`},
		{"the document does not have it", document(""), `[]`, single, `[null,null,null]`},
		{"the catalog has it, and the host does not", "", "", `author.findByIds {"query":{"ids":["ada","nobody","alan"]}}; ` + strings.ReplaceAll(single, "Author", "author"), `[null,null,null]`},
	} {
		f := &foreign{document: c.document, results: map[string]string{"Author.findByIds": c.result, "Author.findById": "null", "author.findById": "null"}}
		got := ""
		if result, err := f.met(t, nil).With(catalog).Call(t.Context(), call); err != nil {
			got = string(kiterror.CodeOf(err))
		} else {
			got = string(result.AppendJSON(nil))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.asked, strings.Join(f.asked, "; ")); diff != "" {
			t.Errorf("%s: asked (-want +got):\n%s", c.name, diff)
		}
	}
}

// A method that turned out not to be served is not asked for again, until the host
// has another document.
func TestLearnedLimitsAreRemembered(t *testing.T) {
	f := &foreign{results: map[string]string{"author.findById": "null"}}
	r := f.met(t, nil)
	call := &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"a"`, `"b"`)}}
	ask := func() int {
		f.asked = nil
		if _, err := r.With(storetest.Facade(t).Catalog()).Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		return len(f.asked)
	}
	if first, second := ask(), ask(); first != 3 || second != 2 {
		t.Errorf("%d frames, then %d; want 3, then 2", first, second)
	}
	if diff := cmp.Diff([]string{"author.findByIds"}, r.Status().NoFindByIDs); diff != "" {
		t.Errorf("the status (-want +got):\n%s", diff)
	}
	f.document = `{"fronds":[{"name":"people","doors":[{"name":"author","ops":[{"name":"findByIds"}]}]}]}`
	f.results["author.findByIds"] = "[]"
	if _, err := r.Discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := ask(); n != 1 || r.Status().NoFindByIDs != nil {
		t.Errorf("%d frames after another document, %+v", n, r.Status())
	}
}

// What other hosts give for a list is a page, and no longer than what was asked for.
func TestForeignLists(t *testing.T) {
	catalog := storetest.Facade(t).Catalog()
	for _, c := range []struct{ name, query, result, want string }{
		{"a bare array", ``, `[{"id":"a"},{"id":"b"}]`, `{"items":[{"id":"a"},{"id":"b"}],"total":2,"hasMore":false,"endCursor":"cKO8c8A4mIZQAg"}`},
		{"a bare array that ignores the limit", `{"limit":1}`, `[{"id":"a"},{"id":"b"}]`, `{"items":[{"id":"a"}],"total":2,"hasMore":true,"endCursor":"cKO8c8A4mIZQAQ"}`},
		{"a bare array as long as the limit, and as one more", `{"limit":2}`, `[{"id":"a"},{"id":"b"}]`, `{"items":[{"id":"a"},{"id":"b"}],"total":2,"hasMore":false,"endCursor":"cKO8c8A4mIZQAg"}`},
		{"a bare array for the total alone", `{"limit":0}`, `[{"id":"a"}]`, `{"items":[],"total":1,"hasMore":true,"endCursor":null}`},
		{"a page that ignores the limit", `{"limit":1}`, `{"items":[{"id":"a"},{"id":"b"}],"total":2,"hasMore":false,"endCursor":"x"}`, `{"items":[{"id":"a"}],"total":2,"hasMore":true,"endCursor":"cKO8c8A4mIZQAQ"}`},
		{"a page with more to it", ``, `{"items":[{"id":"a"}],"total":9,"hasMore":true,"endCursor":"x","page":1}`, `{"items":[{"id":"a"}],"total":9,"hasMore":true,"endCursor":"x"}`},
		{"a page with less", ``, `{"items":[{"id":"a"}]}`, `{"items":[{"id":"a"}],"total":-1,"hasMore":false,"endCursor":"cKO8c8A4mIZQAQ"}`},
		{"an empty one", ``, `[]`, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{"no list", ``, `{"rows":[]}`, `BAD_GATEWAY`},
		{"a list of something", ``, `[1]`, `BAD_GATEWAY`},
		{"null", ``, `null`, `BAD_GATEWAY`},
	} {
		f := &foreign{results: map[string]string{"author.list": c.result}}
		got := ""
		if result, err := f.met(t, nil).With(catalog).Call(t.Context(), &facade.Call{Entity: "author", Operation: "list", Invocation: invocation(c.query)}); err != nil {
			got = string(kiterror.CodeOf(err))
		} else {
			got = string(result.AppendJSON(nil))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Whether rows stand before a page's first follows from what was requested.
func TestRowsBeforeAPage(t *testing.T) {
	catalog := storetest.Facade(t).Catalog()
	for _, c := range []struct {
		query, result string
		previous      bool
		cursors       []string
	}{
		{``, `{"items":[{"id":"a"},{"id":"b"}],"total":5,"hasMore":true,"endCursor":"x"}`, false, []string{"cKO8c8A4mIZQAQ", "x"}},
		{`{"after":""}`, `{"items":[],"total":5,"hasMore":true,"endCursor":null}`, false, nil},
		{`{"after":"w","before":"z","limit":2}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":"x"}`, true, []string{"x"}},
		{`{"before":"w","backward":false,"limit":1}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":"x"}`, false, []string{"x"}},
		{`{"after":"w","backward":true,"limit":1}`, `{"items":[{"id":"a"}],"total":5,"hasMore":false,"endCursor":"x"}`, true, []string{"x"}},
		{`{"after":"w","before":"","backward":true,"limit":2}`, `{"items":[{"id":"a"}],"total":5,"hasMore":false,"endCursor":"x"}`, false, []string{"x"}},
		{`{"after":"w"}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":"x"}`, true, []string{"x"}},
		{`{"offset":2}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":null}`, true, []string{"cKO8c8A4mIZQAw"}},
		{`{"offset":0}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":null}`, false, []string{"cKO8c8A4mIZQAQ"}},
		{`{"before":"","limit":1}`, `{"items":[{"id":"a"}],"total":5,"hasMore":false,"endCursor":"x"}`, true, []string{"x"}},
		{`{"before":"","limit":1}`, `{"items":[{"id":"a"}],"total":1,"hasMore":false,"endCursor":"x"}`, false, []string{"x"}},
		{`{"before":"w","limit":2}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":"x"}`, false, []string{"x"}},
		{`{"before":"w","limit":1}`, `{"items":[{"id":"a"}],"total":5,"hasMore":true,"endCursor":"x"}`, true, []string{"x"}},
	} {
		f := &foreign{results: map[string]string{"author.list": c.result}}
		result, err := f.met(t, nil).With(catalog).Call(t.Context(), &facade.Call{Entity: "author", Operation: "list", Cursors: true, Invocation: invocation(c.query)})
		if err != nil {
			t.Fatal(err)
		}
		if result.HasPrevious != c.previous {
			t.Errorf("%s of %s: rows before it: %v", c.query, c.result, result.HasPrevious)
		}
		if diff := cmp.Diff(c.cursors, result.Cursors); diff != "" {
			t.Errorf("%s of %s: cursors (-want +got):\n%s", c.query, c.result, diff)
		}
	}
}

// An answer is held against its card: strictly, or for the log.
func TestAnswersAreJudged(t *testing.T) {
	catalog := storetest.Facade(t).Catalog()
	for _, c := range []struct {
		name, row, wrong string
		never            bool // in any mode
	}{
		{"as the card says", `{"id":"p1","title":"t","views":3}`, "", false},
		{"without what a creation needs", `{}`, "", false},
		{"with further fields", `{"id":"p1","excerpt":"x"}`, "", false},
		{"another type", `{"id":7}`, "id type", true},
		{"null where there is none", `{"title":null}`, "title type", false},
		{"a number as text", `{"views":"3"}`, "views type", true},
		{"a fraction", `{"views":3.5}`, "views type", true},
		{"an integer with a point", `{"views":3.0}`, "", false},
	} {
		f := &foreign{results: map[string]string{"post.findById": c.row}}
		call := &facade.Call{Entity: "post", Operation: "findById"}
		_, err := f.met(t, &client.Options{Strict: true}).With(catalog).Call(t.Context(), call)
		if (err != nil) != (c.wrong != "") || err != nil && (kiterror.CodeOf(err) != kiterror.BadGateway || !strings.Contains(err.Error(), strings.Fields(c.wrong)[0])) {
			t.Errorf("%s, strictly: %v", c.name, err)
		}
		if c.never {
			if _, err := f.met(t, nil).With(catalog).Call(t.Context(), call); kiterror.CodeOf(err) != kiterror.BadGateway {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var log bytes.Buffer
		synctest.Test(t, func(t *testing.T) {
			r := f.met(t, &client.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			for range 3 { // each a second later is looked at, and one line is enough
				result, err := r.With(catalog).Call(t.Context(), call)
				if err != nil || string(result.AppendJSON(nil)) != c.row {
					t.Errorf("%s: %v", c.name, err)
				}
				time.Sleep(time.Second)
			}
		})
		lines := strings.Count(log.String(), "\n")
		if want := min(1, len(c.wrong)); lines != want {
			t.Errorf("%s: %d lines in the log, want %d: %s", c.name, lines, want, log.String())
		}
		if c.wrong != "" && !strings.Contains(log.String(), "path="+strings.Fields(c.wrong)[0]) {
			t.Errorf("%s: %s", c.name, log.String())
		}
	}
}

// TestNestedTypes: a value of another type in a remote's row is BAD_GATEWAY at any depth, and the
// message names its path.
func TestNestedTypes(t *testing.T) {
	p, err := facade.Read(fstest.MapFS{"entities/place.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  sizes: {type: array, items: {type: integer}}
  steps: {type: array, items: {type: object, properties: {at: {type: object, properties: {lat: {type: number}}}}}}
  home: {type: object, properties: {street: {type: string}, at: {type: object, properties: {lat: {type: number}}}, keen: {type: boolean}}}
  open: {type: object}
  list: {type: array}
`)}})
	if err != nil {
		t.Fatal(err)
	}
	catalog := storetest.New(t, p, storetest.NewStore(), nil).Catalog()
	for row, path := range map[string]string{
		`{"home":{"street":"a","at":{"lat":1.5},"keen":true}}`: "",
		`{"home":{"street":null,"more":1}}`:                    "",
		`{"home":{}}`:                                          "",
		`{"home":[]}`:                                          "home",
		`{"home":{"street":7}}`:                                "home.street",
		`{"home":{"street":"a","at":7}}`:                       "home.at",
		`{"home":{"at":{"lat":"1"}}}`:                          "home.at.lat",
		`{"home":{"at":{"lat":1},"keen":"yes"}}`:               "home.keen",
		`{"sizes":[]}`:                                         "",
		`{"sizes":[1,null,2.0]}`:                               "",
		`{"sizes":{}}`:                                         "sizes",
		`{"sizes":[1,2.5]}`:                                    "sizes",
		`{"steps":[{},{"at":{"lat":1}}]}`:                      "",
		`{"steps":[{},{"at":{"lat":true}}]}`:                   "steps.at.lat",
		`{"steps":[[]]}`:                                       "steps",
		`{"open":{"a":[1]},"list":[1,"a",{}]}`:                 "",
		`{"open":7}`:                                           "open",
		`{"list":{}}`:                                          "list",
	} {
		f := &foreign{results: map[string]string{"place.findById": row}}
		_, err := f.met(t, nil).With(catalog).Call(t.Context(), &facade.Call{Entity: "place", Operation: "findById"})
		switch {
		case path == "" && err == nil:
		case path == "" || kiterror.CodeOf(err) != kiterror.BadGateway || !strings.Contains(err.Error(), " card: "+path+" is of another type"):
			t.Errorf("%s: %v, want the path %q", row, err, path)
		}
	}
}

// An operation without cards is callable: JSON in, JSON out.
func TestOperationsWithoutCards(t *testing.T) {
	for _, result := range []string{`7`, `"x"`, `null`, `[1,{"a":2}]`, `{"a":{"b":null}}`, `true`} {
		f := &foreign{results: map[string]string{"thing.frob": result}}
		got, err := f.met(t, nil).Call(t.Context(), &facade.Call{Entity: "thing", Operation: "frob", Invocation: facade.Invocation{
			Params: json.RawMessage(`{"a":1}`), Query: json.RawMessage(`{"any":[1]}`), Body: json.RawMessage(`[1]`),
		}})
		if err != nil || string(got.AppendJSON(nil)) != result {
			t.Errorf("%s: %v", result, err)
		}
		if want := `thing.frob {"params":{"a":1},"query":{"any":[1]},"body":[1]}`; f.asked[0] != want {
			t.Errorf("asked %s, want %s", f.asked[0], want)
		}
	}
}

// A document nobody can read teaches nothing, and is handed on all the same.
func TestUnreadableDocument(t *testing.T) {
	f := &foreign{document: `{"fronds":7}`, results: map[string]string{"math.findIt": "1"}}
	if _, err := f.met(t, nil).Call(t.Context(), find); err != nil {
		t.Error(err)
	}
}
