package facade_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/catalog"
)

// audited is the shop with a command by Go code, whose staff see who caused an event.
func audited(t testing.TB) (*facade.Facade, *outbox) {
	t.Helper()
	files := maps.Clone(shopWithFacts)
	files["frond.yaml"] = strings.Replace(files["frond.yaml"], "- when: user.role == \"staff\"\n", "- when: user.role == \"staff\"\n      actor: true\n      allow: all\n", 1) +
		"many: {order: [create, update, import]}\ndoors:\n  order:\n    operations:\n      ship: {kind: command, params: {type: object, properties: {id: {type: string}}}}\n"
	return outboxOf(t, files, func(p *facade.Project) {
		facade.Handle(p.Door("order"), "ship", func(ctx context.Context, c *facade.Call) (any, error) {
			_, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "update", Invocation: facade.Invocation{Params: c.Invocation.Params, Body: raw(`{"status":"shipped"}`)}})
			return nil, err
		})
	})
}

// TestActor: the events of every way to write say who caused them.
func TestActor(t *testing.T) {
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	order := func(id string) string { return `{"id":"` + id + `","status":"open","total":7,"customerId":"ada"}` }
	call := func(method, params, body string, state access.State) func(context.Context, *facade.Facade) error {
		return func(ctx context.Context, f *facade.Facade) error {
			entity, op, _ := strings.Cut(method, ".")
			_, err := f.Call(ctx, &facade.Call{Entity: entity, Operation: op, Invocation: facade.Invocation{Params: raw(params), Body: raw(body), State: state, Trace: trace}})
			return err
		}
	}
	acting := access.State{"user": map[string]any{"id": "s", "role": "staff"}, "as": "u-ann", "token": "ci"}
	exchanged := access.State{"user": map[string]any{"id": 7, "role": "staff", "claims": map[string]any{"act": map[string]any{"sub": "robot"}}}}
	within := func(by catalog.By, name string, of *facade.Event) func(context.Context, *facade.Facade) error {
		return func(ctx context.Context, f *facade.Facade) error {
			ctx = f.Enter(facade.WithCause(ctx, by, name, of), nil)
			_, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "update", Invocation: facade.Invocation{Params: raw(`{"id":"o-ada"}`), Body: raw(`{"total":9}`)}})
			return err
		}
	}
	const request = `"request":"4bf92f3577b34da6a3ce929d0e0e4736",`
	for _, c := range []struct {
		name, want string
		do         func(context.Context, *facade.Facade) error
	}{
		{"create", `{"user":"s","call":"order.create",` + request + `"by":"call"}`, call("order.create", "", order("o-1"), staff)},
		{"several rows", `{"user":"s","call":"order.createMany",` + request + `"by":"call"}`, call("order.createMany", "", "["+order("o-1")+","+order("o-2")+"]", staff)},
		{"update", `{"user":"s","call":"order.update",` + request + `"by":"call"}`, call("order.update", `{"id":"o-ada"}`, `{"total":8}`, staff)},
		{"rows that meet a condition", `{"user":"s","call":"order.updateMany",` + request + `"by":"call"}`, func(ctx context.Context, f *facade.Facade) error {
			_, err := f.Call(ctx, &facade.Call{Entity: "order", Operation: "updateMany", Invocation: facade.Invocation{Query: raw(`{"where":{"id":{"eq":"o-ada"}}}`), Body: raw(`{"total":8}`), State: staff, Trace: trace}})
			return err
		}},
		{"delete", `{"user":"s","call":"order.delete",` + request + `"by":"call"}`, call("order.delete", `{"id":"o-ada"}`, "", staff)},
		{"rows that go with another", `{"user":"s","call":"customer.delete",` + request + `"by":"call"}`, call("customer.delete", `{"id":"ada"}`, "", staff)},
		{"import", `{"user":"s","call":"order.import",` + request + `"by":"import"}`, func(ctx context.Context, f *facade.Facade) error {
			_, err := f.Call(ctx, &facade.Call{Entity: "order", Operation: "import", Invocation: facade.Invocation{Query: raw(`{"by":"id"}`), Body: raw("[" + order("o-1") + "]"), State: staff, Trace: trace}})
			return err
		}},
		{"a handler", `{"user":"s","call":"order.ship",` + request + `"by":"handler"}`, call("order.ship", `{"id":"o-ada"}`, "", staff)},
		{"one that acts for the user", `{"user":"s","call":"order.update",` + request + `"by":"call","as":"u-ann","token":"ci"}`, call("order.update", `{"id":"o-ada"}`, `{"total":8}`, acting)},
		{"a token that was exchanged", `{"user":"7","call":"order.update",` + request + `"by":"call","as":"robot"}`, call("order.update", `{"id":"o-ada"}`, `{"total":8}`, exchanged)},
		{"a signed call", `{"user":"s","call":"order.update",` + request + `"by":"signed"}`, func(ctx context.Context, f *facade.Facade) error {
			return call("order.update", `{"id":"o-ada"}`, `{"total":8}`, staff)(facade.WithCause(ctx, catalog.BySigned, "", nil), f)
		}},
		{"a handler of a signed call", `{"user":"s","call":"order.ship",` + request + `"by":"handler"}`, func(ctx context.Context, f *facade.Facade) error {
			return call("order.ship", `{"id":"o-ada"}`, "", staff)(facade.WithCause(ctx, catalog.BySigned, "", nil), f)
		}},
		{"a signed call with an actor", `{"call":"order.sweep",` + request + `"by":"job"}`, func(ctx context.Context, f *facade.Facade) error {
			return call("order.update", `{"id":"o-ada"}`, `{"total":8}`, staff.WithActor(`{"by":"job","call":"order.sweep"}`))(facade.WithCause(ctx, catalog.BySigned, "", nil), f)
		}},
		{"an unsigned call with an actor", `{"user":"s","call":"order.update",` + request + `"by":"call"}`, call("order.update", `{"id":"o-ada"}`, `{"total":8}`, staff.WithActor(`{"user":"root","by":"job","call":"order.sweep"}`))},
		{"several calls as one", `{"user":"s","call":"order.update",` + request + `"by":"call"}`, func(ctx context.Context, f *facade.Facade) error {
			_, err := atomic.Run(ctx, f, f.Catalog(), f, staff, trace, raw(`{"calls":[{"method":"order.update","params":{"params":{"id":"o-ada"},"body":{"total":8}}}]}`))
			return err
		}},
		{"a job", `{"call":"order.sweep","by":"job"}`, within(catalog.ByJob, "order.sweep", nil)},
		{"a consumer", `{"user":"u-eve","call":"go:mail","by":"consumer","token":"t"}`, within(catalog.ByConsumer, "go:mail", &facade.Event{Actor: &facade.Actor{User: "u-eve", Token: "t"}})},
		{"a consumer of an older event", `{"call":"go:mail",` + request + `"by":"consumer"}`, within(catalog.ByConsumer, "go:mail", &facade.Event{Trace: trace})},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, log := audited(t)
			placed(t, f)
			log.taken()
			if err := c.do(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			events := log.taken()
			if len(events) == 0 {
				t.Fatal("no event")
			}
			for _, e := range events {
				if got := string(e.Actor.AppendJSON(nil)); got != c.want {
					t.Errorf("%s: got\n%s\nwant\n%s", e.Name, got, c.want)
				}
				if back, err := facade.ReadActor(e.Actor.AppendJSON(nil)); err != nil || *back != *e.Actor {
					t.Errorf("read: got %+v, %v", back, err)
				}
			}
		})
	}
}

