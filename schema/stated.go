package schema

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema/jsontext"
)

// Stated returns the card as hosts publish it: every field states a type, at any depth, since
// consumers of another make rebuild a field by its type. The meaning of the card stays the same.
//
//	{"enum": ["a", "b"]}      type string: the values say it
//	{"enum": ["a", true]}     every type but null
//	{}, {"anyOf": […]}        every type
//	false                     unchanged: the schema has no place for a type
//
// The receiver is not changed; a nil card gives nil.
func (c *Card) Stated() *Card {
	if c == nil {
		return nil
	}
	out := *c
	out.Fields = statedFields(c.Fields)
	return &out
}

// statedFields returns the fields with their types written out. The result shares no part that
// is changed.
func statedFields(fields []Field) []Field {
	if fields == nil {
		return nil
	}
	out := slices.Clone(fields)
	for i := range out {
		out[i].Shape = out[i].Shape.Stated()
	}
	return out
}

// Stated returns the shape with its type, and with those of its members and items; see
// [Card.Stated].
func (s Shape) Stated() Shape {
	if s.Bool != nil {
		if !*s.Bool {
			return s
		}
		s = Shape{Nullable: true}
	}
	s.Properties = statedFields(s.Properties)
	if s.Items != nil {
		items := s.Items.Stated()
		s.Items = &items
	}
	if s.Type != "" || s.Extra.Get("type") != nil {
		return s
	}
	if name := kindTypes[kindOfValues(&s)]; name != "" && s.Format == "" {
		s.Type = name
		return s
	}
	types := []string{"object", "array", "string", "number", "boolean"}
	if s.Nullable {
		types = append(types, "null")
	}
	s.Extra = append(Keywords{{"type", json.RawMessage(jsontext.AppendStrings(nil, types))}}, s.Extra...)
	return s
}

// kindTypes are the types of enums whose values are of one kind.
var kindTypes = map[Kind]string{KindString: "string", KindInteger: "integer", KindNumber: "number", KindBoolean: "boolean"}
