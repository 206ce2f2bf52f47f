package diff

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// shapeText is the type of a shape in words: integer, list of string, any.
func shapeText(s *schema.Shape) string {
	types := typesOf(s)
	switch {
	case s.Type == "array" && s.Items != nil:
		return "list of " + shapeText(s.Items)
	case types == nil:
		return "any"
	}
	return strings.Join(types, " or ")
}

// anObject is the name in typesOf for an object whose members are named: it takes fewer values
// than an object of any members.
const anObject = "object with members"

// typesOf are the types that a shape accepts, without null; nil is any type.
func typesOf(s *schema.Shape) []string {
	if s.Bool != nil {
		if *s.Bool {
			return nil
		}
		return []string{"nothing"}
	}
	if s.Type == "object" && s.Properties != nil {
		return []string{anObject}
	}
	if s.Type != "" {
		return []string{s.Type}
	}
	stated := s.Stated() // an older document says no type where it accepts every one
	if stated.Type != "" {
		return []string{stated.Type}
	}
	list := stated.Extra.Get("type")
	var types []string
	for _, v := range jsontext.Elements(list) {
		if name := jsontext.Unquote(v); name != "null" {
			types = append(types, name)
		}
	}
	if len(types) == 5 && !slices.Contains(types, "integer") {
		return nil // all of them: integers are numbers
	}
	return types
}

// takes reports whether a shape of types is accepts every value of one of types was.
func takes(is, was []string) bool {
	if is == nil {
		return true
	}
	if was == nil {
		return false
	}
	for _, t := range was {
		wider := t == "integer" && slices.Contains(is, "number") || t == anObject && slices.Contains(is, "object")
		if !wider && !slices.Contains(is, t) {
			return false
		}
	}
	return true
}

// enumOf are the values that a shape allows, as texts; nil is any value.
func enumOf(s *schema.Shape) (values []string) {
	if c := s.Extra.Get("const"); c != nil {
		return []string{string(c)}
	}
	if s.Enum == nil {
		return nil
	}
	values = []string{}
	for _, v := range s.Enum {
		if !jsontext.IsNull(v) { // nullable says that
			values = append(values, string(v))
		}
	}
	return values
}

// bounds are the keywords that bound values, with whether a greater number allows more.
var bounds = map[string]bool{
	"minLength": false, "minItems": false, "minProperties": false, "minContains": false, "minimum": false, "exclusiveMinimum": false,
	"maxLength": true, "maxItems": true, "maxProperties": true, "maxContains": true, "maximum": true, "exclusiveMaximum": true,
}

// limited is the difference between the values of two shapes, as texts for a finding: the
// values no longer allowed, and those allowed now.
type limited struct{ less, more []change }

// compareValues compares enums, bounds, patterns and formats. A change that is neither less nor
// more, such as another pattern, is both.
func compareValues(was, is *schema.Shape) limited {
	l := compareLimits(was, is)
	enums(&l, enumOf(was), enumOf(is))
	return l
}

// compareLimits is compareValues without enums.
func compareLimits(was, is *schema.Shape) (l limited) {
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		a, b := was.Extra.Get(name), is.Extra.Get(name)
		if string(a) == string(b) {
			continue
		}
		c := change{keyword(name, a), keyword(name, b)}
		x, y := number(a), number(b)
		switch {
		case a == nil:
			l.less = append(l.less, c)
		case b == nil:
			l.more = append(l.more, c)
		case x == nil || y == nil || x.Cmp(y) == 0:
		case (x.Cmp(y) < 0) == bounds[name]:
			l.more = append(l.more, c)
		default:
			l.less = append(l.less, c)
		}
	}
	for _, name := range assertions {
		one(&l, name, string(was.Extra.Get(name)), string(is.Extra.Get(name)))
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		alternatives(&l, name, was.Extra.Get(name), is.Extra.Get(name), false)
	}
	alternatives(&l, "allOf", was.Extra.Get("allOf"), is.Extra.Get("allOf"), true)
	one(&l, "format", was.Format, is.Format)
	further(&l, was, is)
	if (was.Items == nil) != (is.Items == nil) && was.Type == is.Type {
		one(&l, "items", itemsText(was), itemsText(is))
	}
	return l
}

// assertions are the keywords whose presence allows less. Two values of one are neither more
// nor less.
var assertions = []string{
	"multipleOf", "uniqueItems", "pattern", "not", "if", "then", "else", "contains", "dependentRequired", "dependentSchemas", "dependencies",
	"propertyNames", "patternProperties", "prefixItems", "unevaluatedProperties", "unevaluatedItems", "$ref", "$dynamicRef",
}

// itemsText are the items of a list in words; "" of any.
func itemsText(s *schema.Shape) string {
	if s.Items == nil {
		return ""
	}
	return shapeText(s.Items)
}

