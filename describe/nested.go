package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// nested adds the rows that are written with their owner to the properties of its body
// (docs/nested.md).
func (s *schemas) nested(fields *schema.Object, e *schema.Entity, u use) {
	door := s.catalog.Door(e.Key)
	if door == nil || door.Entity != e || u != creation && u != patch {
		return
	}
	for _, n := range door.Nested {
		to := s.catalog.Door(n.Door.Entity.Key)
		if to == nil || n.Far != nil && s.catalog.NestedLists(n) == nil {
			continue
		}
		name := schema.GraphQLType(door.Name) + schema.GraphQLType(n.Name)
		add(fields, n.Name, s.named(name, func() json.RawMessage { return s.nestedRows(n, to, name) }))
	}
}

// nestedRows is the schema of the rows of a relation.
func (s *schemas) nestedRows(n *catalog.Nested, to *catalog.Door, name string) json.RawMessage {
	key := to.Entity.Primary
	var lists schema.Object
	list := func(name, about string, item json.RawMessage) {
		add(&lists, name, object("type", "array", "description", about, "items", item))
	}
	creates, updates, deletes := to.Operation("create") != nil, to.Operation("update") != nil, to.Operation("delete") != nil
	if n.Far != nil {
		far := n.Far.Link.Target
		for _, l := range s.catalog.NestedLists(n) {
			list(l.Name, l.About, s.shape(&far.Primary.Shape, far))
		}
		return object("type", "object", "properties", lists, "additionalProperties", false)
	}
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
	if creates {
		list("create", "New rows.", row("Create", creation, func(string) bool { return true }))
	}
	if updates {
		update := row("Update", patch, func(string) bool { return false })
		list("update", "Rows to change, by their ids.", object("allOf", []json.RawMessage{update, object("required", []string{key.Name})}))
	}
	if deletes {
		list("delete", "The ids of rows to delete.", s.shape(&key.Shape, to.Entity))
	}
	if creates && updates && deletes {
		list("set", "All rows as they shall be: those with an id are changed, those without are new, all others are deleted. It is sent alone.", row("Set", creation, func(string) bool { return false }))
	}
	return object("type", "object", "properties", lists, "additionalProperties", false)
}
