package projection_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
)

func TestSmoke(t *testing.T) {
	fs := fstest.MapFS{
		"fronds/blog/entities/author.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}\n  name: {type: string}\n  posts: {x-kit: {role: {relation: {to: post, kind: many}}}}\n")},
		"fronds/blog/entities/post.yaml":   {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}\n  title: {type: string}\n  status: {type: string, enum: [draft, live]}\n  authorId: {x-kit: {role: {relation: {to: author, kind: one}}}}\n")},
	}
	p, err := facade.Read(fs)
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s.SDL)
	r := graphql.Do(graphql.Params{Schema: s.GraphQL, RequestString: "{ posts { items { title author { name } } } }", Context: context.Background()})
	text, _ := json.Marshal(r)
	t.Log(string(text))
}
