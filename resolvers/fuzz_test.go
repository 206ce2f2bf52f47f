package resolvers_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// loud is a log handler that keeps records of panics.
type loud struct {
	slog.Handler
	heard *string
}

func (l loud) Enabled(context.Context, slog.Level) bool { return true }

func (l loud) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if s := a.Value.String(); strings.Contains(s, "panic:") && !strings.Contains(s, "secret of the stack") {
			*l.heard = s
		}
		return true
	})
	return nil
}

// FuzzExecute: whatever the document and its variables, the answer is one JSON
// object with data or errors, and nothing panics on the way.
func FuzzExecute(f *testing.F) {
	for _, seed := range []struct{ query, variables string }{
		{`{ posts(first: 3) { total items { id title author { name mentor { name } } tags { items { label } } comments(first: 2) { edges { cursor node { text } } } } } }`, ``},
		{`query Q($n: Int = 2, $f: PostListFilter, $b: Boolean!) { posts(first: $n, filter: $f) { items { id @skip(if: $b) ...f } } } fragment f on Post { words grid meta author { address { geo { lat } } } }`, `{"f":{"status":{"in":["live"]}},"b":true}`},
		{`mutation($i: UpdateAuthorInput!) { updateAuthor(id: "ada", input: $i) { id greeting rating } }`, `{"i":{"rating":1e2,"email":null,"address":{"street":"S","zip":null}}}`},
		{`{ node(nodeId: "cG9zdDoz") { nodeId ... on Post { title rival { id } } } authors { items { weather { __typename ... on Sun { hours post { id } } } } } }`, ``},
		{`{ echo(n: null, s: ["a"], level: LOW, box: {n: 1}, json: {a: [1, "x", E, null]}) __schema { types { name } } }`, ``},
		{`{ a: post(id: 1) { ...f } } fragment f on Post { ...f }`, ``},
		{`{ author(id: """block""") { name } } # comment`, `{"x":[[[]]]}`},
		{"{ posts(orderBy: [{views: DESC}], last: 2, before: \"\u00e9\") { pageInfo { startCursor hasPreviousPage } } }", `null`},
		{`{ __type(name: "Post") { fields { name args { defaultValue } type { ofType { name } } } } }`, ``},
	} {
		f.Add(seed.query, seed.variables)
	}
	b := newBlogWith(f, handWritten)
	var heard string
	engine, err := resolvers.NewEngine(b.schema, b.facade, &resolvers.Options{Logger: slog.New(loud{heard: &heard})})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query, variables string) {
		heard = ""
		r := engine.Execute(context.Background(), &resolvers.Request{Query: query, Variables: json.RawMessage(variables)})
		defer r.Release()
		if heard != "" {
			t.Fatal(heard)
		}
		if err := jsontext.Check(r.Body); err != nil {
			t.Fatalf("%v in %s", err, r.Body)
		}
		data, errs := jsontext.Get(r.Body, "data"), jsontext.Get(r.Body, "errors")
		if (data != nil) != r.Executed || data == nil && errs == nil {
			t.Fatalf("executed is %v: %s", r.Executed, r.Body)
		}
		if !r.Executed && (r.Status < 400 || r.Status > 499) {
			t.Fatalf("status %d: %s", r.Status, r.Body)
		}
	})
}
