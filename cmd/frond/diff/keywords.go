package diff

import (
	"encoding/json"
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

// anObject is the type of an object whose members are named, among those of typesOf: it takes
// fewer values than an object of any members.
const anObject = "object with members"

// typesOf are the types that a shape accepts, null aside; nil is any type.
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
	list := s.Extra.Get("type")
	if jsontext.KindOf(list) != jsontext.Array {
		return nil
	}
	var types []string
	for _, v := range jsontext.Elements(list) {
		if name := jsontext.Unquote(v); name != "null" {
			types = append(types, name)
		}
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
	"minLength": false, "minItems": false, "minProperties": false, "minimum": false, "exclusiveMinimum": false,
	"maxLength": true, "maxItems": true, "maxProperties": true, "maximum": true, "exclusiveMaximum": true,
}

// limited is how the values that a shape allows differ from those that another one does, as
// texts for a finding: what is allowed no more, and what is allowed now.
type limited struct{ less, more []change }

// compareValues compares enums, bounds, patterns and formats. What is neither less nor more,
// such as another pattern, is both.
func compareValues(was, is *schema.Shape) limited {
	l := compareLimits(was, is)
	enums(&l, enumOf(was), enumOf(is))
	return l
}

// compareLimits is compareValues without enums.
func compareLimits(was, is *schema.Shape) (l limited) {
	for _, name := range slices.Sorted(keysOf(bounds)) {
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
	for _, name := range []string{"multipleOf", "uniqueItems", "pattern"} {
		one(&l, name, string(was.Extra.Get(name)), string(is.Extra.Get(name)))
	}
	one(&l, "format", was.Format, is.Format)
	return l
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

// one compares a keyword that allows less where it is there.
func one(l *limited, name, was, is string) {
	if was == "false" {
		was = "" // uniqueItems: false says nothing
	}
	if is == "false" {
		is = ""
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
		return nil // an exponent of any size is no bound to compute with
	}
	n, ok := new(big.Rat).SetString(string(jsontext.Trim(v)))
	if !ok {
		return nil
	}
	return n
}

// silent are keywords that describe and change nothing.
var silent = map[string]bool{
	"$comment": true, "examples": true, "default": true, "readOnly": true, "writeOnly": true, "title": true, "description": true,
	"contentEncoding": true, "contentMediaType": true, "contentSchema": true, "$schema": true, "$id": true, "type": true, "const": true,
	"multipleOf": true, "uniqueItems": true, "pattern": true,
}

// otherKeywords names the keywords that differ and that no other rule compares.
func otherKeywords(was, is *schema.Shape) (names []string) {
	for _, k := range slices.Concat(was.Extra, is.Extra) {
		_, bound := bounds[k.Name]
		if bound || silent[k.Name] || strings.HasPrefix(k.Name, "x-") || slices.Contains(names, k.Name) {
			continue
		}
		if string(was.Extra.Get(k.Name)) != string(is.Extra.Get(k.Name)) {
			names = append(names, k.Name)
		}
	}
	if (was.Items == nil) != (is.Items == nil) {
		names = append(names, "items")
	}
	slices.Sort(names)
	return names
}

// joined is several changes as one; nil of none.
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

// keysOf yields the keys of a map.
func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
