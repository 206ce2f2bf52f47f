package describe

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// referred is the schema that stands for a reference of a card: a reference to a component with
// what it leads to. Many tools follow references to components and no others, and a use of the
// card may not have the field that a pointer goes through.
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
		// Without an end for a reader that replaces each reference by what it refers to.
		about := object("description", "Once more what "+s.names[key]+" says.")
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
