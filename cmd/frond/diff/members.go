package diff

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// member is a field of a request or a result, at any depth, or the whole of a part of it.
type member struct {
	name     string
	shape    *schema.Shape
	required bool // of a request: it has to be sent
	sendable bool // of a request: it may be sent
	nullable bool // null is accepted, or may be answered
	relation string
	filled   string // the value of an absent member
	converts string // the conversion of its values
	// until is the last day on which each of its old names is answered, or nil.
	until map[string]string
}

// direction is whether members are sent or answered.
type direction struct {
	rules  []rule[pair[member]]
	result bool
}

var (
	requestsOf = direction{rules: requestRules}
	resultsOf  = direction{rules: resultRules, result: true}
)

// part is a part of a request, with the cards of both versions.
type part struct {
	name    string
	was, is *schema.Entity
}

// requests compares the parameters of an operation.
func (c *comparison) requests(p pair[catalog.Operation], places []place) {
	for _, part := range []part{{"params", p.was.Params, p.is.Params}, {"query", p.was.Query, p.is.Query}, {"body", p.was.Input, p.is.Input}} {
		if part.name == "query" && p.is.Builtin && p.was.Builtin && p.is.Name == "list" {
			continue // its grammar is compared field by field: see lists
		}
		was, is := request(p.was, part.was), request(p.is, part.is)
		c.whole(requestRules, part.name, cardShape(part.was, p.was.Open), cardShape(part.is, p.is.Open), places)
		c.members(requestsOf, was, is, part.name, c.renamedIn(part.was), places)
	}
}

// results compares the results of an operation.
func (c *comparison) results(p pair[catalog.Operation], places []place) {
	if p.was.Output == nil && p.is.Output == nil {
		return
	}
	c.whole(resultRules, "result", cardShape(p.was.Output, true), cardShape(p.is.Output, true), places)
	if p.was.Output == nil || p.is.Output == nil {
		return // a result without a card is unknown
	}
	c.members(resultsOf, result(c.was, p.was), result(c.is, p.is), "result", c.renamedIn(p.was.Output), places)
}

// renamedIn gives the new name of a field of an old card.
func (c *comparison) renamedIn(e *schema.Entity) func(string) string {
	return func(name string) string { return c.pair.newField(e, name) }
}

// cardShape is a card as one shape, for the keywords of the whole. With open a missing card
// takes any value, and else no value.
func cardShape(e *schema.Entity, open bool) *schema.Shape {
	if e == nil {
		if open {
			return &schema.Shape{Nullable: true}
		}
		return &schema.Shape{Type: "object", Properties: []schema.Field{}}
	}
	rest := slices.DeleteFunc(slices.Clone(e.Card.Extra), func(kw schema.Keyword) bool { return kw.Name == "type" })
	return &schema.Shape{Type: "object", Properties: e.Card.Fields, Extra: rest}
}

// whole compares the keywords of a whole part, without its members. Null in place of the whole
// is a matter of the operation and not of its card.
func (c *comparison) whole(rules []rule[pair[member]], name string, was, is *schema.Shape, places []place) {
	p := pair[member]{&member{name: name, shape: was, sendable: true}, &member{name: name, shape: is, sendable: true}}
	try(&c.out, rules, p, at(places, name)...)
}

// members compares two lists of members by their names, and the shapes below them.
func (c *comparison) members(d direction, was, is []*member, path string, renamed func(string) string, places []place) {
	named := func(name string) *member { return first(is, func(m *member) bool { return m.name == name }) }
	for _, p := range pairUp(was, is, func(m *member) *member {
		if same := named(m.name); same != nil || renamed == nil {
			return same
		}
		return named(renamed(m.name))
	}) {
		c.member(d, p, path+"."+p.either().name, places)
	}
}

// member compares one member and the shape below it.
func (c *comparison) member(d direction, p pair[member], path string, places []place) {
	try(&c.out, d.rules, p, at(places, path)...)
	try(&c.out, nameRules, p, at(places, path)...)
	if !sends(p.was) || !sends(p.is) {
		return
	}
	was, is := p.was.shape, p.is.shape
	if len(was.Properties) > 0 && is.Properties != nil || was.Properties != nil && len(is.Properties) > 0 {
		c.members(d, d.nested(was), d.nested(is), path, nil, places)
	}
	if was.Items != nil && is.Items != nil {
		c.member(d, pair[member]{itemOf(was.Items), itemOf(is.Items)}, path+"[]", places)
	}
}

