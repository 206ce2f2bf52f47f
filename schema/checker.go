package schema

import (
	"encoding/json"
	"regexp"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// How a shape becomes a checker. The builder walks a shape once, when its card is compiled,
// and sorts its keywords by the kind of value they are about:
//
//	{"type": "string", "maxLength": 80}                  text: maxLength 80
//	{"type": "array", "items": {"type": "integer"}}      list: items → a checker of its own
//	{"type": "object", "properties": {"street": …}}      object: props, closed
//	{"anyOf": [ … ]}                                     whole: the engine judges it
//
// Nearly all fields of cards have one of the first three forms, which a checker judges from the
// text without decoding it. judging.go does the judging.

// checker judges the values of one shape straight from their text, without decoding them. A
// shape with a keyword that only the engine judges (see applicators) goes to the engine whole;
// its rules for lists and objects then only serve to find unknown keys. A checker never
// changes once it is built, and equal shapes of a set share one.
type checker struct {
	// whole is the engine for this shape; nil where the checker does without.
	whole *jsonschema.Schema
	// verdict is set for the schemas true and false; the other members are then empty.
	verdict *bool
	// types are the allowed types; 0: any.
	types typeSet
	// constant and enum are nil where the shape lacks the keyword.
	constant *literals
	enum     *literals
	// text, bounds, list and object judge values of one kind each; nil accepts every value of
	// that kind. A value of another kind passes them (JSON Schema core, section 7.6.1).
	text   *textRules
	bounds []bound
	list   *listRules
	object *objectRules
}

// textRules are the keywords about strings (JSON Schema validation, section 6.3); -1 means no
// limit.
type textRules struct {
	// format is the name, for the message. isFormat is its check, nil where the format is not
	// asserted (package format).
	format               string
	isFormat             func(string) bool
	minLength, maxLength int // in code points
	// pattern matches anywhere in a string, unless it is anchored (section 6.3.3). It is nil
	// without a pattern, and for a remote's pattern that RE2 cannot run.
	pattern *regexp.Regexp
}

// bound is a keyword about numbers, with its limit as it was written: bounds compare decimals,
// and a float64 would lose digits (docs/decisions/judge.md).
type bound struct {
	keyword string
	limit   json.RawMessage
}

// listRules are the keywords about arrays (section 6.4); -1 means no limit.
type listRules struct {
	minItems, maxItems int
	unique             bool
	// items is the checker of each element; nil accepts any.
	items *checker
}

// objectRules are the keywords about objects (section 6.5); -1 means no limit.
// docs/decisions/judge.md says which keys a closed object accepts.
type objectRules struct {
	minProperties, maxProperties int
	// props are the declared members in order; index leads from a name to its place among
	// them.
	props  []property
	index  map[string]int
	closed bool            // keys outside props are refused
	known  map[string]bool // further keys a closed object may have
	// required are the names of nested objects alone; judge.must has the card's.
	required []string
}

// property is a named member of an object and the checker of its values.
type property struct {
	name string
	*checker
}

// refuses says whether the object refuses a key that its properties do not name.
func (o *objectRules) refuses(name string) bool { return o.closed && !o.known[name] }

// typeSet is a set of JSON Schema's types; the empty set means any type.
type typeSet uint8

const (
	// typeInteger and typeNumber are two types, though every integer is a number: typed
	// decides by the shape and the value which of them a number counts as.
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

// typeBits are the types by the names that the keyword type has for them.
var typeBits = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// names are the types of a set as the engine lists them, but null last (spec 2.1).
func (t typeSet) names() []string {
	var names []string
	for _, name := range []string{"boolean", "number", "integer", "string", "array", "object", "null"} {
		if t&typeBits[name] != 0 {
			names = append(names, name)
		}
	}
	return names
}

// typesOf returns the types that a shape allows. A list of types is in Extra, so that
// Shape.Type is always a single name.
func typesOf(s *Shape) typeSet {
	if s.Type != "" {
		t := typeBits[s.Type]
		if s.Nullable {
			t |= typeNull
		}
		return t
	}
	var t typeSet
	for _, v := range jsontext.Elements(s.Extra.Get("type")) {
		t |= typeBits[jsontext.Unquote(v)]
	}
	return t
}

// shared keeps the checkers of a set by the text of their shapes: a host of a thousand cards
// has thousands of fields that are strings of at most 80 characters. It is safe for concurrent
// use.
//
// A string of at most 80 characters is the same checker in the card of a product and of an
// author; its faults are not, so a checker with a fault is not kept.
type shared struct {
	mu       sync.Mutex
	checkers map[string]*checker
}

// maxShared is how many bytes the text of a shape may have for its checker to be kept. Longer
// shapes are rarely equal, and their texts would only fill the map.
const maxShared = 300

// builder makes the checkers of one card and reports contradictions in it. It is for one
// goroutine; several builders share only the member shared.
type builder struct {
	engine  engine
	shared  *shared
	lenient bool // a pattern that cannot be run here is ignored
	fault   func(at, message, remedy string)
	faults  int // reported so far
}

// checker returns the checker of the shape at a pointer of the card. It reuses a checker of an
// equal shape. Shapes with references are not shared: their text means something else in
// another card.
func (b *builder) checker(s *Shape, at string) *checker {
	text := s.AppendJSON(make([]byte, 0, maxShared))
	if len(text) > maxShared || s.references() {
		return b.build(s, at)
	}
	b.shared.mu.Lock()
	c := b.shared.checkers[string(text)]
	b.shared.mu.Unlock()
	if c != nil {
		return c
	}
	faults := b.faults
	if c = b.build(s, at); b.faults > faults {
		return c // a second card with the same mistake has the fault too
	}
	b.shared.mu.Lock()
	// Another goroutine may have stored an equal one since; either serves.
	b.shared.checkers[string(text)] = c
	b.shared.mu.Unlock()
	return c
}

// build makes a checker of a shape. The reader has seen to the form of the keywords' values,
// so that a number that cannot be read counts as 0 here and its card is not compiled in the
// end.
func (b *builder) build(s *Shape, at string) *checker {
	if s.Bool != nil {
		return &checker{verdict: s.Bool}
	}
	c := &checker{types: typesOf(s)}
	if s.Enum != nil {
		c.enum = newLiterals(s.Enum)
	}
	text := textRules{format: s.Format, isFormat: format.Check(s.Format), minLength: -1, maxLength: -1}
	list := listRules{minItems: -1, maxItems: -1}
	// Rules are only kept where a keyword asks for them: most shapes have one kind, and
	// judging tests for nil.
	hasText, hasList := text.isFormat != nil, s.Items != nil
	for _, kw := range s.Extra {
		n, _ := Integer(kw.Value)
		switch kw.Name {
		case "const":
			c.constant = newLiterals([]json.RawMessage{kw.Value})
		case "minLength":
			text.minLength, hasText = int(n), true
		case "maxLength":
			text.maxLength, hasText = int(n), true
		case "pattern":
			text.pattern, hasText = b.pattern(kw.Value, child(at, "pattern")), true
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
			c.bounds = append(c.bounds, bound{kw.Name, jsontext.Trim(kw.Value)})
		case "minItems":
			list.minItems, hasList = int(n), true
		case "maxItems":
			list.maxItems, hasList = int(n), true
		case "uniqueItems":
			list.unique, hasList = jsontext.KindOf(kw.Value) == jsontext.True, true
		}
	}
	if s.Items != nil {
		list.items = b.checker(s.Items, child(at, "items"))
	}
	if hasText {
		c.text = &text
	}
	if hasList {
		c.list = &list
	}
	// A bare object that requires names has rules too: {type: object, required: [a]} accepts
	// every key and misses a.
	if o := b.object(s.Properties, s.Extra, at); o != nil || s.Required != nil {
		if o == nil {
			o = &objectRules{minProperties: -1, maxProperties: -1}
		}
		o.required = s.Required
		c.object = o
	}
	if engineNeeded(s.Extra) {
		c.whole = b.engine.at(at)
	}
	return c
}

// pattern compiles a pattern in Go's syntax, RE2: no look-around and no back-references, and no
// text that takes longer than its length (docs/decisions/judge.md). It is nil for a pattern
// that does not compile; then a remote's pattern holds for every text. JSON Schema recommends
// ECMA-262 and leaves the dialect to the implementation (core, section 6.4).
func (b *builder) pattern(value json.RawMessage, at string) *regexp.Regexp {
	re, err := regexp.Compile(jsontext.Unquote(value))
	if err != nil {
		b.faults++ // the checker is not one to share
	}
	if err != nil && !b.lenient {
		b.fault(at, "this is not a regular expression the host can run", "write it in the syntax of RE2: no look-around, no back-references")
	}
	return re
}

// object returns the rules about the keys of an object, or nil if they accept every object.
// fields is nil for a bare object, which is open; with fields it is closed unless extra opens
// it (docs/decisions/judge.md).
func (b *builder) object(fields []Field, extra Keywords, at string) *objectRules {
	o := &objectRules{minProperties: -1, maxProperties: -1, closed: fields != nil}
	if fields != nil {
		o.index = make(map[string]int, len(fields))
		o.props = make([]property, 0, len(fields))
		for i := range fields {
			o.index[fields[i].Name] = i
			o.props = append(o.props, property{fields[i].Name, b.checker(&fields[i].Shape, child(child(at, "properties"), fields[i].Name))})
		}
	}
	for _, kw := range extra {
		n, _ := Integer(kw.Value)
		switch kw.Name {
		case "minProperties":
			o.minProperties = int(n)
		case "maxProperties":
			o.maxProperties = int(n)
		}
	}
	if v := extra.Get("additionalProperties"); v != nil {
		// Said outright, either way; a schema is for the engine to judge.
		o.closed = jsontext.KindOf(v) == jsontext.False && extra.Get("patternProperties") == nil
	}
	if o.closed {
		// allOf and its like may name keys that properties does not. They are accepted; where
		// one of them is open, such as a $ref, the object is.
		known := map[string]bool{}
		if o.closed = collectKeys(extra, known); len(known) > 0 {
			o.known = known
		}
	}
	if fields == nil && !o.closed && o.minProperties < 0 && o.maxProperties < 0 {
		return nil
	}
	return o
}

// engineNeeded says whether a schema has keywords that only the engine judges.
// additionalProperties: false alone does not need it: closed says the same.
func engineNeeded(extra Keywords) bool {
	for _, kw := range extra {
		if applicators[kw.Name] && !(kw.Name == "additionalProperties" && jsontext.KindOf(kw.Value) == jsontext.False) {
			return true
		}
	}
	return false
}

// references says whether the meaning of a shape depends on the card around it: a keyword of
// the engine may hold a $ref to that card's $defs. It looks at every depth.
func (s *Shape) references() bool {
	if engineNeeded(s.Extra) || s.Items != nil && s.Items.references() {
		return true
	}
	return slices.ContainsFunc(s.Properties, func(f Field) bool { return f.Shape.references() })
}

// collectKeys adds to known the keys that the schemas of allOf, anyOf, oneOf, if, then, else
// and dependentSchemas name. It returns false if one of them accepts keys without naming them.
func collectKeys(extra Keywords, known map[string]bool) bool {
	for _, kw := range extra {
		switch kw.Name {
		// The targets of references are not read: the object is open
		// (docs/decisions/judge.md).
		case "$ref", "$dynamicRef", "patternProperties", "unevaluatedProperties":
			return false
		case "allOf", "anyOf", "oneOf":
			for _, v := range jsontext.Elements(kw.Value) {
				if !collectFrom(v, known) {
					return false
				}
			}
		case "if", "then", "else":
			if !collectFrom(kw.Value, known) {
				return false
			}
		case "dependentSchemas":
			for _, v := range jsontext.Members(kw.Value) {
				if !collectFrom(v, known) {
					return false
				}
			}
		}
	}
	return true
}

// collectFrom adds the keys that a subschema names to known. It returns false where the
// subschema lets any key through.
func collectFrom(schema json.RawMessage, known map[string]bool) bool {
	var inner Keywords
	for name, v := range jsontext.Members(schema) {
		switch name {
		case "properties":
			for key := range jsontext.Members(v) {
				known[key] = true
			}
		case "additionalProperties":
			if jsontext.KindOf(v) != jsontext.False {
				return false
			}
		default:
			inner = append(inner, Keyword{Name: name, Value: v})
		}
	}
	return collectKeys(inner, known)
}
