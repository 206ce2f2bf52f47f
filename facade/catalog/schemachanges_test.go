package catalog_test

import (
	"testing"

	"github.com/frondhost/frond/facade/catalog"
)

// TestNamesOfToday: what a store keeps under former names, as the notes of deletes, is read under those of now.
func TestNamesOfToday(t *testing.T) {
	changes := catalog.SchemaChanges{Renamed: []catalog.Renamed{
		{Entity: "line", Field: "goodsId", To: "productId"},
		{Entity: "item", To: "line"},
		{Entity: "line", Field: "articleId", To: "goodsId"},
	}, Elsewhere: []catalog.Renamed{{Entity: "note", Field: "productId", To: "aboutId"}}}
	for was, now := range map[[2]string][2]string{
		{"item", "articleId"}: {"line", "productId"},
		{"line", "goodsId"}:   {"line", "productId"},
		{"line", "productId"}: {"line", "productId"},
		{"note", "productId"}: {"note", "aboutId"},
		{"tag", "goodsId"}:    {"tag", "goodsId"},
	} {
		if entity, field := changes.Now(was[0], was[1]); [2]string{entity, field} != now {
			t.Errorf("%s: %s.%s, want %s", was, entity, field, now)
		}
	}
}
