package facade_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
)

// shopWithFacts is a project whose rows are announced.
var shopWithFacts = map[string]string{
	"entities/customer.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  region: {type: string}
required: [id, region]
`,
	"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  status: {type: string, enum: [open, paid, shipped]}
  total: {type: integer}
  note: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  secret: {type: string, x-kit: {boundary: {out: closed}, lifecycle: {create: optional}}}
  customerId: {type: string, x-kit: {role: {relation: {to: customer, kind: one, onDelete: cascade}}}}
required: [id, status, total, customerId]
`,
	"views/orderCard.yaml": `{of: order, pick: [id, status]}`,
	"frond.yaml": `
name: shop
facts:
  - {name: orderPlaced, schema: orderCard, on: order.create}
  - {name: orderShipped, on: order.update, when: before.status != "shipped" and after.status == "shipped"}
changes: order
computed:
  order: {double: {type: integer, value: total * 2}}
collectors:
  customer: open
  order:
    - when: user.role == "staff"
    - when: user != nil
      rows: {customerId: {eq: $user.id}}
      hide: [note]
    - deny: all
`,
}

// staff and ada are callers of that shop.
var (
	staff = access.State{"user": map[string]any{"id": "s", "role": "staff"}}
	ada   = access.State{"user": map[string]any{"id": "ada", "role": "customer"}}
)

// placed fills the shop with two customers and an order of each.
func placed(t *testing.T, f *facade.Facade) {
	t.Helper()
	for _, id := range []string{"ada", "bob"} {
		must(t, as(f, staff), "customer.create", "", "", fmt.Sprintf(`{"id":%q,"region":"north"}`, id))
		must(t, as(f, staff), "order.create", "", "", fmt.Sprintf(`{"id":"o-%s","status":"open","total":7,"note":"n","secret":"x","customerId":%[1]q}`, id))
	}
}

