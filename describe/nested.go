package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// nested adds the rows of nested writes to the properties of their owner's body
// (docs/nested.md).
func (s *schemas) nested(fields *schema.Object, e *schema.Entity, u use) {
	door := s.catalog.Door(e.Key)
	if door == nil || door.Entity != e || u != creation && u != patch {
		return
	}
	for _, n := range door.Nested {
		to := s.catalog.Door(n.Door.Entity.Key)
		if s.catalog.NestedLists(n) == nil {
			continue
		}
		name := schema.GraphQLType(door.Name) + schema.GraphQLType(n.Name)
		add(fields, n.Name, s.named(name, func() json.RawMessage { return s.nestedRows(n, to, name) }))
	}
}

// nestedRows is the schema of the rows of a relation.
func (s *schemas) nestedRows(n *catalog.Nested, to *catalog.Door, name string) json.RawMessage {
	key := to.Entity.Primary
	row := func(suffix string, u use, required func(name string) bool) json.RawMessage {
		return s.named(name+suffix, func() json.RawMessage {
			return schema.Rewrite(s.input(to.Entity, u), func(member string, value json.RawMessage) json.RawMessage {
				switch member {
				case "properties":
					value = schema.Rewrite(value, func(field string, shape json.RawMessage) json.RawMessage {
						if field == n.By.Name {
							return nil
						}
						return shape
					})
					if jsontext.Get(value, key.Name) == nil {
						value = with(value, key.Name, s.shape(&key.Shape, to.Entity))
					}
				case "required":
					names := []string{}
					for _, each := range jsontext.Elements(value) {
						if field := jsontext.Unquote(each); required(field) && field != n.By.Name {
							names = append(names, field)
						}
					}
					value = text(names)
				}
				return value
			})
		})
	}
	var lists schema.Object
	for _, list := range s.catalog.NestedLists(n) {
		var item json.RawMessage
		switch {
		case n.Far != nil:
			item = s.shape(&n.Far.Link.Target.Primary.Shape, n.Far.Link.Target)
		case list.Name == "create":
			item = row("Create", creation, func(string) bool { return true })
		case list.Name == "update":
			update := row("Update", patch, func(string) bool { return false })
			item = object("allOf", []json.RawMessage{update, object("required", []string{key.Name})})
		case list.Name == "delete":
			item = s.shape(&key.Shape, to.Entity)
		default:
			item = row("Set", creation, func(string) bool { return false })
		}
		add(&lists, list.Name, object("type", "array", "description", list.About, "items", item))
	}
	return object("type", "object", "properties", lists, "additionalProperties", false)
}
