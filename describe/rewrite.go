package describe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Keywords of JSON Schema 2020-12 by what their values are: a schema, a list of schemas, or an
// object of schemas by name. The value of any other keyword is data.
var (
	oneSchema     = []string{"additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	listOfSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	schemasByName = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)

// rewritten is a schema of a card as it stands in the component called name: references into
// the card lead into the component, and the keys of this product (x-kit) are gone.
func (s *schemas) rewritten(v json.RawMessage, name string) json.RawMessage {
	if jsontext.KindOf(v) != jsontext.Object {
		return v // true and false are schemas too
	}
	var out schema.Object
	for key, value := range jsontext.Members(v) {
		switch {
		case strings.HasPrefix(key, "x-kit"):
			continue
		case key == "$ref" && jsontext.KindOf(value) == jsontext.String:
			if at, inside := strings.CutPrefix(jsontext.Unquote(value), "#"); inside {
				value = text(pointer(name) + at)
			}
		case slices.Contains(oneSchema, key):
			value = s.rewritten(value, name)
		case slices.Contains(listOfSchemas, key):
			var each []json.RawMessage
			for _, e := range jsontext.Elements(value) {
				each = append(each, s.rewritten(e, name))
			}
			value = list(each...)
		case slices.Contains(schemasByName, key):
			var each schema.Object
			for member, e := range jsontext.Members(value) {
				add(&each, member, s.rewritten(e, name))
			}
			value = each.AppendJSON(nil)
		}
		add(&out, key, value)
	}
	return out.AppendJSON(nil)
}