// lines are events in short, one a line: fact, change, key, data.
func lines(events []*facade.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s.%s %s %s%s", e.Frond, e.Name, e.Change, e.Entity, e.Key)
		if e.Data != nil {
			fmt.Fprintf(&b, " %s", e.Data)
		}
		if e.Before != nil {
			fmt.Fprintf(&b, " was %s", e.Before)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// revealed is what a subscriber sees of events, one a line.
func revealed(t testing.TB, f *facade.Facade, events []*facade.Event, s facade.Subscription) string {
	t.Helper()
	w, err := f.Watch(context.Background(), &s)
	if err != nil {
		return err.Error()
	}
	seen, err := w.Reveal(context.Background(), events)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, r := range seen {
		fmt.Fprintf(&b, "%s %s %s\n", r.Change, r.Key, r.Data)
	}
	return b.String()
}

func TestBuiltinCommandsEmit(t *testing.T) {
	f, log := outboxOf(t, shopWithFacts, nil)
	placed(t, f)
	const ofAda = `{"id":"o-ada","status":"open","total":7,"note":"n","secret":"x","customerId":"ada"}`
	want := "shop.orderPlaced created order\"o-ada\" " + ofAda + "\nshop.orderChanged created order\"o-ada\" " + ofAda + "\n"
	if got := lines(log.taken()); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 4 {
		t.Errorf("created: got\n%swant first\n%s", got, want)
	}
	must(t, as(f, staff), "order.update", `{"id":"o-ada"}`, "", `{"status":"shipped"}`)
	shipped := strings.Replace(ofAda, "open", "shipped", 1)
	want = "shop.orderShipped updated order\"o-ada\" " + shipped + "\nshop.orderChanged updated order\"o-ada\" " + shipped + " was " + ofAda + "\n"
	if got := lines(log.taken()); got != want {
		t.Errorf("updated: got\n%swant\n%s", got, want)
	}
	must(t, as(f, staff), "order.update", `{"id":"o-ada"}`, "", `{}`)
	must(t, as(f, staff), "order.update", `{"id":"o-ada"}`, "", `{"total":8}`)
	if got := lines(log.taken()); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "shop.orderChanged updated") {
		t.Errorf("updated otherwise: got\n%s", got)
	}
	must(t, as(f, staff), "order.delete", `{"id":"o-ada"}`, "", "")
	must(t, as(f, staff), "order.delete", `{"id":"o-ada"}`, "", "")
	want = "shop.orderChanged deleted order\"o-ada\" " + strings.Replace(shipped, "7", "8", 1) + "\n"
	if got := lines(log.taken()); got != want {
		t.Errorf("deleted: got\n%swant\n%s", got, want)
	}
	if _, err := do(t, as(f, staff), "order.create", "", "", `{"id":"o-bob","status":"open","total":7,"customerId":"ada"}`); err == nil {
		t.Fatal("an id was taken twice")
	}
	if got := lines(log.taken()); got != "" {
		t.Errorf("a command that failed emitted\n%s", got)
	}
}

// TestVersionsOfEvents: the version of an event about a view is that of the row, which a write may
// name.
func TestVersionsOfEvents(t *testing.T) {
	f, log := outboxOf(t, shopWithFacts, nil)
	placed(t, f)
	events := log.taken()
	for _, caller := range []access.State{staff, ada} {
		res, err := f.Call(t.Context(), &facade.Call{Entity: "order", Operation: "findById", Version: true, Invocation: facade.Invocation{ID: []byte(`"o-ada"`), State: caller}})
		if err != nil || len(res.Versions) != 1 {
			t.Fatal(res, err)
		}
		for _, fact := range []string{"orderPlaced", "orderChanged"} {
			w, err := f.Watch(t.Context(), &facade.Subscription{Frond: "shop", Fact: fact, State: caller, Versions: true})
			if err != nil {
				t.Fatal(err)
			}
			seen, err := w.Reveal(t.Context(), events)
			if err != nil || len(seen) == 0 || seen[0].Version != res.Versions[0] {
				t.Errorf("%s: %v, %+v, want %s", fact, err, seen, res.Versions)
			}
		}
	}
}

func TestWatchRevealsRowsOfTheSubscriber(t *testing.T) {
	f, log := outboxOf(t, shopWithFacts, nil)
	placed(t, f)
	events := log.taken()
	for _, c := range []struct {
		name string
		sub  facade.Subscription
		want string
	}{
		{"everything", facade.Subscription{Fact: "orderChanged", State: staff}, `created "o-ada" {"id":"o-ada","status":"open","total":7,"note":"n","customerId":"ada","double":14}
created "o-bob" {"id":"o-bob","status":"open","total":7,"note":"n","customerId":"bob","double":14}
`},
		{"own rows without the hidden field", facade.Subscription{Fact: "orderChanged", State: ada}, `created "o-ada" {"id":"o-ada","status":"open","total":7,"customerId":"ada","double":14}
`},
		{"a view", facade.Subscription{Fact: "orderPlaced", State: ada}, `created "o-ada" {"id":"o-ada","status":"open"}
`},
		{"a selection", facade.Subscription{Fact: "orderChanged", State: ada, Select: []string{"double"}}, `created "o-ada" {"double":14}
`},
		{"a filter", facade.Subscription{Fact: "orderChanged", State: staff, Select: []string{"id"}, Filter: raw(`{"customerId":{"eq":"bob"}}`)}, `created "o-bob" {"id":"o-bob"}
`},
		{"a filter through a relation", facade.Subscription{Fact: "orderChanged", State: staff, Select: []string{"id"}, Filter: raw(`{"customer":{"region":{"eq":"south"}}}`)}, ""},
		{"nobody", facade.Subscription{Fact: "orderChanged"}, "UNAUTHORIZED: order.list is not for everybody; say who you are"},
		{"a filter on a hidden field", facade.Subscription{Fact: "orderChanged", State: ada, Filter: raw(`{"note":{"eq":"n"}}`)}, "note"},
		{"a selected path", facade.Subscription{Fact: "orderChanged", State: staff, Select: []string{"customer.region"}}, "names customer.region, and events show the fields of the row itself; leave it out"},
		{"a selected closed field", facade.Subscription{Fact: "orderChanged", State: staff, Select: []string{"secret"}}, "names secret, which order does not have"},
		{"no fact", facade.Subscription{Fact: "orderLost", State: ada}, "shop.orderChanged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.sub.Frond = "shop"
			got := revealed(t, f, events, c.sub)
			if got != c.want && (strings.HasSuffix(c.want, "\n") || c.want == "" || !strings.Contains(got, c.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
