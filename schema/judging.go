package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema/jsontext"
)

// judging is one run of the judge: its place in the value and its refusals so far. It is for
// one goroutine. The zero value is ready; pointers then begin at the value.
type judging struct {
	// at is the pointer of the value, such as "/body".
	at string
	// stack leads from at to the current value.
	stack []step
	// strange says that an unknown key was met; unknownKeys then names them all.
	strange bool
	// unknown are refused keys in the order of the value.
	unknown []Detail
	// refused are all others, in declaration order.
	refused []Detail
}

// step is one level of a pointer: the name of a member, or the index of an element with name
// "". A member may be called "" too, so push sets its index to -1.
type step struct {
	name  string
	index int // of an array, where name is ""
}

// text returns the step as a token of a pointer, not escaped.
func (t step) text() string {
	if t.name == "" && t.index >= 0 {
		return strconv.Itoa(t.index)
	}
	return t.name
}

// detail returns a refusal of the value at the run's place: its dotted path, "." for the value
// itself, and its pointer (RFC 6901).
//
//	at "/body", stack address, lines, 0   address.lines.0   /body/address/lines/0
func (j *judging) detail(code, message string, params map[string]any) Detail {
	var path, pointer strings.Builder
	if len(j.stack) == 0 {
		path.WriteByte('.') // the value itself
	}
	pointer.WriteString(j.at)
	for i, t := range j.stack {
		if i > 0 {
			path.WriteByte('.')
		}
		path.WriteString(t.text())
		pointer.WriteByte('/')
		pointer.WriteString(jsontext.Token(t.text()))
	}
	return Detail{Path: path.String(), Pointer: pointer.String(), Code: code, Message: message, Params: params}
}

// refuse notes a refusal, unless MaxDetails are there: a hostile body must not make an answer
// larger than itself.
func (j *judging) refuse(code, message string, params map[string]any) {
	if len(j.refused) < MaxDetails {
		j.refused = append(j.refused, j.detail(code, message, params))
	}
}

// refuseUnknown notes a key that the card does not have. They are kept apart, since they come
// first in the verdict.
func (j *judging) refuseUnknown(name string) {
	if len(j.unknown) < MaxDetails {
		j.push(name)
		j.unknown = append(j.unknown, j.detail(UnknownKey, msgUnknown, nil))
		j.pop()
	}
}

// push steps into a member, and pop out of it.
func (j *judging) push(name string) { j.stack = append(j.stack, step{name: name, index: -1}) }
func (j *judging) pop()             { j.stack = j.stack[:len(j.stack)-1] }

// value judges a value against a shape. Of type, const and enum the first that refuses ends
// the judgement of a value, so that one wrong value has one detail; of lengths and bounds each
// has its own.
func (j *judging) value(c *checker, v json.RawMessage) {
	if c.verdict != nil {
		if !*c.verdict {
			j.refuse("not", "must be left out: no value is allowed here", nil)
		}
		return
	}
	if c.whole != nil {
		// The engine accepts keys that JSON Schema accepts, so unknown keys
		// (docs/decisions/judge.md) are looked for separately.
		j.strange = j.strange || c.strange(v)
		j.engine(c.whole, v)
		return
	}
	kind := jsontext.KindOf(v)
	if !j.typed(c, kind, v) {
		return
	}
	if c.constant != nil && !c.constant.has(v, kind) {
		j.refuse("const", constMessage(c.constant.plain[0]), map[string]any{"value": c.constant.plain[0]})
		return
	}
	if c.enum != nil && !c.enum.has(v, kind) {
		j.refuse("enum", enumMessage(c.enum.plain), map[string]any{"values": c.enum.plain})
		return
	}
	switch {
	case kind == jsontext.String && c.text != nil:
		j.string(c.text, v)
	case kind == jsontext.Number:
		j.number(c.bounds, v)
	case kind == jsontext.Array && c.list != nil:
		j.array(c.list, v)
	case kind == jsontext.Object && c.object != nil:
		j.object(c.object, v)
	}
}

