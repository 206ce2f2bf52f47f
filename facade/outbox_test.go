package facade_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/storetest"
)

// outbox is the reference store with the events that were committed, for tests of what is
// emitted. It gives no positions and keeps nothing else of a log.
type outbox struct {
	*storetest.Store
	mu     sync.Mutex
	events []*facade.Event
}

var _ facade.Outbox = (*outbox)(nil)

// Transact implements [facade.Transactor]: the events of a transaction that fails are gone.
func (o *outbox) Transact(ctx context.Context, fn func(context.Context) error) error {
	var mark int
	err := o.Store.Transact(ctx, func(ctx context.Context) error {
		o.mu.Lock()
		mark = len(o.events)
		o.mu.Unlock()
		return fn(ctx)
	})
	if err != nil || facade.InDryRun(ctx) {
		o.mu.Lock()
		o.events = o.events[:min(mark, len(o.events))]
		o.mu.Unlock()
	}
	return err
}

func (o *outbox) Emit(_ context.Context, events []facade.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range events {
		o.events = append(o.events, &e)
	}
	return nil
}

// taken are the events since the last call.
func (o *outbox) taken() []*facade.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.events
	o.events = nil
	return all
}

func (*outbox) Committed() <-chan struct{} { return nil }
func (*outbox) Log(context.Context, facade.Position, []string, int) ([]*facade.Event, facade.Position, error) {
	panic("not used")
}
func (*outbox) Span(context.Context) (oldest, last facade.Position, err error) { panic("not used") }
func (*outbox) Relay(context.Context) (facade.Position, bool, error)           { panic("not used") }
func (*outbox) Trim(context.Context, time.Time, int) (int, error)              { panic("not used") }
func (*outbox) Cursor(context.Context, string) (facade.Position, bool, error)  { panic("not used") }
func (*outbox) Advance(context.Context, string, facade.Position, facade.Position) (bool, error) {
	panic("not used")
}
func (*outbox) Bury(context.Context, *facade.DeadEvent) error { panic("not used") }
func (*outbox) Dead(context.Context, string, int) ([]*facade.DeadEvent, error) {
	panic("not used")
}
func (*outbox) Revive(context.Context, string, string) (bool, error) { panic("not used") }

// outboxOf is a façade of files over an empty store that keeps events; attach may be nil.
func outboxOf(t testing.TB, files map[string]string, attach func(*facade.Project)) (*facade.Facade, *outbox) {
	t.Helper()
	p := projectOf(t, files)
	if attach != nil {
		attach(p)
	}
	store := &outbox{Store: storetest.NewStore()}
	return storetest.New(t, p, store, nil), store
}
