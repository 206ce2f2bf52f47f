package sample

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A JSON Schema describes a value in many places: in the target of $ref, in each part of allOf,
// in one of anyOf. Fold merges all of them into one flat object, which is the only thing that
// the makers of values read:
//
//	{"allOf":[{"type":"string","maxLength":9},{"maxLength":5}]}   ->  {"type":"string","maxLength":5}
//
// Of alternatives one is drawn, so that another attempt may take the other. Folding is not
// exact, as two patterns cannot be joined: the card judges the value afterwards.

// Shape is the keywords of a JSON Schema with everything it refers to folded in:
// references, all of allOf, one of anyOf and oneOf, one side of if.
type Shape map[string]json.RawMessage

// Fold reads a schema into its keywords. It draws one of the alternatives of the schema. false:
// as far as Fold knows, no value fits. The shape is new and may be changed.
func (m *Maker) Fold(text json.RawMessage) (Shape, bool) {
	s := Shape{}
	return s, m.foldInto(s, text, 0)
}

// maxFold is how deep schemas are folded into one another: one that refers to itself
// ends here.
const maxFold = 12

// foldInto adds the keywords of a schema to s. true adds no keyword; false, and a text that is
// no schema, fits no value.
func (m *Maker) foldInto(s Shape, text json.RawMessage, depth int) bool {
	switch jsontext.KindOf(text) {
	case jsontext.True:
		return true
	case jsontext.Object:
	default:
		return false
	}
	if depth > maxFold {
		return false
	}
	sound := true
	also := func(sub json.RawMessage) { sound = m.foldInto(s, sub, depth+1) && sound }
	for name, value := range jsontext.Members(text) {
		switch name {
		case "$ref", "$dynamicRef":
			also(At(m.Root, Pointer(m.Root, jsontext.Unquote(value))))
		case "allOf":
			for _, sub := range jsontext.Elements(value) {
				also(sub)
			}
		case "anyOf", "oneOf":
			if subs := Elements(value); len(subs) > 0 {
				also(subs[m.IntN(len(subs))])
			}
		case "if":
			// Half of the values are made by then, and shall meet the condition. The others
			// only follow else; the judge checks that they do not meet the condition.
			if then := jsontext.Get(text, "then"); then != nil && m.IntN(2) == 0 {
				also(value)
				also(then)
			} else if otherwise := jsontext.Get(text, "else"); otherwise != nil {
				also(otherwise)
			}
		// They are read together with if.
		case "then", "else":
		default:
			s.add(name, value)
		}
	}
	return sound
}

// add takes one more keyword in. Beside one of the same name both hold:
//
//	properties           the members of both; the second of two equal names
//	required             both lists
//	enum, type           the values in both
//	min…, max…           the narrower bound
//	any other            the second one
func (s Shape) add(name string, value json.RawMessage) {
	had := s[name]
	switch {
	case had == nil:
		s[name] = value
	case name == "properties":
		s[name] = joined(had, value)
	case name == "required":
		s[name] = List(append(Elements(had), Elements(value)...))
	case name == "enum":
		s[name] = List(slices.DeleteFunc(Elements(had), func(v json.RawMessage) bool {
			return !slices.ContainsFunc(Elements(value), func(o json.RawMessage) bool { return bytes.Equal(v, o) })
		}))
	case name == "type":
		if both := common(types(had), types(value)); both != nil {
			s[name] = List(both)
		}
	case strings.HasPrefix(name, "min"), name == "exclusiveMinimum":
		if a, b := Rational(had), Rational(value); a != nil && b != nil && b.Cmp(a) > 0 {
			s[name] = value
		}
	case strings.HasPrefix(name, "max"), name == "exclusiveMaximum":
		if a, b := Rational(had), Rational(value); a != nil && b != nil && b.Cmp(a) < 0 {
			s[name] = value
		}
	default:
		s[name] = value // the judge has the last word
	}
}

