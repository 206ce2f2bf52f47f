package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestPatchOf: the patch has what changed and callers may write, and members of declared objects.
func TestPatchOf(t *testing.T) {
	card, err := schema.ReadCard("thing.json", []byte(`{"type":"object","properties":{
		"id":{"type":"string","x-kit":{"role":{"primary":true}}},
		"name":{"type":"string"}, "note":{"type":["string","null"]},
		"made":{"type":"string","x-kit":{"boundary":{"in":"closed"},"lifecycle":{"create":"optional"}}},
		"code":{"type":"string","x-kit":{"lifecycle":{"update":"forbidden"}}},
		"place":{"type":"object","properties":{"city":{"type":"string"},"geo":{"type":"object","properties":{"lat":{"type":"number"},"lon":{"type":"number"}}}}},
		"extra":{"type":"object"}, "tags":{"type":"array"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	set, err := schema.Compile([]schema.Source{{Name: "thing", Card: card}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const row = `{"id":"a","name":"A","note":"n","made":"m","code":"c","place":{"city":"X","geo":{"lat":1,"lon":2}},"extra":{"a":1,"b":2},"tags":[1],"short":"s"}`
	for _, c := range []struct{ name, after, want string }{
		{"nothing changed", `{"tags":[1],"extra":{"b":2,"a":1},"place":{"geo":{"lon":2,"lat":1},"city":"X"},"note":"n","name":"A","code":"c"}`, `{}`},
		{"one field", `{"id":"b","name":"B","note":"n","made":"z","code":"d","place":{"city":"X","geo":{"lat":1,"lon":2}},"extra":{"a":1,"b":2},"tags":[1],"short":"t"}`, `{"name":"B"}`},
		{"a field was removed", `{"name":"A","place":{"city":"X","geo":{"lat":1,"lon":2}},"extra":{"a":1,"b":2},"tags":[1]}`, `{"note":null}`},
		{"a member of an object", `{"name":"A","note":"n","place":{"city":"X","geo":{"lat":3,"lon":2}},"extra":{"a":1,"b":2},"tags":[1]}`, `{"place":{"geo":{"lat":3}}}`},
		{"an open object and a list are replaced", `{"name":"A","note":"n","place":{"city":"X","geo":{"lat":1,"lon":2}},"extra":{"a":1},"tags":[1,2]}`, `{"extra":{"a":1},"tags":[1,2]}`},
	} {
		if got := set.Entity("thing").PatchOf(json.RawMessage(row), json.RawMessage(c.after)); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPatchOfFurtherMembers: members of an object that properties does not name are judged by their own schema.
func TestPatchOfFurtherMembers(t *testing.T) {
	card := schema.MustCompile([]schema.Source{{File: "entities/thing.yaml", Name: "thing", Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  m:
    type: object
    properties: {a: {type: string}, in: {type: object, properties: {b: {type: string}}, additionalProperties: {type: boolean}}}
    patternProperties: {'^x-': {type: string}, '^x-n': {minLength: 2}}
    additionalProperties: {type: integer}
`)}}, schema.Builtins(), nil).Entity("thing")
	for _, c := range []struct{ body, want string }{
		{`{"m":{"zz":"nope"}}`, "/m/zz type"},
		{`{"m":{"zz":1}}`, ""},
		{`{"m":{"a":1,"zz":"nope"}}`, "/m/a type /m/zz type"},
		{`{"m":{"x-a":1}}`, "/m/x-a type"},
		{`{"m":{"x-n":"a"}}`, "/m/x-n minLength"},
		{`{"m":{"in":{"b":"x","c":1}}}`, "/m/in/c type"},
		{`{"m":{"in":{"c":true}}}`, ""},
	} {
		got := ""
		_, details := card.Judge(schema.Patch, json.RawMessage(c.body), "")
		for _, d := range details {
			got = strings.TrimSpace(got + " " + d.Pointer + " " + d.Code)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.body, got, c.want)
		}
	}
}
