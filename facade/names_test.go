package facade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/store/storetest"
)

// inMode is a façade that suggests, as in development, or not, as in production.
func inMode(t *testing.T, files map[string]string, development bool) *facade.Facade {
	t.Helper()
	return storetest.New(t, projectOf(t, files), storetest.NewStore(), &facade.Options{Suggest: development})
}

// TestSuggestions: production names no field that was not sent, development the nearest.
func TestSuggestions(t *testing.T) {
	for _, c := range []struct{ method, query, production, development string }{
		{
			"order.list", `{"filter":{"totl":{"gt":1}}}`, "/query/filter/totl unknown_key: is nothing to filter order by; leave it out",
			"/query/filter/totl unknown_key: is nothing to filter order by; did you mean total?; there is id, ",
		},
		{
			"order.list", `{"sort":"totl"}`, "/query/sort unknown_key: names totl, which order cannot be sorted by; leave it out",
			"/query/sort unknown_key: names totl, which order cannot be sorted by; did you mean total?; there is id, ",
		},
		{
			"order.list", `{"fields":"totl"}`, "/query/fields/0 unknown_key: names totl, which order does not have; leave it out",
			"/query/fields/0 unknown_key: names totl, which order does not have; did you mean total?; there is id, ",
		},
		{
			"order.list", `{"filtr":{}}`, "/query/filtr unknown_key: is not a key of order.list; there is filter, ",
			"/query/filtr unknown_key: is not a key of order.list; did you mean filter?; there is filter, ",
		},
		{"order.lst", ``, "order.lst: NOT_FOUND: order has no operation called lst; there is list, ", "order.lst: NOT_FOUND: order has no operation called lst; did you mean list?; there is list, "},
		{"ordr.list", ``, "ordr.list: NOT_FOUND: no entity is called ordr here; there is customer, ", "ordr.list: NOT_FOUND: no entity is called ordr here; did you mean order?; there is customer, "},
	} {
		for development, want := range map[bool]string{false: c.production, true: c.development} {
			_, err := do(t, inMode(t, desk("name: desk"), development), c.method, "", c.query, "")
			if got := refusals(err); !strings.HasPrefix(got, want) {
				t.Errorf("development %v: got\n%s\nwant\n%s", development, got, want)
			}
		}
	}
}

// TestNotFoundNamesWhatIsYours: what a collector refuses the caller is not listed, on a
// surface and in process; the author's own code learns everything.
func TestNotFoundNamesWhatIsYours(t *testing.T) {
	files := desk(`
name: desk
doors: {order: {operations: {pay: {kind: command}, burn: {kind: command}}}}
collectors:
  order: [{when: user.clerk, allow: [list, pay]}, {deny: all}]
  customer: [{when: user != nil}, {allow: [list]}]
  line: [{when: user.clerk}, {deny: all}]
surfaces: {rest: {except: [order.burn]}}
`)
	p := projectOf(t, files)
	asked := func(ctx context.Context, _ *facade.Call) (any, error) {
		_, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "nothing"})
		return err.Error(), nil
	}
	facade.Handle(p.Door("order"), "pay", asked)
	f := storetest.New(t, p, storetest.NewStore(), &facade.Options{})
	view, err := f.Catalog().Surface(catalog.OnREST)
	if err != nil {
		t.Fatal(err)
	}
	for _, caller := range []facade.Caller{f, f.On(view)} {
		clerk, nobody := user(caller, "clerk", true), as(caller, nil)
		for _, c := range []struct {
			caller       facade.Caller
			method, want string
		}{
			{clerk, "order.nothing", "order.nothing: NOT_FOUND: order has no operation called nothing; there is list, aggregate, pay"},
			{nobody, "order.nothing", "order.nothing: NOT_FOUND: order has no operation called nothing; there is nothing"},
			{nobody, "customer.nothing", "customer.nothing: NOT_FOUND: customer has no operation called nothing; there is list, aggregate"},
			{clerk, "nothing.list", "nothing.list: NOT_FOUND: no entity is called nothing here; there is customer, line, order"},
			{nobody, "nothing.list", "nothing.list: NOT_FOUND: no entity is called nothing here; there is customer"},
		} {
			if _, err := do(t, c.caller, c.method, "", "", ""); refusals(err) != c.want {
				t.Errorf("got  %s\nwant %s", refusals(err), c.want)
			}
		}
	}
	const all = "there is list, findById, findByIds, aggregate, create, update, delete, pay, burn"
	if got := must(t, user(f, "clerk", true), "order.pay", "", "", ""); !strings.Contains(got, all) {
		t.Errorf("the author's own code is told %s", got)
	}
}

// TestReadabilityBeforeForm: whatever is sent for a name that the caller does not have, it
// is refused as one that nobody has.
func TestReadabilityBeforeForm(t *testing.T) {
	f := inMode(t, desk(`
name: desk
collectors:
  order: [{hide: [internalNote, customer]}]
  line: [{deny: all}]
`), false)
	for _, value := range []string{`1`, `"x"`, `null`, `[]`, `{}`, `[1]`, `true`, `{"some":1}`, `{"some":{}}`, `{"eq":null}`, `{"eq":{}}`, `{"nope":1}`, `{"in":"x"}`, `{"has":1}`, `{"and":1}`, `{"id":1}`} {
		refused := func(name string) string {
			_, err := do(t, f, "order.list", "", `{"filter":{"`+name+`":`+value+`}}`, "")
			return strings.ReplaceAll(refusals(err), name, "NAME")
		}
		unknown := refused("nobody")
		for _, name := range []string{"lines", "internalNote", "customer", "customerId"} {
			if got := refused(name); got != unknown {
				t.Errorf("%s: %s\ngot  %s\nas   %s", name, value, got, unknown)
			}
		}
	}
}
