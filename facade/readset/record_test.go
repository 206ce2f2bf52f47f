package readset

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// TestChanges: what was read can be followed where its changes are announced; else the error says what to
// write, or that nothing helps.
func TestChanges(t *testing.T) {
	const card = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	p, err := facade.Read(fstest.MapFS{
		"fronds/shop/entities/order.yaml":    {Data: []byte(card)},
		"fronds/shop/entities/customer.yaml": {Data: []byte(card)},
		"fronds/shop/frond.yaml":             {Data: []byte("changes: order\ncollectors: {'*': open}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, p), outboxStore{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Catalog()
	var order, both, shape Set
	order.anyRow(c.Set.Entity("order"))
	if all, err := order.Changes(c); err != nil || len(all) != 1 || all[0].FullName() != "shop.orderChanged" {
		t.Errorf("%v %v", all, err)
	}
	both.anyRow(c.Set.Entity("order"))
	both.anyRow(c.Set.Entity("customer"))
	if _, err := both.Changes(c); kiterror.CodeOf(err) != kiterror.NotImplemented || !strings.Contains(err.Error(), "customer publishes no change events; add it to changes in frond.yaml: changes: [customer]") {
		t.Error(err)
	}
	shape.anyRow(c.Set.Entity("order"))
	shape.noRows("quote")
	if _, err := shape.Changes(c); kiterror.CodeOf(err) != kiterror.NotImplemented || !strings.Contains(err.Error(), "quote has no stored rows to follow") {
		t.Error(err)
	}
}

// outboxStore is a store with an outbox, for a catalog that announces changes.
type outboxStore struct{ facade.Store }

func (outboxStore) Abilities() facade.Abilities { return facade.Abilities{Outbox: outbox{}} }

type outbox struct{ facade.Outbox }
