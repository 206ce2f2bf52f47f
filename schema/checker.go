package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema/jsontext"
)

// checker judges the values of one shape straight from their text. What it cannot
// say itself it leaves to the engine, whole; then the members here below only
// serve to find unknown keys.
type checker struct {
	whole *jsonschema.Schema // the engine for this shape; nil where the checker does without

	verdict  *bool // a schema that is true or false
	types    typeSet
	names    []string // of types, for the message
	constant *literals
	enum     *literals
	format   string
	isFormat func(string) bool

	minLength, maxLength int // -1: none; in code points
	pattern              *regexp.Regexp
	bounds               []bound

	minItems, maxItems int
	unique             bool
	items              *checker

	minProperties, maxProperties int
	props                        []property
	index                        map[string]int
	closed                       bool            // keys outside props are refused
	known                        map[string]bool // further keys a closed object may have
	required                     []string
}

type property struct {
	name string
	*checker
}

type bound struct {
	keyword string
	limit   json.RawMessage
}

type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

var typeBits = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// builder makes the checkers of one card.
type builder struct {
	engine  engine
	lenient bool // a pattern that cannot be run here is let be
	fault   func(at, message, remedy string)
}

// checker is the checker of a shape that stands at a pointer of the card.
func (b *builder) checker(s *Shape, at string) *checker {
	c := &checker{minLength: -1, maxLength: -1, minItems: -1, maxItems: -1, minProperties: -1, maxProperties: -1}
	if s.Bool != nil {
		c.verdict = s.Bool
		return c
	}
	for _, name := range typeNames(s) {
		c.types |= typeBits[name]
		c.names = append(c.names, name)
	}
	if s.Enum != nil {
		c.enum = newLiterals(s.Enum)
	}
	c.format, c.isFormat = s.Format, formatCheck(s.Format)
	for _, kw := range s.Extra {
		n, _ := Integer(kw.Value)
		switch kw.Name {
		case "const":
			c.constant = newLiterals([]json.RawMessage{kw.Value})
		case "minLength":
			c.minLength = int(n)
		case "maxLength":
			c.maxLength = int(n)
		case "minItems":
			c.minItems = int(n)
		case "maxItems":
			c.maxItems = int(n)
		case "minProperties":
			c.minProperties = int(n)
		case "maxProperties":
			c.maxProperties = int(n)
		case "uniqueItems":
			c.unique = jsontext.KindOf(kw.Value) == jsontext.True
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
			c.bounds = append(c.bounds, bound{kw.Name, jsontext.Trim(kw.Value)})
		case "pattern":
			re, err := regexp.Compile(jsontext.Unquote(kw.Value))
			if err == nil {
				c.pattern = re
			} else if !b.lenient {
				b.fault(child(at, "pattern"), "this is not a regular expression the host can run", "write it in the syntax of RE2: no look-around, no back-references")
			}
		}
	}
	if s.Items != nil {
		c.items = b.checker(s.Items, child(at, "items"))
	}
	c.object(b, s.Properties, s.Extra, at)
	c.required = s.Required
	if s.Extra.hasAny(applicators) && !(onlyClosing(s.Extra)) {
		c.whole = b.engine.at(at)
	}
	return c
}

// object fills in what concerns the keys of an object.
func (c *checker) object(b *builder, fields []Field, extra Keywords, at string) {
	if fields != nil {
		c.index = make(map[string]int, len(fields))
		for i := range fields {
			c.index[fields[i].Name] = i
			c.props = append(c.props, property{fields[i].Name, b.checker(&fields[i].Shape, child(child(at, "properties"), fields[i].Name))})
		}
	}
	c.known, c.closed = map[string]bool{}, fields != nil
	if v := extra.Get("additionalProperties"); v != nil {
		// Said outright, either way; a schema is for the engine to judge.
		c.closed = jsontext.KindOf(v) == jsontext.False && extra.Get("patternProperties") == nil
	}
	if c.closed && !collectKeys(extra, c.known) {
		c.closed = false
	}
	if len(c.known) == 0 {
		c.known = nil
	}
}

// onlyClosing says whether additionalProperties: false is all the engine would be asked for.
func onlyClosing(extra Keywords) bool {
	for _, kw := range extra {
		if applicators[kw.Name] && !(kw.Name == "additionalProperties" && jsontext.KindOf(kw.Value) == jsontext.False) {
			return false
		}
	}
	return true
}

