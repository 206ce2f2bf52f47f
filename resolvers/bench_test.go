package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// page is what the benchmarks ask for: a page of rows with a relation.
const page = `{ posts(first: 100) { items { id title status views createdAt author { id name } } hasMore } }`

// held is a Caller over rows held in memory: 100 posts by 20 authors. It answers
// with what was laid out before, so that what is measured is the engine alone.
type held struct {
	posts   *facade.Result
	authors *rows.Rows
	at      map[string]facade.Group
}

func newHeld() *held {
	h := &held{at: map[string]facade.Group{}}
	authors := make([]map[string]any, 20)
	for i := range authors {
		id := fmt.Sprintf("author-%02d", i)
		authors[i] = map[string]any{"id": id, "name": fmt.Sprintf("Author number %d", i)}
		h.at[fmt.Sprintf("%q", id)] = facade.Group{From: i, To: i + 1}
	}
	posts := make([]map[string]any, 100)
	for i := range posts {
		posts[i] = map[string]any{
			"id": i, "title": fmt.Sprintf("The title of post number %d", i), "status": "live", "views": i * 17,
			"createdAt": "2026-01-31T09:30:00.000Z", "authorId": fmt.Sprintf("author-%02d", i*7%20),
		}
	}
	read := func(found any, columns ...string) *rows.Rows {
		text, err := json.Marshal(found)
		if err != nil {
			panic(err)
		}
		r, ok := rows.Read(rows.NewLayout(columns), text)
		if !ok {
			panic("no rows")
		}
		return r
	}
	h.authors = read(authors, "id", "name")
	h.posts = &facade.Result{Form: facade.FormPage, Rows: read(posts, "id", "title", "status", "views", "createdAt", "authorId"), Page: facade.Page{Total: -1}}
	return h
}

func (h *held) Call(_ context.Context, c *facade.Call) (*facade.Result, error) {
	if c.Entity == "post" {
		return h.posts, nil
	}
	groups := make([]facade.Group, len(c.Each.Keys))
	for i, k := range c.Each.Keys {
		groups[i] = h.at[string(k)]
	}
	return &facade.Result{Form: facade.FormRow, Rows: h.authors, Groups: groups}, nil
}

func heldSchema(tb testing.TB, c facade.Caller) *binding.Schema {
	tb.Helper()
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, newBlog(tb).facade.Catalog(), nil); err != nil {
		tb.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkPage measures the engine and graphql.Do side by side, over the same
// schema and the same rows. Both write the response as JSON.
func BenchmarkPage(b *testing.B) {
	rows := newHeld()
	s := heldSchema(b, rows)
	engine, err := resolvers.NewEngine(s, rows, nil)
	if err != nil {
		b.Fatal(err)
	}
	reference.Attach(s, rows)
	ctx := context.Background()
	b.Run("engine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := engine.Execute(ctx, &resolvers.Request{Query: page})
			b.SetBytes(int64(len(r.Body)))
			r.Release()
		}
	})
	b.Run("graphql.Do", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := graphql.Do(graphql.Params{Schema: *s.GraphQL(), RequestString: page, Context: ctx})
			text, err := json.Marshal(r)
			if err != nil || r.HasErrors() {
				b.Fatal(r.Errors, err)
			}
			b.SetBytes(int64(len(text)))
		}
	})
}
