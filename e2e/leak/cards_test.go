package leak

import (
	"fmt"
	"slices"
)

// garden is the cards of one seed.
type garden struct{ entities []*entity }

type entity struct {
	name, plural string
	frond        string
	fields       []*field // the primary key is the first
	dump         string   // a computed field: the row as the presenter is given it
	cut          []string // the fields of its view, hidden and closed ones among them
	again        []string // those that the view declares once more, with a shape of its own
}

type field struct {
	of       *entity
	name     string // the member of a row
	kind     kind
	null     bool // may be null
	optional bool // may be left out at creation
	shut     bool // boundary.out is closed
	unique   bool
	to       *entity // of a relation
	rel, key string  // what the relation and its key are called in filters and in GraphQL
	back     *field  // of many: the one on the other side
	onDelete string
}

// stored says whether the field stands in the row.
func (f *field) stored() bool { return f.kind != many }

// filterKey is the name operators stand behind.
func (f *field) filterKey() string {
	if f.kind == one || f.kind == ids {
		return f.key
	}
	return f.name
}

func (e *entity) id() *field { return e.fields[0] }

func (e *entity) field(name string) *field {
	for _, f := range e.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

var trees = [][2]string{{"alder", "alders"}, {"cedar", "cedars"}, {"maple", "maples"}, {"olive", "olives"}, {"poplar", "poplars"}}

// newGarden makes up cards; size 1 is the smallest garden there is.
func newGarden(m *maker, size int) *garden {
	g := &garden{}
	n := min(1+m.IntN(1+size), len(trees))
	for i := range n {
		e := &entity{name: trees[i][0], plural: trees[i][1], frond: "grove"}
		e.fields = []*field{{of: e, name: "id", kind: text}}
		g.entities = append(g.entities, e)
	}
	next := 0
	name := func(e *entity, what string) string {
		next++
		return fmt.Sprintf("%s%s%02d", e.name, what, next)
	}
	plainKinds := []kind{text, integer, number, boolean, moment, day, decimal, enum, object, list}
	names := []string{"Text", "Int", "Num", "Flag", "Moment", "Day", "Decimal", "Colour", "Object", "List"}
	for _, e := range g.entities {
		for range 1 + m.IntN(2+size) {
			i := m.IntN(len(plainKinds))
			f := &field{of: e, name: name(e, names[i]), kind: plainKinds[i]}
			f.null = f.kind != enum && m.chance(40)
			f.optional = f.null && m.chance(60)
			f.shut = m.chance(12)
			f.unique = m.chance(25) && (f.kind == text || f.kind == integer || f.kind == moment)
			e.fields = append(e.fields, f)
		}
	}
	g.relate(m, size, name)
	for _, e := range g.entities {
		if m.chance(60) {
			e.dump = e.name + "Dump"
		}
		e.cut = []string{"id"}
		for _, f := range e.fields[1:] {
			if f.stored() && m.chance(60) {
				e.cut = append(e.cut, f.name)
				if f.kind == text && !f.shut && m.chance(40) {
					e.again = append(e.again, f.name)
				}
			}
		}
	}
	return g
}

// relate adds the relations: to any entity, the own one among them, with and
// without the Id suffix, with and without the other side.
func (g *garden) relate(m *maker, size int, name func(*entity, string) string) {
	for i, e := range g.entities {
		for range m.IntN(2 + size/2) {
			at := m.IntN(len(g.entities))
			f := &field{of: e, kind: one, to: g.entities[at], onDelete: pick(m, []string{"", "restrict", "cascade"})}
			f.null = at >= i || m.chance(40) // what is planted later cannot be pointed at from the start
			f.optional = f.null && m.chance(60)
			if f.null && m.chance(30) {
				f.onDelete = "set-null"
			}
			f.rel = name(e, "Of")
			f.key = f.rel + "Id"
			f.name = f.key
			if m.chance(30) {
				f.name = f.rel
			}
			e.fields = append(e.fields, f)
			if m.chance(70) {
				b := &field{of: f.to, kind: many, to: e, back: f, name: name(f.to, "Many")}
				b.rel, b.key = b.name, b.name
				f.to.fields = append(f.to.fields, b)
			}
		}
	}
	for _, e := range g.entities {
		to := pick(m, g.entities)
		// Two lists of ids that face each other are no cards.
		back := slices.ContainsFunc(to.fields, func(f *field) bool { return (f.kind == one || f.kind == ids) && f.to == e })
		if !back && m.chance(60) {
			f := &field{of: e, kind: ids, to: to, optional: true}
			stem := name(e, "Tag")
			f.rel, f.key, f.name = stem+"s", stem+"Ids", stem+"Ids"
			e.fields = append(e.fields, f)
		}
	}
}

// card is the card of an entity as its author writes it.
func (e *entity) card() string {
	properties, required := map[string]any{}, []string{}
	for _, f := range e.fields {
		p := map[string]any{}
		role, life, kit := map[string]any{}, map[string]any{}, map[string]any{}
		typ := "string"
		switch f.kind {
		case integer:
			typ, p["format"] = "integer", "int64"
		case number:
			typ = "number"
		case boolean:
			typ = "boolean"
		case moment:
			p["format"] = "date-time"
		case day:
			p["format"] = "date"
		case decimal:
			p["format"] = "decimal"
		case enum:
			p["enum"] = colours
		case object:
			typ = "object"
			p["properties"] = map[string]any{"a": map[string]any{"type": "string"}, "b": map[string]any{"type": "integer", "format": "int64"}}
			p["required"] = []string{"a"}
		case list, many, ids:
			typ = "array"
			p["items"] = map[string]any{"type": "string"}
		}
		p["type"] = typ
		if f.null {
			p["type"] = []string{typ, "null"}
		}
		if f.to != nil {
			r := map[string]any{"to": f.to.name, "kind": "one"}
			if f.kind != one {
				r["kind"] = "many"
			}
			if f.back != nil {
				r["by"] = f.back.name
			}
			if f.onDelete != "" {
				r["onDelete"] = f.onDelete
			}
			role["relation"] = r
		}
		switch {
		case f == e.id():
			role["primary"] = true
			life["create"] = map[string]any{"generate": "counter"}
		case f.unique:
			role["unique"] = [][]string{{f.name}}
		}
		if f.optional && f.kind != ids {
			life["create"] = "optional"
		}
		if !f.optional && f != e.id() && f.kind != many {
			required = append(required, f.name)
		}
		if f.shut {
			kit["boundary"] = map[string]any{"out": "closed"}
		}
		if len(role) > 0 {
			kit["role"] = role
		}
		if len(life) > 0 {
			kit["lifecycle"] = life
		}
		if len(kit) > 0 {
			p["x-kit"] = kit
		}
		properties[f.name] = p
	}
	return encode(map[string]any{"title": e.name, "type": "object", "properties": properties, "required": required, "x-kit-version": 1})
}

// view is the card of an entity's view, in the authoring shorthand.
func (e *entity) view() string {
	own := map[string]any{}
	for _, name := range e.again {
		own[name] = map[string]any{"type": []string{"string", "null"}}
	}
	return encode(map[string]any{"of": e.name, "pick": e.cut, "properties": own})
}