// alternatives compares lists of schemas: of allOf each has to match, so that one more allows
// less; of the others one of them has to.
func alternatives(l *limited, name string, was, is json.RawMessage, each bool) {
	if was == nil || is == nil {
		one(l, name, string(was), string(is))
		return
	}
	gone, added := without(schemas(was), schemas(is)), without(schemas(is), schemas(was))
	if each {
		gone, added = added, gone
	}
	c := change{keyword(name, was), keyword(name, is)}
	if len(gone) > 0 {
		l.less = append(l.less, c)
	}
	if len(added) > 0 {
		l.more = append(l.more, c)
	}
}

// schemas are the elements of a list as texts.
func schemas(list json.RawMessage) (out []string) {
	for _, v := range jsontext.Elements(list) {
		out = append(out, string(v))
	}
	return out
}

// further compares the members that an object accepts in addition to its named ones. Without
// the keyword an object with named members accepts no others (docs/decisions/judge.md), and an
// object without any accepts all.
func further(l *limited, was, is *schema.Shape) {
	a, b := furtherText(was), furtherText(is)
	rank := map[string]int{"false": -1, "true": 1} // a schema is between both
	c := change{"additionalProperties " + text([]byte(a)), "additionalProperties " + text([]byte(b))}
	// Whether members are named is a matter of the type.
	if a == b || (was.Properties == nil) != (is.Properties == nil) {
		return
	}
	if rank[b] <= rank[a] {
		l.less = append(l.less, c)
	}
	if rank[b] >= rank[a] {
		l.more = append(l.more, c)
	}
}

// furtherText is additionalProperties with its default.
func furtherText(s *schema.Shape) string {
	if v := s.Extra.Get("additionalProperties"); v != nil {
		return string(v)
	}
	if s.Properties == nil {
		return "true"
	}
	return "false"
}

// enums compares lists of allowed values.
func enums(l *limited, was, is []string) {
	if slices.Equal(was, is) {
		return
	}
	gone, added := without(was, is), without(is, was)
	c := change{"any of " + strings.Join(was, ", "), "any of " + strings.Join(is, ", ")}
	switch {
	case was == nil:
		l.less = append(l.less, change{"any value", c.is})
		return
	case is == nil:
		l.more = append(l.more, change{c.was, "any value"})
		return
	}
	if len(gone) > 0 {
		l.less = append(l.less, change{strings.Join(gone, ", "), ""})
	}
	if len(added) > 0 {
		l.more = append(l.more, change{"", strings.Join(added, ", ")})
	}
}

// one compares a keyword whose presence allows less.
func one(l *limited, name, was, is string) {
	if name == "uniqueItems" { // false has no effect
		was, is = strings.TrimSuffix(was, "false"), strings.TrimSuffix(is, "false")
	}
	c := change{keyword(name, []byte(was)), keyword(name, []byte(is))}
	switch {
	case was == is:
	case was == "":
		l.less = append(l.less, c)
	case is == "":
		l.more = append(l.more, c)
	default:
		l.less, l.more = append(l.less, c), append(l.more, c)
	}
}

// keyword is a keyword with its value, "maxLength 80"; of no value "no maxLength".
func keyword(name string, v json.RawMessage) string {
	if len(v) == 0 {
		return "no " + name
	}
	return name + " " + text(v)
}

// number is a JSON number, exactly; nil of any other value.
func number(v json.RawMessage) *big.Rat {
	if jsontext.KindOf(v) != jsontext.Number || len(v) > 40 {
		return nil // a bound with a huge exponent is too costly to compute with
	}
	n, ok := new(big.Rat).SetString(string(jsontext.Trim(v)))
	if !ok {
		return nil
	}
	return n
}

// silent are keywords that describe a value and do not restrict it.
var silent = map[string]bool{
	"$comment": true, "examples": true, "default": true, "readOnly": true, "writeOnly": true, "title": true, "description": true, "deprecated": true, "$schema": true, "$id": true,
}

// compared are the keywords that other rules compare.
func compared(name string) bool {
	_, bound := bounds[name]
	return bound || slices.Contains(assertions, name) || slices.Contains([]string{"type", "const", "anyOf", "oneOf", "allOf", "additionalProperties"}, name)
}

// otherKeywords names the keywords that differ and that no other rule compares.
func otherKeywords(was, is *schema.Shape) (names []string) {
	for _, k := range slices.Concat(was.Extra, is.Extra) {
		if compared(k.Name) || silent[k.Name] || strings.HasPrefix(k.Name, "x-") || slices.Contains(names, k.Name) {
			continue
		}
		if string(was.Extra.Get(k.Name)) != string(is.Extra.Get(k.Name)) {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return names
}

// joined is several changes as one, or nil.
func joined(list []change) *change {
	if len(list) == 0 {
		return nil
	}
	was, is := make([]string, len(list)), make([]string, len(list))
	for i, c := range list {
		was[i], is[i] = c.was, c.is
	}
	return &change{strings.Trim(strings.Join(was, ", "), ", "), strings.Trim(strings.Join(is, ", "), ", ")}
}
