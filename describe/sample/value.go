package sample

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A value is made from the folded schema. Values that the author wrote come first, values that
// the schema merely allows last:
//
//	const       it
//	enum        one of its values, except null
//	examples    one of them; of a unique field each once
//	default     in 25 of 100 cases, or after 30 attempts
//	else        by the type: object, array, number, text

// maxDepth is how deep values nest: a shape that contains itself ends here. A member that is
// not required is then left out, and an array ends.
const maxDepth = 6

// Value returns a value of a schema for a field of this name; false if it cannot. The value
// fits all rules except those that only the judge applies (not, dependencies, conditions). null
// is the last choice.
func (m *Maker) Value(text json.RawMessage, name Name) (json.RawMessage, bool) {
	if m.depth++; m.depth > maxDepth {
		m.depth--
		return nil, false
	}
	defer func() { m.depth-- }()
	s, ok := m.Fold(text)
	if !ok {
		return nil, false
	}
	if v := s["const"]; v != nil {
		return v, true
	}
	kinds, null := s.kinds()
	if s["enum"] != nil {
		values := slices.DeleteFunc(Elements(s["enum"]), isNull)
		if len(values) == 0 {
			return json.RawMessage("null"), true
		}
		return m.one(values), true
	}
	if given := slices.DeleteFunc(Elements(s["examples"]), isNull); len(given) > 0 && (!m.Unique || m.Row+m.Try < len(given)) && m.Try < len(given)+8 {
		return m.one(given), true
	}
	if v := s["default"]; v != nil && !jsontext.IsNull(v) && !m.Unique && (m.Try > 30 || Percent(m.Rand, 25)) {
		return v, true
	}
	if len(kinds) == 0 {
		return json.RawMessage("null"), null
	}
	name = name.titled(s)
	switch Pick(m.Rand, kinds) {
	case "object":
		return m.object(s)
	case "array":
		return m.array(s, name)
	case "integer":
		return m.Number(s, name, true)
	case "number":
		return m.Number(s, name, false)
	case "boolean":
		return json.RawMessage([]string{"false", "true"}[m.boolean()]), true
	case "string":
		return m.string(s, name)
	}
	return nil, false
}

// object makes every required member and most of the others: each is left out in 20 of 100
// cases. An object without declared members gets one or two of made-up names, unless
// additionalProperties is false.
func (m *Maker) object(s Shape) (json.RawMessage, bool) {
	var o schema.Object
	must := map[string]bool{}
	for _, v := range Elements(s["required"]) {
		must[jsontext.Unquote(v)] = true
	}
	most := s.Count("maxProperties", 1<<30)
	put := func(key string, sub json.RawMessage) bool {
		v, ok := m.Value(sub, NewName(key))
		if ok {
			o = append(o, schema.Member{Name: key, Value: v})
		}
		return ok
	}
	for key, sub := range jsontext.Members(s["properties"]) {
		switch {
		case must[key]:
			if !put(key, sub) {
				return nil, false
			}
			delete(must, key)
		case len(o)+len(must) >= most, Percent(m.Rand, 20):
		case mayBeNull(sub) && Percent(m.Rand, 15):
			o = append(o, schema.Member{Name: key, Value: json.RawMessage("null")})
		default:
			put(key, sub)
		}
	}
	for _, v := range Elements(s["required"]) { // what properties do not name
		if key := jsontext.Unquote(v); must[key] {
			if !put(key, s.further()) {
				return nil, false
			}
			delete(must, key)
		}
	}
	least := s.Count("minProperties", 0)
	if s["properties"] == nil && !s.refuses("additionalProperties") {
		least = max(least, min(1+m.IntN(2), most))
	}
	for tries := 0; len(o) < least && tries < 40; tries++ {
		key, sub := m.key(s)
		if o.Get(key) == nil && sub != nil {
			put(key, sub)
		}
	}
	return o.AppendJSON(nil), len(o) >= least
}

// further returns the schema of unnamed members: additionalProperties, or anything.
func (s Shape) further() json.RawMessage {
	if v := s["additionalProperties"]; v != nil {
		return v
	}
	return json.RawMessage("true")
}

// key makes up the name of a further member, and returns the schema of its value. For an object
// with declared members it takes an omitted one; else one of patternProperties, of
// propertyNames, or a word.
func (m *Maker) key(s Shape) (string, json.RawMessage) {
	var keys []string
	for key := range jsontext.Members(s["properties"]) {
		keys = append(keys, key)
	}
	if len(keys) > 0 && (s["additionalProperties"] == nil || m.IntN(2) == 0) {
		key := Pick(m.Rand, keys)
		return key, jsontext.Get(s["properties"], key)
	}
	for pattern, sub := range jsontext.Members(s["patternProperties"]) {
		if key, ok := m.matching(pattern); ok {
			return key, sub
		}
	}
	if names := s["propertyNames"]; names != nil {
		if v, ok := m.Value(joined(json.RawMessage(`{"type":"string"}`), names), NewName("key")); ok {
			return jsontext.Unquote(v), s.further()
		}
	}
	return Pick(m.Rand, labels), s.further()
}

// mayBeNull reports whether null is among the types of a schema. A schema without a type
// allows null too, but does not ask for it.
func mayBeNull(text json.RawMessage) bool {
	_, null := Shape{"type": jsontext.Get(text, "type")}.kinds()
	return null && jsontext.Get(text, "type") != nil
}

// array makes as many items as required, and up to three more: first the items of prefixItems,
// then items that contains asks for, then items.
func (m *Maker) array(s Shape, name Name) (json.RawMessage, bool) {
	least := s.Count("minItems", 0)
	n := min(least+m.IntN(4), s.Count("maxItems", 1<<30))
	var items []json.RawMessage
	add := func(sub json.RawMessage) bool {
		// With uniqueItems an item is drawn again while it is there already.
		for range 40 {
			v, ok := m.Value(sub, name.singular())
			if !ok {
				return false
			}
			if !s.is("uniqueItems") || !slices.ContainsFunc(items, func(o json.RawMessage) bool { return bytes.Equal(o, v) }) {
				items = append(items, v)
				return true
			}
		}
		return false
	}
	first := Elements(s["prefixItems"])
	for _, sub := range first {
		if len(items) < max(n, 1) && !add(sub) {
			break
		}
	}
	if sub := s["contains"]; sub != nil {
		for range s.Count("minContains", 1) {
			if s["items"] != nil {
				sub = json.RawMessage(`{"allOf":[` + string(s["items"]) + `,` + string(s["contains"]) + `]}`)
			}
			if !add(sub) {
				return nil, false
			}
		}
	}
	rest := s["items"]
	if rest == nil {
		rest = json.RawMessage(`{"type":"string"}`)
	}
	for len(items) < n && !s.refuses("items") {
		if !add(rest) {
			break
		}
	}
	return List(items), len(items) >= least
}
