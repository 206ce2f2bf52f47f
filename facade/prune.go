package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// closed reports whether a shape names the members of an object somewhere in it, so that
// others have to be removed from what a handler answers.
func closed(s *schema.Shape) bool {
	return s.Properties != nil || s.Items != nil && closed(s.Items)
}

// prune is a value without the members of nested objects that its shape does not name:
// what a view names leaves, and nothing else (docs/collectors.md). A shape that takes further
// members by a keyword of its own keeps them.
func prune(s *schema.Shape, value json.RawMessage) json.RawMessage {
	switch kind := jsontext.KindOf(value); {
	case kind == jsontext.Object && s.Properties != nil:
		further := further(s)
		return schema.Rewrite(value, func(name string, member json.RawMessage) json.RawMessage {
			switch field := fieldOf(s.Properties, name); {
			case field != nil:
				return prune(&field.Shape, member)
			case further:
				return member
			}
			return nil
		})
	case kind == jsontext.Array && s.Items != nil && closed(s.Items):
		out := []byte{'['}
		for _, item := range jsontext.Elements(value) {
			out = append(jsontext.Comma(out), prune(s.Items, item)...)
		}
		return append(out, ']')
	}
	return value
}

// further reports whether an object may have members that its shape does not name.
func further(s *schema.Shape) bool {
	more := s.Extra.Get("additionalProperties")
	return s.Extra.Get("patternProperties") != nil || more != nil && jsontext.KindOf(more) != jsontext.False
}
