package binding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/store/storetest"
)

// A hand-written field that leads to a row asks a loader for it, and all rows of
// the level are fetched by one call.
func ExampleLoad() {
	project, _ := facade.Read(fstest.MapFS{
		"entities/person.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\n")},
		"entities/note.yaml":   {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  signature: {type: string}\n")},
		"seeds/person.yaml":    {Data: []byte("- {id: a, name: Ada}\n- {id: g, name: Grace}\n")},
		"seeds/note.yaml":      {Data: []byte("- {id: n1, signature: g}\n- {id: n2, signature: a}\n- {id: n3, signature: g}\n")},
	})
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
	counting := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		fmt.Println("call", c.Entity, c.Operation)
		return host.Call(ctx, c)
	})

	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, host.Catalog(), nil); err != nil {
		panic(err)
	}
	err = projection.RegisterType(b, "Note", graphql.Fields{
		"signer": {Type: b.Type("Person"), Resolve: func(p graphql.ResolveParams) (any, error) {
			return binding.Load(p.Context, "person", p.Source.(rows.Row).Get("signature")), nil
		}},
	})
	if err != nil {
		panic(err)
	}
	schema, err := b.Build()
	if err != nil {
		panic(err)
	}
	engine, err := resolvers.NewEngine(schema, counting, nil)
	if err != nil {
		panic(err)
	}

	const query = "{ notes(orderBy: [{id: ASC}]) { items { signer { name } } } }"
	fmt.Println(string(engine.Execute(context.Background(), &resolvers.Request{Query: query}).Body))

	// graphql.Do gives the same; it finds the loaders in its context.
	reference.Attach(schema, counting)
	ctx := binding.WithLoaders(context.Background(), schema, counting)
	answer, _ := json.Marshal(graphql.Do(graphql.Params{Schema: *schema.GraphQL(), RequestString: query, Context: ctx}))
	fmt.Println(string(answer))
	// Output:
	// call note list
	// call person findById
	// {"data":{"notes":{"items":[{"signer":{"name":"Grace"}},{"signer":{"name":"Ada"}},{"signer":{"name":"Grace"}}]}}}
	// call note list
	// call person findById
	// {"data":{"notes":{"items":[{"signer":{"name":"Grace"}},{"signer":{"name":"Ada"}},{"signer":{"name":"Grace"}}]}}}
}