// typed judges the type of a value, and of a number whether this program can hold it: within
// float64, and integers within int64, since a larger one would come back with another value
// (docs/decisions/judge.md). It returns false after a refusal.
func (j *judging) typed(c *checker, kind jsontext.Kind, v json.RawMessage) bool {
	var have typeSet
	switch kind {
	case jsontext.Null:
		have = typeNull
	case jsontext.True, jsontext.False:
		have = typeBoolean
	case jsontext.String:
		have = typeString
	case jsontext.Array:
		have = typeArray
	case jsontext.Object:
		have = typeObject
	case jsontext.Number:
		have = typeNumber
		// A number is an integer where the shape asks for one and the value is whole: 3.0 and
		// 3e2 are. bounded comes first, as whole computes with the digits.
		if c.types&typeNumber == 0 && c.types&typeInteger != 0 && bounded(v) && whole(v) {
			have = typeInteger
		}
	}
	if c.types != 0 && c.types&have == 0 {
		names := c.types.names()
		j.refuse("type", typeMessage(names, kind == jsontext.Null), map[string]any{"type": typeParam(names)})
		return false
	}
	if have == typeNumber && !double(v) {
		j.refuse("type", msgNumber, nil)
		return false
	}
	if have == typeInteger {
		// Integers are kept in 64 bits; a further one would not come back as it went.
		if _, ok := Integer(v); !ok {
			// The refusal names the limit, as if the card had said minimum or maximum.
			if v[0] == '-' {
				j.refuse(limitAs("minimum", math.MinInt64, strconv.FormatInt(math.MinInt64, 10)))
			} else {
				j.refuse(limitAs("maximum", math.MaxInt64, strconv.FormatInt(math.MaxInt64, 10)))
			}
			return false
		}
	}
	return true
}

// string judges a string. Lengths count code points (JSON Schema validation, section 6.3).
func (j *judging) string(c *textRules, v json.RawMessage) {
	// The inside of the quotes is the string itself, unless it has escapes.
	text := []byte(v[1 : len(v)-1])
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(jsontext.Unquote(v))
	}
	if c.isFormat != nil && !c.isFormat(string(text)) {
		j.refuse("format", formatMessage(c.format), map[string]any{"format": c.format})
		return
	}
	if c.minLength >= 0 || c.maxLength >= 0 {
		n := utf8.RuneCount(text) // code points, not bytes (docs/calls.md)
		if c.minLength >= 0 && n < c.minLength {
			j.refuse(limit("minLength", float64(c.minLength)))
		}
		if c.maxLength >= 0 && n > c.maxLength {
			j.refuse(limit("maxLength", float64(c.maxLength)))
			return // the pattern of a text that is too long is not asked
		}
	}
	if c.pattern != nil && !c.pattern.Match(text) {
		j.refuse("pattern", patternMessage(c.pattern.String()), map[string]any{"pattern": c.pattern.String()})
	}
}

// number judges a number against its bounds, as the decimals that they are and not as floats:
// 0.3 is a multiple of 0.1.
func (j *judging) number(bounds []bound, v json.RawMessage) {
	for _, b := range bounds {
		ok := true
		switch b.keyword {
		case "minimum":
			ok = compareNumbers(v, b.limit) >= 0
		case "maximum":
			ok = compareNumbers(v, b.limit) <= 0
		case "exclusiveMinimum":
			ok = compareNumbers(v, b.limit) > 0
		case "exclusiveMaximum":
			ok = compareNumbers(v, b.limit) < 0
		case "multipleOf":
			ok = multipleOf(v, b.limit)
		}
		if !ok {
			j.refuse(b.verdict())
		}
	}
}

// array judges the length and the elements of an array. Items are equal as JSON Schema has it
// (core, section 4.2.2): 1 and 1.0 are, and objects with the same members in another order.
func (j *judging) array(c *listRules, v json.RawMessage) {
	n := 0
	var seen map[string]bool
	twice := false
	for i, item := range jsontext.Elements(v) {
		n++
		if c.unique && !twice {
			if seen == nil {
				seen = map[string]bool{}
			}
			key := string(canonical(nil, item))
			twice = seen[key]
			seen[key] = true
		}
		if c.items != nil {
			j.stack = append(j.stack, step{index: i})
			j.value(c.items, item)
			j.pop()
		}
	}
	if c.minItems >= 0 && n < c.minItems {
		j.refuse(limit("minItems", float64(c.minItems)))
	}
	if c.maxItems >= 0 && n > c.maxItems {
		j.refuse(limit("maxItems", float64(c.maxItems)))
	}
	if twice {
		j.refuse("uniqueItems", msgUnique, nil)
	}
}

// object judges a nested object: its size, its required names and its members. Unknown keys
// are only noticed here; keys names them.
func (j *judging) object(c *objectRules, v json.RawMessage) {
	n := 0
	values := make([]json.RawMessage, len(c.props))
	var further map[string]bool
	for raw, value := range jsontext.RawMembers(v) {
		n++
		i, name := c.find(raw)
		switch {
		case i >= 0:
			values[i] = value
		case c.refuses(name):
			j.strange = true
		// An open object may require a name outside of its properties.
		case len(c.required) > 0:
			if further == nil {
				further = map[string]bool{}
			}
			further[name] = true
		}
	}
	if c.minProperties >= 0 && n < c.minProperties {
		j.refuse(limit("minProperties", float64(c.minProperties)))
	}
	if c.maxProperties >= 0 && n > c.maxProperties {
		j.refuse(limit("maxProperties", float64(c.maxProperties)))
	}
	for i := range c.props {
		p := &c.props[i]
		j.push(p.name)
		switch {
		case values[i] != nil:
			j.value(p.checker, values[i])
		case slices.Contains(c.required, p.name):
			j.refuse("required", msgRequired, nil)
		}
		j.pop()
	}
	for _, name := range c.required {
		if _, ok := c.index[name]; !ok && !further[name] {
			j.push(name)
			j.refuse("required", msgRequired, nil)
			j.pop()
		}
	}
}

