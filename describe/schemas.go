package describe

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// use is the purpose that a card is described for.
type use uint8

const (
	row        use = iota // as it is answered
	creation              // the body of create, and the input of a named operation
	patch                 // the body of update
	part                  // params or query of a named operation
	page                  // the answer of a list
	filters               // the conditions of a list
	definition            // the target of a reference of the card
)

// suffixes are the endings of the names of components, after the card's name.
var suffixes = map[use]string{creation: "Create", patch: "Update", page: "Page", filters: "Filter"}

// schemas are the components of one document: each is written once, when it is first referred
// to, and listed in that order.
type schemas struct {
	catalog *catalog.Catalog
	// flat says that conditions do not refer to conditions: readers of OpenRPC replace every
	// reference by its target, and would not end on rows that point at one another.
	flat  bool
	all   schema.Object
	names map[described]string
	taken map[string]bool
	open  map[described]bool // the components that are being written

	values map[*schema.Property]json.RawMessage // examples of fields
	roots  map[*schema.Entity]json.RawMessage   // texts of cards
}

// described is a card in one of its uses, a schema of a card by its pointer (definition), or
// (card nil) a shape that the document has one of.
type described struct {
	card  *schema.Entity
	use   use
	named string
}

// newSchemas is an empty list of components for the catalog of the document.
func newSchemas(served *catalog.Catalog) *schemas {
	return &schemas{
		catalog: served, names: map[described]string{}, taken: map[string]bool{}, open: map[described]bool{},
		values: map[*schema.Property]json.RawMessage{}, roots: map[*schema.Entity]json.RawMessage{},
	}
}

// pointer is the reference to a component.
func pointer(name string) string { return "#/components/schemas/" + jsontext.Token(name) }

// ref is the schema that refers to a component.
func ref(name string) json.RawMessage { return object("$ref", pointer(name)) }

// of refers to the component of a card in one of its uses.
func (s *schemas) of(e *schema.Entity, u use) json.RawMessage {
	name := schema.GraphQLType(e.Name)
	if u != creation || !e.View { // an input view is not one of several of its card
		name += suffixes[u]
	}
	return s.component(described{card: e, use: u}, name, func() json.RawMessage {
		switch u {
		case row:
			return s.row(e)
		case page:
			return pageOf(s.of(e, row))
		case filters:
			return s.filter(e)
		default:
			return s.input(e, u)
		}
	})
}

// named refers to a component that belongs to no card.
func (s *schemas) named(name string, write func() json.RawMessage) json.RawMessage {
	return s.component(described{named: name}, name, write)
}

// fixed refers to a schema of [fixedFile] as a component of its name.
func (s *schemas) fixed(name string) json.RawMessage {
	return s.named(name, func() json.RawMessage { return fixed(name) })
}

// problem refers to a problem document, which has the whole error (spec 4.2.6).
func (s *schemas) problem() json.RawMessage {
	return s.named("Problem", func() json.RawMessage {
		members := with(fixed("Problem"), "data", s.kitError())
		return object("type", "object", "description", "A problem document (RFC 9457).", "properties", members, "required", []string{"type", "title", "status", "detail", "instance", "data"})
	})
}

// kitError refers to the error of every surface (spec 7).
func (s *schemas) kitError() json.RawMessage { return s.fixed("KitError") }

// component refers to a component, and writes it at the first reference. A name that another
// card has taken gets a number.
func (s *schemas) component(d described, name string, write func() json.RawMessage) json.RawMessage {
	if known, ok := s.names[d]; ok {
		return ref(known)
	}
	unique := name
	for i := 2; s.taken[unique]; i++ {
		unique = name + strconv.Itoa(i)
	}
	s.names[d], s.taken[unique], s.open[d] = unique, true, true
	at := len(s.all) // the components it refers to follow it
	add(&s.all, unique, nil)
	s.all[at].Value = write()
	delete(s.open, d)
	return ref(unique)
}

