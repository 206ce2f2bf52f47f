package describe

import (
	"encoding/json"
	"strconv"
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
		pointer = pointerOf(s.root(card), uri)
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

// pointerOf is where a reference leads within a card, as a JSON Pointer: the fragment of a
// reference may be an anchor, and what is before it an $id.
func pointerOf(root json.RawMessage, uri string) string {
	id, fragment, _ := strings.Cut(uri, "#")
	base := ""
	if id != "" {
		found, ok := where(root, "", func(v json.RawMessage) bool {
			named := jsontext.Unquote(jsontext.Get(v, "$id"))
			return named != "" && (named == id || strings.HasSuffix(named, "/"+id))
		})
		if !ok {
			return "/" + jsontext.Token(uri) // leads nowhere
		}
		base = found
	}
	if fragment == "" || fragment[0] == '/' {
		return base + fragment
	}
	found, ok := where(sample.At(root, base), base, func(v json.RawMessage) bool {
		return jsontext.Unquote(jsontext.Get(v, "$anchor")) == fragment || jsontext.Unquote(jsontext.Get(v, "$dynamicAnchor")) == fragment
	})
	if !ok {
		return "/" + jsontext.Token(uri)
	}
	return found
}

// where is the pointer of the first object below v that is the one sought; v stands at the
// pointer at.
func where(v json.RawMessage, at string, sought func(json.RawMessage) bool) (string, bool) {
	switch jsontext.KindOf(v) {
	case jsontext.Object:
		if sought(v) {
			return at, true
		}
		for name, member := range jsontext.Members(v) {
			if found, ok := where(member, at+"/"+jsontext.Token(name), sought); ok {
				return found, true
			}
		}
	case jsontext.Array:
		for i, e := range jsontext.Elements(v) {
			if found, ok := where(e, at+"/"+strconv.Itoa(i), sought); ok {
				return found, true
			}
		}
	}
	return "", false
}
