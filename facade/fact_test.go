package facade_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// shopSaying is the shop with another frond.yaml.
func shopSaying(text string) map[string]string {
	files := maps.Clone(shopWithFacts)
	files["frond.yaml"] = text
	return files
}

func TestFaultsOfFacts(t *testing.T) {
	for _, c := range []struct{ name, says, want string }{
		{"an unknown door", "facts: [{name: a, on: basket.create}]", "#/facts/0/on: a fact is declared for basket, but no door is called that"},
		{"no operation", "facts: [{name: a, on: order}]", `"order" is no operation; write a door and its operation, such as order.create`},
		{"a query", "facts: [{name: a, on: order.list}]", "order.list is a query, and changes nothing"},
		{"a command of the author's", "doors: {order: {operations: {ship: {kind: command}}}}\nfacts: [{name: a, on: order.ship}]", `order.ship is a command of your own, and only its code can emit facts; leave on out, and emit it there: frond.Emit(ctx, "a", …)`},
		{"two doors", "facts: [{name: a, on: [order.create, customer.create]}]", "a is about rows of order, and this operation writes customer"},
		{"another entity", "facts: [{name: a, on: order.create, schema: customer}]", "a announces rows of order, and customer is neither that entity nor a view of it"},
		{"a wrong field", `facts: [{name: a, on: order.update, when: after.statsu == "shipped"}]`, "#/facts/0/when: the expression cannot be used: unknown field statsu"},
		{"no truth", "facts: [{name: a, on: order.update, when: after.total}]", "the expression gives a value of type integer, not true or false"},
		{"before at create", "facts: [{name: a, on: order.create, when: before.total > 1}]", "before is always null at create; read after"},
		{"after at delete", "facts: [{name: a, on: order.delete, when: after.total > 1}]", "after is always null at delete; read before"},
		{"when without on", "facts: [{name: a, when: after.total > 1}]", "when says which rows of on are announced, and there is no on"},
		{"a name that breaks a line", "facts: [{name: \"a\\nb\"}]", "cannot be the name of a fact"},
		{"twice in a list", "facts: [{name: a, on: [order.create, order.create]}]", "order.create is named twice"},
		{"no list", "facts: [{name: a, on: 7}]", "on has to be a list of names"},
		{"changes of nothing", "changes: []", "the list is empty"},
		{"changes of no door", "changes: [basket]", "changes is declared for basket, but no door is called that"},
		{"a name that changes has", "facts: [{name: orderChanged}]\nchanges: order", "the fact orderChanged has the name of the one that announces the changes of order"},
		{"a collector of a fact about rows", "facts: [{name: a, on: order.create}]\ncollectors: {a: open}", "a is about rows of order, whose collector decides about its receivers"},
		{"a collector that writes", "facts: [{name: a}]\ncollectors: {a: [{allow: [create]}]}", "a is a fact, which is received and nothing else"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile.Project(projectOf(t, shopSaying(c.says)), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

// TestFactsNeedAnOutbox: a store that keeps no events is no store for a project that emits some.
func TestFactsNeedAnOutbox(t *testing.T) {
	plain := plainStore{storetest.NewStore()}
	_, err := facade.New(storetest.Compiled(t, projectOf(t, shopSaying("facts: [{name: a, on: order.create}]"))), plain, nil)
	var faults schema.Faults
	if !errors.As(err, &faults) || !strings.Contains(err.Error(), "frond.yaml#/facts/0: the fact a cannot be kept: the store of this host has no outbox") {
		t.Error(err)
	}
	if _, err := facade.New(storetest.Compiled(t, projectOf(t, shopSaying("facts: [{name: a, schema: order}]"))), plain, nil); err != nil {
		t.Error("a fact that nothing emits by itself:", err)
	}
}

// TestFactsOfOperationsInside: a built-in operation that is false is left to the author's code,
// and its facts are announced.
func TestFactsOfOperationsInside(t *testing.T) {
	const says = `
name: shop
doors: {order: {operations: {create: false, delete: false, place: {kind: command}}}, customer: {operations: {only: [list]}}}
facts: [{name: placed, on: order.create}, {name: gone, on: [order.delete]}]
collectors: {customer: open, order: open}
`
	f, log := outboxOf(t, shopSaying(says), func(p *facade.Project) {
		facade.HandleCommand(p.Door("order"), "place", func(ctx context.Context, _ struct{}) (bool, error) {
			if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "customer", Operation: "create", Invocation: facade.Invocation{Body: raw(`{"id":"c1","region":"eu"}`)}}); err != nil {
				return false, err
			}
			if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "create", Invocation: facade.Invocation{Body: raw(`{"id":"o1","status":"open","total":1,"customerId":"c1"}`)}}); err != nil {
				return false, err
			}
			_, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "delete", Invocation: facade.Invocation{ID: raw(`"o1"`)}})
			return err == nil, err
		})
	})
	if _, err := do(t, f, "order.place", "", "", ""); err != nil {
		t.Fatal(err)
	}
	if got := lines(log.taken()); !strings.HasPrefix(got, "shop.placed ") || !strings.Contains(got, "\nshop.gone ") {
		t.Errorf("the log has\n%s", got)
	}
	for _, op := range []string{"order.create", "order.delete", "customer.create"} {
		if _, err := do(t, f, op, "", "", `{}`); err == nil || err.Code != kiterror.NotFound {
			t.Errorf("a caller is answered %v by %s", err, op)
		}
	}
}

