package compile_test

import (
	"strings"
	"testing"
)

// TestNestedThroughAClosedEntity: rows cannot be connected by rows in between that callers may not create.
func TestNestedThroughAClosedEntity(t *testing.T) {
	const one = "{type: string, x-kit: {role: {relation: {to: TO, kind: one, onDelete: cascade}, unique: [[productId, tagId]]}}}"
	files := map[string]string{
		"entities/product.yaml":    "properties: {id: {type: string, x-kit: {role: {primary: true}}}}",
		"entities/tag.yaml":        "properties: {id: {type: string, x-kit: {role: {primary: true}}}}",
		"entities/productTag.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n  productId: " + strings.ReplaceAll(one, "TO", "product") + "\n  tagId: " + strings.ReplaceAll(one, "TO", "tag") + "\nrequired: [productId, tagId]",
	}
	for _, c := range []struct {
		name, doors string
		refused     bool
	}{
		{"open", "", false},
		{"create is false", "doors: {productTag: {operations: {create: false}}}", true},
		{"create is not among them", "doors: {productTag: {operations: {only: [list, delete]}}}", true},
		{"the owner is written inside alone", "doors: {productTag: {operations: {create: false}}, product: {operations: {create: false, update: false}}}", false},
	} {
		files["frond.yaml"] = "name: shop\ncollectors: {'*': open}\nrelations: {product.tags: {through: productTag}}\nnested: {product: [tags]}\n" + c.doors
		_, err := compiled(t, files)
		switch {
		case c.refused && (err == nil || !strings.Contains(err.Error(), "product.tags connects rows by creating rows of productTag, whose create is closed; open create of productTag under operations")):
			t.Errorf("%s: %v", c.name, err)
		case !c.refused && err != nil:
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
