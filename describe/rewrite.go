package describe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Keywords of JSON Schema 2020-12 by what their values are: a schema, a list of schemas, or an
// object of schemas by name. The value of any other keyword is data.
var (
	oneSchema     = []string{"additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	listOfSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	schemasByName = []string{"dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// Keywords whose values tools read as a boolean too. Elsewhere many tools take objects alone.
var schemaOrBoolean = []string{"additionalProperties", "unevaluatedItems", "unevaluatedProperties"}

// The keywords of a card that a document leaves out: the targets of references are components,
// and an $id would be the base of the references next to it. $comment is for authors.
var omitted = []string{"$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "definitions"}

// rewritten is a schema of a card in the form of a document: references into the card lead to
// components, true and false are objects, and the keys of this product (x-kit) are left out.
func (s *schemas) rewritten(v json.RawMessage, card *schema.Entity) json.RawMessage {
	switch jsontext.KindOf(v) {
	case jsontext.Object:
	case jsontext.True:
		return object()
	case jsontext.False:
		return object("not", object())
	default:
		return v
	}
	var out schema.Object
	for key, value := range jsontext.Members(v) {
		switch {
		case strings.HasPrefix(key, "x-kit"), slices.Contains(omitted, key):
			continue
		case (key == "$ref" || key == "$dynamicRef") && jsontext.KindOf(value) == jsontext.String:
			if key == "$dynamicRef" && jsontext.Get(v, "$ref") != nil {
				continue // next to $ref a component would repeat it; the host judges by both
			}
			for name, member := range jsontext.Members(s.referred(card, jsontext.Unquote(value))) {
				if name == "$ref" || jsontext.Get(v, name) == nil {
					add(&out, name, member)
				}
			}
			continue
		case slices.Contains(schemaOrBoolean, key) && jsontext.KindOf(value) != jsontext.Object:
		case slices.Contains(oneSchema, key):
			value = s.rewritten(value, card)
		case slices.Contains(listOfSchemas, key):
			var each []json.RawMessage
			for _, e := range jsontext.Elements(value) {
				each = append(each, s.rewritten(e, card))
			}
			value = list(each...)
		case slices.Contains(schemasByName, key):
			var each schema.Object
			for member, e := range jsontext.Members(value) {
				add(&each, member, s.rewritten(e, card))
			}
			value = each.AppendJSON(nil)
		}
		add(&out, key, value)
	}
	return out.AppendJSON(nil)
}

// referred replaces a reference of a card by a reference to a component with its target. Many
// tools follow only references to components, and a use of the card may lack a field on the
// pointer's way.
//
//	{"$ref": "#/$defs/money"}    in the card product
//	{"$ref": "#/components/schemas/ProductMoney"}
func (s *schemas) referred(card *schema.Entity, uri string) json.RawMessage {
	var pointer string
	var target json.RawMessage
	if card != nil {
		pointer = sample.Pointer(s.root(card), uri)
		target = sample.At(s.root(card), pointer)
	}
	if target == nil {
		return object("description", "As "+uri+" says.")
	}
	key := described{card: card, use: definition, named: pointer}
	if s.flat && s.open[key] {
		// A reader that replaces each reference by its target would never end.
		about := object("description", "Repeats "+s.names[key]+".")
		if of := jsontext.Get(target, "type"); of != nil {
			return with(about, "type", of)
		}
		return about
	}
	name := schema.GraphQLType(card.Name) + "Card"
	if at := strings.LastIndexByte(pointer, '/'); at >= 0 {
		name = schema.GraphQLType(card.Name) + schema.GraphQLType(pointer[at+1:])
	}
	return s.component(key, name, func() json.RawMessage { return s.rewritten(target, card) })
}
