package gateway_test

import (
	"errors"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// thingCard is a card with an id and these fields, each "name: shape"; one with a "?" behind
// the name is optional.
func thingCard(fields ...string) string {
	text, required := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n", "id"
	for _, f := range fields {
		name, shape, _ := strings.Cut(f, ": ")
		plain := strings.TrimSuffix(name, "?")
		text += "  " + plain + ": {" + shape + "}\n"
		if plain == name {
			required += ", " + name
		}
	}
	return text + "required: [" + required + "]\n"
}

// TestCardsThatChange takes a project through its versions, on both stores: an older program
// starts over a newer store and writes to it, the newer one goes on with what it left, and with
// migrate: off a start changes nothing.
func TestCardsThatChange(t *testing.T) {
	for name, store := range map[string]func() string{
		"SQLite":     func() string { return "sqlite:" + filepath.Join(t.TempDir(), "store.db") },
		"PostgreSQL": func() string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			store := store()
			project := func(card, more string) *facade.Project {
				return folderOf(t, map[string]string{"frond.yaml": "collectors: {'*': open}\n" + more, "entities/thing.yaml": card})
			}
			options := func(migrate string) *gateway.Options {
				return quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: store, Migrate: migrate}})
			}
			start := func(card, more string, do ...string) string {
				t.Helper()
				host, err := gateway.Open(t.Context(), project(card, more), options(""))
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := host.Close(); err != nil {
						t.Error(err)
					}
				}()
				for _, body := range do {
					if _, err := host.Caller().Call(t.Context(), &facade.Call{Entity: "thing", Operation: "create", Invocation: facade.Invocation{Body: []byte(body)}}); err != nil {
						t.Fatal(err)
					}
				}
				res, err := host.Caller().Call(t.Context(), &facade.Call{Entity: "thing", Operation: "list", Invocation: facade.Invocation{Query: []byte(`{"total":false}`)}})
				if err != nil {
					t.Fatal(err)
				}
				return string(res.AppendJSON(nil))
			}
			has := func(got, want string) {
				t.Helper()
				if !strings.Contains(got, want) {
					t.Errorf("%s\nhas no %s", got, want)
				}
			}
			older := thingCard("name: type: string")
			newer := thingCard("name: type: string", "note: type: string", "state?: type: string, x-kit: {lifecycle: {create: {value: draft}}}")
			values := "values: {thing.note: 'name + \"?\"'}"

			// off: nothing is there, and nothing is made.
			_, err := gateway.Open(t.Context(), project(older, ""), options(gateway.MigrateOff))
			var fault schema.Fault
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, "table thing: make the table") {
				t.Errorf("with migrate: off: %v", err)
			}
			if plan, err := gateway.PlanMigration(t.Context(), project(older, ""), options(""), &gateway.MigrateOptions{}); err != nil || len(plan.Steps) != 1 {
				t.Errorf("the plan is %v, %v", plan, err)
			}
			start(older, "", `{"id":"1","name":"a"}`)
			has(start(newer, values, `{"id":"2","name":"b","note":"n"}`), `[{"id":"1","name":"a","note":"a?","state":"draft"},{"id":"2","name":"b","note":"n","state":"draft"}]`)
			// The older program does not know note, which is never null, nor state.
			has(start(older, "", `{"id":"3","name":"c"}`), `[{"id":"1","name":"a"},{"id":"2","name":"b"},{"id":"3","name":"c"}]`)
			has(start(newer, values), `{"id":"2","name":"b","note":"n","state":"draft"},{"id":"3","name":"c","note":"c?","state":"draft"}]`)
			if name == "SQLite" { // where one process serves a file
				gw, err := gateway.New(project(newer, values), options(""))
				if err != nil {
					t.Fatal(err)
				}
				if _, err = gateway.Migrate(t.Context(), project(older, ""), options(""), &gateway.MigrateOptions{}); err == nil || !strings.Contains(err.Error(), "another process serves it (process ") {
					t.Errorf("apply beside a gateway: %v", err)
				}
				if err := gw.Close(); err != nil {
					t.Fatal(err)
				}
			}
			// off again: the store fits, and is served.
			host, err := gateway.Open(t.Context(), project(newer, values), options(gateway.MigrateOff))
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Close(); err != nil {
				t.Fatal(err)
			}
			// What loses data waits for its flag.
			_, err = gateway.Migrate(t.Context(), project(older, ""), options(""), &gateway.MigrateOptions{Drop: []string{"thing.state"}})
			var refused migration.Refused
			if !errors.As(err, &refused) || len(refused) != 1 || refused[0].Flag != "--drop thing.note" {
				t.Errorf("apply without a flag: %v", err)
			}
			if _, err = gateway.Migrate(t.Context(), project(older, ""), options(""), &gateway.MigrateOptions{Drop: []string{"thing.state", "Thing.note"}}); err != nil {
				t.Fatal(err)
			}
			plan, done, err := gateway.Migrations(t.Context(), project(older, ""), options(""), 3)
			if err != nil || len(plan.Steps) != 0 || len(done) != 3 || done[0].Steps[0].Op != migration.DropColumn {
				t.Errorf("afterwards: %v %v %v", plan, done, err)
			}
		})
	}
}

// TestValuesOfNewerCards: a gateway that newer cards run beside, or have run before, shows a value that they allow on REST, and its
// GraphQL answers that the gateway is to be replaced.
func TestValuesOfNewerCards(t *testing.T) {
	for name, store := range map[string]func() string{
		"SQLite":     func() string { return "sqlite:" + filepath.Join(t.TempDir(), "store.db") },
		"PostgreSQL": func() string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			options := quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: store(), Mode: gateway.Production}})
			open := func(fields ...string) *gateway.Gateway {
				t.Helper()
				gw, err := gateway.New(folderOf(t, map[string]string{"frond.yaml": "collectors: {'*': open}\n", "entities/thing.yaml": thingCard(fields...)}), options)
				if err != nil {
					t.Fatal(err)
				}
				return gw
			}
			end := func(gw *gateway.Gateway) {
				t.Helper()
				if err := gw.Close(); err != nil {
					t.Fatal(err)
				}
			}
			send := func(gw *gateway.Gateway, method, path, body string) string {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Host = "localhost"
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				gw.Handler().ServeHTTP(w, r)
				return w.Body.String()
			}
			was := []string{"state: type: string, enum: [draft, done]", "note: type: string"}
			is := []string{"state: type: string, enum: [draft, done, late]", "note: type: [string, 'null']"}
			end(open(was...))
			newer := open(is...)
			if got := send(newer, "POST", "/api/app/things", `{"id":"1","state":"late","note":null}`); !strings.Contains(got, `"late"`) {
				t.Fatal(got)
			}
			end(newer)
			older := open(was...)
			defer end(older)
			if got := send(older, "GET", "/api/app/things", ""); !strings.Contains(got, `{"id":"1","state":"late","note":null}`) {
				t.Error(got)
			}
			for _, field := range []string{"state", "note"} {
				got := send(older, "POST", "/graphql", `{"query":"{things{items{id `+field+`}}}"}`)
				if !strings.Contains(got, `"path":["things","items",0,"`+field+`"]`) || !strings.Contains(got, `"code":"SERVICE_UNAVAILABLE"`) {
					t.Error(got)
				}
			}
			if got := send(older, "POST", "/api/app/things", `{"id":"2","state":"done","note":"n"}`); !strings.Contains(got, `"id":"2"`) {
				t.Error(got)
			}
		})
	}
}
