package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
)

// TestPlacesWithoutCards: where no card of a host says where a value belongs.
func TestPlacesWithoutCards(t *testing.T) {
	const document = `{"fronds":[{"name":"desk","doors":[{"name":"Note","schema":{"properties":{"id":{},"title":{}}},"ops":[
		{"name":"create","kind":"command"},{"name":"update","kind":"command"},{"name":"findById","kind":"query"},
		{"name":"publish","kind":"command","cardinality":"one"},{"name":"findByTitle"},{"name":"ring","params":{"properties":{}}},
		{"name":"lend","kind":"query","params":{"type":"object"},"query":{"type":"object"},"input":{"properties":{"days":{"type":"integer"}}}}],
		"aliases":[7,{"until":"x"},{"name":"Memo","deprecated":"renamed to Note"}]}]}]}`
	for _, c := range []struct {
		op, args, body, want string
	}{
		{"create", "title=T", "", `{"body":{"title":"T"}}`},
		{"update", "id=n1 title=T", "", `{"params":{"id":"n1"},"body":{"title":"T"}}`},
		{"findById", "id=n1", "", `{"params":{"id":"n1"}}`},
		{"publish", "id=n1 loud:=true", "", `{"params":{"id":"n1"},"body":{"loud":true}}`},
		{"publish", "id=n1 params.at=noon query.deep.x:=1 body.loud:=true", "", `{"params":{"id":"n1","at":"noon"},"query":{"deep":{"x":1}},"body":{"loud":true}}`},
		{"publish", "id=n1", `[1]`, `{"params":{"id":"n1"},"body":[1]}`},
		{"publish", "loud:=true", `[1]`, `!--body gives already`},
		{"publish", "id=n1 params.id=n2", "", `!id is given twice in params`},
		{"publish", "body=text", "", `{"body":{"body":"text"}}`},
		{"findByTitle", "id=n1 title=T", "", `{"params":{"id":"n1"},"query":{"title":"T"}}`},
		{"ring", "id=n1", "", `{"params":{"id":"n1"}}`},
		{"lend", "id=n1 days:=3 at=noon", "", `{"params":{"id":"n1"},"query":{"at":"noon"},"body":{"days":3}}`},
	} {
		where, err := placesIn(json.RawMessage(document), "note", c.op)
		if err != nil {
			t.Fatal(err)
		}
		if alias, err := placesIn(json.RawMessage(document), "memo", c.op); err != nil || !reflect.DeepEqual(alias, where) {
			t.Errorf("%s by an old name: %v, %v", c.op, alias, err)
		}
		given, err := parseValues(strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		inv := facade.Invocation{Body: json.RawMessage(c.body)}
		if c.body == "" {
			inv.Body = nil
		}
		got := ""
		if err := where.fill(&inv, given); err != nil {
			got = "!" + err.Error()
		} else {
			text, _ := json.Marshal(struct {
				Params json.RawMessage `json:"params,omitempty"`
				Query  json.RawMessage `json:"query,omitempty"`
				Body   json.RawMessage `json:"body,omitempty"`
			}{inv.ParamsJSON(), inv.Query, inv.Body})
			got = string(text)
		}
		if words, fails := strings.CutPrefix(c.want, "!"); fails && !strings.Contains(got, words) || !fails && got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.op, c.args, got, c.want)
		}
	}
}
