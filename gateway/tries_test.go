package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
	"github.com/frondhost/frond/store/storetest"
)

// contended is a store whose transactions meet two conflicts.
type contended struct{ *storetest.Store }

func (s contended) Abilities() facade.Abilities { return facade.Abilities{Transactor: s, Outbox: s} }

var errConflict = errors.New("another transaction came between")

func (s contended) Transact(ctx context.Context, fn func(context.Context) error) error {
	return facade.Retry(ctx, func(err error) bool { return errors.Is(err, errConflict) }, func(run int) error {
		return s.Store.Transact(ctx, func(ctx context.Context) error {
			if err := fn(ctx); err != nil || run > 2 {
				return err
			}
			return errConflict
		})
	})
}

// TestTriesAreReported: how often a command ran is in its span and in a metric.
func TestTriesAreReported(t *testing.T) {
	provider, spans := recorded(t)
	project := library(t)
	facade.Handle(project.Door("book"), "create", func(ctx context.Context, c *facade.Call) (any, error) {
		return facade.Do[any](ctx, facade.Inside(ctx), "book.create", facade.Invocation{Body: c.Invocation.Body})
	})
	opts := quiet(gateway.Options{Store: contended{storetest.NewStore()}, Tracing: provider})
	opts.Config.Admin.Listen = "127.0.0.1:0"
	gw, err := gateway.New(project, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	w := gatewaytest.Do(gw.Handler(), "POST", "/api/books/books", `{"id":"b2","title":"Two","writerId":"w1"}`, gatewaytest.AsJSON)
	if w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if outline := tree(spans.Ended()); !strings.Contains(outline, "frond.tries=3") {
		t.Errorf("the spans are\n%s", outline)
	}
	const retries = "frond_call_retries_total{entity=book,frond=books,operation=create}"
	if n := numbers(t, gw.AdminHandler())[retries]; n != 2 {
		t.Errorf("%s is %v", retries, n)
	}
}
