package remote_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// door is a door of the Frond "desk", which runs elsewhere.
func door() *catalog.Door {
	return &catalog.Door{Name: "note", Frond: &catalog.Frond{Name: "desk", Remote: "http://there"}}
}

// TestCreate: a host that sets a field itself refuses it once, and is sent no other row with it.
func TestCreate(t *testing.T) {
	var sent []string
	refusal := []schema.Detail{{Path: "owner", Code: schema.ReadOnly}}
	hosts := remote.New(map[string]facade.Caller{"desk": facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		body := string(c.Invocation.Body)
		if sent = append(sent, body); body == `{"text":"a","owner":"ada"}` {
			return nil, kiterror.Invalid("owner is read-only", refusal...)
		}
		return &facade.Result{}, nil
	})})
	at := facade.RemoteRequest{Door: door()}
	set := schema.Object{{Name: "owner", Value: json.RawMessage(`"ada"`)}}
	create := func(text string) error {
		_, err := hosts.Create(t.Context(), at, &facade.Call{Invocation: facade.Invocation{Body: json.RawMessage(text)}}, set)
		return err
	}
	for _, body := range []string{`{"text":"a"}`, `{"text":"b"}`} {
		if err := create(body); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{`{"text":"a","owner":"ada"}`, `{"text":"a"}`, `{"text":"b"}`}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}

	at.Door = door() // another one, of which nothing is known yet
	refusal = append(refusal, schema.Detail{Path: "text", Code: "maxLength"})
	if err := create(`{"text":"a"}`); kiterror.CodeOf(err) != kiterror.ValidationFailed || len(sent) != 4 {
		t.Errorf("a refusal of another field: %v, after %d calls; want VALIDATION_FAILED and no second try", err, len(sent))
	}
}

// TestWithoutCaller: no method reaches a Frond that nothing carries calls to.
func TestWithoutCaller(t *testing.T) {
	hosts, at, ctx := remote.New(nil), facade.RemoteRequest{Door: door()}, t.Context()
	for name, call := range map[string]func() (*facade.Result, error){
		"Call":   func() (*facade.Result, error) { return hosts.Call(ctx, at, &facade.Call{}) },
		"Create": func() (*facade.Result, error) { return hosts.Create(ctx, at, &facade.Call{}, nil) },
		"List":   func() (*facade.Result, error) { return hosts.List(ctx, at, &facade.Call{}, facade.RemoteList{}) },
		"Find":   func() (*facade.Result, error) { return hosts.Find(ctx, at, nil, nil, nil) },
	} {
		if _, err := call(); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
			t.Errorf("%s: %v, want SERVICE_UNAVAILABLE", name, err)
		}
	}
}

// TestCountWords: a host is asked for a total in the words that its card of the list has.
func TestCountWords(t *testing.T) {
	sent := ""
	hosts := remote.New(map[string]facade.Caller{"desk": facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent = string(c.Invocation.Query)
		return &facade.Result{}, nil
	})})
	for _, test := range []struct {
		about           string
		takes           []string // nil: every key
		count, estimate bool
		want            string
	}{
		{"no total", nil, false, false, `{"total":false,"limit":5}`},
		{"an estimate", nil, true, true, `{"count":"estimated","limit":5}`},
		{"an exact total", nil, true, false, `{"limit":5}`},
		{"no total of a host without total", []string{"count"}, false, false, `{"count":false,"limit":5}`},
		{"a total of a host without total", []string{"count"}, true, true, `{"count":true,"limit":5}`},
		{"no total of a host with neither", []string{"limit"}, false, false, `{"limit":5}`},
	} {
		op := &catalog.Operation{Name: "list", TakenKeys: test.takes}
		l := facade.RemoteList{Op: op, Query: json.RawMessage(`{"count":"exact"}`), Limit: 5, Count: test.count, Estimate: test.estimate}
		if _, err := hosts.List(t.Context(), facade.RemoteRequest{Door: door()}, &facade.Call{}, l); err != nil || sent != test.want {
			t.Errorf("%s: sent %s, %v; want %s", test.about, sent, err, test.want)
		}
	}
}

// TestRelationsInFilters: a relation that the host's list does not take is a condition on the keys
// of its rows, at any depth of the filter.
func TestRelationsInFilters(t *testing.T) {
	read := func() *facade.Project {
		p, err := facade.Read(fstest.MapFS{
			"entities/author.yaml": {Data: []byte(`{properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}}}`)},
			"entities/book.yaml":   {Data: []byte(`{properties: {id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}, authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}}}}}`)},
			"seeds/author.yaml":    {Data: []byte(`[{id: a1, name: Ada}, {id: a2, name: Bea}]`)},
			"seeds/book.yaml":      {Data: []byte(`[{id: b1, title: x, authorId: a1}, {id: b2, title: y, authorId: a1}, {id: b3, title: x, authorId: a2}]`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	there := storetest.New(t, read(), storetest.NewStore(), nil)
	var sent []string
	p := read()
	name := p.Fronds[0].Name
	p.Fronds[0].Remote = "http://there"
	here, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(map[string]facade.Caller{name: facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		sent = append(sent, c.Entity+" "+string(jsontext.Get(c.Invocation.Query, "filter")))
		return there.Call(ctx, c)
	})})})
	if err != nil {
		t.Fatal(err)
	}
	const ada = `author {"name":{"eq":"Ada"}}`
	for _, test := range []struct {
		filter, words string // besides and, or and not
		sent          []string
		ids           string
	}{
		{`{"title":{"eq":"x"}}`, "", []string{`book {"title":{"eq":"x"}}`}, "b1 b3"},
		{`{"author":{"name":{"eq":"Ada"}}}`, "", []string{ada, `book {"authorId":{"eq":"a1"}}`}, "b1 b2"},
		{`{"author":{"name":{"eq":"Ada"}}}`, "author", []string{`book {"author":{"name":{"eq":"Ada"}}}`}, "b1 b2"},
		{`{"title":{"eq":"x"},"author":{"name":{"eq":"Ada"}}}`, "", []string{ada, `book {"title":{"eq":"x"},"authorId":{"eq":"a1"}}`}, "b1"},
		{`{"or":[{"title":{"eq":"x"}},{"author":{"name":{"eq":"Ada"}}}]}`, "", []string{ada, `book {"or":[{"title":{"eq":"x"}},{"authorId":{"eq":"a1"}}]}`}, "b1 b2 b3"},
		{`{"not":{"author":{"name":{"eq":"Ada"}}}}`, "", []string{ada, `book {"authorId":{"ne":"a1"}}`}, "b3"},
	} {
		sent = nil
		here.Catalog().Door("book").Operation("list").FilterWords = append([]string{"and", "or", "not"}, test.words)
		res, err := here.Call(t.Context(), &facade.Call{Entity: "book", Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(`{"filter":` + test.filter + `,"sort":"id"}`)}})
		if err != nil {
			t.Fatalf("%s: %v", test.filter, err)
		}
		var ids []string
		for i := range res.Rows.Len() {
			ids = append(ids, jsontext.Unquote(res.Rows.Row(i).Get("id")))
		}
		if !slices.Equal(sent, test.sent) || strings.Join(ids, " ") != test.ids {
			t.Errorf("%s with %q: sent %s, got %s; want %s, %s", test.filter, test.words, sent, ids, test.sent, test.ids)
		}
	}
}
