package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRootFieldsStandAlone: a root field that is refused, whose remote does not
// answer or whose command conflicts is null beside its error. Every other root field
// is answered, and a mutation that is committed says so.
func TestRootFieldsStandAlone(t *testing.T) {
	t.Parallel()
	catalog := startReceiver(t, shopDir, "catalog")
	p := startGateway(t, shopDir, "--remote", "catalog="+catalog.URL)
	product := globalID(t, p.URL, `{ it: product(id: "p-tamper") { nodeId } }`)
	order := globalID(t, p.URL, `{ it: order(id: "o-24101") { nodeId } }`)

	for _, c := range []struct{ name, user, query, want string }{
		{
			"a refused list", "",
			`{ products(first: 1) { total } orders { total } }`,
			`{"products":{"total":83},"orders":null} orders:UNAUTHORIZED`,
		},
		{
			"a refused list, row and batch of rows", "",
			`{ orders { total } order(id: "o-24101") { id } ordersByIds(ids: ["o-24101"]) { id } product(id: "p-tamper") { id } }`,
			`{"orders":null,"order":null,"ordersByIds":null,"product":{"id":"p-tamper"}} orders:UNAUTHORIZED order:UNAUTHORIZED ordersByIds:UNAUTHORIZED`,
		},
		{
			"an argument that is refused", "",
			`{ a: products(first: -1) { total } b: categories(first: 1) { items { id } } }`,
			`{"a":null,"b":{"items":[{"id":"c-aprons"}]}} a:VALIDATION_FAILED`,
		},
		{
			"a mutation whose second root conflicts", staff,
			`mutation {
				a: createCategory(input: {id: "c-new", name: "New", slug: "new", position: 99, parentId: null}) { id }
				b: createCategory(input: {id: "c-new", name: "Again", slug: "again", position: 99, parentId: null}) { id }
				c: updateOrder(id: "no-such-order", input: {}) { id }
				d: updateCategory(id: "c-new", input: {name: "Newer"}) { name }
			}`,
			`{"a":{"id":"c-new"},"b":null,"c":null,"d":{"name":"Newer"}} b:CONFLICT c:NOT_FOUND`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rootsOf(t, p.URL, c.query, call{User: c.user}.userHeader()...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}

	t.Run("a dead remote", func(t *testing.T) {
		catalog.kill()
		got := rootsOf(t, p.URL, `{
			products(first: 1) { total } product(id: "p-tamper") { id } productsByIds(ids: ["p-tamper"]) { id }
			here: node(nodeId: "`+order+`") { nodeId } there: node(nodeId: "`+product+`") { nodeId } nodes(nodeIds: ["`+product+`", "`+order+`"]) { nodeId }
			orders(first: 1) { items { id } }
		}`, asStaff)
		want := `{"products":null,"product":null,"productsByIds":null,"here":{"nodeId":"` + order + `"},"there":null,"nodes":[null,{"nodeId":"` + order + `"}],"orders":{"items":[{"id":"o-24101"}]}}` +
			` products:SERVICE_UNAVAILABLE product:SERVICE_UNAVAILABLE productsByIds:SERVICE_UNAVAILABLE there:SERVICE_UNAVAILABLE nodes:SERVICE_UNAVAILABLE`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// rootsOf is the data of an answer, and of each error the root field and the code.
func rootsOf(t *testing.T, url, query string, headers ...string) string {
	t.Helper()
	text := ask(t, url, query, headers...)
	var answer struct {
		Data   json.RawMessage
		Errors []gqlError
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := []string{string(answer.Data)}
	for _, e := range answer.Errors {
		if len(e.Path) == 0 {
			t.Fatalf("an error without a path: %s", text)
		}
		out = append(out, e.Path[0].(string)+":"+e.Extensions["code"].(string))
	}
	return strings.Join(out, " ")
}

func globalID(t *testing.T, url, query string) string {
	t.Helper()
	var answer struct {
		Data struct{ It struct{ NodeID string } }
	}
	if err := json.Unmarshal([]byte(ask(t, url, query, asStaff)), &answer); err != nil || answer.Data.It.NodeID == "" {
		t.Fatalf("no global id: %v", err)
	}
	return answer.Data.It.NodeID
}