// TestFactsWithoutADoor: who may receive one is said by a collector of its own.
func TestFactsWithoutADoor(t *testing.T) {
	const says = `
doors: {order: {operations: {ring: {kind: command, input: {type: object, properties: {text: {type: string}}}}, look: {kind: query}}}}
facts:
  - {name: rang, schema: {type: object, properties: {text: {type: string}, to: {type: string}, at: {type: string, format: date-time}}, required: [text]}}
  - {name: bell}
collectors:
  customer: open
  order: open
  rang:
    - when: user.role == "staff"
    - when: user != nil
      rows: {to: {eq: $user.id}}
      hide: [text]
  bell: open
`
	var payload any
	emit := func(ctx context.Context, _ struct{}) (bool, error) {
		if err := facade.Emit(ctx, "bell", nil); err != nil {
			return false, err
		}
		return true, facade.Emit(ctx, "rang", payload)
	}
	f, log := outboxOf(t, shopSaying("name: shop\n"+says), func(p *facade.Project) {
		facade.HandleCommand(p.Door("order"), "ring", emit)
		facade.HandleQuery(p.Door("order"), "look", emit)
	})
	ring := func(v any) *kiterror.Error {
		payload = v
		_, err := do(t, f, "order.ring", "", "", `{}`)
		return err
	}
	if err := ring(map[string]any{"text": "to all", "at": "2026-01-01T01:00:00+01:00"}); err != nil {
		t.Fatal(err)
	}
	if err := ring(struct{ Text, To string }{"to ada", "ada"}); err != nil {
		t.Fatal(err)
	}
	events := log.taken()
	if got, want := lines(events), "shop.bell  \nshop.rang   {\"text\":\"to all\",\"at\":\"2026-01-01T00:00:00.000Z\"}\nshop.bell  \nshop.rang   {\"text\":\"to ada\",\"to\":\"ada\"}\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, c := range []struct {
		name, fact string
		state      access.State
		filter     string
		want       string
	}{
		{"staff", "rang", staff, "", "  {\"text\":\"to all\",\"at\":\"2026-01-01T00:00:00.000Z\"}\n  {\"text\":\"to ada\",\"to\":\"ada\"}\n"},
		{"one of them", "rang", ada, "", "  {\"to\":\"ada\"}\n"},
		{"nobody", "rang", nil, "", "UNAUTHORIZED: rang is not for everybody; say who you are"},
		{"a filter", "rang", staff, `{"text":{"contains":"all"}}`, "  {\"text\":\"to all\",\"at\":\"2026-01-01T00:00:00.000Z\"}\n"},
		{"no card", "bell", nil, "", "  \n  \n"},
		{"a filter of no card", "bell", nil, `{"text":{"eq":"x"}}`, "VALIDATION_FAILED: bell carries nothing that could be chosen; leave filter and fields out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := revealed(t, f, events, facade.Subscription{Frond: "SHOP", Fact: c.fact, State: c.state, Filter: raw(c.filter)})
			if got != c.want && !strings.HasSuffix(got, c.want) {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
		})
	}
	for name, v := range map[string]any{
		"rang: is none of": map[string]any{"text": "x", "loud": true}, "text is required": map[string]any{"to": "ada"}, "text must be": map[string]any{"text": 7},
	} {
		if err := ring(v); err == nil || !strings.Contains(errors.Join(errors.Unwrap(err)).Error(), strings.TrimPrefix(name, "rang: ")) {
			t.Errorf("%v: %v, %v", v, err, errors.Unwrap(err))
		}
	}
	if _, err := do(t, f, "order.look", "", "", ""); err == nil || !strings.Contains(errors.Unwrap(err).Error(), "order.look is a query, and emits nothing") {
		t.Error("a query emitted:", err, errors.Unwrap(err))
	}
	if got := lines(log.taken()); got != "" {
		t.Error("commands that failed emitted", got)
	}
}

func TestEmitNamesWhatIsDeclared(t *testing.T) {
	var name string
	f, log := outboxOf(t, shopSaying(shopWithFacts["frond.yaml"]+"doors: {order: {operations: {ring: {kind: command}}}}\n"), func(p *facade.Project) {
		facade.HandleCommand(p.Door("order"), "ring", func(ctx context.Context, _ struct{}) (bool, error) { return true, facade.Emit(ctx, name, nil) }, facade.Detached)
	})
	inside := func() error {
		ctx := f.Enter(context.Background(), nil)
		_, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "ring"})
		return errors.Unwrap(err)
	}
	for fact, want := range map[string]string{
		"orderLost":    `the fact orderLost: no fact is called that; declared are orderChanged, orderPlaced, orderShipped`,
		"orderChanged": "it is emitted by what writes rows of order, and by nothing else",
		"orderPlaced":  "the fact orderPlaced: id is required",
	} {
		name = fact
		if err := inside(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", fact, err)
		}
	}
	if err := facade.Emit(context.Background(), "orderPlaced", nil); err == nil {
		t.Error("emitted outside of any handler")
	}
	ctx := f.Enter(context.Background(), nil)
	if err := facade.Emit(ctx, "shop.orderPlaced", map[string]any{"id": "o1", "status": "open", "total": 9}); err != nil {
		t.Error("a job:", err)
	}
	if got, want := lines(log.taken()), "shop.orderPlaced  order\"o1\" {\"id\":\"o1\",\"status\":\"open\"}\n"; got != want {
		t.Errorf("got %q want %q", got, want)
	}
}

