package facade_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// refielded is a project whose product had a name, which is the title now, a price, which is the
// cost, and a maker, which is the vendor. Ada does not see the cost.
var refielded = map[string]string{
	"entities/product.yaml": `{type: object, properties: {
		id: {type: string, x-kit: {role: {primary: true}}}, title: {type: string, maxLength: 9},
		cost: {type: integer, x-kit: {lifecycle: {create: optional}}},
		vendorId: {type: [string, 'null'], x-kit: {role: {relation: {to: maker, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}}, required: [title]}`,
	"entities/maker.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, label: {type: string},
		products: {x-kit: {role: {relation: {to: product, kind: many}}}}}, required: [label]}`,
	"views/productCard.yaml": `{of: product, pick: [id, title]}`,
	"views/draft.yaml":       `{of: product, omit: [vendorId]}`,
	"frond.yaml": `
renamed:
  product.name: {to: product.title, until: 2027-06-01}
  product.price: {to: product.cost, until: 2027-06-01}
  product.makerId: {to: product.vendorId, until: 2027-06-01}
  maker.name: {to: maker.label, until: 2027-06-01}
doors: {product: {operations: {
  cards: {kind: query, output: productCard, cardinality: many},
  draft: {kind: command, input: draft, output: product}}}}
collectors:
  maker: open
  product:
    - {when: user.id == "root", allow: all}
    - {hide: [cost], allow: all}