// patch judges a value for a merge into a row's value, which is unknown here. Of an object with
// declared members it judges the present ones, each by itself. The card's rules about the
// object as a whole are judged with the row.
//
//	whole   the engine for the value, where its object is part of one that the engine judges;
//	        nil: the checker's own
func (j *judging) patch(c *checker, whole *jsonschema.Schema, v json.RawMessage) {
	if whole == nil {
		whole = c.whole
	}
	kind := jsontext.KindOf(v)
	if kind != jsontext.Object || c.object == nil || c.object.props == nil {
		if whole == nil {
			j.value(c, v)
			return
		}
		j.strange = j.strange || c.strange(v)
		j.engine(whole, v)
		return
	}
	j.strange = j.strange || c.strange(v)
	if !j.typed(c, kind, v) {
		return
	}
	n := 0
	values := make([]json.RawMessage, len(c.object.props))
	var others Object // members that properties does not name
	for raw, value := range jsontext.RawMembers(v) {
		n++
		i, name := c.object.find(raw)
		if i >= 0 {
			values[i] = value
			continue
		}
		if whole != nil {
			others = append(others, Member{name, value})
		}
	}
	if c.object.maxProperties >= 0 && n > c.object.maxProperties {
		j.refuse(limit("maxProperties", float64(c.object.maxProperties)))
	}
	for i := range c.object.props {
		if p := &c.object.props[i]; values[i] != nil {
			var part *jsonschema.Schema
			if whole != nil {
				part = whole.Properties[p.name]
			}
			j.push(p.name)
			j.patch(p.checker, part, values[i])
			j.pop()
		}
	}
	for _, m := range others {
		j.push(m.Name)
		for _, schema := range further(whole, m.Name) {
			j.engine(schema, m.Value)
		}
		j.pop()
	}
}

// further returns the schemas of a member that properties does not name: the ones of patternProperties, else
// additionalProperties.
func further(whole *jsonschema.Schema, name string) (all []*jsonschema.Schema) {
	patterns := slices.SortedFunc(maps.Keys(whole.PatternProperties), func(a, b jsonschema.Regexp) int { return strings.Compare(a.String(), b.String()) })
	for _, pattern := range patterns {
		if pattern.MatchString(name) {
			all = append(all, whole.PatternProperties[pattern])
		}
	}
	if schema, ok := whole.AdditionalProperties.(*jsonschema.Schema); ok && all == nil {
		all = append(all, schema)
	}
	return all
}

// find returns the place in props of the member with a raw name, quotes included, and "" or its
// name; for an unknown property it returns -1 and the name. The name is only unescaped if it
// has escapes, so that the common case does not allocate.
func (o *objectRules) find(raw []byte) (int, string) {
	if i, ok := o.index[string(raw[1:len(raw)-1])]; ok && !slices.Contains(raw, '\\') {
		return i, ""
	}
	name := jsontext.Unquote(raw)
	if i, ok := o.index[name]; ok {
		return i, name
	}
	return -1, name
}

// keys names the unknown keys in a value, at any depth, in the order of the value. It follows
// the checkers and makes no other judgement.
func (j *judging) keys(c *checker, v json.RawMessage) {
	switch kind := jsontext.KindOf(v); {
	case kind == jsontext.Object && c.object != nil:
		for raw, value := range jsontext.RawMembers(v) {
			i, name := c.object.find(raw)
			if i < 0 {
				if c.object.refuses(name) {
					j.refuseUnknown(name)
				}
				continue
			}
			j.push(c.object.props[i].name)
			j.keys(c.object.props[i].checker, value)
			j.pop()
		}
	case kind == jsontext.Array && c.list != nil && c.list.items != nil:
		for i, item := range jsontext.Elements(v) {
			j.stack = append(j.stack, step{index: i})
			j.keys(c.list.items, item)
			j.pop()
		}
	}
}

// strange says whether keys would name any key of v.
func (c *checker) strange(v json.RawMessage) bool {
	var j judging
	j.keys(c, v)
	return len(j.unknown) > 0
}
