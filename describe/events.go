package describe

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// factsOf are the facts that a surface shows, in the order of the catalog.
func factsOf(catalog *facade.Catalog) (all []*facade.Fact) {
	for _, f := range catalog.Fronds {
		for _, fact := range f.Facts {
			if catalog.Announces(fact) {
				all = append(all, fact)
			}
		}
	}
	return all
}

// streamPath is where the events of a fact are streamed.
func streamPath(info Info, f *facade.Fact) string {
	return info.REST + "/" + f.Frond.Name + "/facts/" + f.Name
}

// aboutFact is a sentence on when a fact is announced. It names the operations that the surface
// shows.
func (s *schemas) aboutFact(f *facade.Fact) string {
	switch {
	case f.Changes:
		return "Announced for every " + f.Door.Name + " that is created, changed or deleted."
	case len(f.On) > 0:
		var by []string
		for _, op := range f.On {
			if door := s.catalog.Door(op.Door.Name); door != nil && door.Operation(op.Name) != nil {
				by = append(by, op.Door.Name+"."+op.Name)
			}
		}
		if by != nil {
			return "Announced by " + strings.Join(by, ", ") + "."
		}
		return "Announced of a " + f.Door.Name + "."
	}
	return "Announced by a command of its author's."
}

// What a stream takes (docs/facts.md).
const (
	aboutAfter  = "The position to go on from; start is the oldest that is kept. Without it a stream begins now."
	aboutFilter = "What the row of an event has to meet, as the filter of a list in JSON."
	aboutFields = "Names of the fields of data, with commas."
)

// event refers to what is sent of a fact (docs/facts.md). A member that there is nothing for is
// null.
func (s *schemas) event(f *facade.Fact) json.RawMessage {
	return s.named(schema.GraphQLType(f.Name)+"Event", func() json.RawMessage {
		null := object("type", "null")
		data := null
		if f.Data != nil {
			data = object("anyOf", list(s.of(f.Data, row), null))
		}
		members := []any{
			"id", object("type", "string", "format", "uuid", "description", "The same on every way out: a receiver recognizes by it an event that comes twice."),
			"position", object("type", "string", "description", "Where to resume. Positions sort as the events do."),
			"name", object("type", "string", "const", f.Name),
		}
		required := []string{"id", "position", "name", "entity", "key", "version", "at", "data"}
		if f.Changes {
			members = append(members, "change", object("type", "string", "enum", []string{"created", "updated", "deleted", "left"},
				"description", "What happened to the row; left: it is not among those that the caller may see any more."))
			required = append(required, "change")
		}
		nullable := []string{"string", "null"}
		return object("type", "object", "properties", object(append(members,
			"entity", object("type", nullable, "description", "The door of the row."),
			"key", object("description", "The primary key of the row."),
			"version", object("type", nullable, "description", "The version of the row, as ETag gives it."),
			"at", object("type", "string", "format", "date-time"),
			"data", data)...), "required", required)
	})
}

// eventExample is an event of a fact.
func (s *schemas) eventExample(f *facade.Fact) json.RawMessage {
	null := json.RawMessage("null")
	entity, key, data := null, null, null
	if f.Door != nil {
		entity = text(f.Door.Name)
		if v := s.exampleOf(f.Door.Entity, f.Door.Entity.Primary); v != nil {
			key = v
		}
	}
	if f.Data != nil {
		data = s.example(f.Data, row)
	}
	members := []any{"id", "0193a5b0-7c1e-7a3f-9d54-0f6f2b1c8e77", "position", "1kq0i4c0vg004", "name", f.Name}
	if f.Changes {
		members = append(members, "change", "created")
	}
	return object(append(members, "entity", entity, "key", key, "version", null, "at", "2026-05-01T10:00:00.000Z", "data", data)...)
}
