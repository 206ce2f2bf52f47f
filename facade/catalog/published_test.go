package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// A consumer rebuilds every published card and judges by it (spec 1.5).
func TestDiscoveredCardsCompile(t *testing.T) {
	doc := storetest.Facade(t).Catalog().Discovery()
	n := 0
	for _, f := range doc.Fronds {
		for _, d := range f.Doors {
			for _, op := range d.Ops {
				for _, card := range []*schema.Card{op.Params, op.Query, op.Input, op.Output} {
					if card == nil {
						continue
					}
					n++
					var read schema.Card
					if err := json.Unmarshal(card.AppendJSON(nil), &read); err != nil {
						t.Errorf("%s.%s: %v", d.Name, op.Name, err)
					}
					if _, err := schema.Compile([]schema.Source{{Name: "x", View: true, Card: &read}}, nil, &schema.CompileOptions{Partial: true}); err != nil {
						t.Errorf("%s.%s: %v", d.Name, op.Name, err)
					}
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d cards are published", n)
	}
}