// row is a row of a response. No field is required: a caller selects fields, and may not see
// all of them.
func (s *schemas) row(e *schema.Entity) json.RawMessage {
	var fields schema.Object
	for _, p := range e.Fields {
		if !p.Readable() {
			continue
		}
		var related json.RawMessage
		if p.Link != nil {
			related = s.related(e, p.Link)
		}
		switch {
		case !p.Stored:
		case related != nil && p.Link.Name == p.Name:
			related = object("anyOf", list(s.answered(e, p), related))
		default:
			add(&fields, p.Name, s.answered(e, p))
		}
		if related != nil {
			add(&fields, p.Link.Name, related)
		}
	}
	if door := s.catalog.Door(e.Key); door != nil && door.Entity == e {
		for _, c := range door.Computed {
			shape := c.Shape
			shape.Description = c.Description
			add(&fields, c.Name, object("readOnly", true, "anyOf", list(s.shape(&shape, e), object("type", "null"))))
		}
	}
	return object("type", "object", "title", optional(e.Card.Title), "description", optional(e.Card.Description),
		"properties", fields)
}

// related is a relation as it is answered where the caller selects fields of its rows; nil where
// no caller can follow it here. Readers of OpenRPC are not led from rows to rows (see flat).
func (s *schemas) related(e *schema.Entity, l *schema.Link) json.RawMessage {
	to := s.catalog.RelationTo(e, l)
	switch {
	case to == nil:
		return nil
	case s.flat && l.Many:
		return object("type", "object", "description", selectedRelation)
	case s.flat:
		return object("type", []string{"object", "null"}, "description", selectedRelation)
	case l.Many:
		return object("type", "object", "description", selectedRelation, "properties", object(
			"items", object("type", "array", "items", s.of(l.Target, row)),
			"hasMore", object("type", "boolean", "description", "Whether there are more rows than the limit."),
		), "required", []string{"items", "hasMore"})
	}
	return object("description", selectedRelation, "anyOf", list(s.of(l.Target, row), object("type", "null")))
}

// selectedRelation is the description of a relation in a row.
const selectedRelation = "Answered where the call selects fields of it."

// answered is a field of a response: the stored value, or the result of a conversion, whose
// form is unknown. A field without a value is absent, or null if its card allows null.
func (s *schemas) answered(e *schema.Entity, p *schema.Property) json.RawMessage {
	if to := p.Axes.Out.Name; to != "" {
		return object("description", "The value that the conversion "+to+" makes.")
	}
	return s.shape(&p.Shape, e)
}

// input is the body of a request: the fields of the card that a caller may send, in this use.
func (s *schemas) input(e *schema.Entity, u use) json.RawMessage {
	card := e.Card
	if u == patch {
		card = e.PatchCard()
	}
	var fields schema.Object
	var required []string
	for _, p := range e.Fields {
		switch {
		case u != part && p.Axes.In.Closed, !p.Stored, u == patch && (p.Axes.Primary || p.Axes.Update == schema.UpdateForbidden):
			continue
		case u != patch && p.Required() && !s.preset(e, u, p.Name):
			required = append(required, p.Name)
		}
		shape := s.shape(&p.Shape, e)
		if u == creation {
			shape = defaulted(shape, p)
		}
		add(&fields, p.Name, shape)
	}
	s.nested(&fields, e, u)
	out := []any{"type", "object", "description", optional(card.Description), "properties", fields, "required", required}
	open := len(e.Fields) == 0 && card.Fields == nil // a card without properties takes any object
	for _, kw := range card.Extra {
		if strings.HasPrefix(kw.Name, "x-") || slices.Contains(omitted, kw.Name) {
			continue
		}
		open = true // the keyword decides about members beyond the properties
		for member, value := range jsontext.Members(s.rewritten(schema.Object{schema.Member{Name: kw.Name, Value: kw.Value}}.AppendJSON(nil), e)) {
			out = append(out, member, value)
		}
	}
	if !open {
		out = append(out, "additionalProperties", false)
	}
	return object(out...)
}

// defaulted is a shape with the value that the host writes where the field is absent. The keyword default
// makes code generators expect the value in every body.
func defaulted(shape json.RawMessage, p *schema.Property) json.RawMessage {
	rule := p.Axes.Create
	switch {
	case rule == nil || jsontext.KindOf(shape) != jsontext.Object:
		return shape
	case rule.Value != nil:
		return with(shape, "x-default", rule.Value)
	case rule.Now:
		return with(shape, "x-generated", text("the time of the call"))
	case rule.Generate != "":
		return with(shape, "x-generated", text(rule.Generate))
	}
	return shape
}

// preset reports whether a collector of the card's door supplies a field at creation, so that
// who it answers for need not send it.
func (s *schemas) preset(e *schema.Entity, u use, field string) bool {
	door := s.catalog.Door(e.Key)
	return u == creation && door != nil && door.Entity == e && slices.Contains(door.Presets, field)
}