// at is each of the places with a member.
func at(places []place, member string) []place {
	out := slices.Clone(places)
	for i := range out {
		out[i].member = member
	}
	return out
}

// itemOf is the items of a list as a member.
func itemOf(s *schema.Shape) *member {
	return &member{name: "[]", shape: s, sendable: true, nullable: s.Nullable}
}

// nested are the members of a nested object. In a result a member that is not required may be
// absent, and for a reader absent equals null.
func (d direction) nested(s *schema.Shape) []*member {
	out := make([]*member, len(s.Properties))
	for i := range s.Properties {
		f := &s.Properties[i]
		must := slices.Contains(s.Required, f.Name)
		out[i] = &member{name: f.Name, shape: &f.Shape, required: must, sendable: true, nullable: f.Shape.Nullable || d.result && !must}
	}
	return out
}

// request are the members of a card that callers send to an operation.
func request(op *catalog.Operation, e *schema.Entity) (out []*member) {
	if e == nil {
		return nil
	}
	presets := op.Door.Presets
	for _, p := range e.Fields {
		m := &member{name: p.Name, shape: &p.Shape, nullable: p.Shape.Nullable, required: p.Required(), sendable: !p.Axes.In.Closed && p.Stored, filled: filled(p), converts: p.Axes.In.Name}
		// A caller cannot send a preset field, so no surface requires it.
		if slices.Contains(presets, p.Name) && e == op.Door.Entity {
			m.required = false
		}
		if op.Patch && e == op.Input {
			m.required = false
			m.sendable = m.sendable && !p.Axes.Primary && p.Axes.Update != schema.UpdateForbidden
		}
		m.required = m.required && m.sendable
		m.relation = relation(p)
		if e == op.Input {
			m.until = oldNames(e, p)
		}
		out = append(out, m)
	}
	return out
}

// result are the members of the rows that an operation answers.
func result(v *Version, op *catalog.Operation) (out []*member) {
	for _, p := range op.Output.Fields {
		if p.Readable() && p.Stored {
			out = append(out, &member{name: p.Name, shape: &p.Shape, nullable: p.MayBeNull(), sendable: true, relation: relation(p), converts: p.Axes.Out.Name, until: oldNames(op.Output, p)})
		}
	}
	// The rows of a door have its computed fields, whichever operation answers them.
	if d := v.catalog.Door(op.Output.Name); d != nil && d.Entity == op.Output {
		for _, f := range d.Computed {
			out = append(out, &member{name: f.Name, shape: &f.Shape, nullable: f.Shape.Nullable, sendable: true, filled: v.computed[[2]string{doorKey(d), f.Name}]})
		}
	}
	return out
}

// oldNames are the old names of a field with their last days.
func oldNames(e *schema.Entity, p *schema.Property) (until map[string]string) {
	for _, a := range e.Aliases {
		if a.Field == p {
			if until == nil {
				until = map[string]string{}
			}
			until[a.Name] = a.Day()
		}
	}
	return until
}

// relation is where a field leads: one author. "" of a plain field.
func relation(p *schema.Property) string {
	r := p.Axes.Relation
	switch {
	case r == nil:
		return ""
	case r.Many:
		return "many " + r.To
	}
	return "one " + r.To
}

// filled is what writes a field that the caller does not send, at create and at update.
func filled(p *schema.Property) string {
	out := ""
	switch r := p.Axes.Create; {
	case r == nil:
	case r.Value != nil:
		out = "value " + string(r.Value)
	case r.Now:
		out = "now"
	case r.Generate != "":
		out = "generate " + r.Generate
	}
	if p.Axes.Update == schema.UpdateNow {
		out += " update now"
	}
	return out
}

// text is a value for a finding, cut to a length that a line has room for.
func text(v json.RawMessage) string {
	const most = 60
	s := []rune(string(v))
	if len(s) > most {
		return string(s[:most-1]) + "…"
	}
	return string(s)
}
