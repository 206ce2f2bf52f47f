package resolvers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inputs has an argument of every type that values are coerced to.
const inputs = `
type Query { echo(
  int: Int float: Float string: String boolean: Boolean id: ID
  enum: Size any: Any
  ints: [Int] need: [Int!] grid: [[Int]] ids: [ID] enums: [Size!]
  ex: Example box: Box one: One ones: [One!] deep: [[Box!]]
  nn: Int! = 3 def: Int = 5 defs: [Int] = [1] defBox: Box = {n: 8}
): String
  need(n: Int!): String needBox(box: Needs!): String }
enum Size { SMALL BIG }
scalar Any
input Example { a: String b: Int! }
input Box { n: Int = 1 s: String list: [Int!] box: Box size: Size = BIG nn: Int! = 2 }
input Needs { n: Int! list: [Needs!] }
input One @oneOf { a: String b: Int box: Box list: [Int] }
`

// declared is the type of each argument of inputs, for variables of it.
var Declared = map[string]string{
	"int": "Int", "float": "Float", "string": "String", "boolean": "Boolean", "id": "ID", "enum": "Size", "any": "Any",
	"ints": "[Int]", "need": "[Int!]", "grid": "[[Int]]", "ids": "[ID]", "enums": "[Size!]",
	"ex": "Example", "box": "Box", "one": "One", "ones": "[One!]", "deep": "[[Box!]]",
}

// coercion is one value, written in the document and sent as a variable. What it
// becomes is JSON; "" says that it is refused.
type coercion struct{ arg, literal, variable, want string }

// TestCoercion: section 3.5 to 3.13, the input coercion of each type: the tables of
// the specification, and their edges. A literal and a variable differ where JSON has
// one notation for two of GraphQL's: 1.0 for Int and ID, an enum's name.
func TestCoercion(t *testing.T) {
	e := spoken(t, inputs, world{"echo": echoed})
	for section, list := range coercions {
		t.Run(section, func(t *testing.T) {
			for _, c := range list {
				judge := func(query, variables string) {
					t.Helper()
					a := asked(t, e, query, variables)
					if c.want == "" {
						code := "GRAPHQL_VALIDATION_FAILED"
						if variables != "" {
							code = "BAD_USER_INPUT"
						}
						if a.Data != nil || len(a.Errors) == 0 || a.Errors[0].Extensions.Code != code || len(a.Errors[0].Locations) == 0 {
							t.Errorf("%s %s: %s %+v, want it refused with %s and a location", query, variables, a.Data, a.Errors, code)
						}
						return
					}
					want := `{"` + c.arg + `":` + c.want + `,"def":5,"defBox":{"n":8,"nn":2,"size":2},"defs":[1],"nn":3}`
					var got struct{ Echo string }
					if len(a.Errors) > 0 {
						t.Errorf("%s %s: %+v, want %s", query, variables, a.Errors, c.want)
						return
					}
					decode(t, string(a.Data), &got)
					if !sameJSON(t, got.Echo, want) {
						t.Errorf("%s %s:\ngot  %s\nwant %s", query, variables, got.Echo, want)
					}
				}
				if c.literal != "" {
					judge(`{ echo(`+c.arg+`: `+c.literal+`) }`, ``)
				}
				if c.variable != "" {
					judge(`query($v: `+Declared[c.arg]+`) { echo(`+c.arg+`: $v) }`, `{"v":`+c.variable+`}`)
				}
			}
		})
	}
}

