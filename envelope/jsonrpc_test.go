package envelope_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// arithmetic answers the methods of the examples in the JSON-RPC 2.0
// specification, as operations of an entity math.
var arithmetic = facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
	value := func(format string, args ...any) (*facade.Result, error) {
		return &facade.Result{Form: facade.FormValue, Value: fmt.Appendf(nil, format, args...)}, nil
	}
	number := func(name string) (n int) {
		_ = json.Unmarshal(jsontext.Get(c.Invocation.Params, name), &n)
		return n
	}
	switch c.Operation {
	case "subtract":
		return value("%d", number("minuend")-number("subtrahend"))
	case "sum":
		return value("%d", number("a")+number("b")+number("c"))
	case "update", "notify_hello", "notify_sum":
		return value("null")
	case "get_data":
		return value(`["hello",5]`)
	}
	return nil, kiterror.Errorf(kiterror.NotFound, "math has no such operation").At("math", c.Operation)
})

// mathCatalog serves what arithmetic answers.
func mathCatalog() *catalog.Catalog {
	door := &catalog.Door{Name: "math"}
	for _, name := range strings.Fields("subtract sum update get_data notify_hello notify_sum") {
		door.Operations = append(door.Operations, &catalog.Operation{Name: name, Door: door, Kind: catalog.Command})
	}
	frond := &catalog.Frond{Name: "numbers", Doors: []*catalog.Door{door}}
	door.Frond = frond
	return &catalog.Catalog{Vendor: "test", Fronds: []*catalog.Frond{frond}}
}

// TestSpecificationExamples is section 7 of the JSON-RPC 2.0 specification, in its
// order. Two things differ by this protocol's own rules: a method is entity.op, and
// parameters go by name, as an invocation. Where the example's point is neither,
// the method has math. in front and the arguments stand in params.params.
func TestSpecificationExamples(t *testing.T) {
	const (
		parseError = `{"jsonrpc":"2.0","id":null,"error":-32700}`
		invalid    = `{"jsonrpc":"2.0","id":null,"error":-32600}`
	)
	examples := []struct{ name, send, want string }{
		{
			"positional parameters: refused, they are no invocation",
			`{"jsonrpc": "2.0", "method": "math.subtract", "params": [42, 23], "id": 1}`,
			`{"jsonrpc":"2.0","id":1,"error":-32602}`,
		},
		{
			"named parameters",
			`{"jsonrpc": "2.0", "method": "math.subtract", "params": {"params": {"subtrahend": 23, "minuend": 42}}, "id": 3}`,
			`{"jsonrpc":"2.0","id":3,"result":19}`,
		},
		{
			"named parameters in another order",
			`{"jsonrpc": "2.0", "method": "math.subtract", "params": {"params": {"minuend": 42, "subtrahend": 23}}, "id": 4}`,
			`{"jsonrpc":"2.0","id":4,"result":19}`,
		},
		{"a notification", `{"jsonrpc": "2.0", "method": "math.update", "params": {"params": {"a": 1}}}`, ""},
		{"a notification of a method that does not exist", `{"jsonrpc": "2.0", "method": "foobar"}`, ""},
		{"call of a method that does not exist", `{"jsonrpc": "2.0", "method": "foobar", "id": "1"}`, `{"jsonrpc":"2.0","id":"1","error":-32601}`},
		{"invalid JSON", `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`, parseError},
		{"an invalid request object", `{"jsonrpc": "2.0", "method": 1, "params": "bar"}`, invalid},
		{
			"a batch of invalid JSON",
			`[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]`,
			parseError,
		},
		{"an empty array", `[]`, invalid},
		{"an invalid batch that is not empty", `[1]`, `[` + invalid + `]`},
		{"an invalid batch", `[1,2,3]`, `[` + invalid + `,` + invalid + `,` + invalid + `]`},
		{
			"a batch",
			`[
				{"jsonrpc": "2.0", "method": "math.sum", "params": {"params": {"a": 1, "b": 2, "c": 4}}, "id": "1"},
				{"jsonrpc": "2.0", "method": "math.notify_hello", "params": {"params": {"a": 7}}},
				{"jsonrpc": "2.0", "method": "math.subtract", "params": {"params": {"minuend": 42, "subtrahend": 23}}, "id": "2"},
				{"foo": "boo"},
				{"jsonrpc": "2.0", "method": "foo.get", "params": {"params": {"name": "myself"}}, "id": "5"},
				{"jsonrpc": "2.0", "method": "math.get_data", "id": "9"}
			]`,
			`[` + strings.Join([]string{
				`{"jsonrpc":"2.0","id":"1","result":7}`,
				`{"jsonrpc":"2.0","id":"2","result":19}`,
				invalid,
				`{"jsonrpc":"2.0","id":"5","error":-32601}`,
				`{"jsonrpc":"2.0","id":"9","result":["hello",5]}`,
			}, ",") + `]`,
		},
		{
			"a batch of nothing but notifications",
			`[{"jsonrpc": "2.0", "method": "math.notify_sum", "params": {"params": {"a": 1}}}, {"jsonrpc": "2.0", "method": "math.notify_hello"}]`,
			"",
		},
	}
	h := envelope.NewHandler(mathCatalog(), arithmetic, nil)
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			status, got := post(t, h, e.send)
			want := http.StatusOK
			if e.want == "" {
				want = http.StatusNoContent
			}
			if status != want {
				t.Errorf("status %d, want %d", status, want)
			}
			if diff := cmp.Diff(e.want, integersOnly(t, got)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// post sends a body and answers the status and the body.
func post(t testing.TB, h http.Handler, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// integersOnly is answers with each error cut down to its integer, after checking
// that it has a message and a whole KitError.
func integersOnly(t *testing.T, answer string) string {
	t.Helper()
	cut := func(frame json.RawMessage) string {
		failed := jsontext.Get(frame, "error")
		if failed == nil {
			return string(frame)
		}
		data := jsontext.Get(failed, "data")
		for _, member := range []string{"code", "message"} {
			if jsontext.Unquote(jsontext.Get(data, member)) == "" {
				t.Errorf("error.data has no %s: %s", member, frame)
			}
		}
		if jsontext.Unquote(jsontext.Get(failed, "message")) == "" {
			t.Errorf("the error has no message: %s", frame)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, jsontext.Get(frame, "id"), jsontext.Get(failed, "code"))
	}
	if answer == "" {
		return ""
	}
	if err := jsontext.Check([]byte(answer)); err != nil {
		t.Fatalf("the answer is no JSON: %v: %s", err, answer)
	}
	if answer[0] != '[' {
		return cut(json.RawMessage(answer))
	}
	var all []string
	for _, f := range jsontext.Elements([]byte(answer)) {
		all = append(all, cut(f))
	}
	return "[" + strings.Join(all, ",") + "]"
}
