package project

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A discovery document is turned into the files that its host's author would have written, and
// then read like any folder: the compiler has one input. For a door with list and publish
//
//	{"name":"product","schema":{…},"ops":[{"name":"list"},{"name":"publish","kind":"command","output":{"title":"product",…}}]}
//
// it writes the card of product and the frond.yaml
//
//	{"doors":{"product":{"operations":{"only":["list"],"findByIds":false,"publish":{"kind":"command","output":"product"}}}}}

// Discovered makes a Frond of its host's discovery document (spec 2.5): the cards, and the
// frond.yaml that they and the operations amount to. from is the origin of the document, for
// faults. A local folder is not needed; for a Frond with one, see [Frond.Known]. d is kept and
// must not be changed.
func Discovered(d *schema.DiscoveredFrond, from string) *Frond {
	s := discoveredSource{src: &Frond{Name: d.Name, Known: d, Foreign: true}, from: from, views: map[string]string{}, entities: map[string]bool{}, spelled: map[string]string{}}
	for _, name := range d.Views {
		if schema.IsName(name) {
			s.spelled[schema.EntityKey(name)] = name
		}
	}
	// All names of entities are known before the first operation is written: a card with the
	// title of an entity is written as its name.
	for i := range d.Doors {
		if door := &d.Doors[i]; door.Schema != nil {
			s.entities[schema.EntityKey(door.Name)] = true
			s.src.Cards = append(s.src.Cards, schema.Source{File: from, At: "/" + door.Name, Name: door.Name, Frond: d.Name, Card: door.Schema})
		}
	}
	var doors, computed schema.Object
	for i := range d.Doors {
		door := &d.Doors[i]
		doors = append(doors, schema.Member{Name: door.Name, Value: s.door(door)})
		if door.Schema != nil && door.Computed != nil {
			computed = append(computed, schema.Member{Name: door.Name, Value: s.computed(door.Computed)})
		}
	}
	config := schema.Object{{Name: "doors", Value: doors.AppendJSON(nil)}}
	add := func(name string, members schema.Object) {
		if members != nil {
			config = append(config, schema.Member{Name: name, Value: members.AppendJSON(nil)})
		}
	}
	add("many", s.many)
	add("nested", s.nested)
	add("surfaces", hiddenOn(d))
	add("computed", computed)
	facts, changes := s.facts(d.Facts)
	if facts != nil {
		config = append(config, schema.Member{Name: "facts", Value: jsontext.AppendTexts(nil, facts)})
	}
	if changes != nil {
		config = append(config, schema.Member{Name: "changes", Value: jsontext.AppendStrings(nil, changes)})
	}
	if first := slices.IndexFunc(s.src.Cards, func(c schema.Source) bool { return c.View }); first >= 0 {
		slices.SortStableFunc(s.src.Cards[first:], func(a, b schema.Source) int { return slices.Index(d.Views, a.Name) - slices.Index(d.Views, b.Name) })
	}
	s.src.Config = Text{File: from + ".json", Data: config.AppendJSON(nil)}
	return s.src
}

// hiddenOn is surfaces of frond.yaml: the surfaces that do not show some operations at the host. It
// names those that are shown, since except findById hides findByIds too.
func hiddenOn(d *schema.DiscoveredFrond) (all schema.Object) {
	for _, kind := range surfaceKinds {
		only, hides := []string{}, false
		for _, door := range d.Doors {
			for _, op := range door.Ops {
				if slices.Contains(op.Hidden, kind) {
					hides = true
				} else {
					only = append(only, door.Name+"."+op.Name)
				}
			}
		}
		if hides {
			names := schema.Object{{Name: "only", Value: jsontext.AppendStrings(nil, only)}}
			all = append(all, schema.Member{Name: kind, Value: names.AppendJSON(nil)})
		}
	}
	return all
}

// builtinOperations are the operations that a stored door has unless its author says otherwise
// (docs/calls.md), in the order a door lists them. It must not be changed.
var builtinOperations = []string{"list", "findById", "findByIds", "create", "update", "delete"}

// discoveredSource is one Frond being written out.
type discoveredSource struct {
	src      *Frond
	from     string
	entities map[string]bool
	many     schema.Object     // the writes of many rows that doors open
	nested   schema.Object     // the relations whose rows doors take in bodies
	views    map[string]string // text of the views that are cards of their own, by key
	spelled  map[string]string // names of views as their author spells them, by key
}

// door is a door of frond.yaml. The built-in operations are those the host has; all
// others are declared, with the cards they name. On a door without a card every
// operation is the host's own.
func (s *discoveredSource) door(d *schema.DiscoveredDoor) json.RawMessage {
	only, ops := []byte{'['}, schema.Object{}
	var many []string
	has := map[string]bool{}
	for i := range d.Ops {
		op := &d.Ops[i]
		if d.Schema != nil && op.Mode == GroupsMode { // the compiler opens it beside list
			if !slices.ContainsFunc(d.Ops, func(other schema.DiscoveredOp) bool { return other.Name == "list" }) {
				only = jsontext.AppendString(jsontext.Comma(only), op.Name)
			}
			continue
		}
		if word := wordOf(op); d.Schema != nil && word != "" {
			many = append(many, word)
			if words := said(op); words != nil {
				ops = append(ops, schema.Member{Name: op.Name, Value: words.AppendJSON(nil)})
			}
			continue
		}
		if d.Schema == nil || !slices.Contains(builtinOperations, op.Name) {
			ops = append(ops, schema.Member{Name: op.Name, Value: s.operation(d, op)})
			continue
		}
		has[op.Name] = true
		only = jsontext.AppendString(jsontext.Comma(only), op.Name)
		if words := said(op); words != nil {
			ops = append(ops, schema.Member{Name: op.Name, Value: words.AppendJSON(nil)})
		}
	}
	if d.Schema != nil {
		// A door with findById has findByIds too unless it says false.
		if !has["findByIds"] {
			ops = append(ops, schema.Member{Name: "findByIds", Value: json.RawMessage("false")})
		}
		ops = append(schema.Object{{Name: "only", Value: append(only, ']')}}, ops...)
	}
	if d.Schema != nil && d.Nested != nil {
		s.nested = append(s.nested, schema.Member{Name: d.Name, Value: jsontext.AppendStrings(nil, d.Nested)})
	}
	if many != nil {
		s.many = append(s.many, schema.Member{Name: d.Name, Value: jsontext.AppendStrings(nil, many)})
	}
	return schema.Object{{Name: "operations", Value: ops.AppendJSON(nil)}}.AppendJSON(nil)
}

