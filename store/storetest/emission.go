package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/explain"
)

// What commands announce, over a store that keeps events: the rows that they write, those that
// the database deletes or changes with them, and what Go code emits.

// emissionFiles are a project whose rows are announced: lines go with their order, orders with
// their customer, and a parcel loses its order.
var emissionFiles = map[string]string{
	"entities/customer.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
`,
	"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  status: {type: string, enum: [open, paid, shipped]}
  price: {type: [number, 'null'], x-kit: {lifecycle: {create: optional}}}
  code: {type: string, x-kit: {role: {unique: [[code]]}}}
  customerId: {type: string, x-kit: {role: {relation: {to: customer, kind: one, onDelete: cascade}}}}
  parentId: {type: [string, 'null'], x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}}, lifecycle: {create: optional}}}
required: [id, status, code, customerId]
`,
	"entities/line.yaml": `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}}}}
required: [id, orderId]
`,
	"entities/parcel.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  orderId: {type: [string, 'null'], x-kit: {role: {relation: {to: order, kind: one, onDelete: set null}}}}
  spareId: {type: [string, 'null'], x-kit: {role: {relation: {to: order, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
`,
	"frond.yaml": `
name: shop
doors:
  order: {operations: {ship: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}}}}
facts:
  - {name: orderShipped, on: order.update, when: before.status != "shipped" and after.status == "shipped"}
  - {name: dear, on: [order.create, order.update], when: after.price > 100}
  - {name: noted, schema: {type: object, properties: {text: {type: string}}, required: [text]}}
  - {name: rang}
changes: '*'
`,
}

// emission is a project over a store that keeps events.
type emission struct {
	*testing.T
	facade *facade.Facade
	can    facade.Abilities
	outbox facade.Outbox
	at     facade.Position
	// ship is the work of the handler of order.ship.
	ship func(ctx context.Context, id string) error
}

// RunEmission runs the suite of what commands emit, each test over a store of its own. Open has
// to give a [facade.Outbox].
func RunEmission(t *testing.T, h Harness) {
	for _, test := range []struct {
		name string
		run  func(*emission)
	}{
		{"what is written is announced", testEmitted},
		{"what fails announces nothing", testNotEmitted},
		{"rows that go with another one are announced", testCascades},
		{"a command of the author's is announced whole", testEmittedInside},
		{"a dry run announces nothing", testDryEmission},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range emissionFiles {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			p, err := facade.Read(fsys)
			if err != nil {
				t.Fatal(err)
			}
			e := &emission{T: t}
			facade.HandleCommand(p.Door("order"), "ship", func(ctx context.Context, in struct{ ID string }) (bool, error) {
				return true, e.ship(ctx, in.ID)
			})
			store := h.Open(t, Compiled(t, p).Catalog.Set.Entities)
			e.can = store.Abilities()
			e.outbox = e.can.Outbox
			e.facade = New(t, p, store, nil)
			if e.at, _, err = e.outbox.Relay(t.Context()); err != nil {
				t.Fatal(err)
			}
			test.run(e)
		})
	}
}

// do calls a method with an id and a body, "" where it has none, and fails where the call does.
func (e *emission) do(method, id, body string) {
	e.Helper()
	if err := e.try(method, id, body); err != nil {
		e.Fatalf("%s %s %s: %v", method, id, body, err)
	}
}

func (e *emission) try(method, id, body string) error {
	in := facade.Invocation{}
	if id != "" {
		in.Params = []byte(fmt.Sprintf(`{"id":%s}`, id))
	}
	if body != "" {
		in.Body = []byte(body)
	}
	entity, op, _ := strings.Cut(method, ".")
	_, err := e.facade.Call(e.Context(), &facade.Call{Entity: entity, Operation: op, Invocation: in})
	return err
}

// expect compares the events since the last look: name, change, key, data, and the row before.
func (e *emission) expect(what string, want ...string) {
	e.Helper()
	if _, _, err := e.outbox.Relay(e.Context()); err != nil {
		e.Fatal(err)
	}
	events, at, err := e.outbox.Log(e.Context(), e.at, nil, 1000)
	if err != nil {
		e.Fatal(err)
	}
	e.at = at
	var got []string
	for _, v := range events {
		line := v.Name
		if v.Change != "" {
			line += " " + string(v.Change)
		}
		if v.Entity != "" {
			line += " " + v.Entity + string(v.Key)
		}
		if v.Data != nil {
			line += " " + string(v.Data)
		}
		if v.Before != nil {
			line += " was " + string(v.Before)
		}
		got = append(got, line)
		if v.Frond != "shop" || len(v.ID) != 36 || v.At.IsZero() {
			e.Errorf("%s: an event of %q with the id %q at %v", what, v.Frond, v.ID, v.At)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		e.Errorf("%s: got\n%s\nwant\n%s", what, g, w)
	}
}

// order is the text of an order's row.
func order(id, status, price, parent string) string {
	return fmt.Sprintf(`{"id":"%s","status":"%s","price":%s,"code":"%[1]s","customerId":"ada","parentId":%[4]s}`, id, status, price, parent)
}

func testEmitted(e *emission) {
	e.do("customer.create", "", `{"id":"ada"}`)
	e.expect("a create", `customerChanged created customer"ada" {"id":"ada"}`)
	e.do("order.create", "", `{"id":"o1","status":"open","code":"o1","customerId":"ada"}`)
	e.expect("a create without a price", `orderChanged created order"o1" `+order("o1", "open", "null", "null"))
	e.do("order.update", `"o1"`, `{"price":250.5}`)
	e.expect("an update that meets a condition", `dear updated order"o1" `+order("o1", "open", "250.5", "null"),
		`orderChanged updated order"o1" `+order("o1", "open", "250.5", "null")+" was "+order("o1", "open", "null", "null"))
	e.do("order.update", `"o1"`, `{"status":"shipped","price":1}`)
	e.expect("an update that meets another one", `orderShipped updated order"o1" `+order("o1", "shipped", "1", "null"),
		`orderChanged updated order"o1" `+order("o1", "shipped", "1", "null")+" was "+order("o1", "open", "250.5", "null"))
	e.do("order.update", `"o1"`, `{}`)
	e.expect("an update that writes nothing")
	e.do("order.delete", `"o1"`, "")
	e.expect("a delete", `orderChanged deleted order"o1" `+order("o1", "shipped", "1", "null"))
	e.do("order.delete", `"o1"`, "")
	e.expect("a delete of nothing")
}

func testNotEmitted(e *emission) {
	e.do("customer.create", "", `{"id":"ada"}`)
	e.do("order.create", "", `{"id":"o1","status":"open","code":"o1","customerId":"ada"}`)
	e.do("order.create", "", `{"id":"o2","status":"open","code":"o2","customerId":"ada"}`)
	e.expect("three creates", `customerChanged created customer"ada" {"id":"ada"}`, `orderChanged created order"o1" `+order("o1", "open", "null", "null"),
		`orderChanged created order"o2" `+order("o2", "open", "null", "null"))
	for _, c := range [][3]string{
		{"order.create", "", `{"id":"o3","status":"open","code":"o1","customerId":"ada"}`},
		{"order.create", "", `{"id":"o3","status":"open","code":"o3","customerId":"nobody"}`},
		{"order.update", `"o1"`, `{"code":"o2"}`},
		{"order.update", `"o9"`, `{"code":"o9"}`},
	} {
		if e.try(c[0], c[1], c[2]) == nil {
			e.Errorf("%v was taken", c)
		}
	}
	e.expect("writes that fail")
}

func testCascades(e *emission) {
	e.do("customer.create", "", `{"id":"ada"}`)
	for _, id := range []string{"o1", "o2"} {
		e.do("order.create", "", fmt.Sprintf(`{"id":%q,"status":"open","code":%[1]q,"customerId":"ada"}`, id))
	}
	e.do("order.create", "", `{"id":"o3","status":"open","code":"o3","customerId":"ada","parentId":"o1"}`)
	for i, id := range []string{"o1", "o3", "o2"} {
		e.do("line.create", "", fmt.Sprintf(`{"id":%d,"orderId":%q}`, i, id))
	}
	e.do("parcel.create", "", `{"id":"p1","orderId":"o1","spareId":"o3"}`)
	e.do("parcel.create", "", `{"id":"p2","orderId":"o2","spareId":null}`)
	if _, last, err := e.outbox.Span(e.Context()); err != nil {
		e.Fatal(err)
	} else if e.at, _, err = e.outbox.Relay(e.Context()); err != nil || e.at < last {
		e.Fatal(e.at, last, err)
	}
	e.do("order.delete", `"o1"`, "")
	e.expect("an order with an order below it",
		`orderChanged deleted order"o1" `+order("o1", "open", "null", "null"),
		`lineChanged deleted line0 {"id":0,"orderId":"o1"}`,
		`orderChanged deleted order"o3" `+order("o3", "open", "null", `"o1"`),
		`lineChanged deleted line1 {"id":1,"orderId":"o3"}`,
		`parcelChanged updated parcel"p1" {"id":"p1","orderId":null,"spareId":null} was {"id":"p1","orderId":"o1","spareId":"o3"}`)
	e.do("customer.delete", `"ada"`, "")
	e.expect("a customer",
		`customerChanged deleted customer"ada" {"id":"ada"}`,
		`orderChanged deleted order"o2" `+order("o2", "open", "null", "null"),
		`lineChanged deleted line2 {"id":2,"orderId":"o2"}`,
		`parcelChanged updated parcel"p2" {"id":"p2","orderId":null,"spareId":null} was {"id":"p2","orderId":"o2","spareId":null}`)
}

var errShip = errors.New("no ship")

func testEmittedInside(e *emission) {
	e.do("customer.create", "", `{"id":"ada"}`)
	e.do("order.create", "", `{"id":"o1","status":"open","code":"o1","customerId":"ada"}`)
	e.expect("two creates", `customerChanged created customer"ada" {"id":"ada"}`, `orderChanged created order"o1" `+order("o1", "open", "null", "null"))
	write := func(ctx context.Context, id string) error {
		if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "update", Invocation: facade.Invocation{
			Params: []byte(fmt.Sprintf(`{"id":%q}`, id)), Body: []byte(`{"status":"shipped"}`),
		}}); err != nil {
			return err
		}
		return facade.Emit(ctx, "noted", map[string]any{"text": "shipped " + id})
	}
	e.ship = func(ctx context.Context, id string) error { return errors.Join(write(ctx, id), errShip) }
	if err := e.try("order.ship", `"o1"`, ""); err == nil {
		e.Fatal("a handler that fails was taken")
	}
	e.expect("a command that fails")
	e.ship = write
	e.do("order.ship", `"o1"`, "")
	shipped := order("o1", "shipped", "null", "null")
	e.expect("a command", `orderShipped updated order"o1" `+shipped, `orderChanged updated order"o1" `+shipped+" was "+order("o1", "open", "null", "null"), `noted {"text":"shipped o1"}`)
	e.ship = func(ctx context.Context, id string) error {
		if err := facade.Emit(ctx, "noted", map[string]any{"text": 7}); err == nil {
			return errors.New("a payload that breaks its card was taken")
		}
		return facade.Emit(ctx, "rang", nil)
	}
	e.do("order.ship", `"o1"`, "")
	e.expect("a payload that breaks its card, and a fact without one", "rang")
}

func testDryEmission(e *emission) {
	e.do("customer.create", "", `{"id":"ada"}`)
	e.expect("a create", `customerChanged created customer"ada" {"id":"ada"}`)
	e.ship = func(ctx context.Context, id string) error { return facade.Emit(ctx, "rang", nil) }
	for _, c := range []*facade.Call{
		{Entity: "customer", Operation: "create", Invocation: facade.Invocation{Body: []byte(`{"id":"bob"}`)}},
		{Entity: "customer", Operation: "delete", Invocation: facade.Invocation{Params: []byte(`{"id":"ada"}`)}},
	} {
		x, err := explain.Call(e.Context(), e.facade, c)
		if err == nil && !e.can.DryRuns {
			continue // its writes are not made, so that nobody knows what they would announce
		}
		if err != nil || strings.Join(x.Facts, " ") != "shop.customerChanged" {
			e.Errorf("explained %s: %v, facts %v", c.Operation, err, x.Facts)
		}
	}
	if _, err := explain.Run(e.Context(), e.facade, &facade.Call{Entity: "order", Operation: "ship", Invocation: facade.Invocation{Params: []byte(`{"id":"o1"}`)}}); err != nil {
		e.Error(err)
	}
	e.expect("explained calls")
}
