package facade_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// aliased is a project whose entity product was called item. Its collector hides a field, and
// its rows of another team; REST does not show its delete.
var aliased = map[string]string{
	"entities/product.yaml": `{type: object, properties: {
		id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}, team: {type: string},
		cost: {type: integer, x-kit: {lifecycle: {create: optional}}}}, required: [title]}`,
	"frond.yaml": `
renamed: {item: {to: product, until: 2027-06-01}}
surfaces: {rest: {except: [product.delete]}, envelope: false}
collectors:
  product:
    - {when: user.id == "root"}
    - {rows: {team: {eq: a}}, hide: [cost], deny: [delete]}
`,
}

// TestAlias: the old name reaches the door of the new one, with its collector: rows that are
// hidden, fields that are hidden and operations that are closed are so under both names, in the
// same words. Middleware sees the new name alone.
func TestAlias(t *testing.T) {
	now := time.Date(2027, 6, 1, 23, 59, 59, 0, time.UTC)
	var seen []string
	watch := func(next facade.Caller) facade.Caller {
		return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			seen = append(seen, c.Entity)
			return next.Call(ctx, c)
		})
	}
	f := storetest.New(t, projectOf(t, aliased), storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }, Middleware: []facade.Middleware{watch}})
	call := func(c facade.Caller, method, user string, in facade.Invocation) string {
		in.State = access.State{"user": map[string]any{"id": user}}
		text, err := storetest.Call(t, c, method, in)
		if err != nil {
			return string(err.AppendJSON(nil))
		}
		return text
	}
	for _, row := range []string{`{"id":"p1","title":"Saw","team":"a","cost":7}`, `{"id":"p2","title":"Axe","team":"b","cost":8}`} {
		if got := call(f, "item.create", "root", facade.Invocation{Body: raw(row)}); got != row {
			t.Fatalf("create gave %s", got)
		}
	}
	for _, c := range []struct {
		op, user string
		in       facade.Invocation
		want     string
	}{
		{"findById", "ada", facade.Invocation{ID: raw(`"p1"`)}, `"title":"Saw"`},
		{"findById", "ada", facade.Invocation{ID: raw(`"p2"`)}, "null"},
		{"findById", "root", facade.Invocation{ID: raw(`"p2"`)}, `"cost":8`},
		{"list", "ada", facade.Invocation{}, `"total":1`},
		{"list", "ada", facade.Invocation{Query: raw(`{"filter":{"cost":{"gt":1}}}`)}, "unknown_key"},
		{"list", "ada", facade.Invocation{Query: raw(`{"fields":["cost"]}`)}, "unknown_key"},
		{"delete", "ada", facade.Invocation{ID: raw(`"p1"`)}, "FORBIDDEN"},
		{"update", "ada", facade.Invocation{ID: raw(`"p1"`), Body: raw(`{"cost":1}`)}, "unknown_key"},
		{"polish", "ada", facade.Invocation{}, "NOT_FOUND"},
	} {
		old, is := call(f, "iTem."+c.op, c.user, c.in), call(f, "product."+c.op, c.user, c.in)
		if old != is || !strings.Contains(old, c.want) || c.user == "ada" && strings.Contains(old, `"cost":`) {
			t.Errorf("%s as %s gave\n%s by the old name,\n%s by the new one; want %s", c.op, c.user, old, is, c.want)
		}
	}
	for _, entity := range seen {
		if entity != "product" {
			t.Fatalf("middleware saw a call of %s", entity)
		}
	}

	// What a surface does not show is not there under the old name either.
	for s, want := range map[catalog.Surface]string{catalog.OnREST: "product has no operation", catalog.OnEnvelope: "no entity is called"} {
		view, err := f.Catalog().Surface(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := call(f.On(view), "item.delete", "root", facade.Invocation{ID: raw(`"p2"`)}); !strings.Contains(got, want) || !strings.Contains(got, "NOT_FOUND") {
			t.Errorf("on %s: %s", s, got)
		}
		if text := string(view.Discovery().AppendJSON(nil)); s == catalog.OnEnvelope && strings.Contains(text, "item") {
			t.Errorf("a closed surface names the alias: %s", text)
		}
	}
	document := f.Catalog().Discovery().AppendJSON(nil)
	if want := `"aliases":[{"name":"item","deprecated":"renamed to product; answered until 2027-06-01","until":"2027-06-01"}]`; !strings.Contains(string(document), want) {
		t.Errorf("rpc.discover lacks %s", want)
	}
	if read, err := schema.ReadDiscovery(document); err != nil || string(read.AppendJSON(nil)) != string(document) {
		t.Errorf("rpc.discover is not read as it was written: %v", err)
	}

	// A second later the day is over, for the façade that runs.
	now = now.Add(time.Second)
	got := call(f, "item.findById", "root", facade.Invocation{ID: raw(`"p1"`)})
	if want := `{"code":"GONE","message":"item was renamed to product and was answered until 2027-06-01; call product","entity":"product","operation":"findById"}`; got != want {
		t.Errorf("after its day: %s", got)
	}
	view, _ := f.Catalog().Surface(catalog.OnEnvelope)
	if got := call(f.On(view), "item.list", "root", facade.Invocation{}); !strings.Contains(got, "NOT_FOUND") {
		t.Errorf("a surface that does not show the door says %s", got)
	}
	again := storetest.New(t, projectOf(t, aliased), storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
	if notes := again.Catalog().Ended; len(notes) != 1 || notes[0].Pointer != "/renamed/item" || !strings.Contains(notes[0].Message, "its last day was 2027-06-01") {
		t.Errorf("notes of a start after the day: %v", notes)
	}
}

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
		files := fstest.MapFS{}
		card := `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string}}}`
		for name, text := range map[string]string{
			"entities/product.yaml": card, "entities/basket.yaml": card, "entities/maker.yaml": card,
			"frond.yaml": "renamed: {" + line + "}\ncomputed: {product: {size: {type: integer, value: len(title)}}}\ndoors: {maker: false, basket: {plural: orders}, clock: {operations: {getTime: {}}}}\n",
		} {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		p, err := facade.Read(files)
		if err != nil {
			t.Fatal(err)
		}
		_, err = facade.New(p, nil, nil)
		var faults schema.Faults
		if !errors.As(err, &faults) || len(faults) != 1 || !strings.Contains(faults[0].Pointer+": "+faults[0].Message, want) || faults[0].Remedy == "" {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
