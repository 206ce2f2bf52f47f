package resolvers_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/resolvers"
)

const mib = 1 << 20

// greedy is an engine over a blog whose calls of some operations reserve a megabyte
// each, as a store does while it reads rows.
func greedy(t *testing.T, bound *budget.Budget, operations string) *resolvers.Engine {
	t.Helper()
	b := newBlogWith(t, handWritten)
	caller := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		if strings.Contains(operations, c.Operation) {
			if err := budget.AccountOf(ctx).Reserve(mib); err != nil {
				return nil, err
			}
		}
		return b.recorder.Call(ctx, c)
	})
	engine, err := resolvers.NewEngine(b.schema, caller, &resolvers.Options{Logger: quiet, Budget: bound, NoCoalesce: true})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// hog holds all that large answers may have of a budget.
func hog(t *testing.T, b *budget.Budget) *budget.Account {
	t.Helper()
	_, a, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = a.Reserve(32 << 10)
	}
	return a
}

// TestNoRoom: a query that there is no room for is refused whole; a mutation is
// reported, and only what is read beside it is missing.
func TestNoRoom(t *testing.T) {
	const query = `{ a: post(id: 1) { title } b: post(id: 2) { title author { name } } }`
	bound := budget.New(8*mib, 0)
	engine := greedy(t, bound, "findById")
	ask := func(query string) *resolvers.Response {
		return engine.Execute(t.Context(), &resolvers.Request{Query: query})
	}
	if resp := ask(query); resp.Status != 200 || strings.Contains(string(resp.Body), "errors") {
		t.Fatalf("with room enough: %d %s", resp.Status, resp.Body)
	} else {
		resp.Release()
	}
	h := hog(t, bound)
	held := bound.State().Used
	resp := ask(query)
	if resp.Status != 503 || resp.RetryAfter == "" || !strings.HasPrefix(string(resp.Body), `{"data":null,"errors":[{"message":"too much is being answered at once`) ||
		strings.Count(string(resp.Body), "SERVICE_UNAVAILABLE") != 1 {
		t.Errorf("a query: %d, retry after %s, %s", resp.Status, resp.RetryAfter, resp.Body)
	}
	resp.Release()
	resp = ask(`mutation { a: postPublish(id: 1) { id author { name } } b: postPublish(id: 2) { id } }`)
	if resp.Status != 200 || resp.RetryAfter != "" || !strings.HasPrefix(string(resp.Body), `{"data":{"a":{"id":1,"author":null},"b":{"id":2}},"errors":[`) ||
		strings.Count(string(resp.Body), "SERVICE_UNAVAILABLE") != 1 {
		t.Errorf("a mutation: %d, retry after %s, %s", resp.Status, resp.RetryAfter, resp.Body)
	}
	resp.Release()
	if used := bound.State().Used; used != held {
		t.Errorf("%d bytes are in use, want those of the other alone: %d", used, held)
	}
	h.Close()

	for bound.State().Used <= 8*mib-64<<10 { // now without the reserve
		if _, _, err := bound.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	resp = ask(query)
	if resp.Status != 503 || resp.RetryAfter == "" || resp.Executed || !strings.HasPrefix(string(resp.Body), `{"errors":[`) {
		t.Errorf("nothing is left: %d, retry after %s, %s", resp.Status, resp.RetryAfter, resp.Body)
	}
}

// TestTooLargeForAnybody: an answer that the whole budget could not hold is no matter
// of trying again.
func TestTooLargeForAnybody(t *testing.T) {
	bound := budget.New(mib, 0)
	resp := greedy(t, bound, "list").Execute(t.Context(), &resolvers.Request{Query: `{ posts { total } }`})
	if resp.Status != 200 || resp.RetryAfter != "" || !strings.Contains(string(resp.Body), `"code":"RESPONSE_TOO_LARGE","details":{"limit":786432}`) {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	resp.Release()
	if s := bound.State(); s.Used != 0 {
		t.Errorf("%+v", s)
	}
}

// TestTooManyExecutions: executions are counted until the answer is written, and shared
// ones once.
func TestTooManyExecutions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bound := budget.New(0, 2)
		g, engine := gated(t, resolvers.Options{Budget: bound})
		var all sync.WaitGroup
		ask := func(id string) {
			all.Go(func() {
				resp := engine.Execute(t.Context(), &resolvers.Request{Query: oneTitle, OperationName: "One", Variables: json.RawMessage(`{"id":` + id + `}`)})
				if resp.Status != 200 {
					t.Errorf("%d %s", resp.Status, resp.Body)
				}
				if bound.State().Used == 0 {
					t.Error("an answer that is there is not counted")
				}
				resp.Release()
			})
			synctest.Wait()
		}
		ask("1")
		ask("2")
		for range 3 { // they wait for their next
			ask("1")
		}
		resp := engine.Execute(t.Context(), &resolvers.Request{Query: `{ post(id: 3) { title } }`})
		if resp.Status != 503 || resp.RetryAfter == "" || resp.Executed || !strings.Contains(string(resp.Body), "too many requests are being executed") {
			t.Errorf("the third: %d %s", resp.Status, resp.Body)
		}
		resp.Release()
		close(g.hold)
		all.Wait()
		if s := bound.State(); s.Used != 0 || s.Running != 0 || s.RefusedExecutions != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestWhoLeavesHoldsNothing: of those who wait for one answer some go, or all do; it is
// given back once.
func TestWhoLeavesHoldsNothing(t *testing.T) {
	for _, leaving := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			bound := budget.New(mib, 0)
			g, engine := gated(t, resolvers.Options{Budget: bound})
			var all sync.WaitGroup
			leave := make([]context.CancelFunc, 4)
			for i := range leave {
				ctx, cancel := context.WithCancel(t.Context())
				leave[i] = cancel
				all.Go(func() { engine.Execute(ctx, &resolvers.Request{Query: `{ post(id: 1) { title } }`}).Release() })
				synctest.Wait()
			}
			g.hold <- struct{}{} // the first is answered; the others wait for the next
			synctest.Wait()
			for _, cancel := range leave[1 : 1+leaving] {
				cancel()
			}
			synctest.Wait()
			close(g.hold)
			all.Wait()
			synctest.Wait()
			if s := bound.State(); s.Used != 0 || s.Running != 0 {
				t.Errorf("after %d left: %+v", leaving, s)
			}
			for _, cancel := range leave {
				cancel()
			}
		})
	}
}