// joined returns two objects as one; members of the second replace the first one's members with
// the same names.
func joined(a, b json.RawMessage) json.RawMessage {
	var o schema.Object
	for name, value := range jsontext.Members(a) {
		if jsontext.Get(b, name) == nil {
			o = append(o, schema.Member{Name: name, Value: value})
		}
	}
	return append(o, schema.ObjectOf(b)...).AppendJSON(nil)
}

// types are the names of a type keyword as JSON strings.
func types(v json.RawMessage) []json.RawMessage {
	if jsontext.KindOf(v) == jsontext.Array {
		return Elements(v)
	}
	return []json.RawMessage{v}
}

// common returns the types that both allow, or nil; an integer is a number too.
func common(a, b []json.RawMessage) (both []json.RawMessage) {
	has := func(l []json.RawMessage, name string) bool {
		return slices.ContainsFunc(l, func(v json.RawMessage) bool { return jsontext.Unquote(v) == name })
	}
	for _, v := range a {
		name := jsontext.Unquote(v)
		switch {
		case has(b, name), name == "integer" && has(b, "number"):
			both = append(both, v)
		case name == "number" && has(b, "integer"):
			both = append(both, json.RawMessage(`"integer"`))
		}
	}
	return both
}

// kinds returns the types of a value, without null. A shape without a type is guessed by its
// keywords, and is a string without such a keyword.
func (s Shape) kinds() (kinds []string, null bool) {
	if t := s["type"]; t != nil {
		for _, v := range types(t) {
			if name := jsontext.Unquote(v); name == "null" {
				null = true
			} else {
				kinds = append(kinds, name)
			}
		}
		return kinds, null
	}
	for _, guess := range []struct{ kind, keywords string }{
		{"object", "properties required additionalProperties patternProperties minProperties propertyNames"},
		{"array", "items prefixItems contains minItems uniqueItems"},
		{"string", "pattern format minLength maxLength"},
		{"number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"},
	} {
		for name := range strings.FieldsSeq(guess.keywords) {
			if s[name] != nil {
				return []string{guess.kind}, false
			}
		}
	}
	return []string{"string"}, false
}

// Count returns the value of a keyword that counts something, such as minLength, or otherwise
// if it is missing or no count.
func (s Shape) Count(name string, otherwise int) int {
	if n, ok := schema.Integer(s[name]); ok && n >= 0 && n < 1<<31 {
		return int(n)
	}
	return otherwise
}

// is reports whether a keyword is true.
func (s Shape) is(name string) bool { return jsontext.KindOf(s[name]) == jsontext.True }

// refuses reports whether a keyword is false, which additionalProperties and items may be.
func (s Shape) refuses(name string) bool { return jsontext.KindOf(s[name]) == jsontext.False }

// text is the value of a keyword that is a string, or "".
func (s Shape) text(name string) string {
	if v := s[name]; jsontext.KindOf(v) == jsontext.String {
		return jsontext.Unquote(v)
	}
	return ""
}

// Rational returns a number exactly; nil for another value, or too many digits. An exponent
// over 400 would make a fraction of as many digits.
func Rational(v json.RawMessage) *big.Rat {
	v = jsontext.Trim(v)
	if jsontext.KindOf(v) != jsontext.Number || len(v) > 60 {
		return nil
	}
	if i := bytes.IndexAny(v, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(string(v[i+1:])); err != nil || exp > 400 || exp < -400 {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return nil
	}
	return r
}

// Elements returns the elements of an array, without white space around them; nil for any
// other value, an empty array too.
func Elements(v json.RawMessage) (all []json.RawMessage) {
	for _, item := range jsontext.Elements(v) {
		all = append(all, jsontext.Trim(item))
	}
	return all
}

// List returns the text of an array of values.
func List(items []json.RawMessage) json.RawMessage { return jsontext.AppendTexts(nil, items) }

func isNull(v json.RawMessage) bool { return jsontext.IsNull(v) }
