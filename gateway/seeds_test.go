package gateway_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
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

// TestSeedsThatAreNotWritten: a start names a file of seeds that changed since its rows were written, and one
// of an entity that has rows.
func TestSeedsThatAreNotWritten(t *testing.T) {
	const (
		card    = `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, name: {type: string}}, required: [id, name]}`
		changed = `seeds/thing.yaml changed since its rows were written; seeds are written once, so change rows of thing through the API, or begin with an empty store`
	)
	for kind, store := range map[string]string{"SQLite": "sqlite:store.db", "PostgreSQL": pgtest.Database(t)} {
		dir := t.TempDir() // of SQLite's file
		files := map[string]string{"entities/thing.yaml": card, "entities/late.yaml": card, "seeds/thing.yaml": `[{id: t1, name: One}]`}
		for _, c := range []struct{ name, file, text, want string }{
			{"the first start", "seeds/thing.yaml", `[{id: t1, name: One}]`, ""},
			{"another form of the same rows", "seeds/thing.yaml", "# one\n- id: t1\n  name: One\n", ""},
			{"an edited row", "seeds/thing.yaml", `[{id: t1, name: Two}]`, changed},
			{"a row more", "seeds/thing.yaml", `[{id: t1, name: One}, {id: t2, name: Two}]`, changed},
			{"as before", "seeds/thing.yaml", `[{id: t1, name: One}]`, ""},
			{"seeds of an entity that has rows", "seeds/late.yaml", `[{id: l2, name: Two}]`, "seeds/late.yaml is not written: the store has rows of late already"},
			{"again", "seeds/late.yaml", `[{id: l2, name: Two}]`, ""},
		} {
			files[c.file] = c.text
			var log bytes.Buffer
			options := quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Dir: dir, Store: store}})
			options.Logger = slog.New(slog.NewTextHandler(&log, nil))
			host, err := gateway.Open(t.Context(), folderOf(t, files), options)
			if err != nil {
				t.Fatal(err)
			}
			row := &facade.Call{Entity: "late", Operation: "create", Invocation: facade.Invocation{Body: []byte(`{"id":"` + c.name + `","name":"x"}`)}}
			if _, err := host.Caller().Call(t.Context(), row); err != nil {
				t.Fatal(err)
			}
			if err := host.Close(); err != nil {
				t.Fatal(err)
			}
			if got := log.String(); c.want != "" && !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "seeds/") {
				t.Errorf("%s: %s: %s, want %s", kind, c.name, got, c.want)
			}
		}
	}
}