// wordOf returns the word of frond.yaml that opens an operation of the host, "" for any operation
// that is no write of many rows.
func wordOf(op *schema.DiscoveredOp) string {
	for _, word := range manyWords {
		if name := ManyWords[word]; op.Name == name && op.Mode == ManyModes[name] {
			return word
		}
	}
	return ""
}

// said returns the texts of an operation, description and deprecated, without the empty ones.
// It may be nil.
func said(op *schema.DiscoveredOp) (o schema.Object) {
	for _, m := range []schema.Member{{Name: "description", Value: jsontext.Quote(op.Description)}, {Name: "deprecated", Value: jsontext.Quote(op.Deprecated)}} {
		if len(m.Value) > len(`""`) {
			o = append(o, m)
		}
	}
	return o
}

// operation is an operation beyond the built-in ones, as a frond.yaml declares it.
func (s *discoveredSource) operation(d *schema.DiscoveredDoor, op *schema.DiscoveredOp) json.RawMessage {
	o := said(op)
	add := func(name string, value json.RawMessage) {
		if value != nil {
			o = append(o, schema.Member{Name: name, Value: value})
		}
	}
	text := func(name, value string) {
		if value != "" {
			add(name, jsontext.Quote(value))
		}
	}
	text("kind", op.Kind)
	text("cardinality", s.cardinality(d, op))
	if op.Params != nil && (op.Params.Fields == nil || len(op.Params.Fields) > 0) { // else it says that there are none
		add("params", s.card(op.Params))
	}
	add("query", s.card(op.Query))
	add("input", s.card(op.Input))
	add("output", s.card(op.Output))
	return o.AppendJSON(nil)
}

// cardinality is the host's word for how many outputs an operation gives. Without one
// the name decides: list gives a page (spec 2.7), and a find may return no row.
// "" is left to the compiler.
func (s *discoveredSource) cardinality(d *schema.DiscoveredDoor, op *schema.DiscoveredOp) string {
	switch {
	case op.Output == nil:
		return ""
	case slices.Contains(cardinalities, op.Cardinality):
		return op.Cardinality
	case op.Name == "list":
		return "page"
	}
	return "maybe"
}

// card is a card of an operation: the name of the entity or the view that it is, or the card
// itself. nil stays nil.
//
//	the title of an entity, not derived   "product"
//	a title that is not one of Views      the card, written out, if the host says its views
//	a title not seen before               "productCard", and the card becomes a view
//	the same title with the same text     "productCard"
//	the same title with another text      the card, written out
//	no title, or an illegal one           the card, written out
func (s *discoveredSource) card(c *schema.Card) json.RawMessage {
	if c == nil {
		return nil
	}
	key := schema.EntityKey(c.Title)
	if c.Derived == nil && s.entities[key] {
		return jsontext.Quote(c.Title)
	}
	text := c.AppendJSON(nil)
	if key == "" || !schema.IsName(key) || s.entities[key] || s.src.Known.Views != nil && s.spelled[key] == "" {
		return text
	}
	switch known, taken := s.views[key]; {
	case !taken:
		s.views[key] = string(text)
		s.src.Cards = append(s.src.Cards, schema.Source{File: s.from, Name: cmp.Or(s.spelled[key], c.Title), Frond: s.src.Name, View: true, Card: c})
	case known != string(text):
		return text
	}
	return jsontext.Quote(c.Title)
}

// computed is the fields that the host's presenters add, without a value of ours.
func (s *discoveredSource) computed(c *schema.Card) json.RawMessage {
	var fields schema.Object
	for i := range c.Fields {
		fields = append(fields, schema.Member{Name: c.Fields[i].Name, Value: c.Fields[i].Shape.AppendJSON(nil)})
	}
	return fields.AppendJSON(nil)
}

// facts is the facts of the Frond as a frond.yaml lists them, and the doors that it lists under
// changes: a fact of changes has the name that those have here.
func (s *discoveredSource) facts(all []schema.DiscoveredFact) (facts []json.RawMessage, changes []string) {
	for _, f := range all {
		if f.Changes != "" && f.Name == f.Changes+"Changed" && s.entities[schema.EntityKey(f.Changes)] {
			changes = append(changes, f.Changes)
			continue
		}
		fact := schema.Object{{Name: "name", Value: jsontext.Quote(f.Name)}}
		if card := s.card(f.Schema); card != nil {
			fact = append(fact, schema.Member{Name: "schema", Value: card})
		}
		facts = append(facts, fact.AppendJSON(nil))
	}
	return facts, changes
}
