package facade_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/storetest"
)

// TestIDOfACall: an id in Invocation.ID is answered and refused as params.id is; both at once
// are refused, and so is an id that the operation does not take.
func TestIDOfACall(t *testing.T) {
	f := storetest.Facade(t)
	say := func(method string, in facade.Invocation) string {
		text, err := storetest.Call(t, f, method, in)
		if err != nil {
			return refusals(err)
		}
		return text
	}
	for _, c := range []struct {
		name, method, id, params string
		want                     string // "": the same as with the id in params
	}{
		{"a row", "post.findById", `"p1"`, ``, ``},
		{"an escaped id", "post.findById", `"\u00701"`, ``, ``},
		{"no such row", "post.findById", `"none"`, ``, ``},
		{"an integer", "comment.findById", `1`, ``, ``},
		{"an integer as text", "comment.findById", `"1"`, ``, ``},
		{"a wrong type", "post.findById", `{"eq":"p1"}`, ``, ``},
		{"null", "post.findById", `null`, ``, ``},
		{"an update without a body", "post.update", `"p1"`, ``, ``},
		{"a list takes none", "post.list", `"p1"`, ``, ``},
		{"create takes none", "tag.create", `"p1"`, ``, ``},
		{"a named operation reads it from its params", "post.publish", `"none"`, ``, ``},
		{
			"beside another key", "post.findById", `"p1"`, `{"x":1}`,
			"/params/x unknown_key: is not a key of post.findById; there is id",
		},
		{
			"both", "post.findById", `"p1"`, `{"id":"p1"}`,
			"/params/id oneOf: is both the id of the call and a member of params; send one of the two",
		},
		{"beside a list", "post.findById", `"p1"`, `[]`, "/params type: must be an object"},
	} {
		want := c.want
		if want == "" {
			want = say(c.method, facade.Invocation{Params: raw(`{"id":` + c.id + `}`)})
		}
		if got := say(c.method, facade.Invocation{ID: raw(c.id), Params: raw(c.params)}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// TestHandlersFindTheIDInParams: an author's handler reads params in one form, whichever way
// the id came.
func TestHandlersFindTheIDInParams(t *testing.T) {
	var in facade.Invocation
	f := facadeOf(t, bookRoom, func(p *facade.Project) {
		facade.Handle(p.Door("book"), "findById", func(_ context.Context, c *facade.Call) (any, error) {
			in = c.Invocation
			return nil, nil
		})
	})
	if _, err := f.Call(t.Context(), &facade.Call{Entity: "book", Operation: "findById", Invocation: facade.Invocation{ID: json.RawMessage(`"b1"`)}}); err != nil {
		t.Fatal(err)
	}
	if string(in.Params) != `{"id":"b1"}` || in.ID != nil {
		t.Errorf("params %s, id %s", in.Params, in.ID)
	}
}
