package facade_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// TestOutward: what leaves for receivers of the operator has no closed field, neither of the row
// nor of the one before, and values as every surface has them.
func TestOutward(t *testing.T) {
	f, _ := outboxOf(t, map[string]string{
		"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, boundary: {out: {encode: shout}}}}
  note: {type: [string, 'null']}
  label: {type: string, x-kit: {boundary: {out: {encode: shout}}}}
  secret: {type: string, x-kit: {boundary: {out: closed}}}
required: [id, label, secret]
`,
		"entities/session.yaml": `
type: object
properties:
  token: {type: string, x-kit: {role: {primary: true}, boundary: {out: closed}}}
  about: {type: string}
required: [token, about]
`,
		"views/orderCard.yaml": `{of: order, pick: [id]}`,
		"frond.yaml": `
name: shop
facts:
  - {name: orderPlaced, schema: orderCard, on: order.create}
  - {name: orderPacked, schema: {type: object, properties: {by: {type: string}}}}
  - {name: closingTime}
changes: [order, session]
collectors: {order: open, session: open}
`,
	}, func(p *facade.Project) {
		p.Registry.Conversions["shout"] = schema.Conversion{Encode: func(v json.RawMessage) (json.RawMessage, error) { return bytes.ToUpper(v), nil }}
	})
	row := json.RawMessage(`{"id":"o","note":null,"label":"small","secret":"hunter2","younger":1}`)
	for _, c := range []struct {
		event facade.Event
		data  string
		key   string
	}{
		{facade.Event{Name: "orderChanged", Entity: "order", Key: json.RawMessage(`"o"`), Data: row, Before: row}, `{"id":"O","note":null,"label":"SMALL"}`, `"O"`},
		{facade.Event{Name: "orderPlaced", Entity: "order", Key: json.RawMessage(`"o"`), Data: row}, `{"id":"O"}`, `"O"`},
		{facade.Event{Name: "sessionChanged", Entity: "session", Key: json.RawMessage(`"hunter2"`), Data: json.RawMessage(`{"token":"hunter2","about":"x"}`)}, `{"about":"x"}`, ""},
		{facade.Event{Name: "orderPacked", Data: json.RawMessage(`{"by":"ada"}`)}, `{"by":"ada"}`, ""},
		{facade.Event{Name: "closingTime", Data: json.RawMessage(`{"any":1}`)}, `{"any":1}`, ""},
		{facade.Event{Name: "closingTime"}, "", ""},
		{facade.Event{Name: "removed", Entity: "order", Key: json.RawMessage(`"hunter2"`), Data: row, Before: row}, "", ""},
	} {
		e := c.event
		e.Frond, e.ID = "shop", "1"
		out, err := f.Outward(&e)
		if err != nil {
			t.Fatal(err)
		}
		if string(out.Data) != c.data || string(out.Key) != c.key || out.Before != nil || out.ID != "1" || (out.Entity == "") != (c.key == "") {
			t.Errorf("%s: %s of %s %s", e.Name, out.Data, out.Entity, out.Key)
		}
		if text, _ := json.Marshal(out); strings.Contains(string(text), "hunter2") {
			t.Errorf("%s leaves with what is closed: %s", e.Name, text)
		}
	}
}
