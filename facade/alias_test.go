package facade_test

import (
	"context"
	"strings"
	"testing"
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
