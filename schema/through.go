package schema

import (
	"fmt"
	"slices"
	"strings"
)

// ManyToMany is a relation of Entity to many rows through rows in between, which have a one relation
// to either side. It becomes a field of the card of Entity:
//
//	relations: {product.tags: {through: productTag}}
//	tags: {type: array, x-kit: {role: {relation: {to: tag, kind: many, through: producttag}}}}
type ManyToMany struct {
	File, At string // where it is declared, a path and a JSON pointer
	Frond    string // whose frond.yaml declares it
	Entity   string
	Name     string // of the field
	Through  string // the entity in between
	To       string // the entity of the other side; "": the only other one
	Inverse  string // the field of the other side that leads back; "": none
}

// manyToMany adds the fields of a relation to the cards of its two sides.
func (c *compiler) manyToMany(m *ManyToMany) {
	fault := func(message, remedy string) {
		c.faults = append(c.faults, Fault{File: m.File, Pointer: m.At, Message: message, Remedy: remedy})
	}
	from, rows := c.units[EntityKey(m.Entity)], c.units[EntityKey(m.Through)]
	switch {
	case from != nil && from.card == nil || rows != nil && rows.card == nil:
		return // its own faults are reported
	case from == nil || from.src.View || from.src.Frond != m.Frond:
		fault(fmt.Sprintf("%s is not an entity of %s", m.Entity, m.Frond), "name an entity of this Frond: relations: {product.tags: {through: productTag}}")
		return
	case rows == nil || rows.src.View || rows.src.Frond != m.Frond:
		fault(fmt.Sprintf("%s is not an entity of %s, and the rows in between are kept with those of %s", m.Through, m.Frond, m.Entity),
			fmt.Sprintf("write entities/%s.yaml in this Frond, with a one relation to %s and one to the other side", m.Through, m.Entity))
		return
	}
	_, far, message, remedy := sides(rows.card, rows.src.Name, from.entity.Key, EntityKey(m.To))
	if message != "" {
		fault(message, remedy)
		return
	}
	to := c.units[far.Axes.Relation.To]
	if to == nil || to.card == nil {
		return // the relation of the rows in between is at fault
	}
	add := func(u *unit, name, other string) {
		if f := u.card.Field(name); f != nil && f.Axes.Relation != nil && f.Axes.Relation.Through == rows.entity.Key && c.remote(u) {
			return // known from its discovery
		} else if f != nil {
			fault(fmt.Sprintf("%s has a field %s already", u.src.Name, name), "give the relation another name")
			return
		}
		u.card.Fields = append(u.card.Fields, Field{Name: name, Axes: Axes{Relation: &Relation{To: other, Many: true, Through: rows.entity.Key}}})
	}
	add(from, m.Name, to.entity.Key)
	if m.Inverse != "" {
		add(to, m.Inverse, from.entity.Key)
	}
}

// sides finds the two one-relations of a card in between: to the entity self, and to another one, or
// to the entity called to. message and remedy explain a missing or ambiguous one.
func sides(card *Card, name, self, to string) (near, far *Field, message, remedy string) {
	var back, on []*Field
	var names []string
	for i := range card.Fields {
		f := &card.Fields[i]
		switch r := f.Axes.Relation; {
		case r == nil || r.Many:
		case r.To == self:
			back = append(back, f)
			names = append(names, f.Name)
		case to == "" || r.To == to:
			on = append(on, f)
		}
	}
	line := func(to string) string {
		return fmt.Sprintf("write %sId: {x-kit: {role: {relation: {to: %[1]s, kind: one, onDelete: cascade}}}} in the card of %s", to, name)
	}
	switch {
	case len(back) == 0:
		return nil, nil, fmt.Sprintf("%s has no one relation to %s", name, self), line(self)
	case len(back) > 1:
		return nil, nil, fmt.Sprintf("%s has several relations to %s: %s; a relation through it needs one", name, self, strings.Join(names, ", ")),
			"keep one of them, or list the rows of " + name + " instead"
	case len(on) == 0 && to == "":
		return nil, nil, fmt.Sprintf("%s has no one relation to a second entity", name), line("tag")
	case len(on) == 0:
		return nil, nil, fmt.Sprintf("%s has no one relation to %s", name, to), line(to)
	case len(on) == 1:
		return back[0], on[0], "", ""
	}
	names = nil
	var targets []string
	for _, f := range on {
		names = append(names, f.Name)
		if t := f.Axes.Relation.To; !slices.Contains(targets, t) {
			targets = append(targets, t)
		}
	}
	remedy = "keep one of them, or list the rows of " + name + " instead"
	if len(targets) > 1 {
		remedy = "write to: " + orList(targets)
	}
	return nil, nil, fmt.Sprintf("%s has several relations beside that to %s: %s", name, self, strings.Join(names, ", ")), remedy
}

// through links a relation through rows in between. In a card of a remote that does not publish these
// rows, the relation is left out.
func (c *compiler) through(u *unit, p *Property, at string) {
	rel, link, self := p.Axes.Relation, p.Link, u.entity.Key
	if u.src.View && u.card.Derived != nil {
		self = EntityKey(u.card.Derived.From)
	}
	rows := c.set.byKey[rel.Through]
	if rows == nil || rows.View {
		p.Link = nil
		c.beyond(u, at+"/through", fmt.Sprintf("the relation leads through %q; this host has no such entity", rel.Through), "name one of "+c.known())
		return
	}
	near, far, message, remedy := sides(rows.Card, rows.Name, self, rel.To)
	if message != "" {
		p.Link = nil
		c.beyond(u, at+"/through", message, remedy)
		return
	}
	link.Name, link.Key = p.Name, p.Name
	link.Inverse, link.Through = rows.Property(near.Name), rows.Property(far.Name)
	link.between = &Link{Name: p.Name, Key: p.Name, Many: true, Target: rows, Inverse: link.Inverse, Field: p}
}
