package gateway_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// TestSumOfOneParent: a sum that is too large is refused for its parent alone.
func TestSumOfOneParent(t *testing.T) {
	gw, err := gateway.New(folderOf(t, map[string]string{
		"fronds/shop/entities/order.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many}}}}\n",
		"fronds/shop/entities/line.yaml":  "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one}}}}\n  n: {type: integer}\nrequired: [orderId, n]\n",
		"fronds/shop/seeds/order.yaml":    "[{id: a}, {id: b}, {id: c}, {id: d}, {id: e}]",
		"fronds/shop/seeds/line.yaml": "[{id: l1, orderId: a, n: 1}, {id: l2, orderId: b, n: 9223372036854775807}, {id: l3, orderId: b, n: 1}," +
			"{id: l4, orderId: c, n: 2}, {id: l5, orderId: d, n: -9223372036854775807}, {id: l6, orderId: d, n: -9}]",
	}), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	sum := func(id, sum string) string { return `{"id":"` + id + `","lines":{"aggregate":` + sum + `}}` }
	refused := func(place string) string {
		return `{"message":"a sum exceeds its field's numbers; narrow the filter, or group by more fields","locations":[{"line":1,"column":31}],"path":["orders","items",` +
			place + `,"lines","aggregate"],"extensions":{"code":"UNPROCESSABLE_ENTITY","entity":"line","operation":"aggregate","details":{"limit":"sum"}}}`
	}
	want := `{"data":{"orders":{"items":[` + sum("a", `{"n":{"sum":1}}`) + "," + sum("b", "null") + "," + sum("c", `{"n":{"sum":2}}`) + "," + sum("d", "null") + "," + sum("e", `{"n":{"sum":null}}`) +
		`]}},"errors":[` + refused("1") + "," + refused("3") + "]}"
	w := gatewaytest.Do(gw.Handler(), "POST", "/graphql", `{"query":"{ orders { items { id lines { aggregate { n { sum } } } } } }"}`, gatewaytest.AsJSON)
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Error(diff)
	}
	w = gatewaytest.Do(gw.Handler(), "GET", "/api/shop/orders?fields=id&sort=-lines.n.sum", "")
	if want := `[{"id":"b"},{"id":"c"},{"id":"a"},{"id":"d"},{"id":"e"}]`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("sorted: %s, want %s", w.Body, want)
	}
}
