package projection_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestOpenOperations: an operation of a remote that no card declares takes any JSON,
// for graphql-go as for the executor, on a door of rows with the id as an argument of
// its own; one whose params have no members takes nothing, and a field that is no
// name here is left out.
func TestOpenOperations(t *testing.T) {
	doc, err := schema.ReadDiscovery([]byte(`{"fronds":[{"name":"desk","doors":[
		{"name":"calc","ops":[{"name":"getSum"},{"name":"getNothing","params":{"type":"object","properties":{}}}]},
		{"name":"note","ops":[{"name":"findById"},{"name":"publish","cardinality":"none"}],"schema":{"type":"object","properties":{
			"id":{"type":"string","x-kit":{"role":{"primary":true}}},"sub-title":{"type":"string"}}}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	src := project.Discovered(&doc.Fronds[0], "there")
	src.Remote = "there"
	sent := ""
	far := facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent = string(c.Invocation.Params) + " " + string(c.Invocation.Query) + " " + string(c.Invocation.Body)
		return &facade.Result{Form: facade.FormValue, Value: json.RawMessage(`[7]`)}, nil
	})
	f, err := facade.New(storetest.Compiled(t, &facade.Project{Fronds: []*project.Frond{src}, Registry: schema.Builtins()}), nil, &facade.Options{Remotes: remote.New(map[string]facade.Caller{"desk": far})})
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	reference.Attach(s, f)
	for _, line := range []string{"calcGetSum(params: JSON, query: JSON, input: JSON): JSON", "calcGetNothing: JSON", "notePublish(id: ID, params: JSON, query: JSON, input: JSON): JSON"} {
		if !strings.Contains(s.SDL(), line) {
			t.Errorf("the SDL lacks %q:\n%s", line, s.SDL())
		}
	}
	if notes := b.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "sub-title") || strings.Contains(s.SDL(), "sub-title") {
		t.Errorf("what was left out: %q", notes)
	}
	got := do(t, s, `query Q($p: JSON) { calcGetSum(params: $p, query: {b: [2]}, input: "c") }`, map[string]any{"p": map[string]any{"a": 1}})
	if want := `{"data":{"calcGetSum":[7]}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if diff := cmp.Diff(`{"a":1} {"b":[2]} "c"`, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	got = do(t, s, `mutation M($p: JSON) { notePublish(id: "n1", params: $p) }`, map[string]any{"p": map[string]any{"loud": true}})
	if want := `{"data":{"notePublish":[7]}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if diff := cmp.Diff(`{"id":"n1","loud":true}  `, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	got = do(t, s, `mutation { notePublish(id: "n1", params: {id: "n2"}) }`, nil)
	if !strings.Contains(got, "id is in params and an argument; send one of the two") {
		t.Errorf("an id that is given twice: %s", got)
	}
}
