package gateway_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestEmptyListOfAnInverse: the other side of a relation may be sent as the empty list at creation, which is what its absence
// means (spec 2.3). With members, and in a patch, it stays read-only.
func TestEmptyListOfAnInverse(t *testing.T) {
	files := map[string]string{
		"fronds/shop/frond.yaml": "collectors: {'*': open}\nmany: {order: '*', basket: '*'}\nnested: {basket: [items]}\nrelations: {order.tags: {through: orderTag}}\n",
		"fronds/shop/entities/order.yaml": `
required: [name]
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, x-kit: {role: {unique: [[name]]}}}
  lines: {x-kit: {role: {relation: {to: line, kind: many}}}}
  own: {x-kit: {role: {relation: {to: remark, kind: many}}, boundary: {in: closed}}}
`,
		"fronds/shop/entities/line.yaml":     `{properties: {id: {type: string, x-kit: {role: {primary: true}}}, orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one}}}}}}`,
		"fronds/shop/entities/remark.yaml":   `{properties: {id: {type: string, x-kit: {role: {primary: true}}}, orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one}}}}}}`,
		"fronds/shop/entities/tag.yaml":      `{properties: {id: {type: string, x-kit: {role: {primary: true}}}}}`,
		"fronds/shop/entities/orderTag.yaml": `{properties: {id: {type: string, x-kit: {role: {primary: true}}}, orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one}}}}, tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one}}}}}}`,
		"fronds/shop/entities/basket.yaml":   `{properties: {id: {type: string, x-kit: {role: {primary: true}}}, items: {x-kit: {role: {relation: {to: item, kind: many}}}}}}`,
		"fronds/shop/entities/item.yaml":     `{required: [basketId], properties: {id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuid}}}}, basketId: {type: string, x-kit: {role: {relation: {to: basket, kind: one, onDelete: cascade}}}}}}`,
	}
	there := newElsewhere(t)
	there.serve("shop", folderOf(t, files))
	for place, remotes := range map[string]map[string]gateway.Remote{"here": nil, "there": {"shop": {URL: there.url()}}} {
		gw := front(t, folderOf(t, files), remotes)
		const call = "/_kit/call"
		for _, c := range []struct{ path, body, want string }{
			{"/api/shop/orders", `{"id":"a","name":"a","lines":[],"tags":[ ]}`, `Created {"id":"a","name":"a"}`},
			{"/api/shop/orders", `[{"id":"b","name":"b","lines":[]},{"id":"c","name":"c"}]`, `Created {"items":[{"id":"b","name":"b"},{"id":"c","name":"c"}]}`},
			{"PUT /api/shop/orders?by=name", `{"id":"d","name":"d","lines":[]}`, `Created {"created":true,"item":{"id":"d","name":"d"}}`},
			{call, `{"jsonrpc":"2.0","id":1,"method":"order.create","params":{"body":{"id":"e","name":"e","lines":[]}}}`, `OK {"jsonrpc":"2.0","id":1,"result":{"id":"e","name":"e"}}`},
			{"/api/shop/baskets", `{"id":"a","items":[]}`, `Created {"id":"a"}`},
			{"/api/shop/baskets", `{"id":"b","items":{"create":[{"id":"i"}]}}`, `Created {"id":"b"}`},
			{"/api/shop/baskets", `{"id":"c","items":["i"]}`, `Bad Request`},
			{"/api/shop/orders", `{"id":"x","name":"x","lines":["l"]}`, `Bad Request`},
			{"/api/shop/orders", `{"id":"x","name":"x","lines":null}`, `Bad Request`},
			{"/api/shop/orders", `{"id":"x","name":"x","own":[]}`, `Bad Request`},
			{"PATCH /api/shop/orders/a", `{"lines":[]}`, `Bad Request`},
			{"PATCH /api/shop/baskets/b", `{"items":[]}`, `Bad Request`},
		} {
			method, path, ok := strings.Cut(c.path, " ")
			if !ok {
				method, path = "POST", c.path
			}
			if got := as(gw, "", method, path, c.body); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: %s %s: %s, want %s", place, c.path, c.body, got, c.want)
			}
		}
		there.serve("shop", folderOf(t, files)) // the rows are in memory
	}
}
