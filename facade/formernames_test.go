package facade_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// TestEventsFromBeforeARename: what an event shows, what a rule and a filter find in it, and what
// leaves for receivers and consumers, is under the names that fields have now.
func TestEventsFromBeforeARename(t *testing.T) {
	files := maps.Clone(shopWithFacts)
	files["frond.yaml"] += "renamed: {order.state: order.stage, order.stage: order.status, order.buyerId: order.customerId, order.hidden: order.secret}\n"
	f, log := outboxOf(t, files, nil)
	placed(t, f)
	events := log.taken()
	old := json.RawMessage(`{"id":"o-ada","state":"open","total":7,"note":"n","hidden":"x","buyerId":"ada"}`)
	within := json.RawMessage(`{"id":"o-ada","stage":"paid","total":7,"note":"n","secret":"x","buyerId":"ada"}`)
	now := `{"id":"o-ada","status":"open","total":7,"note":"n","secret":"x","customerId":"ada"}`
	for _, e := range events {
		if e.Name == "orderChanged" && string(e.Key) == `"o-ada"` {
			if string(e.Data) != now {
				t.Fatalf("an event of today: %s", e.Data)
			}
			if f.Current(e) != e {
				t.Error("an event of today is copied")
			}
			e.Change, e.Data, e.Before = catalog.Updated, within, old
		}
	}
	for _, c := range []struct {
		sub  facade.Subscription
		want string
	}{
		{facade.Subscription{State: staff, Filter: raw(`{"status":{"eq":"paid"}}`)}, `updated "o-ada" {"id":"o-ada","status":"paid","total":7,"note":"n","customerId":"ada","double":14}` + "\n"},
		{facade.Subscription{State: ada}, `updated "o-ada" {"id":"o-ada","status":"paid","total":7,"customerId":"ada","double":14}` + "\n"},
		{facade.Subscription{State: ada, Filter: raw(`{"status":{"eq":"open"}}`)}, `left "o-ada" ` + "\n"},
	} {
		c.sub.Frond, c.sub.Fact = "shop", "orderChanged"
		if got := revealed(t, f, events, c.sub); got != c.want {
			t.Errorf("%v: got\n%s\nwant\n%s", c.sub, got, c.want)
		}
	}
	e := &facade.Event{Frond: "shop", Name: "orderChanged", Change: catalog.Updated, Entity: "order", Key: raw(`"o-ada"`), Data: within, Before: old}
	if out, err := f.Outward(e); err != nil || string(out.Data) != `{"id":"o-ada","status":"paid","total":7,"note":"n","customerId":"ada"}` {
		t.Errorf("outward: %s, %v", out.Data, err)
	}
	if got := f.Current(e); string(got.Before) != now || string(e.Before) != string(old) {
		t.Errorf("before: %s; the event has %s", got.Before, e.Before)
	}
}
