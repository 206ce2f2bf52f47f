package gateway_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// TestSeedsAreWrittenOnce: seeds are written once in the life of a store, entity by
// entity; rows that were deleted never come back.
func TestSeedsAreWrittenOnce(t *testing.T) {
	const card = `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}}, required: [id, name]}`
	files := map[string]string{
		"entities/thing.yaml": card,
		"seeds/thing.yaml":    `[{id: t1, name: One}, {id: t2, name: Two}]`,
	}
	dir := t.TempDir() // of the store
	start := func() (call func(entity, op, invocation string) string, stop func()) {
		t.Helper()
		host, err := gateway.Open(t.Context(), folderOf(t, files), quiet(gateway.Options{Config: gateway.Config{Dir: dir, Store: "sqlite:store.db"}}))
		if err != nil {
			t.Fatal(err)
		}
		call = func(entity, op, id string) string {
			c := &facade.Call{Entity: entity, Operation: op}
			if id != "" {
				c.Invocation.Params = []byte(`{"id":"` + id + `"}`)
			} else {
				c.Invocation.Query = []byte(`{"fields":"id"}`)
			}
			res, err := host.Caller().Call(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			return string(res.AppendJSON(nil))
		}
		return call, func() {
			if err := host.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	has := func(what, got string, ids ...string) {
		t.Helper()
		if strings.Count(got, `"id"`) != len(ids) {
			t.Errorf("%s: %s, want %v", what, got, ids)
		}
		for _, id := range ids {
			if !strings.Contains(got, `{"id":"`+id+`"}`) {
				t.Errorf("%s: %s, want %v", what, got, ids)
			}
		}
	}

	call, stop := start()
	has("the first start", call("thing", "list", ""), "t1", "t2")
	call("thing", "delete", "t1")
	call("thing", "delete", "t2")
	has("after deleting", call("thing", "list", ""))
	stop()

	call, stop = start()
	has("the second start", call("thing", "list", ""))
	stop()

	// An entity that is added later gets its seeds, and nothing else does.
	files["entities/other.yaml"] = card
	files["seeds/other.yaml"] = `[{id: o1, name: One}]`
	call, stop = start()
	has("the entity that was added", call("other", "list", ""), "o1")
	has("the entity that was there", call("thing", "list", ""))
	stop()
}