// coercions are the rows by section.
var coercions = map[string][]coercion{
	"3.5.1 Int": {
		{"int", `0`, `0`, `0`},
		{"int", `-0`, `-0`, `0`},
		{"int", `2147483647`, `2147483647`, `2147483647`},
		{"int", `-2147483648`, `-2147483648`, `-2147483648`},
		{"int", `2147483648`, `2147483648`, ``},
		{"int", `-2147483649`, `-2147483649`, ``},
		{"int", `99999999999999999999`, `99999999999999999999`, ``},
		{"int", `1.0`, ``, ``},
		{"int", `1e0`, ``, ``},
		{"int", ``, `1.0`, `1`},
		{"int", ``, `1e2`, `100`},
		{"int", `1.5`, `1.5`, ``},
		{"int", `"1"`, `"1"`, ``},
		{"int", `true`, `true`, ``},
		{"int", `SMALL`, ``, ``},
		{"int", `[]`, `[]`, ``},
		{"int", `[1]`, `[1]`, ``},
		{"int", `{}`, `{}`, ``},
		{"int", `null`, `null`, `null`},
	},
	"3.5.2 Float": {
		{"float", `0`, `0`, `0`},
		{"float", `1`, `1`, `1`},
		{"float", `-1.5`, `-1.5`, `-1.5`},
		{"float", `6.0221413e23`, `6.0221413e23`, `6.0221413e+23`},
		{"float", `1e50`, `1E+50`, `1e+50`},
		{"float", `2147483648`, `2147483648`, `2147483648`},
		{"float", `9007199254740994`, `9007199254740994`, `9007199254740994`},
		{"float", `1e999`, `1e999`, ``},
		{"float", `-1e999`, `-1e999`, ``},
		{"float", `"1.5"`, `"1.5"`, ``},
		{"float", `""`, `""`, ``},
		{"float", `NaN`, `"NaN"`, ``},
		{"float", `false`, `false`, ``},
		{"float", `[1.5]`, `[1.5]`, ``},
		{"float", `null`, `null`, `null`},
	},
	"3.5.3 String": {
		{"string", `"abc"`, `"abc"`, `"abc"`},
		{"string", `""`, `""`, `""`},
		{"string", `"\u00e9\n\"\\\/\b\f\r\t"`, `"\u00e9\n\"\\\/\b\f\r\t"`, `"é\n\"\\/\b\f\r\t"`},
		{"string", `"\u{1F600}"`, ``, `"😀"`},
		{"string", `"\uD83D\uDE00"`, `"\uD83D\uDE00"`, `"😀"`},
		{"string", `"é 😀"`, `"é 😀"`, `"é 😀"`},
		{"string", `"""block "quoted" \""" """`, ``, `"block \"quoted\" \"\"\" "`},
		{"string", "\"\"\"\n  a\n    b\n\n  c\n\"\"\"", ``, `"a\n  b\n\nc"`},
		{"string", `1`, `1`, ``},
		{"string", `1.5`, `1.5`, ``},
		{"string", `true`, `true`, ``},
		{"string", `SMALL`, ``, ``},
		{"string", `["a"]`, `["a"]`, ``},
		{"string", `{a: "b"}`, `{"a":"b"}`, ``},
		{"string", `null`, `null`, `null`},
	},
	"3.5.4 Boolean": {
		{"boolean", `true`, `true`, `true`},
		{"boolean", `false`, `false`, `false`},
		{"boolean", `1`, `1`, ``},
		{"boolean", `0`, `0`, ``},
		{"boolean", `"true"`, `"true"`, ``},
		{"boolean", `TRUE`, `"TRUE"`, ``},
		{"boolean", `[true]`, `[true]`, ``},
		{"boolean", `null`, `null`, `null`},
	},
	"3.5.5 ID": {
		{"id", `"abc"`, `"abc"`, `"abc"`},
		{"id", `""`, `""`, `""`},
		{"id", `4`, `4`, `"4"`},
		{"id", `-4`, `-4`, `"-4"`},
		{"id", `123456789012345678901234567890`, `123456789012345678901234567890`, `"123456789012345678901234567890"`},
		{"id", `1.5`, `1.5`, ``},
		{"id", `1.0`, ``, ``},
		{"id", ``, `1.0`, `"1"`},
		{"id", `true`, `true`, ``},
		{"id", `SMALL`, ``, ``},
		{"id", `["a"]`, `["a"]`, ``},
		{"id", `{}`, `{}`, ``},
		{"id", `null`, `null`, `null`},
	},
	"3.5.6 custom scalars": {
		{"any", `1`, `1`, `1`},
		{"any", `1.50`, `1.50`, `1.5`},
		{"any", `"s"`, `"s"`, `"s"`},
		{"any", `true`, `true`, `true`},
		{"any", `SMALL`, `"SMALL"`, `"SMALL"`},
		{"any", `[1, [2], {a: [null]}]`, `[1,[2],{"a":[null]}]`, `[1,[2],{"a":[null]}]`},
		{"any", `{a: {b: 1}, c: null}`, `{"a":{"b":1},"c":null}`, `{"a":{"b":1},"c":null}`},
		{"any", `9007199254740993`, `9007199254740993`, `9007199254740993`},
		{"any", `null`, `null`, `null`},
	},
	"3.9 enums": {
		{"enum", `SMALL`, `"SMALL"`, `1`},
		{"enum", `BIG`, `"BIG"`, `2`},
		{"enum", ``, `"\u0042IG"`, `2`},
		{"enum", `"BIG"`, ``, ``},
		{"enum", `big`, `"big"`, ``},
		{"enum", `2`, `2`, ``},
		{"enum", `true`, `true`, ``},
		{"enum", `[BIG]`, `["BIG"]`, ``},
		{"enum", `{}`, `{}`, ``},
		{"enum", `null`, `null`, `null`},
		{"enums", `[BIG, SMALL]`, `["BIG","SMALL"]`, `[2,1]`},
		{"enums", `BIG`, `"BIG"`, `[2]`},
		{"enums", `[BIG, null]`, `["BIG",null]`, ``},
	},
	// input ExampleInputObject { a: String b: Int! }
	"3.10 input objects, the table": {
		{"ex", `{ a: "abc", b: 123 }`, `{"a":"abc","b":123}`, `{"a":"abc","b":123}`},
		{"ex", `{ a: null, b: 123 }`, `{"a":null,"b":123}`, `{"a":null,"b":123}`},
		{"ex", `{ b: 123 }`, `{"b":123}`, `{"b":123}`},
		{"ex", `{ a: 123, b: "abc" }`, `{"a":123,"b":"abc"}`, ``},
		{"ex", `{ a: "abc" }`, `{"a":"abc"}`, ``},
		{"ex", `{ a: "abc", b: null }`, `{"a":"abc","b":null}`, ``},
		{"ex", `{ b: 123, c: "xyz" }`, `{"b":123,"c":"xyz"}`, ``},
		{"ex", `"abc123"`, `"abc123"`, ``},
		{"ex", `[]`, `[]`, ``},
		{"ex", `[{ b: 1 }]`, `[{"b":1}]`, ``},
		{"ex", `1`, `1`, ``},
		{"ex", `SMALL`, ``, ``},
		{"ex", `null`, `null`, `null`},
	},
	"3.10 input objects, defaults and nesting": {
		{"box", `{}`, `{}`, `{"n":1,"nn":2,"size":2}`},
		{"box", `{ n: null }`, `{"n":null}`, `{"n":null,"nn":2,"size":2}`},
		{"box", `{ nn: null }`, `{"nn":null}`, ``},
		{"box", `{ nn: 4, size: SMALL }`, `{"nn":4,"size":"SMALL"}`, `{"n":1,"nn":4,"size":1}`},
		{"box", `{ list: 7 }`, `{"list":7}`, `{"list":[7],"n":1,"nn":2,"size":2}`},
		{"box", `{ list: [7, null] }`, `{"list":[7,null]}`, ``},
		{"box", `{ box: { box: { s: "x" } } }`, `{"box":{"box":{"s":"x"}}}`, `{"box":{"box":{"n":1,"nn":2,"s":"x","size":2},"n":1,"nn":2,"size":2},"n":1,"nn":2,"size":2}`},
		{"box", `{ box: { box: { s: 1 } } }`, `{"box":{"box":{"s":1}}}`, ``},
		{"box", `{ box: null }`, `{"box":null}`, `{"box":null,"n":1,"nn":2,"size":2}`},
		{"deep", `{ n: 3 }`, `{"n":3}`, `[[{"n":3,"nn":2,"size":2}]]`},
		{"deep", `[{ n: 3 }]`, `[{"n":3}]`, `[[{"n":3,"nn":2,"size":2}]]`},
		{"deep", `[null, [{}]]`, `[null,[{}]]`, `[null,[{"n":1,"nn":2,"size":2}]]`},
		{"deep", `[[null]]`, `[[null]]`, ``},
	},
	// input ExampleOneOfInputObject @oneOf { a: String b: Int }
	"3.10.1 one of, the table": {
		{"one", `{ a: "abc" }`, `{"a":"abc"}`, `{"a":"abc"}`},
		{"one", `{ b: 123 }`, `{"b":123}`, `{"b":123}`},
		{"one", `{ a: "abc", b: 123 }`, `{"a":"abc","b":123}`, ``},
		{"one", `{ a: null, b: 123 }`, `{"a":null,"b":123}`, ``},
		{"one", `{ a: null, b: null }`, `{"a":null,"b":null}`, ``},
		{"one", `{ a: null }`, `{"a":null}`, ``},
		{"one", `{ a: 123 }`, `{"a":123}`, ``},
		{"one", `{ b: 123, c: "xyz" }`, `{"b":123,"c":"xyz"}`, ``},
		{"one", `{ c: "xyz" }`, `{"c":"xyz"}`, ``},
		{"one", `{}`, `{}`, ``},
		{"one", `"abc"`, `"abc"`, ``},
		{"one", `null`, `null`, `null`},
		{"one", `{ list: 1 }`, `{"list":1}`, `{"list":[1]}`},
		{"one", `{ box: {} }`, `{"box":{}}`, `{"box":{"n":1,"nn":2,"size":2}}`},
		{"ones", `{ b: 1 }`, `{"b":1}`, `[{"b":1}]`},
		{"ones", `[{ b: 1 }, { a: "x" }]`, `[{"b":1},{"a":"x"}]`, `[{"b":1},{"a":"x"}]`},
		{"ones", `[{ b: 1 }, {}]`, `[{"b":1},{}]`, ``},
	},
	"3.11 lists, the table": {
		{"ints", `[1, 2, 3]`, `[1,2,3]`, `[1,2,3]`},
		{"ints", `[1, "b", true]`, `[1,"b",true]`, ``},
		{"ints", `1`, `1`, `[1]`},
		{"ints", `null`, `null`, `null`},
		{"ints", `[]`, `[]`, `[]`},
		{"ints", `[1, null]`, `[1,null]`, `[1,null]`},
		{"ints", `"1"`, `"1"`, ``},
		{"ints", `{}`, `{}`, ``},
		{"ids", `[1, "a"]`, `[1,"a"]`, `["1","a"]`},
		{"ids", `7`, `7`, `["7"]`},
		{"grid", `[[1], [2, 3]]`, `[[1],[2,3]]`, `[[1],[2,3]]`},
		{"grid", `[1, 2, 3]`, `[1,2,3]`, `[[1],[2],[3]]`}, // an error in October 2021
		{"grid", `[1, null, 3]`, `[1,null,3]`, `[[1],null,[3]]`},
		{"grid", `[[1], ["b"]]`, `[[1],["b"]]`, ``},
		{"grid", `1`, `1`, `[[1]]`},
		{"grid", `null`, `null`, `null`},
		{"grid", `[[[1]]]`, `[[[1]]]`, ``},
		{"grid", `[[null]]`, `[[null]]`, `[[null]]`},
	},
	"3.12 non-null": {
		{"need", `[1]`, `[1]`, `[1]`},
		{"need", `[]`, `[]`, `[]`},
		{"need", `[1, null]`, `[1,null]`, ``},
		{"need", `null`, `null`, `null`},
		{"need", `1`, `1`, `[1]`},
	},
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	decode(t, a, &x)
	decode(t, b, &y)
	return cmp.Equal(x, y, numbers)
}

