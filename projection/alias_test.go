package projection_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestAlias: root fields of the old name have the types of the new one and are deprecated; one
// that frond.yaml names has no second name. A name that another door has is a fault at the
// alias.
func TestAlias(t *testing.T) {
	compiled := func(doors string) (*facade.Facade, string, error) {
		files := fstest.MapFS{}
		card := `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}}}`
		for name, text := range map[string]string{
			"entities/product.yaml": card, "entities/basket.yaml": card,
			"frond.yaml": "renamed: {item: {to: product, until: 2999-06-01}}\ndoors: " + doors,
		} {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		project, err := facade.Read(files)
		if err != nil {
			t.Fatal(err)
		}
		f := storetest.New(t, project, storetest.NewStore(), nil)
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
			return f, "", err
		}
		s, err := b.Build()
		if err != nil {
			return f, "", err
		}
		reference.Attach(s, f)
		if got := do(t, s, `mutation { createItem(input: {id: "p1", title: "Saw"}) { title } }`, nil); got != `{"data":{"createItem":{"title":"Saw"}}}` {
			t.Errorf("createItem: %s", got)
		}
		if got := do(t, s, `{ item(id: "p1") { __typename title } product(id: "p1") { id } }`, nil); got != `{"data":{"item":{"__typename":"Product","title":"Saw"},"product":{"id":"p1"}}}` {
			t.Errorf("item: %s", got)
		}
		return f, s.SDL(), nil
	}
	_, sdl, err := compiled("{product: {operations: {publish: {kind: command}, price: {kind: query, graphql: priceOf}}}}")
	if err != nil {
		t.Fatal(err)
	}
	const old = ` @deprecated(reason: "renamed to product; answered until 2999-06-01")`
	for _, field := range []string{"item(id: ID!): Product", "itemsByIds(ids: [ID!]!): [Product!]", "createItem(input: CreateProductInput!): Product", "itemPublish: JSON"} {
		if at := strings.Index(sdl, "  "+field); at < 0 || !strings.Contains(strings.SplitN(sdl[at:], "\n", 2)[0], old) {
			t.Errorf("%s is not there, or not deprecated:\n%s", field, sdl)
		}
	}
	if strings.Count(sdl, "priceOf") != 1 || strings.Contains(sdl, "type Item") {
		t.Errorf("an alias has more than root fields of its own name:\n%s", sdl)
	}
	_, _, err = compiled("{basket: {graphql: Item}}")
	var faults schema.Faults
	if !errors.As(err, &faults) || faults[0].File != "frond.yaml" || faults[0].Pointer != "/renamed/item" && faults[0].Pointer != "/doors/basket" {
		t.Errorf("two doors with one name: %v", err)
	}
	for _, f := range faults {
		if !strings.Contains(f.Message, "the alias item of product.") || !strings.Contains(f.Remedy, "leave until out of renamed.item in frond.yaml") {
			t.Errorf("%s; %s", f.Message, f.Remedy)
		}
	}
}
