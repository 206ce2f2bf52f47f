package gateway_test

import (
	"context"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// TestAuthorDeletesWhatHiddenRowsPointAt deletes a row by a handler, while a row of another host points at it that the rules there
// hide from the caller: the row is kept, as in one process.
func TestAuthorDeletesWhatHiddenRowsPointAt(t *testing.T) {
	project := func() *facade.Project {
		p := folderOf(t, map[string]string{
			"fronds/people/entities/writer.yaml": writerCard, "fronds/books/entities/book.yaml": bookCard,
			"fronds/people/seeds/writer.yaml": "[{id: w1, name: Ann}]", "fronds/books/seeds/book.yaml": "[{id: b1, title: One, writerId: w1}]",
			"fronds/books/frond.yaml": "collectors: {book: [{rows: {title: {eq: Two}}}]}\n",
		})
		facade.Handle(p.Door("writer"), "delete", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.Do[any](ctx, facade.Inside(ctx), "writer.delete", facade.Invocation{ID: c.Invocation.ID, Params: c.Invocation.Params})
		})
		return p
	}
	there := newElsewhere(t)
	r, err := gateway.NewReceiver(project(), "books", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence, Undecided: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	there.stand(r.Handler())
	for name, remotes := range map[string]map[string]gateway.Remote{"here": nil, "moved": {"books": {URL: there.url()}}} {
		gw := front(t, project(), remotes)
		if w := gatewaytest.Do(gw.Handler(), "DELETE", "/api/people/writers/w1", ""); w.Code != 409 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
