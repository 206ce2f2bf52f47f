package facade_test

import (
	"context"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// outbox reads the events of a store.
type outbox struct {
	testing.TB
	store *storetest.Store
	at    facade.Position
}

// taken are the events since the last call.
func (o *outbox) taken() []*facade.Event {
	o.Helper()
	ctx := context.Background()
	if _, _, err := o.store.Relay(ctx); err != nil {
		o.Fatal(err)
	}
	events, at, err := o.store.Log(ctx, o.at, nil, 10000)
	if err != nil {
		o.Fatal(err)
	}
	o.at = at
	return events
}

// outboxOf is a façade of files over an empty store that keeps events; attach may be nil.
func outboxOf(t testing.TB, files map[string]string, attach func(*facade.Project)) (*facade.Facade, *outbox) {
	t.Helper()
	p := projectOf(t, files)
	if attach != nil {
		attach(p)
	}
	store := storetest.NewStore()
	return storetest.New(t, p, store, nil), &outbox{TB: t, store: store}
}

// TestEmission runs the suite over a store that records no events of single writes by itself.
func TestEmission(t *testing.T) {
	storetest.RunEmission(t, storetest.Harness{Open: func(testing.TB, []*schema.Entity) facade.Store { return storetest.NewStore() }})
}
