package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

func scriptOf(t *testing.T, card string) (*script.Judge, error) {
	t.Helper()
	set, err := schema.Compile([]schema.Source{{Name: "thing", File: "thing.yaml", View: true, Data: []byte(card)}}, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return script.Of(set.Entity("thing"))
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

// TestScriptLeaves: a field that JavaScript cannot judge accepts every value and is named with
// the pointer of the reason; the other fields stay as they are.
func TestScriptLeaves(t *testing.T) {
	for card, want := range map[string][2]string{
		`{type: object, required: [a], properties: {a: {type: string, format: regex}, b: {type: string}}}`:                                                              {`{fields:[["a",true,1],["b",{type:"string"}]]}`, `thing#/properties/a/format: only the host judges the field a: `},
		`{type: object, properties: {a: {enum: [0.12345678901234567890123]}}}`:                                                                                          {`{fields:[["a",true]]}`, `thing#/properties/a/enum/0: `},
		`{type: object, properties: {a: {$ref: '#/$defs/x'}}, $defs: {x: {allOf: [{$ref: '#/$defs/x'}]}}}`:                                                              {`{fields:[["a",true]]}`, `leads back to itself`},
		`{type: object, properties: {a: {type: array, items: {anyOf: [{type: string, format: regex}, {type: 'null'}]}}}}`:                                               {`{fields:[["a",true]]}`, `thing#/properties/a/items/anyOf/0/format: `},
		`{type: object, properties: {a: {$ref: '#/$defs/x'}, b: {$ref: '#/$defs/z'}}, $defs: {x: {items: {$ref: '#/$defs/y'}}, y: {format: regex}, z: {type: string}}}`: {`{fields:[["a",true],["b",{whole:{ref:[0]}}]],defs:[{type:"string"}]}`, `thing#/$defs/y/format: only the host judges the field a: `},
		`{type: object, properties: {a: {type: string}}, anyOf: [{properties: {a: {format: regex}}}]}`:                                                                  {`{fields:[["a",{type:"string"}]],known:["a"]}`, `only the host judges the card's own conditions: `},
	} {
		script, err := scriptOf(t, card)
		if err != nil {
			t.Errorf("%s: %v", card, err)
			continue
		}
		if skipped := script.Skipped.Error(); script.Data != want[0] || !strings.Contains(skipped, want[1]) || !strings.Contains(skipped, "; ") {
			t.Errorf("%s:\n%s\n%s\nwant %s", card, script.Data, skipped, want)
		}
	}
}

// TestScriptRefuses: a $dynamicRef whose target depends on the way is refused with its pointer, and one
// with a single target is not.
func TestScriptRefuses(t *testing.T) {
	const tree = `type: object
properties: {a: {$ref: 'urn:strict'}}
$defs:
  strict: {$id: 'urn:strict', $dynamicAnchor: node, $ref: 'urn:tree'%s}
  tree: {$id: 'urn:tree', type: object, properties: {kids: {type: array, items: {$dynamicRef: '#node'}}}, $defs: {it: {$dynamicAnchor: node, type: object}}}
`
	card := fmt.Sprintf(tree, ", required: [id]")
	if script, err := scriptOf(t, card); err == nil || !strings.Contains(err.Error(), "/$dynamicRef: ") || !strings.Contains(err.Error(), "; write $ref") {
		t.Errorf("%v, %v", script, err)
	}
	if script, err := scriptOf(t, strings.Replace(card, "$dynamicAnchor: node, $ref", "$ref", 1)); err != nil || len(script.Skipped) > 0 {
		t.Error(err)
	}
}