// filter is the conditions of a list: for each field that may be read its operators, for each
// relation that can be followed the conditions of the other rows.
func (s *schemas) filter(e *schema.Entity) json.RawMessage {
	var fields schema.Object
	for _, p := range e.Fields {
		if !p.Readable() {
			continue
		}
		if p.Link == nil || p.Stored {
			key := p.Name
			if p.Link != nil {
				key = p.Link.Key
			}
			add(&fields, key, s.operators(filter.CardOf(p)))
		}
		if p.Link == nil || !s.catalog.Joins(p.Link) {
			continue
		}
		other := s.conditions(p.Link.Target)
		if p.Link.Many {
			other = object("type", "object", "properties", object("some", other, "none", other, "every", other), "additionalProperties", false)
		}
		add(&fields, p.Link.Name, other)
	}
	self := s.conditions(e)
	several := object("type", "array", "items", self)
	add(&fields, "and", several)
	add(&fields, "or", several)
	add(&fields, "not", self)
	return object("type", "object", "description", "A filter: all of its conditions have to hold.", "properties", fields, "additionalProperties", false)
}

// conditions are the conditions on the rows of an entity, within the conditions of a list.
func (s *schemas) conditions(e *schema.Entity) json.RawMessage {
	if s.flat {
		return object("type", "object", "description", "A filter of "+e.Key+".")
	}
	return s.of(e, filters)
}

// operators refers to the operators of a kind of fields.
func (s *schemas) operators(kind string) json.RawMessage {
	return s.named(schema.GraphQLType(kind)+"Condition", func() json.RawMessage {
		shape := filter.Card(kind)
		var fields schema.Object
		for _, f := range shape.Properties {
			add(&fields, f.Name, f.Shape.AppendJSON(nil))
		}
		return object("type", "object", "properties", fields, "additionalProperties", false)
	})
}

// pageOf is the answer of a list (spec 2.7).
func pageOf(item json.RawMessage) json.RawMessage {
	return object("type", "object", "properties", object(
		"items", object("type", "array", "items", item),
		"total", object("type", "integer", "description", "The number of all rows that meet the filter; -1 if they were not counted."),
		"hasMore", object("type", "boolean", "description", "Whether there are rows after the last one."),
		"endCursor", object("type", []string{"string", "null"}, "description", "The cursor of the last row: after of the next page."),
		"hasPrevious", object("type", "boolean", "description", "Whether there are rows before the first one; only with cursors."),
		"cursors", object("type", "array", "items", object("type", "string"), "description", "The cursor of each row; only with cursors."),
	), "required", []string{"items", "total", "hasMore", "endCursor"})
}

// manyOutput is the schema of the answer of a write of many rows.
func manyOutput(op *catalog.Operation, one json.RawMessage) json.RawMessage {
	typed := func(required []string, properties ...any) json.RawMessage {
		return object("type", "object", "properties", object(properties...), "required", required)
	}
	items := object("type", "array", "items", one)
	switch op.Name {
	case "createMany":
		return typed([]string{"items"}, "items", items)
	case "upsert":
		return typed([]string{"created", "item"}, "created", object("type", "boolean"), "item", one)
	}
	return typed([]string{"count"}, "count", object("type", "integer"), "items", items)
}

// output is the schema of an operation's result; nil: the result has no declared shape.
func (s *schemas) output(op *catalog.Operation) json.RawMessage {
	if op.Aggregates() {
		return s.fixed("Groups")
	}
	if op.Name == "import" && op.IsMany() {
		return fixed("Import")
	}
	if op.Output == nil {
		return nil
	}
	if op.IsMany() {
		return manyOutput(op, s.of(op.Output, row))
	}
	switch item := s.of(op.Output, row); op.Cardinality {
	case catalog.PageOf:
		return s.of(op.Output, page)
	case catalog.Many:
		return object("type", "array", "items", item)
	case catalog.Maybe:
		return object("anyOf", list(item, object("type", "null")))
	case catalog.NoOutput:
		return nil
	default:
		return item
	}
}

// shape is the schema of one field of a card; nil: of no card, and without references.
func (s *schemas) shape(shape *schema.Shape, card *schema.Entity) json.RawMessage {
	return s.rewritten(shape.AppendJSON(nil), card)
}

// root is the text of a card, which references of its fields point into.
func (s *schemas) root(e *schema.Entity) json.RawMessage {
	if s.roots[e] == nil {
		s.roots[e] = e.Card.AppendJSON(nil)
	}
	return s.roots[e]
}
