package shadow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

var list = &catalog.Operation{Name: "list", Kind: catalog.Query, Builtin: true, Door: &catalog.Door{Name: "cup", Frond: &catalog.Frond{Name: "shop"}}}

func value(text string) *facade.Result {
	return &facade.Result{Form: facade.FormValue, Value: []byte(text)}
}

// TestCompare compares answers field by field.
func TestCompare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ query, here, there, want string }{
		"equal":                         {``, `{"items":[{"id":"a","n":1}],"total":1}`, `{"total":1,"items":[{"n":1,"id":"a"}]}`, ``},
		"a value":                       {``, `{"items":[{"id":"a","n":1}]}`, `{"items":[{"id":"a","n":2}]}`, `items.a.n 1 2`},
		"digits count":                  {``, `{"n":1.50}`, `{"n":1.5}`, `n 1.50 1.5`},
		"absent and null":               {``, `{"a":null,"b":1}`, `{"b":1,"c":null}`, `a null , c  null`},
		"a spelling of a text":          {``, `{"a":"é"}`, `{"a":"\u00e9"}`, ``},
		"types":                         {``, `{"a":"1"}`, `{"a":1}`, `a "1" 1`},
		"rows in another order":         {``, `[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"a"}]`, ``},
		"rows in another order, sorted": {`{"sort":"n"}`, `[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"a"}]`, `0.id "a" "b", 1.id "b" "a"`},
		"a row that is missing":         {``, `{"items":[{"id":"a"},{"id":"b"}]}`, `{"items":[{"id":"b"}]}`, `items.a {"id":"a"} `},
		"a row more":                    {``, `[{"id":"a"}]`, `[{"id":"a"},{"id":"b"}]`, `b  {"id":"b"}`},
		"values are a list in order":    {``, `{"tags":["x","y"]}`, `{"tags":["y","x"]}`, `tags.0 "x" "y", tags.1 "y" "x"`},
		"a shorter list":                {``, `{"tags":["x","y"]}`, `{"tags":["x"]}`, `tags.1 "y" `},
		"cursors are a host's own":      {``, `{"items":[],"endCursor":"q"}`, `{"items":[],"endCursor":"z"}`, ``},
		"whether there is a cursor":     {``, `{"items":[],"endCursor":"q"}`, `{"items":[],"endCursor":null}`, `endCursor "q" null`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range compare(&call{op: list, call: facade.Call{Invocation: facade.Invocation{Query: []byte(c.query)}}, result: value(c.here)}, value(c.there), nil) {
				got = append(got, fmt.Sprintf("%s %s %s", d.Field, d.Here, d.There))
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
	one := &call{op: list, result: value(`1`)}
	refused := kiterror.Errorf(kiterror.Forbidden, "no")
	if got := compare(one, nil, refused); len(got) != 1 || got[0].Field != "error" || got[0].There != "FORBIDDEN" {
		t.Errorf("a failure: %v", got)
	}
	if got := compare(&call{op: list, err: refused}, nil, kiterror.Errorf(kiterror.Forbidden, "other words")); got != nil {
		t.Errorf("the same failure: %v", got)
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `,{"n":"%d%s"}`, i, strings.Repeat("x", 1000))
	}
	if got := compare(&call{op: list, result: value("[" + many.String()[1:] + "]")}, value(`[]`), nil); len(got) != maxFields || len(got[0].Here) > maxValue+4 {
		t.Errorf("%d differences, %d bytes", len(got), len(got[0].Here))
	}
}

// TestLine writes calls as command lines.
func TestLine(t *testing.T) {
	t.Parallel()
	find := &catalog.Operation{Name: "findById", Kind: catalog.Query, Builtin: true, Door: list.Door}
	for _, c := range []struct {
		op   *catalog.Operation
		call facade.Call
		want string
	}{
		{
			list,
			facade.Call{Invocation: facade.Invocation{Query: []byte(`{"filter":{"n":{"gt":1}},"sort":"-n","limit":2}`), State: access.State{"user": map[string]any{"id": "o'neill"}}}},
			`frond call cup.list --state '{"user":{"id":"o'\''neill"}}' 'filter:={"n":{"gt":1}}' sort=-n limit:=2`,
		},
		{find, facade.Call{Invocation: facade.Invocation{ID: []byte(`"a"`)}, Select: []string{"id", "n"}}, `frond call cup.findById id=a 'fields:=["id","n"]'`},
		{find, facade.Call{Each: &facade.Each{Field: "id", Keys: raw(`"a"`, `"b"`)}}, `frond call cup.findByIds 'ids:=["a","b"]'`},
		{
			list,
			facade.Call{Each: &facade.Each{Field: "boxId", Keys: raw(`1`)}, Invocation: facade.Invocation{Query: []byte(`{"filter":{"n":{"eq":1}}}`)}},
			`frond call cup.list 'filter:={"and":[{"boxId":{"in":[1]}},{"n":{"eq":1}}]}'`,
		},
	} {
		if got := line(&call{op: c.op, call: c.call}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
