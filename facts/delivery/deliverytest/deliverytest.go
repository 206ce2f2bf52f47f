// Package deliverytest has what tests of the ways out need: events, and a feed.
package deliverytest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts/delivery"
)

// Name is the fact of every event, as readers name it.
const Name = "shop.orderPlaced"

// Event is the n-th event about an order. Its id and its data have n in them.
func Event(n, order int) facade.Event {
	return facade.Event{
		ID: fmt.Sprintf("00000000-0000-7000-8000-%012d", n), Frond: "shop", Name: "orderPlaced", Change: catalog.Created,
		Entity: "order", Key: json.RawMessage(fmt.Sprint(order)), At: time.Now().UTC(), Data: json.RawMessage(fmt.Sprintf(`{"id":%d,"number":%d}`, order, n)),
	}
}

// Emit writes events, each in a transaction of its own.
func Emit(t testing.TB, store facade.Outbox, events ...facade.Event) {
	t.Helper()
	for _, e := range events {
		if err := store.Emit(t.Context(), []facade.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
}

// Consumer is a consumer of every event of a store, whose log goes to the test's.
func Consumer(t testing.TB, name string, store facade.Outbox) *delivery.Consumer {
	return &delivery.Consumer{Name: name, Facts: []string{Name}, Store: store, Feed: Feed(store), Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

// Feed opens readers that relay and read a store whenever something was committed.
func Feed(store facade.Outbox) delivery.Feed {
	return func(_ context.Context, names []string, after facade.Position) (delivery.Reader, error) {
		return &reader{store, names, after}, nil
	}
}

type reader struct {
	store facade.Outbox
	names []string
	at    facade.Position
}

// Next relays and reads until there are events.
func (r *reader) Next(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	for {
		committed := r.store.Committed()
		if _, _, err := r.store.Relay(ctx); err != nil {
			return nil, r.at, err
		}
		events, behind, err := r.store.Log(ctx, r.at, r.names, 64)
		if err != nil {
			return nil, r.at, err
		}
		if r.at = behind; len(events) > 0 {
			return events, behind, nil
		}
		select {
		case <-committed:
		case <-ctx.Done():
			return nil, r.at, context.Cause(ctx)
		}
	}
}

// Close has no effect.
func (r *reader) Close() {}
