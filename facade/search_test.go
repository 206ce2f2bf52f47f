package facade_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// searchedBooks are books: readers do not see the note, guests neither the note nor the title, and nobody sees the
// draft of another one. A label has a field called rank.
var searchedBooks = map[string]string{
	"entities/book.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  note: {type: [string, 'null']}
  secret: {type: [string, 'null'], x-kit: {boundary: {out: closed}}}
  status: {type: string}
required: [id, title, note, secret, status]
x-kit-version: 1
`,
	"entities/label.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  rank: {type: integer}
required: [id, name, rank]
x-kit-version: 1
`,
	"frond.yaml": `
name: app
search:
  book: {fields: {note: B, title: A, secret: C}, language: english, headline: shown}
  label: {fields: {name: A}, headline: shown}
collectors:
  label: open
  book:
    - when: user.role == "staff"
    - when: user.role == "reader"
      rows: {status: {eq: out}}
      hide: [note]
    - rows: {status: {eq: out}}
      hide: [note, title]
`,
}

func libraryOf(t *testing.T) (host facade.Caller, caller func(role string) facade.Caller) {
	f := facadeOf(t, searchedBooks, nil)
	host = f
	staff := as(f, access.State{"user": map[string]any{"role": "staff"}})
	for _, body := range []string{
		`{"id":"a","title":"Tea cups","note":"bought for tea","secret":"cellar","status":"out"}`,
		`{"id":"b","title":"Coffee","note":"not tea","secret":null,"status":"out"}`,
		`{"id":"c","title":"Green teas","note":null,"secret":null,"status":"draft"}`,
	} {
		must(t, staff, "book.create", "", "", body)
	}
	for _, body := range []string{`{"id":"x","name":"red tea","rank":1}`, `{"id":"y","name":"tea","rank":2}`} {
		must(t, staff, "label.create", "", "", body)
	}
	return host, func(role string) facade.Caller { return as(f, access.State{"user": map[string]any{"role": role}}) }
}

func TestSearch(t *testing.T) {
	_, caller := libraryOf(t)
	for _, c := range []struct{ what, role, query, want string }{
		{"every field", "staff", `{"search":"tea"}`, "a b c"},
		{"with a filter", "staff", `{"search":"tea","filter":{"status":{"eq":"out"}}}`, "a b"},
		{"the best first", "staff", `{"search":"tea","sort":"-rank"}`, "a c b"},
		{"a hidden field is not found by, and a hidden row is not found", "reader", `{"search":"tea"}`, "a"},
		{"nor excluded by", "reader", `{"search":"coffee -tea"}`, "b"},
		{"a closed field", "staff", `{"search":"cellar"}`, ""},
		{"nothing to look for", "staff", `{"search":"the -tea"}`, ""},
		{"an empty text", "staff", `{"search":""}`, ""},
		{"null is as good as nothing", "reader", `{"search":null}`, "a b"},
	} {
		got := ids(t, must(t, caller(c.role), "book.list", "", c.query, ""))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	if got := must(t, caller("reader"), "book.aggregate", "", `{"search":"tea"}`, ""); !strings.Contains(got, `"count":1`) {
		t.Errorf("the groups of a reader: %s", got)
	}
	if got := ids(t, must(t, caller("reader"), "label.list", "", `{"search":"tea","sort":"-rank"}`, "")); got != "y x" {
		t.Errorf("a field called rank is sorted by: %s", got)
	}
}

// TestHeadlines: the text with the most weight that has the words is shown, and of no field that does not leave.
func TestHeadlines(t *testing.T) {
	_, caller := libraryOf(t)
	for _, c := range []struct{ role, method, query, want string }{
		{"staff", "book.list", `{"search":"tea","sort":"id","fields":["shown"]}`, `"items":[{"shown":"<mark>Tea</mark> cups"},{"shown":"not <mark>tea</mark>"},{"shown":"Green <mark>teas</mark>"}]`},
		{"staff", "book.list", `{"search":"tea cup","fields":["shown"]}`, `"items":[{"shown":"<mark>Tea</mark> <mark>cups</mark>"}]`},
		{"staff", "book.list", `{"limit":1,"fields":["shown"]}`, `"items":[{"shown":null}]`},
		{"staff", "book.findById", `{"fields":["shown"]}`, `{"shown":null}`},
		{"guest", "label.list", `{"search":"tea -red"}`, `"items":[{"id":"y","name":"tea","rank":2,"shown":"<mark>tea</mark>"}]`},
	} {
		params := ""
		if strings.HasSuffix(c.method, "findById") {
			params = `{"id":"a"}`
		}
		if got := must(t, caller(c.role), c.method, params, c.query, ""); !strings.Contains(got, c.want) {
			t.Errorf("%s, %s %s: %s, want %s", c.role, c.method, c.query, got, c.want)
		}
	}
	if _, err := do(t, caller("reader"), "book.list", "", `{"search":"tea","fields":["shown"]}`, ""); !strings.Contains(refusals(err), "/query/fields/0 unknown_key") {
		t.Errorf("a reader, who may not read the note: %s", refusals(err))
	}
}

// TestHeadlinesElsewhere: a gateway in front of the host hides a headline from callers from whom it hides a text.
func TestHeadlinesElsewhere(t *testing.T) {
	files := maps.Clone(searchedBooks)
	files["frond.yaml"], _, _ = strings.Cut(files["frond.yaml"], "collectors:")
	files["frond.yaml"] += "collectors: {'*': open}"
	there := facadeOf(t, files, nil)
	must(t, there, "book.create", "", "", `{"id":"a","title":"Tea cups","note":"bought for tea","secret":"cellar","status":"out"}`)
	host := served(t, there)
	document, err := host.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known, err := schema.ReadDiscovery(document)
	if err != nil {
		t.Fatal(err)
	}
	for hidden, want := range map[string]string{"": `"items":[{"shown":"<mark>Tea</mark> cups"}]`, "status": `"items":[{"shown":"<mark>Tea</mark> cups"}]`, "note": "/query/fields/0 unknown_key"} {
		p := &facade.Project{Registry: schema.Builtins(), Fronds: []*project.Frond{project.Discovered(&known.Fronds[0], "rpc.discover")}}
		p.Fronds[0].Remote = "http://there.example"
		facade.Collect(p.Door("book"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
			return access.Scope{Hide: []string{hidden}}, nil
		}))
		remotes := map[string]facade.Caller{"app": host}
		f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(remotes)})
		if err != nil {
			t.Fatal(err)
		}
		remotes["app"] = host.With(f.Catalog())
		query := `{"search":"tea","fields":["shown"]}`
		if hidden == "note" {
			query = `{"fields":["shown"]}`
		}
		got, failed := do(t, f, "book.list", "", query, "")
		if got += refusals(failed); !strings.Contains(got, want) {
			t.Errorf("without %q: %s, want %s", hidden, got, want)
		}
	}
}