// TestVariables: sections 6.1.2 and 6.4.1: defaults, null, and nothing at all, in
// arguments, input objects, lists and directives.
func TestVariables(t *testing.T) {
	e := spoken(t, inputs, world{"echo": echoed, "need": echoed, "needBox": echoed})
	const rest = `"def":5,"defBox":{"n":8,"nn":2,"size":2},"defs":[1],"nn":3`
	const box = `"n":1,"nn":2,"size":2`
	for _, c := range []struct {
		name, query, variables string
		want                   string // the arguments; a code and places where it is refused
	}{
		// 6.1.2, CoerceVariableValues.
		{"neither value nor default: no argument", `query($v: Int) { echo(int: $v) }`, `{}`, `{` + rest + `}`},
		{"no variables at all", `query($v: Int) { echo(int: $v) }`, ``, `{` + rest + `}`},
		{"variables: null", `query($v: Int) { echo(int: $v) }`, `null`, `{` + rest + `}`},
		{"null is a value", `query($v: Int) { echo(int: $v) }`, `{"v":null}`, `{"int":null,` + rest + `}`},
		{"a default", `query($v: Int = 4) { echo(int: $v) }`, ``, `{"int":4,` + rest + `}`},
		{"null over a default", `query($v: Int = 4) { echo(int: $v) }`, `{"v":null}`, `{"int":null,` + rest + `}`},
		{"a value over a default", `query($v: Int = 4) { echo(int: $v) }`, `{"v":9}`, `{"int":9,` + rest + `}`},
		{"a default of null", `query($v: Int = null) { echo(int: $v) }`, ``, `{"int":null,` + rest + `}`},
		{"a default is coerced: a list of one", `query($v: [Int] = 4) { echo(ints: $v) }`, ``, `{"ints":[4],` + rest + `}`},
		{"a default is coerced: an ID", `query($v: ID = 4) { echo(id: $v) }`, ``, `{"id":"4",` + rest + `}`},
		{"a default is coerced: an enum", `query($v: Size = BIG) { echo(enum: $v) }`, ``, `{"enum":2,` + rest + `}`},
		{"a default is coerced: defaults of fields", `query($v: Box = {s: "x"}) { echo(box: $v) }`, ``, `{"box":{"s":"x",` + box + `},` + rest + `}`},
		{"a default for a required variable", `query($v: Int! = 4) { echo(int: $v) }`, ``, `{"int":4,` + rest + `}`},
		{"null for it", `query($v: Int! = 4) { echo(int: $v) }`, `{"v":null}`, `BAD_USER_INPUT 1:7`},
		{"a required variable without a value", `query($v: Int!) { echo(int: $v) }`, `{}`, `BAD_USER_INPUT 1:7`},
		{"null for a required variable", `query($v: Int!) { echo(int: $v) }`, `{"v":null}`, `BAD_USER_INPUT 1:7`},
		{"null inside a list of required", `query($v: [Int!]!) { echo(need: $v) }`, `{"v":[1,null]}`, `BAD_USER_INPUT 1:7`},
		{"each variable that does not fit", `query($a: Int!, $b: Int!) { echo(int: $a) need(n: $b) }`, `{"a":"x"}`, `BAD_USER_INPUT 1:7 1:17`},
		{"each place that does not fit", `query($v: Needs!) { needBox(box: $v) }`, `{"v":{"n":"x","list":[{"n":1},{}]}}`, `BAD_USER_INPUT 1:7 1:7`},
		{"names nobody declared", `query($v: Int) { echo(int: $v) }`, `{"w":[{}],"v":1}`, `{"int":1,` + rest + `}`},
		{"a name with another case is another", `query($v: Int) { echo(int: $v) }`, `{"V":1}`, `{` + rest + `}`},
		{"of the operation alone that runs", `query($v: Int! = 2) { echo(int: $v) }`, `{}`, `{"int":2,` + rest + `}`},
		// 6.4.1, CoerceArgumentValues.
		{"an argument's default", `{ echo }`, ``, `{` + rest + `}`},
		{"a value over it", `{ echo(def: 1, defs: 2) }`, ``, `{"def":1,"defBox":{"n":8,"nn":2,"size":2},"defs":[2],"nn":3}`},
		{"null over it", `{ echo(def: null, defs: null, defBox: null) }`, ``, `{"def":null,"defBox":null,"defs":null,"nn":3}`},
		{"an absent variable is no value: the default", `query($v: Int) { echo(def: $v) }`, ``, `{` + rest + `}`},
		{"a variable of null is null, not the default", `query($v: Int) { echo(def: $v) }`, `{"v":null}`, `{"def":null,"defBox":{"n":8,"nn":2,"size":2},"defs":[1],"nn":3}`},
		{"an absent variable for a required argument with a default", `query($v: Int) { echo(nn: $v) }`, ``, `{` + rest + `}`},
		{"null for a required argument with a default", `query($v: Int) { echo(nn: $v) }`, `{"v":null}`, `error 1:18/echo`},
		{"null through the default of the variable", `query($v: Int = 1) { need(n: $v) }`, `{"v":null}`, `error 1:22/need`},
		{"the default of the variable", `query($v: Int = 1) { need(n: $v) }`, ``, `{"n":1}`},
		// 3.10, variables in input objects; the rest of its table.
		{"{ b: $var } with a value", `query($var: Int!) { echo(ex: {b: $var}) }`, `{"var":123}`, `{"ex":{"b":123},` + rest + `}`},
		{"{ b: $var } with nothing", `query($var: Int!) { echo(ex: {b: $var}) }`, `{}`, `BAD_USER_INPUT 1:7`},
		{"$var whole", `query($var: Example) { echo(ex: $var) }`, `{"var":{"b":123}}`, `{"ex":{"b":123},` + rest + `}`},
		{"$var whole, of the wrong kind", `query($var: Example) { echo(ex: $var) }`, `{"var":"abc123"}`, `BAD_USER_INPUT 1:7`},
		{"{ a: $var, b: 1 } with null", `query($var: String) { echo(ex: {a: $var, b: 1}) }`, `{"var":null}`, `{"ex":{"a":null,"b":1},` + rest + `}`},
		{"{ a: $var, b: 1 } with nothing", `query($var: String) { echo(ex: {a: $var, b: 1}) }`, `{}`, `{"ex":{"b":1},` + rest + `}`},
		{"an absent variable: the field's default", `query($v: Int, $s: Size) { echo(box: {n: $v, size: $s}) }`, ``, `{"box":{` + box + `},` + rest + `}`},
		{"null over the field's default", `query($v: Int) { echo(box: {n: $v}) }`, `{"v":null}`, `{"box":{"n":null,"nn":2,"size":2},` + rest + `}`},
		{"an absent variable for a required field with a default", `query($v: Int) { echo(box: {nn: $v}) }`, ``, `{"box":{` + box + `},` + rest + `}`},
		{"null for it in the end", `query($v: Int) { echo(box: {nn: $v}) }`, `{"v":null}`, `error 1:18/echo`},
		{"null for a required field, through a default", `query($v: Int = 1) { needBox(box: {n: $v}) }`, `{"v":null}`, `error 1:22/needBox`},
		// 3.11, variables in lists: an absent one is null there.
		{"in a list, with a value", `query($v: Int) { echo(ints: [1, $v]) }`, `{"v":2}`, `{"ints":[1,2],` + rest + `}`},
		{"in a list, null", `query($v: Int) { echo(ints: [1, $v]) }`, `{"v":null}`, `{"ints":[1,null],` + rest + `}`},
		{"in a list, nothing", `query($v: Int) { echo(ints: [1, $v]) }`, ``, `{"ints":[1,null],` + rest + `}`},
		{"an item for a list", `query($v: Int) { echo(ints: $v) }`, `{"v":1}`, `GRAPHQL_VALIDATION_FAILED 1:7+1:29`},
		{"in a list of required, through a default", `query($v: Int = 1) { echo(need: [$v]) }`, `{"v":null}`, `error 1:22/echo`},
		// Custom scalars take variables inside literals.
		{"in a custom scalar", `query($v: Int, $w: Int) { echo(any: {a: $v, b: [$v, $w], c: $w}) }`, `{"v":1}`, `{"any":{"a":1,"b":[1,null]},` + rest + `}`},
		// 3.10.1, variables in one-of objects.
		{"one of, { b: $var }", `query($var: Int!) { echo(one: {b: $var}) }`, `{"var":123}`, `{"one":{"b":123},` + rest + `}`},
		{"one of, { a: $a, b: $b }", `query($a: String!, $b: Int!) { echo(one: {a: $a, b: $b}) }`, `{"a":"x","b":1}`, `GRAPHQL_VALIDATION_FAILED 1:42`},
		{"one of, a variable that may be null", `query($var: Int) { echo(one: {b: $var}) }`, `{"var":123}`, `GRAPHQL_VALIDATION_FAILED 1:7+1:34`},
		{"one of, nullable with a default", `query($var: Int = 1) { echo(one: {b: $var}) }`, ``, `GRAPHQL_VALIDATION_FAILED 1:7+1:38`},
		{"one of, $var whole", `query($var: One) { echo(one: $var) }`, `{"var":{"b":1}}`, `{"one":{"b":1},` + rest + `}`},
		{"one of, $var with two", `query($var: One) { echo(one: $var) }`, `{"var":{"a":"x","b":null}}`, `BAD_USER_INPUT 1:7`},
		{"one of, a default with two", `query($var: One = {a: "x", b: 1}) { echo(one: $var) }`, ``, `GRAPHQL_VALIDATION_FAILED 1:19`},
		// 3.13, @skip and @include take a variable's default.
		{"a condition's default", `query($b: Boolean = false) { echo @skip(if: $b) }`, ``, `{` + rest + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := asked(t, e, c.query, c.variables)
			got := ""
			switch {
			case a.Data == nil && len(a.Errors) > 0:
				got = a.Errors[0].Extensions.Code + " " + a.places()
			case len(a.Errors) > 0:
				got = "error " + a.places()
			default:
				var fields map[string]string
				decode(t, string(a.Data), &fields)
				for _, text := range fields {
					got = text
				}
				if strings.HasPrefix(c.want, "{") && sameJSON(t, got, c.want) {
					return
				}
			}
			if got != c.want {
				t.Errorf("%s %s\ngot  %s\nwant %s\n%+v", c.query, c.variables, got, c.want, a.Errors)
			}
		})
	}
}