// TestActorIsNotSent: a member of the body or the params names no actor.
func TestActorIsNotSent(t *testing.T) {
	f, log := audited(t)
	placed(t, f)
	log.taken()
	if _, err := do(t, as(f, staff), "order.update", `{"id":"o-ada"}`, "", `{"total":8,"actor":{"user":"root"}}`); err == nil {
		t.Error("a body with an actor was taken")
	}
	if events := log.taken(); len(events) > 0 {
		t.Errorf("it emitted %s", lines(events))
	}
}

// TestActorOfSubscribers: a rule with actor shows it, and no other does.
func TestActorOfSubscribers(t *testing.T) {
	f, log := audited(t)
	placed(t, f)
	events := log.taken()
	for _, c := range []struct {
		name  string
		state access.State
		want  string
	}{
		{"by the rule", staff, `{"user":"s","call":"order.create","by":"call"}`},
		{"by another rule", ada, "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := f.Watch(t.Context(), &facade.Subscription{Frond: "shop", Fact: "orderChanged", State: c.state})
			if err != nil {
				t.Fatal(err)
			}
			if !w.Fact().ShowsActor {
				t.Error("the fact does not show actors")
			}
			seen, err := w.Reveal(t.Context(), events)
			if err != nil || len(seen) == 0 {
				t.Fatalf("got %d events, %v", len(seen), err)
			}
			for _, r := range seen {
				if got := string(r.Actor.AppendJSON(nil)); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

// TestReadActor: what is no actor is refused by name.
func TestReadActor(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                        "",
		`{}`:                          "",
		`{"by":"call","later":{}}`:    "",
		`[]`:                          "the actor is no JSON object",
		`{"user":7}`:                  "the member user of the actor is no text",
		`{"user":"a","token":["ci"]}`: "the member token of the actor is no text",
	} {
		if _, err := facade.ReadActor(json.RawMessage(text)); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
