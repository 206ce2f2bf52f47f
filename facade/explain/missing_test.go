package explain_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/storetest"
)

// captured keeps the last read and answers none.
type captured struct {
	facade.Store
	find *facade.Find
}

func (c *captured) Find(_ context.Context, q *facade.Find) (*facade.Found, error) {
	c.find = q
	return &facade.Found{Rows: rows.New(q.Select, 0)}, nil
}

// TestMissing: the index that would help orders through relations, groups and searches. A relation of
// another program's table has one if its card says so.
func TestMissing(t *testing.T) {
	card := func(fields string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n" + fields)}
	}
	many := func(to string) string {
		return "{type: array, items: {type: string}, x-kit: {role: {relation: {to: " + to + ", kind: many}}}}\n"
	}
	p, err := facade.Read(fstest.MapFS{
		"entities/album.yaml": card("  name: {type: string}\n  tracks: " + many("track")),
		"entities/track.yaml": card("  title: {type: string}\n  at: {type: string, format: date-time}\n  year: {type: integer, x-kit: {role: {index: true}}}\n" +
			"  albumId: {type: string, x-kit: {role: {relation: {to: album, kind: one}}}}\n"),
		"entities/shop.yaml":   card("  name: {type: string}\n  sales: " + many("sale") + "  returns: " + many("return")),
		"entities/sale.yaml":   card("  n: {type: integer}\n  shopId: {type: string, x-kit: {role: {relation: {to: shop, kind: one}}}}\n"),
		"entities/return.yaml": card("  shopId: {type: string, x-kit: {role: {index: true, relation: {to: shop, kind: one}}}}\n"),
		"frond.yaml":           {Data: []byte("search: {track: {fields: {title: A}}}\ntables:\n  shop: {table: Shops}\n  sale: {table: sales, schema: books, columns: {shopId: shop_id}}\n  return: {table: returns}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	store := &captured{Store: storetest.NewStore()}
	f, err := facade.New(storetest.Compiled(t, p), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	const title, sales = "write x-kit: {role: {index: true}} at the field title of the card track", "CREATE INDEX ON books.sales (shop_id)"
	for _, c := range []struct{ entity, op, query, want string }{
		{"track", "list", `{"sort":"album.name,title"}`, ""},
		{"track", "list", `{"sort":"album.name","filter":{"title":{"eq":"x"}}}`, title},
		{"album", "list", `{"sort":"-tracks.count"}`, ""},
		{"album", "list", `{"filter":{"tracks":{"some":{"title":{"eq":"x"}}}}}`, title},
		{"shop", "list", `{"sort":"-sales.count"}`, sales},
		{"shop", "list", `{"sort":"-sales.n.sum,name"}`, sales},
		{"shop", "list", `{"filter":{"sales":{"count":{"gte":2}}}}`, sales},
		{"sale", "list", `{"sort":"shop.sales.count"}`, sales},
		{"shop", "list", `{"sort":"-returns.count"}`, ""},
		{"shop", "list", `{"sort":"name"}`, "CREATE INDEX ON Shops (name)"},
		{"track", "aggregate", `{"by":"title"}`, title},
		{"track", "aggregate", `{"by":"year,title"}`, ""},
		{"track", "aggregate", `{"by":"at:month"}`, ""},
		{"track", "aggregate", `{"by":"at:month","filter":{"title":{"startsWith":"x"}}}`, title},
		{"track", "aggregate", `{"select":"title.max","sort":"title.max"}`, ""},
		{"sale", "aggregate", `{"by":"shopId"}`, sales},
		{"track", "list", `{"search":"tea","sort":"-rank"}`, ""},
		{"track", "list", `{"search":"tea","sort":"title"}`, ""},
		{"track", "list", `{"search":"tea","sort":"id","filter":{"year":{"eq":1}}}`, ""},
		{"track", "list", `{"search":"tea","filter":{"title":{"eq":"x"}}}`, title},
		{"track", "aggregate", `{"search":"tea","by":"title"}`, ""},
	} {
		if _, err := f.Call(t.Context(), &facade.Call{Entity: c.entity, Operation: c.op, Invocation: facade.Invocation{Query: json.RawMessage(c.query)}}); err != nil {
			t.Fatal(c.query, err)
		}
		got := ""
		if p := explain.Missing(store.find); p != nil {
			got = explain.Line(p)
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.entity, c.query, got, c.want)
		}
	}
}
