package compile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestAliasFaults: what cannot be an alias is a fault at its line.
func TestAliasFaults(t *testing.T) {
	for line, want := range map[string]string{
		"product: null":                          "/renamed/product: product has no new name, and there is an entity called that",
		"product.title: null":                    "/renamed/product.title: product.title has no new name, and product has a field called that",
		"goods.title: null":                      "/renamed/goods.title: goods.title has no new name, and there is no entity called goods",
		"item: {to: product, until: soon}":       "/renamed/item/until: until: soon is no date",
		"item: {to: product, until: 2027-02-30}": "/renamed/item/until: until: 2027-02-30 is no date",
		"item: {to: product, untl: 2027-06-01}":  "/renamed/item/untl",
		"item: {to: product, until: 20200101}":   "/renamed/item/until: until: 20200101 is a number, and no date",
		"item: {to: product, until: 2027}":       "/renamed/item/until: until: 2027 is a number, and no date",
		"product.name: {to: product.label, until: 2027-06-01}, product.label: product.title":             "/renamed/product.name: product.name is an alias of product.label, which is renamed itself",
		"maker.name: {to: maker.title, until: 2027-06-01}":                                               "/renamed/maker.name: maker.name is an alias of maker.title, and no door has a field called that",
		"product.size: {to: product.title, until: 2027-06-01}":                                           "/renamed/product.size: product.size is an alias of product.title, and size means something else there",
		"product.or: {to: product.title, until: 2027-06-01}":                                             "/renamed/product.or: product.or is an alias of product.title, and or means something else there",
		"product.etag: {to: product.title, until: 2027-06-01}":                                           "/renamed/product.etag: product.etag is an alias of product.title, and etag means something else there",
		"product.a: {to: product.title, until: 2027-06-01}, product.A: {to: product.title, until: soon}": "/renamed/product.A/until: until: soon is no date",
		"item: {to: thing, until: 2027-06-01}, thing: product":                                           "/renamed/item: item is an alias of thing, which is renamed itself",
		"item: {to: maker, until: 2027-06-01}":                                                           "/renamed/item: item is an alias of maker, and no door is called that",
		"clock: {to: product, until: 2027-06-01}":                                                        "/renamed/clock: clock is an alias of product, and there is a door called that",
		"order: {to: product, until: 2027-06-01}":                                                        "/renamed/order: the alias order has the plural orders, which is that of basket",
		"item: {to: product, until: 2027-06-01}, ITEM: {to: basket, until: 2027-06-01}":                  "/renamed/ITEM: the alias ITEM of basket is that of product",
	} {
		card := `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}}}`
		_, err := compiled(t, map[string]string{
			"entities/product.yaml": card, "entities/basket.yaml": card, "entities/maker.yaml": card,
			"frond.yaml": "renamed: {" + line + "}\ncomputed: {product: {size: {type: integer, value: len(title)}}}\ndoors: {maker: false, basket: {plural: orders}, clock: {operations: {getTime: {}}}}\n",
		})
		var faults schema.Faults
		if !errors.As(err, &faults) || len(faults) != 1 || !strings.Contains(faults[0].Pointer+": "+faults[0].Message, want) || faults[0].Remedy == "" {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
