package frond_test

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/facade"
)

// BenchmarkFind reads one row by its id: the call as it is, and as a value of a type.
func BenchmarkFind(b *testing.B) {
	app, _ := journal()
	ctx := frond.Test(b, app)
	b.Run("untyped", func(b *testing.B) {
		inside := facade.Inside(ctx)
		call := &facade.Call{Entity: "post", Operation: "findById", Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"p1"}`)}}
		b.ReportAllocs()
		for b.Loop() {
			if res, err := inside.Call(ctx, call); err != nil || res.Rows.Len() != 1 {
				b.Fatal(err)
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if p, err := facade.Do[*Post](ctx, facade.Inside(ctx), "post.findById", facade.Invocation{Params: json.RawMessage(`{"id":"p1"}`)}); err != nil || p.ID != "p1" {
				b.Fatal(err)
			}
		}
	})
	b.Run("typed", func(b *testing.B) {
		posts := frond.Inside[Post](ctx)
		b.ReportAllocs()
		for b.Loop() {
			if p, err := posts.Find(ctx, "p1"); err != nil || p.ID != "p1" {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkComputed makes a field of 100 rows.
func BenchmarkComputed(b *testing.B) {
	app, post := journal()
	frond.Computed(post, "size", func(p Post) int { return len(p.Body) })
	ctx := frond.As(frond.Test(b, app), frond.SignedIn("ada"))
	posts := frond.Inside[Post](ctx)
	for i := range 99 {
		if _, err := posts.Create(ctx, frond.Set{"title": "t", "body": "some body", "slug": "s-" + string(rune('a'+i%26)) + string(rune('a'+i/26))}); err != nil {
			b.Fatal(err)
		}
	}
	from := facade.From(ctx)
	call := &facade.Call{Entity: "post", Operation: "list", Select: []string{"id", "size"}, Invocation: facade.Invocation{
		State: frond.SignedIn("ada"), Query: json.RawMessage(`{"limit":100,"total":false}`),
	}}
	b.ReportAllocs()
	for b.Loop() {
		if res, err := from.Call(ctx, call); err != nil || res.Rows.Len() != 100 {
			b.Fatal(err)
		}
	}
}
