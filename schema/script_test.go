package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
)

func scriptOf(t *testing.T, card string) (*schema.Script, error) {
	t.Helper()
	set, err := schema.Compile([]schema.Source{{Name: "thing", File: "thing.yaml", View: true, Data: []byte(card)}}, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Entity("thing").Script()
}

// TestScript holds the form of a card as data; that it judges alike is e2e/judge's to show.
func TestScript(t *testing.T) {
	script, err := scriptOf(t, `
type: object
required: [email, state]
properties:
  email: {type: string, format: email, maxLength: 80}
  state: {type: [string, 'null'], enum: [open, paid, null], x-kit: {lifecycle: {update: forbidden}}}
  price: {type: number, minimum: 0, multipleOf: 0.00000001, x-kit: {lifecycle: {create: {value: 1}}}}
  code: {type: string, pattern: '^\d+$', x-kit: {boundary: {in: closed}}}
  place: {type: object, required: [city], properties: {city: {type: string}}}
  any: {anyOf: [{type: string}, {$ref: '#/$defs/list'}]}
$defs: {list: {type: array, items: {$ref: '#/$defs/list'}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{fields:[` +
		`["email",{type:"string",format:"email",maxLength:80},1],` +
		`["state",{type:["string","null"],enum:["open","paid",null]},5],` +
		`["price",{type:"number",bounds:[["minimum",0],["multipleOf",["0.00000001","0.00000001"]]]},0,{value:1}],` +
		`["code",{type:"string",pattern:"^\\d+$",re:"^[0-9]+$"},2],` +
		`["place",{type:"object",fields:[["city",{type:"string"}]],required:["city"]}],` +
		`["any",{whole:{anyOf:[{type:"string"},{ref:[0]}]}}]],` +
		`defs:[{type:"array",items:{ref:[0]}}]}`
	if diff := cmp.Diff(strings.ReplaceAll(want, ",[", ",\n["), strings.ReplaceAll(script.Data, ",[", ",\n[")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"email"}, script.Formats); diff != "" || !script.Engine {
		t.Error(diff, script.Engine)
	}
}

// TestScriptRefuses: what JavaScript cannot hold to is named with its pointer.
func TestScriptRefuses(t *testing.T) {
	for card, want := range map[string]string{
		`{type: object, properties: {a: {type: string, format: regex}}}`:                                                  `thing#/properties/a/format: `,
		`{type: object, properties: {a: {enum: [0.12345678901234567890123]}}}`:                                            `thing#/properties/a/enum/0: `,
		`{type: object, properties: {a: {$ref: '#/$defs/x'}}, $defs: {x: {allOf: [{$ref: '#/$defs/x'}]}}}`:                `leads back to itself`,
		`{type: object, properties: {a: {type: array, items: {anyOf: [{type: string, format: regex}, {type: 'null'}]}}}}`: `thing#/properties/a/items/anyOf/0/format: `,
	} {
		if script, err := scriptOf(t, card); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: %v, %v; want %s", card, script, err, want)
		}
	}
}
