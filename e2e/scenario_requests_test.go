package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadRequests: each surface says what is wrong with a request in its own way,
// with the status and the code of docs/calls.md, and never with internal text.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	p := startGateway(t, shopDir)
	huge := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
	frame := func(method, rest string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q%s}`, method, rest)
	}
	query := func(q string) string { return encode(t, map[string]string{"query": q}) }

	for _, c := range []struct {
		name         string
		method, path string
		body         string
		headers      []string
		status       int
		code         string
		rpc          int    // the envelope's error.code
		allow        string // of a 405
		says         string
	}{
		{name: "envelope: malformed JSON", method: "POST", path: "/_kit/call", body: `{"jsonrpc":`, status: 200, code: "BAD_REQUEST", rpc: -32700},
		{name: "envelope: a frame that is none", method: "POST", path: "/_kit/call", body: `{"hello":"world"}`, status: 200, code: "BAD_REQUEST", rpc: -32600},
		{name: "envelope: a method without a dot", method: "POST", path: "/_kit/call", body: frame("productlist", ""), status: 200, code: "NOT_FOUND", rpc: -32601, says: "a dot"},
		{name: "envelope: an unknown operation", method: "POST", path: "/_kit/call", body: frame("product.explode", ""), status: 200, code: "NOT_FOUND", rpc: -32601, says: "findById"},
		{name: "envelope: params that are no invocation", method: "POST", path: "/_kit/call", body: frame("product.list", `,"params":{"limit":3}`), status: 200, code: "VALIDATION_FAILED", rpc: -32602, says: "limit"},
		{name: "envelope: a limit of -1", method: "POST", path: "/_kit/call", body: frame("product.list", `,"params":{"query":{"limit":-1}}`), status: 200, code: "VALIDATION_FAILED", rpc: -32000},
		{name: "envelope: a cursor from elsewhere", method: "POST", path: "/_kit/call", body: frame("product.list", `,"params":{"query":{"after":"bm9uc2Vuc2U"}}`), status: 200, code: "VALIDATION_FAILED", rpc: -32000},
		{name: "envelope: GET", method: "GET", path: "/_kit/call", status: 405, code: "METHOD_NOT_ALLOWED", rpc: -32600, allow: "POST"},
		{name: "envelope: a media type that a form could send", method: "POST", path: "/_kit/call", body: frame("product.list", ""), headers: []string{"Content-Type: text/plain"}, status: 415, code: "BAD_REQUEST", rpc: -32600, says: "application/json"},
		{name: "envelope: a body over the cap", method: "POST", path: "/_kit/call", body: frame("product.create", `,"params":{"body":`+huge+`}`), status: 413, code: "PAYLOAD_TOO_LARGE", rpc: -32600, says: "1048576"},

		{name: "rest: malformed JSON", method: "POST", path: "/api/catalog/categories", body: `{"name":`, status: 400, code: "BAD_REQUEST"},
		{name: "rest: a key twice", method: "POST", path: "/api/catalog/categories", body: `{"name":"a","name":"b"}`, status: 400, code: "BAD_REQUEST", says: "name"},
		{name: "rest: wrong media type", method: "POST", path: "/api/catalog/categories", body: `name=a`, headers: []string{"Content-Type: application/x-www-form-urlencoded"}, status: 415, code: "BAD_REQUEST", says: "application/json"},
		{name: "rest: a body over the cap", method: "POST", path: "/api/catalog/categories", body: huge, status: 413, code: "PAYLOAD_TOO_LARGE"},
		{name: "rest: a path under another verb", method: "DELETE", path: "/api/catalog/reviews", status: 405, code: "METHOD_NOT_ALLOWED", allow: "GET"},
		{name: "rest: a row under POST", method: "POST", path: "/api/catalog/products/p-tamper", body: `{}`, status: 405, code: "METHOD_NOT_ALLOWED", allow: "PATCH"},
		{name: "rest: an operation that the door does not offer", method: "DELETE", path: "/api/catalog/categories/c-tea", status: 405, code: "METHOD_NOT_ALLOWED", allow: "PUT"},
		{name: "rest: a plural nobody serves", method: "GET", path: "/api/catalog/gadgets", status: 404, code: "NOT_FOUND", says: "products"},
		{name: "rest: a Frond nobody serves", method: "GET", path: "/api/cellar/products", status: 404, code: "NOT_FOUND", says: "catalog"},
		{name: "rest: a row that is not there", method: "GET", path: "/api/catalog/products/p-nothing", status: 404, code: "NOT_FOUND"},
		{name: "rest: a limit of -1", method: "GET", path: "/api/catalog/products?limit=-1", status: 400, code: "VALIDATION_FAILED"},
		{name: "rest: a limit that is no number", method: "GET", path: "/api/catalog/products?limit=ten", status: 400, code: "VALIDATION_FAILED"},
		{name: "rest: an unknown parameter", method: "GET", path: "/api/catalog/products?colour=red", status: 400, code: "VALIDATION_FAILED", says: ""},
		{name: "rest: a cursor from elsewhere", method: "GET", path: "/api/catalog/products?after=bm9uc2Vuc2U", status: 400, code: "VALIDATION_FAILED"},
		{name: "rest: a filter that is no JSON", method: "GET", path: "/api/catalog/products?filter=%7Bprice", status: 400, code: "VALIDATION_FAILED"},
		{name: "rest: an old version of the row", method: "PATCH", path: "/api/catalog/products/p-tamper", body: `{"stock":1}`, headers: []string{`If-Match: "old"`}, status: 412, code: "PRECONDITION_FAILED"},
		{name: "rest: who is calling is no JSON", method: "GET", path: "/api/catalog/products", headers: []string{"X-Frond-User: root"}, status: 401, code: "UNAUTHORIZED"},

		{name: "graphql: malformed JSON", method: "POST", path: "/graphql", body: `{"query":`, status: 400, code: "BAD_REQUEST"},
		{name: "graphql: a document that does not parse", method: "POST", path: "/graphql", body: query(`{ products { `), status: 200, code: "GRAPHQL_PARSE_FAILED"},
		{name: "graphql: a field that is not there", method: "POST", path: "/graphql", body: query(`{ gadgets { id } }`), status: 200, code: "GRAPHQL_VALIDATION_FAILED", says: "gadgets"},
		{name: "graphql: wrong media type", method: "POST", path: "/graphql", body: query(`{ __typename }`), headers: []string{"Content-Type: text/plain"}, status: 415, code: "*"},
		{name: "graphql: a body over the cap", method: "POST", path: "/graphql", body: query(`{ __typename } #` + huge), status: 413, code: "*"},
		{name: "graphql: a mutation by GET", method: "GET", path: `/graphql?query=mutation%7BdeleteReview(id:%22r-001%22)%7D`, headers: []string{"Accept: application/json", "X-Requested-With: e2e"}, status: 405, code: "*", allow: "POST"},
		{name: "graphql: a limit of -1", method: "POST", path: "/graphql", body: query(`{ products(first: -1) { total } }`), status: 200, code: "VALIDATION_FAILED"},
		{name: "graphql: a cursor from elsewhere", method: "POST", path: "/graphql", body: query(`{ products(after: "bm9uc2Vuc2U") { total } }`), status: 200, code: "VALIDATION_FAILED"},

		// Half a surrogate pair: every one would be stored as the same U+FFFD.
		{name: "envelope: half a surrogate pair", method: "POST", path: "/_kit/call", body: frame("category.create", `,"params":{"body":{"id":"\ud800","name":"a"}}`), status: 200, code: "BAD_REQUEST", rpc: -32700, says: "surrogate"},
		{name: "envelope: half a surrogate pair in a key", method: "POST", path: "/_kit/call", body: frame("category.create", `,"params":{"body":{"\udc00":"a"}}`), status: 200, code: "BAD_REQUEST", rpc: -32700, says: "surrogate"},
		{name: "rest: half a surrogate pair", method: "POST", path: "/api/catalog/categories", body: `{"id":"\ud800","name":"a"}`, status: 400, code: "BAD_REQUEST", says: "surrogate"},
		{name: "rest: half a surrogate pair in a path", method: "GET", path: "/api/catalog/products/%ED%A0%80", status: 400, code: "BAD_REQUEST", says: "UTF-8"},
		{name: "rest: half a surrogate pair in a parameter", method: "GET", path: "/api/catalog/products?filter[name]=%ED%A0%80", status: 400, code: "BAD_REQUEST", says: "UTF-8"},
		{name: "rest: half a surrogate pair in a filter", method: "GET", path: "/api/catalog/products?filter=%7B%22name%22:%22%5Cud800%22%7D", status: 400, code: "VALIDATION_FAILED", says: "surrogate"},
		{name: "rest: half a surrogate pair in who is calling", method: "GET", path: "/api/catalog/products", headers: []string{`X-Frond-User: {"id":"\ud800"}`}, status: 401, code: "UNAUTHORIZED"},
		{name: "graphql: half a surrogate pair in a string", method: "POST", path: "/graphql", body: query(`{ product(id: "\ud800") { id } }`), status: 200, code: "GRAPHQL_PARSE_FAILED", says: "surrogate"},
		{name: "graphql: half a surrogate pair in braces", method: "POST", path: "/graphql", body: query(`{ product(id: "\u{D800}") { id } }`), status: 200, code: "GRAPHQL_PARSE_FAILED"},
		{name: "graphql: half a surrogate pair in the body", method: "POST", path: "/graphql", body: `{"query":"{ product(id: \"\ud800\") { id } }"}`, status: 400, code: "BAD_REQUEST", says: "surrogate"},
		{name: "graphql: half a surrogate pair in a variable", method: "POST", path: "/graphql", body: `{"query":"query($id: ID!) { product(id: $id) { id } }","variables":{"id":"\ud800"}}`, status: 400, code: "BAD_REQUEST", says: "surrogate"},
		{name: "graphql: half a surrogate pair in a parameter", method: "GET", path: `/graphql?query=%7Bproduct(id:%22%ED%A0%80%22)%7Bid%7D%7D`, headers: []string{"Accept: application/json", "X-Requested-With: e2e"}, status: 400, code: "BAD_REQUEST", says: "UTF-8"},

		{name: "a path nobody serves", method: "GET", path: "/nowhere", status: 404, code: "*", says: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := send(t, c.method, p.URL+c.path, c.body, append([]string{asStaff}, c.headers...)...)
			text := string(res.Body)
			if res.Status != c.status {
				t.Errorf("HTTP %d, want %d\n%s", res.Status, c.status, text)
			}
			code, message, rpc := failureOf(t, res)
			if code != c.code && c.code != "*" {
				t.Errorf("code %s, want %s\n%s", code, c.code, text)
			}
			if rpc != c.rpc {
				t.Errorf("JSON-RPC code %d, want %d\n%s", rpc, c.rpc, text)
			}
			if message == "" && c.code != "*" || !strings.Contains(text, c.says) {
				t.Errorf("the message has to say %q:\n%s", c.says, text)
			}
			if !strings.Contains(res.Header.Get("Allow"), c.allow) {
				t.Errorf("Allow is %q, want %s in it", res.Header.Get("Allow"), c.allow)
			}
			for _, inside := range []string{"sqlite", "SQL", "goroutine", "runtime.", filepath.Dir(root), "0x"} {
				if strings.Contains(text, inside) {
					t.Errorf("the answer says %q:\n%s", inside, text)
				}
			}
		})
	}
	t.Run("and it still serves", func(t *testing.T) {
		if res := send(t, "GET", p.URL+"/readyz", ""); res.Status != 200 {
			t.Errorf("/readyz: %d", res.Status)
		}
	})
}

// failureOf is the semantic code, the message and the JSON-RPC code of a failure,
// whichever surface it is of.
func failureOf(t *testing.T, res reply) (code, message string, rpc int) {
	t.Helper()
	if !strings.Contains(res.Header.Get("Content-Type"), "json") {
		return "", "", 0
	}
	m, _ := decode(t, res.Body).(map[string]any)
	str := func(v any) string { s, _ := v.(string); return s }
	switch {
	case m["data"] != nil && m["errors"] == nil: // problem+json
		data, _ := m["data"].(map[string]any)
		return str(data["code"]), str(data["message"]), 0
	case m["error"] != nil: // a failure frame
		e, _ := m["error"].(map[string]any)
		data, _ := e["data"].(map[string]any)
		_, _ = fmt.Sscan(fmt.Sprint(e["code"]), &rpc)
		return str(data["code"]), str(data["message"]), rpc
	default: // GraphQL
		list, _ := m["errors"].([]any)
		if len(list) == 0 {
			return "", "", 0
		}
		e, _ := list[0].(map[string]any)
		ext, _ := e["extensions"].(map[string]any)
		return str(ext["code"]), str(e["message"]), 0
	}
}
