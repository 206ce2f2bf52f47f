package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/storetest"
)

// Cards become a schema, and an engine answers documents over it: two calls for
// two levels, however many rows there are.
func ExampleEngine() {
	project, err := facade.Read(fstest.MapFS{
		"entities/band.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\nrequired: [id, name]\n")},
		"entities/song.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  title: {type: string}\n  bandId: {type: string, x-kit: {role: {relation: {to: band, kind: one}}}}\nrequired: [id, title, bandId]\n")},
		"seeds/band.yaml":    {Data: []byte("- {id: k, name: The Kinks}\n")},
		"seeds/song.yaml":    {Data: []byte("- {id: s1, title: Lola, bandId: k}\n- {id: s2, title: Victoria, bandId: k}\n")},
	})
	if err != nil {
		panic(err)
	}
	compiled, err := compile.Project(project, nil)
	if err != nil {
		panic(err)
	}
	host, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		panic(err)
	}
	if _, err := seed.Write(context.Background(), host); err != nil {
		panic(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, host.Catalog(), nil); err != nil {
		panic(err)
	}
	schema, err := b.Build()
	if err != nil {
		panic(err)
	}
	counted := 0
	engine, err := resolvers.NewEngine(schema, facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		counted++
		return host.Call(ctx, c)
	}), nil)
	if err != nil {
		panic(err)
	}
	res := engine.Execute(context.Background(), &resolvers.Request{
		Query:     "query($n: Int) { songs(first: $n, orderBy: [{title: DESC}]) { items { title band { name } } } }",
		Variables: json.RawMessage(`{"n": 2}`),
	})
	defer res.Release()
	fmt.Println(res.Status, string(res.Body))
	fmt.Println(counted, "calls")
	// Output:
	// 200 {"data":{"songs":{"items":[{"title":"Victoria","band":{"name":"The Kinks"}},{"title":"Lola","band":{"name":"The Kinks"}}]}}}
	// 2 calls
}
