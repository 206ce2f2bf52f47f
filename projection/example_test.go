package projection_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/storetest"
)

// A card becomes a type with its operations. What no card can say is registered
// beside it.
func Example() {
	project, err := facade.Read(fstest.MapFS{
		"entities/book.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  title: {type: string}
  pages: {type: [integer, 'null']}
`)},
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

	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, host.Catalog(), nil); err != nil {
		panic(err)
	}
	err = projection.RegisterType(b, "Book", graphql.Fields{
		"isLong": {Type: graphql.Boolean, Resolve: func(p graphql.ResolveParams) (any, error) {
			var book struct{ Pages int }
			err := p.Source.(rows.Row).Decode(&book)
			return book.Pages > 500, err
		}},
	})
	if err != nil {
		panic(err)
	}
	schema, err := b.Build()
	if err != nil {
		panic(err)
	}

	from := strings.Index(schema.SDL(), "type Book ")
	fmt.Println(schema.SDL()[from : from+strings.Index(schema.SDL()[from:], "}")+1])
	reference.Attach(schema, host)
	answer := graphql.Do(graphql.Params{
		Schema:        *schema.GraphQL(),
		RequestString: `mutation { createBook(input: {title: "Middlemarch", pages: 880}) { title isLong } }`,
		Context:       context.Background(),
	})
	text, _ := json.Marshal(answer)
	fmt.Println(string(text))
	// Output:
	// type Book implements Node {
	//   nodeId: ID!
	//   "The version of the row as the caller sees it; pass it as ifMatch."
	//   etag: String
	//   id: ID!
	//   title: String!
	//   pages: Int
	//   isLong: Boolean
	// }
	// {"data":{"createBook":{"isLong":true,"title":"Middlemarch"}}}
}