// collectKeys adds the keys that schemas standing at the same place name
// (allOf and its like) and says whether those are all there can be.
func collectKeys(extra Keywords, known map[string]bool) bool {
	for _, kw := range extra {
		switch kw.Name {
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
			inner = append(inner, Keyword{name, v})
		}
	}
	return collectKeys(inner, known)
}

// typeNames are the names of a shape's types, null last.
func typeNames(s *Shape) []string {
	switch {
	case s.Type == "null":
		return []string{"null"}
	case s.Type != "" && s.Nullable:
		return []string{s.Type, "null"}
	case s.Type != "":
		return []string{s.Type}
	}
	var given, names []string
	for _, v := range jsontext.Elements(s.Extra.Get("type")) {
		given = append(given, jsontext.Unquote(v))
	}
	for _, name := range []string{"boolean", "number", "integer", "string", "array", "object", "null"} { // as the engine lists them
		if slices.Contains(given, name) {
			names = append(names, name)
		}
	}
	return names
}

// judging is one run of the judge.
type judging struct {
	at      string // the pointer everything stands under
	stack   []token
	strange bool     // an unknown key was met; keys names them
	unknown []Detail // in input order
	refused []Detail // in declaration order
}

type token struct {
	name  string
	index int // of an array, where name is ""
}

func (t token) text() string {
	if t.name == "" && t.index >= 0 {
		return strconv.Itoa(t.index)
	}
	return t.name
}

func (j *judging) detail(code, message string, params map[string]any) Detail {
	var path, pointer strings.Builder
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

func (j *judging) refuse(code, message string, params map[string]any) {
	if len(j.refused) < MaxDetails {
		j.refused = append(j.refused, j.detail(code, message, params))
	}
}

func (j *judging) refuseUnknown(name string) {
	if len(j.unknown) < MaxDetails {
		j.push(name)
		j.unknown = append(j.unknown, j.detail(UnknownKey, msgUnknown, nil))
		j.pop()
	}
}

func (j *judging) push(name string) { j.stack = append(j.stack, token{name: name, index: -1}) }
func (j *judging) pop()             { j.stack = j.stack[:len(j.stack)-1] }

// value judges a value.
func (j *judging) value(c *checker, v json.RawMessage) {
	if c.verdict != nil {
		if !*c.verdict {
			j.refuse("not", "must be left out: no value is allowed here", nil)
		}
		return
	}
	if c.whole != nil {
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
	switch kind {
	case jsontext.String:
		j.string(c, v)
	case jsontext.Number:
		j.number(c, v)
	case jsontext.Array:
		j.array(c, v)
	case jsontext.Object:
		j.object(c, v)
	}
}

// typed judges the type of a value; a number has to be one that can be worked with too.
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
		if c.types&typeNumber == 0 && c.types&typeInteger != 0 && bounded(v) && whole(v) {
			have = typeInteger
		}
	}
	if c.types != 0 && c.types&have == 0 {
		params := map[string]any{"type": typeParam(c.names)}
		j.refuse("type", typeMessage(c.names, kind == jsontext.Null), params)
		return false
	}
	if have == typeNumber && !double(v) {
		j.refuse("type", msgNumber, nil)
		return false
	}
	if have == typeInteger {
		// Integers are kept in 64 bits; a further one would not come back as it went.
		if _, ok := Integer(v); !ok {
			if v[0] == '-' {
				j.refuse(limit("minimum", -1<<63))
			} else {
				j.refuse(limit("maximum", 1<<63-1))
			}
			return false
		}
	}
	return true
}

func (j *judging) string(c *checker, v json.RawMessage) {
	if c.isFormat == nil && c.minLength < 0 && c.maxLength < 0 && c.pattern == nil {
		return
	}
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
		n := utf8.RuneCount(text) // code points, not bytes (DESIGN 4)
		if c.minLength >= 0 && n < c.minLength {
			j.refuse(limit("minLength", float64(c.minLength)))
		}
		if c.maxLength >= 0 && n > c.maxLength {
			j.refuse(limit("maxLength", float64(c.maxLength)))
		}
	}
	if c.pattern != nil && !c.pattern.Match(text) {
		j.refuse("pattern", patternMessage(c.pattern.String()), map[string]any{"pattern": c.pattern.String()})
	}
}

