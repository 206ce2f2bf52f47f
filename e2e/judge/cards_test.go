package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// object is a JSON object whose members keep their order.
type object []pair

type pair struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.name))
		b.WriteByte(':')
		b.Write(encode(m.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// raw is a number as it is written.
type raw string

func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// dice draws cards and bodies.
type dice struct {
	*rand.Rand
	defs object
}

func (d *dice) one(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d *dice, list ...T) T { return list[d.IntN(len(list))] }

// names are those of fields and of keys that a card does not have. Some of them mean
// something to JavaScript, and some need escapes in a pointer.
var names = []string{"id", "title", "note", "size", "tags", "a", "b", "c", "unit-price", "a/b", "m~n", "", "10", "2", "constructor", "toString", "__proto__", "hasOwnProperty", "é", "日本", "x y"}

func (d *dice) name() string {
	if d.one(2) {
		return names[d.IntN(9)]
	}
	return pick(d, names...)
}

// some are n different names.
func (d *dice) some(n int) []string {
	seen := map[string]bool{}
	var list []string
	for range n {
		if name := d.name(); !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

var formats = []string{"date", "time", "date-time", "duration", "uri", "uri-reference", "email", "hostname", "ipv4", "ipv6", "uuid", "json-pointer", "decimal"}

// patterns are of RE2; several mean something else in ECMAScript as they stand.
var patterns = []string{
	`^[a-z]+$`, `\d{2,}`, `(?i)^draft`, `^a.b$`, `(?s)^a.b$`, `(?m)^b$`, `\bfoo\b`, `^\pL+$`, `\p{Greek}`, `[^\W\d]`, `^(a|b)*c?$`, `\x41`, `^\w+@\w+\.\w+$`, `[[:alpha:]]{3}`, `a{0,2}b`,
	`^(?:ab|cd)+$`, `\Aab\z`, `[\]\-^]`, `^$`, `é+`, `(?i)k`, `^[^a]*$`, `\/`, `^[😀-😂]$`, `(?U)a+b`, `^\s*$`, `x*`, `^.{1,3}$`, `\Q.*\E`, `[\d.-]+`, `(?P<word>b)o`, `^(|a)+$`, `\B`, `(?i)ſ`, `^\S+$`, `\PL`, `^[\p{Lu}\d]$`, `}`, `^\.`,
}

func (d *dice) text() string {
	switch d.IntN(6) {
	case 0:
		return pick(d, "", "a", "ab", "abc", "foo", "draft", "DRAFT", "12", "open", "paid", " ", "é", "日本語", "😀", "a\nb", "b", "K", "K", "ſ", "ab\n", "a.b", "\u2028", "a\u2028b", "a\rb", "_", "Ω", "9", "-", "x", "/", "^", "bo", "}")
	case 1:
		return pick(d, texts...)
	}
	var b strings.Builder
	for range d.IntN(7) {
		b.WriteString(pick(d, "a", "b", "c", "z", "A", "0", "9", " ", ".", "-", "@", "é", "日", "😀", "\n", "\t", "\"", "\\", "/", "~", "k", "_"))
	}
	return b.String()
}

// number is a number of a card or a body: a text that JSON has for it.
func (d *dice) number() raw {
	return raw(pick(d, "0", "-0", "1", "2", "3", "5", "7", "10", "-1", "0.1", "0.3", "0.5", "1.5", "12.5", "99.99", "-3.25", "1e2", "1e21", "1e-7", "3.0", "100", "1000000", "123456789", "9007199254740991", "0.30000000000000004", "1e308", "1e-320", "2.5e-8", "4503599627370497.5"))
}

// big is an integer that a double does not hold, or hardly.
func (d *dice) big() string {
	return pick(d, "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "100000000000000000000000", "123456789012345678901234567890", "1"+strings.Repeat("0", 310), "1"+strings.Repeat("0", 405), "7")
}

// shape is a schema of a value.
func (d *dice) shape(depth int) any {
	if d.one(40) {
		return d.one(2)
	}
	if depth > 0 && d.one(7) {
		return d.engineShape(depth)
	}
	var o object
	add := func(name string, value any) { o = append(o, pair{name, value}) }
	kind := pick(d, "string", "string", "string", "integer", "number", "boolean", "array", "object", "any", "enum", "union")
	if depth == 0 && (kind == "array" || kind == "object") {
		kind = "string"
	}
	typed := func(name string) {
		if d.one(4) {
			add("type", []string{name, "null"})
			return
		}
		add("type", name)
	}
	switch kind {
	case "string":
		typed("string")
		switch d.IntN(5) {
		case 0:
			add("format", pick(d, formats...))
		case 1:
			add("pattern", pick(d, patterns...))
		case 2:
			values := []any{}
			for _, s := range []string{"open", "paid", "draft", "é", "", strings.Repeat("long ", d.IntN(30)) + "!"} {
				if d.one(2) {
					values = append(values, s)
				}
			}
			if len(values) == 0 {
				values = append(values, "one")
			}
			if o.get("type") != "string" {
				values = append(values, nil)
			}
			add("enum", values)
			return o
		}
		if d.one(2) {
			low := d.IntN(4)
			add("minLength", low)
			add("maxLength", low+d.IntN(6))
		}
	case "integer", "number":
		typed(kind)
		d.bounds(add)
	case "boolean":
		typed("boolean")
	case "array":
		typed("array")
		if !d.one(5) {
			add("items", d.shape(depth-1))
		}
		d.lengths(add, "Items")
		if d.one(3) {
			add("uniqueItems", true)
		}
	case "object":
		typed("object")
		d.objectShape(add, depth)
	case "enum":
		values := []any{pick[any](d, 1, "a", true, nil), pick[any](d, 2, "b", raw("2.50"), raw("9007199254740993"))}
		if d.one(2) {
			values = append(values, pick[any](d, []int{1, 2}, object{{"b", 1}, {"a", "x"}}, raw("1e21"), raw("0.000000125")))
		}
		if d.one(3) {
			add("const", values[d.IntN(len(values))])
		} else {
			add("enum", values)
		}
	case "union":
		add("type", pick(d, []string{"string", "integer"}, []string{"number", "boolean", "null"}, []string{"integer", "number"}, []string{"object", "array"}, []string{"null", "string", "array"}))
		if types := o.get("type").([]string); types[0] == "string" && d.one(2) {
			add("maxLength", d.IntN(4))
		}
	}
	return o
}

func (d *dice) bounds(add func(string, any)) {
	if d.one(2) {
		low := d.number()
		add(pick(d, "minimum", "exclusiveMinimum"), low)
	}
	if d.one(3) {
		add(pick(d, "maximum", "exclusiveMaximum"), pick(d, d.number(), raw("9223372036854775807"), raw("9007199254740993"), raw("0.1000000000000000055511151231257827")))
	}
	if d.one(3) {
		add("multipleOf", raw(pick(d, "1", "2", "5", "0.1", "0.01", "0.5", "1e-7", "3", "1e21", "0.25")))
	}
}

func (d *dice) lengths(add func(string, any), of string) {
	if d.one(3) {
		low := d.IntN(3)
		add("min"+of, low)
		if d.one(2) {
			add("max"+of, low+d.IntN(3))
		}
	}
}

// objectShape adds the keywords of a nested object.
func (d *dice) objectShape(add func(string, any), depth int) {
	members := d.some(1 + d.IntN(4))
	if !d.one(6) {
		var props object
		for _, name := range members {
			props = append(props, pair{name, d.shape(depth - 1)})
		}
		add("properties", props)
		if d.one(2) {
			add("required", members[:d.IntN(len(members)+1)])
		}
		if d.one(5) {
			add("additionalProperties", d.one(2))
		}
	}
	d.lengths(add, "Properties")
}

// engineShape is a schema that only the engine of a judge knows whole.
func (d *dice) engineShape(depth int) any {
	var o object
	add := func(name string, value any) { o = append(o, pair{name, value}) }
	sub := func() any { return d.shape(depth - 1) }
	subs := func() []any {
		list := make([]any, 1+d.IntN(3))
		for i := range list {
			list[i] = sub()
		}
		return list
	}
	if d.one(3) {
		inner, _ := d.shape(depth - 1).(object)
		o = append(o, inner...)
	}
	once := map[string]bool{}
	for _, m := range o {
		once[m.name] = true
	}
	put := func(name string, value any) {
		if !once[name] {
			once[name] = true
			add(name, value)
		}
	}
	for range 1 + d.IntN(2) {
		switch d.IntN(14) {
		case 0:
			put("anyOf", subs())
		case 1:
			put("oneOf", subs())
		case 2:
			put("allOf", subs())
		case 3:
			put("not", sub())
		case 4:
			put("if", sub())
			put("then", sub())
			if d.one(2) {
				put("else", sub())
			}
		case 5:
			put("prefixItems", subs())
			if d.one(2) {
				put("items", sub())
			}
		case 6:
			put("contains", sub())
			if d.one(2) {
				put("minContains", d.IntN(3))
			}
			if d.one(2) {
				put("maxContains", 2+d.IntN(2))
			}
		case 7:
			put("patternProperties", object{{pick(d, "^a", "b$", `\d`, "é"), sub()}})
			if d.one(2) {
				put("additionalProperties", pick(d, sub(), any(false)))
			}
		case 8:
			put("propertyNames", object{{"maxLength", 1 + d.IntN(3)}})
		case 9:
			put("dependentRequired", object{{d.name(), d.some(2)}})
		case 10:
			var inner object
			d.objectShape(func(name string, value any) { inner = append(inner, pair{name, value}) }, max(depth-1, 1))
			put("dependentSchemas", object{{d.name(), inner}})
		case 11:
			put("unevaluatedProperties", pick(d, any(false), sub()))
		case 12:
			put("unevaluatedItems", pick(d, any(false), sub()))
		case 13:
			name := fmt.Sprint("d", d.IntN(3))
			if d.defs.get(name) == nil {
				d.defs = append(d.defs, pair{name, true}) // a place, so that the shape may refer to itself
				at := len(d.defs) - 1
				d.defs[at].value = d.shape(depth - 1)
			}
			put("$ref", "#/$defs/"+name)
		}
	}
	return o
}

// card is a card of a few fields, with axes.
func (d *dice) card() object {
	d.defs = nil
	fields := d.some(2 + d.IntN(5))
	var props object
	required := []string{}
	keyed := false
	for _, name := range fields {
		shape, ok := d.shape(2).(object)
		axes := object{}
		switch {
		case !keyed && name == "id":
			keyed = true
			shape, ok = object{{"type", pick(d, "string", "integer")}}, true
			axes = append(axes, pair{"role", object{{"primary", true}}})
			if d.one(2) {
				axes = append(axes, pair{"lifecycle", object{{"create", object{{"generate", "cuid2"}}}}})
				shape = object{{"type", "string"}}
			}
		case d.one(6):
			axes = append(axes, pair{"boundary", object{{"in", "closed"}}})
		case d.one(6):
			axes = append(axes, pair{"lifecycle", object{{"update", "forbidden"}}})
		case d.one(3):
			axes = append(axes, pair{"lifecycle", object{{"create", "optional"}}})
		case d.one(8):
			axes = append(axes, pair{"boundary", object{{"in", object{{"decode", "trim"}}}}})
		}
		if ok && len(axes) > 0 {
			shape = append(shape[:len(shape):len(shape)], pair{"x-kit", axes})
		}
		if ok {
			props = append(props, pair{name, shape})
		} else {
			props = append(props, pair{name, object{{"description", "any"}}})
		}
		if len(axes) == 0 && !d.one(3) {
			required = append(required, name)
		}
	}
	card := object{{"type", "object"}}
	if !d.one(20) {
		card = append(card, pair{"properties", props})
	}
	if d.one(2) {
		card = append(card, pair{"required", required})
	}
	switch d.IntN(12) {
	case 0:
		card = append(card, pair{"anyOf", []any{object{{"required", []string{fields[0]}}}, object{{"required", []string{fields[len(fields)-1]}}}}})
	case 1:
		card = append(card, pair{"minProperties", d.IntN(3)}, pair{"maxProperties", 2 + d.IntN(3)})
	case 2:
		card = append(card, pair{"additionalProperties", d.one(2)})
	case 3:
		card = append(card, pair{"dependentRequired", object{{fields[0], []string{fields[len(fields)-1]}}}})
	case 4:
		card = append(card, pair{"unevaluatedProperties", false})
	case 5:
		card = append(card, pair{"additionalProperties", d.shape(1)})
	case 6:
		card = append(card, pair{"patternProperties", object{{"^x", d.shape(1)}}})
	}
	if d.defs != nil {
		card = append(card, pair{"$defs", d.defs})
	}
	return card
}