// TestRightsThatChange: what a collector says is asked again for every batch of events.
func TestRightsThatChange(t *testing.T) {
	hide, shut := []string(nil), false
	f, log := outboxOf(t, shopSaying("name: shop\nchanges: order\n"), func(p *facade.Project) {
		facade.Collect(p.Door("order"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
			if shut {
				return access.Scope{}, kiterror.Errorf(kiterror.Forbidden, "not any more")
			}
			return access.Scope{Hide: hide}, nil
		}))
	})
	placed(t, f)
	events := log.taken()
	w, err := f.Watch(context.Background(), &facade.Subscription{Frond: "shop", Fact: "orderChanged"})
	if err != nil {
		t.Fatal(err)
	}
	filtered, err := f.Watch(context.Background(), &facade.Subscription{Frond: "shop", Fact: "orderChanged", Filter: raw(`{"total":{"gt":1}}`)})
	if err != nil {
		t.Fatal(err)
	}
	look := func(w *facade.Watch) string {
		seen, err := w.Reveal(context.Background(), events[:1])
		if err != nil {
			return string(kiterror.CodeOf(err))
		}
		return string(seen[0].Data)
	}
	if got := look(w); !strings.Contains(got, `"total":7`) {
		t.Error(got)
	}
	hide = []string{"total"}
	if got := look(w); strings.Contains(got, "total") {
		t.Error("a field that was hidden since is shown:", got)
	}
	if got := look(filtered); got != string(kiterror.ValidationFailed) {
		t.Error("a filter goes by a field that was hidden since:", got)
	}
	if shut = true; look(w) != string(kiterror.Forbidden) {
		t.Error("a door that was shut since is open")
	}
}

// TestHandlersAndHooksEmit: what the author's code writes around and in place of a built-in command
// is announced as it is written, and once.
func TestHandlersAndHooksEmit(t *testing.T) {
	f, log := outboxOf(t, shopSaying("name: shop\nchanges: order\n"), func(p *facade.Project) {
		facade.Handle(p.Door("order"), "create", func(ctx context.Context, c *facade.Call) (any, error) {
			inner := *c
			inner.Invocation.Body = []byte(strings.Replace(string(c.Invocation.Body), `"total":1`, `"total":10`, 1))
			return facade.Inside(ctx).Call(ctx, &inner)
		})
		facade.Attach(p.Door("order"), "update", facade.Hook{Before: func(context.Context, *facade.Call) (schema.Object, error) {
			return schema.Object{{Name: "note", Value: raw(`"by a hook"`)}}, nil
		}})
	})
	must(t, f, "customer.create", "", "", `{"id":"ada","region":"north"}`)
	must(t, f, "order.create", "", "", `{"id":"o1","status":"open","total":1,"customerId":"ada"}`)
	must(t, f, "order.update", `{"id":"o1"}`, "", `{"status":"paid"}`)
	const created = `{"id":"o1","status":"open","total":10,"note":null,"secret":null,"customerId":"ada"}`
	const paid = `{"id":"o1","status":"paid","total":10,"note":"by a hook","secret":null,"customerId":"ada"}`
	want := "shop.orderChanged created order\"o1\" " + created + "\nshop.orderChanged updated order\"o1\" " + paid + " was " + created + "\n"
	if got := lines(log.taken()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestWatchOnASurface: a surface that does not show a door does not announce it.
func TestWatchOnASurface(t *testing.T) {
	f, _ := outboxOf(t, shopSaying("name: shop\nchanges: [order, customer]\nfacts: [{name: rang}]\nsurfaces: {rest: {only: [customer]}, envelope: false, audiences: {partner: {rest: {only: [customer]}}}}\n"), nil)
	for surface, want := range map[catalog.Surface]string{catalog.OnGraphQL: "orderChanged customerChanged rang", catalog.OnREST: "customerChanged rang", catalog.OnEnvelope: "", catalog.OnREST.For("partner"): "customerChanged"} {
		view, err := f.Catalog().Surface(surface)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, fact := range []string{"orderChanged", "customerChanged", "rang"} {
			switch _, err := f.Watch(context.Background(), &facade.Subscription{Frond: "shop", Fact: fact, View: view}); {
			case err == nil:
				got = append(got, fact)
			case kiterror.CodeOf(err) != kiterror.NotFound:
				t.Error(surface, fact, err)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s announces %v, want %s", surface, got, want)
		}
	}
}