func (j *judging) number(c *checker, v json.RawMessage) {
	for _, b := range c.bounds {
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
			j.refuse(limit(b.keyword, number(b.limit)))
		}
	}
}

func (j *judging) array(c *checker, v json.RawMessage) {
	if c.items == nil && c.minItems < 0 && c.maxItems < 0 && !c.unique {
		return
	}
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
			j.stack = append(j.stack, token{index: i})
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

func (j *judging) object(c *checker, v json.RawMessage) {
	n := 0
	values := make([]json.RawMessage, len(c.props))
	var further map[string]bool
	for raw, value := range jsontext.RawMembers(v) {
		n++
		i, name := c.find(raw)
		switch {
		case i >= 0:
			values[i] = value
		case c.closed && !c.known[name]:
			j.strange = true
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

// find is the property a member's raw name means, or -1 and the name.
func (c *checker) find(raw []byte) (int, string) {
	if i, ok := c.index[string(raw[1:len(raw)-1])]; ok && !slices.Contains(raw, '\\') {
		return i, ""
	}
	name := jsontext.Unquote(raw)
	if i, ok := c.index[name]; ok {
		return i, name
	}
	return -1, name
}

// keys names the unknown keys in a value, at any depth, in input order.
func (j *judging) keys(c *checker, v json.RawMessage) {
	switch jsontext.KindOf(v) {
	case jsontext.Object:
		if c.index == nil && !c.closed {
			return
		}
		for raw, value := range jsontext.RawMembers(v) {
			i, name := c.find(raw)
			if i < 0 {
				if c.closed && !c.known[name] {
					j.refuseUnknown(name)
				}
				continue
			}
			j.push(c.props[i].name)
			j.keys(c.props[i].checker, value)
			j.pop()
		}
	case jsontext.Array:
		if c.items == nil {
			return
		}
		for i, item := range jsontext.Elements(v) {
			j.stack = append(j.stack, token{index: i})
			j.keys(c.items, item)
			j.pop()
		}
	}
}

// strange says whether keys would name any.
func (c *checker) strange(v json.RawMessage) bool {
	var j judging
	j.keys(c, v)
	return len(j.unknown) > 0
}

// literals are the values of an enum or a const.
type literals struct {
	texts map[string]bool // strings, unquoted
	rest  map[string]bool // everything else, canonical
	plain []any           // as a detail names them
}

func newLiterals(values []json.RawMessage) *literals {
	l := &literals{texts: map[string]bool{}, rest: map[string]bool{}}
	for _, v := range values {
		if jsontext.KindOf(v) == jsontext.String {
			l.texts[jsontext.Unquote(v)] = true
		} else {
			l.rest[string(canonical(nil, v))] = true
		}
		l.plain = append(l.plain, plainValue(v))
	}
	return l
}

func (l *literals) has(v json.RawMessage, kind jsontext.Kind) bool {
	if kind == jsontext.String {
		if l.texts[string(v[1:len(v)-1])] && !slices.Contains(v, '\\') {
			return true
		}
		return l.texts[jsontext.Unquote(v)]
	}
	return len(l.rest) > 0 && l.rest[string(canonical(nil, v))]
}

// canonical appends a text that two values share exactly when JSON Schema counts
// them as equal: keys in order, numbers by their value, strings without escapes.
func canonical(dst []byte, v json.RawMessage) []byte {
	switch jsontext.KindOf(v) {
	case jsontext.String:
		return jsontext.AppendString(dst, jsontext.Unquote(jsontext.Trim(v)))
	case jsontext.Number:
		v = jsontext.Trim(v)
		if n, ok := Integer(v); ok {
			return strconv.AppendInt(dst, n, 10)
		}
		if rat, ok := rational(v); ok {
			return append(dst, rat.RatString()...)
		}
		return append(dst, v...)
	case jsontext.Array:
		dst = append(dst, '[')
		for _, e := range jsontext.Elements(v) {
			dst = append(canonical(dst, e), ',')
		}
		return append(dst, ']')
	case jsontext.Object:
		type member struct{ name, value string }
		var members []member
		for name, e := range jsontext.Members(v) {
			members = append(members, member{name, string(canonical(nil, e))})
		}
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(append(append(jsontext.AppendString(dst, m.name), ':'), m.value...), ',')
		}
		return append(dst, '}')
	}
	return append(dst, jsontext.Trim(v)...)
}