func TestSearchIsRefused(t *testing.T) {
	_, caller := libraryOf(t)
	for _, c := range []struct{ role, method, query, want string }{
		{"staff", "book.list", `{"search":["tea"]}`, "/query/search type"},
		{"staff", "book.list", `{"search":"` + strings.Repeat("a", 501) + `"}`, "/query/search maxLength"},
		{"staff", "book.list", `{"search":"` + strings.Repeat("x ", 33) + `"}`, "/query/search maxItems"},
		{"staff", "book.list", `{"sort":"-rank"}`, "/query/sort rank"},
		{"staff", "book.list", `{"search":"tea","sort":"rank,-rank"}`, "/query/sort uniqueItems"},
		{"guest", "book.list", `{"search":"tea"}`, "/query/search unknown_key"},
		{"guest", "book.aggregate", `{"search":"tea"}`, "/query/search unknown_key"},
		{"guest", "book.list", `{"sort":"rank"}`, "/query/sort unknown_key"},
		{"reader", "book.findById", `{"search":"tea"}`, "/query/search unknown_key"},
	} {
		params := ""
		if strings.HasSuffix(c.method, "findById") {
			params = `{"id":"a"}`
		}
		_, err := do(t, caller(c.role), c.method, params, c.query, "")
		if got := refusals(err); !strings.Contains(got, c.want) {
			t.Errorf("%s, %s %.60s: %s, want %s", c.role, c.method, c.query, got, c.want)
		}
	}
}

// TestSearchPages: cursors of the order by rank have the rows once, forwards and backwards.
func TestSearchPages(t *testing.T) {
	_, caller := libraryOf(t)
	staff := caller("staff")
	var pages []string
	query := `{"search":"tea","sort":"-rank","limit":1}`
	for range 3 {
		text := must(t, staff, "book.list", "", query, "")
		pages = append(pages, ids(t, text))
		_, end, _ := strings.Cut(text, `"endCursor":`)
		query = `{"search":"tea","sort":"-rank","limit":1,"after":` + strings.TrimSuffix(end, "}") + `}`
	}
	if got := strings.Join(pages, " "); got != "a c b" {
		t.Errorf("page by page: %s", got)
	}
	if got := ids(t, must(t, staff, "book.list", "", `{"search":"tea","sort":"-rank","limit":2,"before":""}`, "")); got != "c b" {
		t.Errorf("the last page: %s", got)
	}
}

// TestSearchConfig: each fault of search in frond.yaml is reported at the start.
func TestSearchConfig(t *testing.T) {
	for _, c := range []struct{ search, want string }{
		{`{book: {fields: {title: E}}}`, "the weight of a searched field has to be A, B, C or D; write title: A"},
		{`{book: {fields: {titel: A}}}`, "book has no text called titel to search; did you mean title? its texts are title, note, secret, status"},
		{`{label: {fields: {rank: A}}}`, "label has no text called rank"},
		{`{book: {fields: {title: A}, language: klingon}}`, `the language "klingon" is not known; write simple or english`},
		{`{book: {fields: {title: A}, headline: note}}`, "the computed field note of book has the name of another field"},
		{`{book: {fields: {title: A}, headline: 3 words}}`, `"3 words" cannot be the name of a computed field`},
		{`{book: {fields: {title: A}, headline: true}}`, "headline has to be a string"},
		{`{book: {fields: {secret: A}, headline: shown}}`, "no searched field of book leaves as it is kept"},
		{`{book: {}}`, "a search has to name fields"},
		{`{shelf: {fields: {title: A}}}`, "shelf is no entity with rows of this Frond"},
		{`{book: {fields: {a: A, b: A, c: A, d: A, e: A, f: A, g: A, h: A, i: A}}}`, "9 fields are searched, and 8 can be"},
	} {
		files := map[string]string{}
		for name, text := range searchedBooks {
			files[name] = text
		}
		files["frond.yaml"] = "name: app\nsearch: " + c.search + "\ncollectors: {'*': open}\n"
		_, err := compile.Project(projectOf(t, files), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.search, err, c.want)
		}
	}
}
