package resolvers_test

import (
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/resolvers"
)

// TestConsistencyIsNotShared: of equal requests, those share an execution that have to see
// the same of the stores.
func TestConsistencyIsNotShared(t *testing.T) {
	for _, c := range []struct {
		tokens string
		calls  int64 // of three: one is under way, the others share or do not
	}{{"", 2}, {"a.01.y", 3}} {
		synctest.Test(t, func(t *testing.T) {
			g, engine := gated(t, resolvers.Options{})
			var all sync.WaitGroup
			for i := range 3 {
				record := &consistency.Record{}
				if i == 2 {
					var err error
					if record, err = consistency.Read([]string{c.tokens}); err != nil {
						t.Fatal(err)
					}
				}
				all.Go(func() {
					engine.Execute(consistency.With(t.Context(), record), &resolvers.Request{
						Query: oneTitle, OperationName: "One", Variables: json.RawMessage(`{"id":1}`),
					}).Release()
				})
				synctest.Wait()
			}
			close(g.hold)
			all.Wait()
			if n := g.made.Load(); n != c.calls {
				t.Errorf("with %q: %d calls, want %d", c.tokens, n, c.calls)
			}
		})
	}
}