`,
}

// TestFieldAlias: a field is read, written, sorted and filtered by under its old name as under
// the new one, until the day is over; then every call that uses the old name is GONE. Whoever
// does not see the field learns nothing by the old name. Handlers are given the new names.
func TestFieldAlias(t *testing.T) {
	now := time.Date(2027, 6, 1, 23, 59, 59, 0, time.UTC)
	var handled string
	p := projectOf(t, refielded)
	facade.Handle(p.Door("product"), "cards", func(ctx context.Context, _ *facade.Call) (any, error) {
		return facade.Do[any](ctx, facade.From(ctx), "product.findByIds", facade.Invocation{Query: raw(`{"ids":["p1","p2"],"fields":["id","title"]}`)})
	})
	facade.Handle(p.Door("product"), "draft", func(ctx context.Context, c *facade.Call) (any, error) {
		handled = string(c.Invocation.Body)
		return facade.Do[any](ctx, facade.Inside(ctx), "product.create", facade.Invocation{Body: c.Invocation.Body})
	})
	f := storetest.New(t, p, storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
	call := func(user, method string, in facade.Invocation) string {
		t.Helper()
		in.State = access.State{"user": map[string]any{"id": user}}
		text, err := storetest.Call(t, f, method, in)
		if err != nil {
			return string(err.AppendJSON(nil))
		}
		return text
	}
	body := func(text string) facade.Invocation { return facade.Invocation{Body: raw(text)} }
	query := func(text string) facade.Invocation { return facade.Invocation{Query: raw(text)} }
	patch := func(text string) facade.Invocation {
		return facade.Invocation{ID: raw(`"p1"`), Body: raw(text)}
	}
	call("root", "maker.create", body(`{"id":"m1","name":"Acme"}`))
	call("root", "maker.create", body(`{"id":"m2","label":"Bolt"}`))
	saw := `{"id":"p1","title":"Saw","cost":7,"vendorId":"m1","name":"Saw","price":7,"makerId":"m1"}`
	axe := `{"id":"p2","title":"Axe","cost":8,"vendorId":"m2","name":"Axe","price":8,"makerId":"m2"}`
	for _, c := range []struct {
		user, method string
		in           facade.Invocation
		want         string // the whole answer, or what stands in a refusal
	}{
		// Bodies.
		{"root", "product.create", body(`{"id":"p1","name":"Saw","price":7,"makerId":"m1"}`), saw},
		{"root", "product.create", body(`{"id":"p2","title":"Axe","name":"Axe","cost":8,"vendorId":"m2"}`), axe},
		{"root", "product.create", body(`{"id":"p3","title":"Axe","name":"Saw"}`), `"path":"name","pointer":"/body/name","code":"exclusive","message":"is the old name of title, which is sent too; send title alone"`},
		{"root", "product.create", body(`{"id":"p3","name":"a name that is long"}`), `"path":"name","pointer":"/body/name","code":"maxLength"`},
		{"root", "product.create", body(`{"id":"p3"}`), `"path":"title","pointer":"/body/title","code":"required"`},
		{"root", "product.create", body(`{"id":"p3","name":"Jig","makerId":"m9"}`), `"pointer":"/body/vendorId","code":"reference"`},
		{"root", "product.update", patch(`{"price":9}`), strings.NewReplacer(`"cost":7`, `"cost":9`, `"price":7`, `"price":9`).Replace(saw)},
		{"root", "product.update", patch(`{"price":9,"cost":3}`), `"exclusive"`},
		{"root", "product.update", patch(strings.Replace(saw, `"id":"p1",`, "", 1)), saw}, // what was read may be sent back
		{"ada", "product.update", patch(`{"price":9}`), `"path":"price","pointer":"/body/price","code":"unknown_key","message":"is not part of the card; leave it out"`},
		{"ada", "product.update", patch(`{"price":9,"cost":9}`), `"pointer":"/body/cost","code":"unknown_key","message":"is not part of the card; leave it out"`},

		// Rows.
		{"root", "product.findById", facade.Invocation{ID: raw(`"p1"`)}, saw},
		{"ada", "product.findById", facade.Invocation{ID: raw(`"p1"`)}, `{"id":"p1","title":"Saw","vendorId":"m1","name":"Saw","makerId":"m1"}`},
		{"root", "product.findByIds", query(`{"ids":["p2"],"fields":["price"]}`), `[{"price":8}]`},
		{"root", "product.list", query(`{"fields":["name","cost"],"limit":1,"total":false}`), `{"items":[{"cost":7,"name":"Saw"}],"total":-1,"hasMore":true`},
		{"ada", "product.list", query(`{"fields":["price"]}`), `"code":"unknown_key"`},

		// Filters and orders.
		{"root", "product.list", query(`{"filter":{"name":{"eq":"Axe"}}}`), `{"items":[` + axe + `],"total":1`},
		{"root", "product.list", query(`{"filter":{"not":{"price":{"lt":8}},"makerId":{"eq":"m2"}}}`), `{"items":[` + axe + `],"total":1`},
		{"root", "product.list", query(`{"filter":{"maker":{"name":{"eq":"Bolt"}}}}`), `{"items":[` + axe + `],"total":1`},
		{"root", "product.list", query(`{"sort":"-price"}`), `{"items":[` + axe + `,` + saw + `],"total":2`},
		{"root", "product.list", query(`{"sort":["name"],"filter":{"title":{"ne":"x"}}}`), `{"items":[` + axe + `,` + saw + `],"total":2`},
		{"root", "maker.list", query(`{"filter":{"products":{"some":{"price":{"eq":8}}}},"fields":"name"}`), `{"items":[{"name":"Bolt"}],"total":1`},
		{"root", "product.delete", facade.Invocation{ID: raw(`"p1"`), Query: raw(`{"where":{"price":{"gt":100}}}`)}, `PRECONDITION_FAILED`},
		{"ada", "product.list", query(`{"sort":"price"}`), `names price, which product cannot be sorted by`},
		{"ada", "product.list", query(`{"filter":{"price":{"eq":8}}}`), `"path":"filter.price","pointer":"/query/filter/price","code":"unknown_key"`},
		{"ada", "maker.list", query(`{"filter":{"products":{"some":{"price":{"eq":8}}}}}`), `"code":"unknown_key"`},

		// Operations of the author's, over views.
		{"ada", "product.cards", facade.Invocation{}, `[{"id":"p1","title":"Saw","name":"Saw"},{"id":"p2","title":"Axe","name":"Axe"}]`},
		{"root", "product.draft", body(`{"id":"p4","name":"Jig","price":1}`), `{"id":"p4","title":"Jig","cost":1,"vendorId":null,"name":"Jig","price":1,"makerId":null}`},
		{"ada", "product.draft", body(`{"id":"p5","name":"Jig","price":1}`), `"pointer":"/body/price","code":"unknown_key"`},
	} {
		if got := call(c.user, c.method, c.in); !strings.HasPrefix(got, c.want) && (!strings.Contains(got, `"code"`) || !strings.Contains(got, c.want)) {
			t.Errorf("%s %s %s%s\ngave %s\nwant %s", c.user, c.method, c.in.Query, c.in.Body, got, c.want)
		} else if c.user == "ada" && strings.Contains(got, "cost") && !strings.Contains(string(c.in.Body), "cost") {
			t.Errorf("%s %s%s names a hidden field: %s", c.method, c.in.Query, c.in.Body, got)
		}
	}
	if handled != `{"id":"p4","title":"Jig","cost":1}` {
		t.Errorf("the handler was given %s", handled)
	}

	// A cursor and a version are those of the new names.
	root := access.State{"user": map[string]any{"id": "root"}}
	pages := map[string]string{}
	for _, sort := range []string{"name", "title"} {
		res, err := f.Call(t.Context(), &facade.Call{Entity: "product", Operation: "list", Version: true, Invocation: facade.Invocation{State: root, Query: raw(`{"sort":"` + sort + `","limit":1}`)}})
		if err != nil {
			t.Fatal(err)
		}
		pages[sort] = res.Cursors[0] + " " + res.Versions[0]
	}
	if pages["name"] != pages["title"] {
		t.Errorf("cursor and version are %s by the old name, %s by the new one", pages["name"], pages["title"])
	}

	document := f.Catalog().Discovery().AppendJSON(nil)
	if want := `"fieldAliases":[{"name":"name","field":"title","deprecated":"renamed to title; answered until 2027-06-01","until":"2027-06-01"}`; !strings.Contains(string(document), want) {
		t.Errorf("rpc.discover lacks %s: %s", want, document)
	}
	if read, err := schema.ReadDiscovery(document); err != nil || string(read.AppendJSON(nil)) != string(document) {
		t.Errorf("rpc.discover is not read as it was written: %v", err)
	}

	// A second later the day is over, for the façade that runs.
	now = now.Add(time.Second)
	for _, c := range []struct {
		method string
		in     facade.Invocation
	}{
		{"product.create", body(`{"id":"p9","price":7,"title":"this is too long"}`)},
		{"product.update", patch(`{"price":7}`)},
		{"product.list", query(`{"filter":{"or":[{"price":{"gt":1}}]}}`)},
		{"product.list", query(`{"sort":"title,-price"}`)},
		{"product.findById", facade.Invocation{ID: raw(`"p1"`), Query: raw(`{"fields":"id,price"}`)}},
		{"maker.list", query(`{"filter":{"products":{"some":{"price":{"eq":8}}}}}`)},
	} {
		if got := call("root", c.method, c.in); !strings.Contains(got, `"GONE","message":"price was renamed to cost and was answered until 2027-06-01; write cost"`) {
			t.Errorf("%s %s%s after the day: %s", c.method, c.in.Query, c.in.Body, got)
		}
		if got := call("ada", c.method, c.in); c.method != "product.create" && (strings.Contains(got, "GONE") || strings.Contains(got, "cost") || !strings.Contains(got, "unknown_key")) {
			t.Errorf("%s %s%s after the day says %s to who does not see the field", c.method, c.in.Query, c.in.Body, got)
		}
	}
	if got, want := call("root", "product.findById", facade.Invocation{ID: raw(`"p2"`)}), `{"id":"p2","title":"Axe","cost":8,"vendorId":"m2"}`; got != want {
		t.Errorf("a row after the day: %s", got)
	}
	again := storetest.New(t, projectOf(t, refielded), storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
	if notes := again.Catalog().Ended; len(notes) != 4 || notes[0].Pointer != "/renamed/product.name" || !strings.Contains(notes[0].Message, "its last day was 2027-06-01") {
		t.Errorf("notes of a start after the day: %v", notes)
	}
}

// TestFieldAliasOfEvents: what a subscriber gets has the old names as rows have them, and its
// filter and its fields may use them; what is stored, for the operator's own, has not.
func TestFieldAliasOfEvents(t *testing.T) {
	files := maps.Clone(shopWithFacts)
	files["frond.yaml"] += "renamed: {order.amount: {to: order.total, until: 2999-06-01}, order.remark: {to: order.note, until: 2999-06-01}}\n"
	f, log := outboxOf(t, files, nil)
	placed(t, f)
	events := log.taken()
	if got := lines(events); strings.Contains(got, "amount") {
		t.Errorf("stored: %s", got)
	}
	changed := func(state access.State, filter string, fields ...string) string {
		return revealed(t, f, events, facade.Subscription{Frond: "shop", Fact: "orderChanged", State: state, Filter: raw(filter), Select: fields})
	}
	for _, c := range [][2]string{
		{changed(ada, `{"amount":{"gt":6}}`), "created \"o-ada\" {\"id\":\"o-ada\",\"status\":\"open\",\"total\":7,\"customerId\":\"ada\",\"double\":14,\"amount\":7}\n"},
		{changed(ada, `{}`, "amount"), "created \"o-ada\" {\"amount\":7}\n"},
		{changed(staff, `{"remark":{"eq":"n"}}`, "id", "remark"), "created \"o-ada\" {\"id\":\"o-ada\",\"remark\":\"n\"}\ncreated \"o-bob\" {\"id\":\"o-bob\",\"remark\":\"n\"}\n"},
	} {
		if c[0] != c[1] {
			t.Errorf("got\n%s\nwant\n%s", c[0], c[1])
		}
	}
	for _, got := range []string{changed(ada, `{"remark":{"eq":"n"}}`), changed(ada, `{}`, "remark")} {
		if !strings.Contains(got, "VALIDATION_FAILED") || strings.Contains(got, "note") {
			t.Errorf("a hidden field by its old name: %s", got)
		}
	}
}

// TestFieldAliasOfARenamedEntity: the alias of a field may be written with the old name of its
// entity and with the new one, as any rename may.
func TestFieldAliasOfARenamedEntity(t *testing.T) {
	for _, line := range []string{
		"item.name: {to: item.title, until: 2999-06-01}",
		"item.name: {to: product.title, until: 2999-06-01}",
		"product.name: {to: product.title, until: 2999-06-01}",
	} {
		f := storetest.New(t, projectOf(t, map[string]string{
			"entities/product.yaml": aliased["entities/product.yaml"],
			"frond.yaml":            "renamed:\n  item: product\n  " + line + "\ncollectors: {product: open}\n",
		}), storetest.NewStore(), nil)
		must(t, f, "product.create", "", "", `{"id":"p","title":"Saw","team":"a"}`)
		if got := must(t, f, "product.findById", `{"id":"p"}`, `{"fields":["name"]}`, ""); got != `{"name":"Saw"}` {
			t.Errorf("%s: %s", line, got)
		}
	}
}
