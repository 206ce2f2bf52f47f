package e2e_test

import (
	"strings"
	"testing"
)

// TestRowsChangePlaces has lines of an order change places over each surface, also where the order runs elsewhere.
func TestRowsChangePlaces(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"frond.yaml": "name: shop\nnested: {order: [lines]}\nmany: {line: '*'}\ncollectors: {'*': open}\n",
		"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many, by: orderId}}}}
`,
		"entities/line.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, pos]]}}}
  pos: {type: integer, minimum: 1}
required: [orderId, pos]
`,
	})
	here := startGateway(t, dir)
	receivers := startReceivers(t, dir, "shop")
	front := startGateway(t, dir, "--remote", "shop="+receivers["shop"])
	for _, c := range []struct {
		name, method, path, body, want string
		status                         int
		front                          bool // over a remote too
	}{
		{"nested create", "POST", "/api/shop/orders", `{"id":"o1","lines":{"create":[{"id":"l1","pos":1},{"id":"l2","pos":2},{"id":"l3","pos":3}]}}`, "", 201, true},
		{"nested update", "PATCH", "/api/shop/orders/o1", `{"lines":{"update":[{"id":"l1","pos":2},{"id":"l2","pos":3},{"id":"l3","pos":1}]}}`, "l1:2 l2:3 l3:1", 200, true},
		{"nested set", "PATCH", "/api/shop/orders/o1", `{"lines":{"set":[{"id":"l1","pos":1},{"id":"l2","pos":2},{"id":"l3","pos":3}]}}`, "l1:1 l2:2 l3:3", 200, true},
		{"nested update of a place that stays taken", "PATCH", "/api/shop/orders/o1", `{"lines":{"update":[{"id":"l1","pos":3},{"id":"l2","pos":1}]}}`, "l1:1 l2:2 l3:3", 409, true},
		{"a batch of frames", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"line.import","params":{"query":{"by":"id"},"body":[{"id":"l1","orderId":"o1","pos":3},{"id":"l3","orderId":"o1","pos":1}]}}`, "l1:3 l2:2 l3:1", 200, true},
		{"atomic over REST", "POST", "/api/atomic", `{"calls":[{"method":"line.update","params":{"params":{"id":"l1"},"body":{"pos":1}}},{"method":"line.update","params":{"params":{"id":"l3"},"body":{"pos":3}}}]}`, "l1:1 l2:2 l3:3", 200, false},
		{"atomic frames", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"rpc.atomic","params":{"calls":[{"method":"line.update","params":{"params":{"id":"l1"},"body":{"pos":2}}},{"method":"line.update","params":{"params":{"id":"l2"},"body":{"pos":1}}}]}}`, "l1:2 l2:1 l3:3", 200, false},
		{"atomic over GraphQL", "POST", "/graphql", `{"query":"mutation @atomic { a: updateLine(id: \"l1\", input: {pos: 3}) { pos order { id } } b: updateLine(id: \"l3\", input: {pos: 2}) { pos } }"}`, "l1:3 l2:1 l3:2", 200, false},
		{"atomic over GraphQL, of a place that stays taken", "POST", "/graphql", `{"query":"mutation @atomic { a: updateLine(id: \"l1\", input: {pos: 2}) { pos } b: updateLine(id: \"l2\", input: {pos: 4}) { pos } }"}`, "l1:3 l2:1 l3:2", 200, false},
		{"atomic over REST, of a place that stays taken", "POST", "/api/atomic", `{"calls":[{"method":"line.update","params":{"params":{"id":"l2"},"body":{"pos":4}}},{"method":"line.update","params":{"params":{"id":"l1"},"body":{"pos":2}}}]}`, "l1:3 l2:1 l3:2", 409, false},
	} {
		for _, host := range []*program{here, front} {
			if host == front && !c.front {
				continue
			}
			got := send(t, c.method, host.URL+c.path, c.body)
			if got.Status != c.status {
				t.Errorf("%s: %d %s", c.name, got.Status, got.Body)
			}
			if c.status == 409 && c.path == "/api/atomic" && !strings.Contains(string(got.Body), `"pointer":"/calls/1/body/pos"`) {
				t.Errorf("%s: %s", c.name, got.Body)
			}
			if strings.Contains(c.name, "GraphQL, of") && !strings.Contains(string(got.Body), `"path":["a"]`) {
				t.Errorf("%s: %s", c.name, got.Body)
			}
			rows := send(t, "GET", host.URL+"/api/shop/lines?sort=id&fields=id,pos&total=false", "")
			there := strings.NewReplacer(`{"id":"`, "", `","pos":`, ":", "},", " ", "}]", "").Replace(string(rows.Body))
			if c.want != "" && !strings.Contains(there, c.want+",") {
				t.Errorf("%s: %s, and there is %s, want %s", c.name, got.Body, there, c.want)
			}
		}
	}
}
