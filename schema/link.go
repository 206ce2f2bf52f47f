package schema

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// link resolves the relations of a unit and gives its fields their kinds. All entities have
// been filled in, so a relation may lead to a card that comes later; a broken target is left
// alone.
func (c *compiler) link(u *unit) {
	e := u.entity
	if e == nil || u.card == nil {
		return
	}
	e.link = map[string]*Link{}
	for _, p := range e.Fields {
		if p.Axes.Relation != nil {
			c.relation(u, p)
		}
		p.Kind = kindOf(&p.Shape)
		u.card.Fields[p.Index].Shape = p.Shape
	}
	c.collisions(u)
}

// relation resolves one relation: its target, its names (spec 2.4), and for a many relation
// whether the ids are in the row or in the rows of the target. An unresolved relation leaves
// Link nil and keeps the name in the axes.
func (c *compiler) relation(u *unit, p *Property) {
	rel := p.Axes.Relation
	at := child("/properties", p.Name) + "/x-kit/role/relation"
	target := c.set.byKey[rel.To]
	p.Stored = p.Stored && rel.Through == ""
	switch {
	case rel.To == "":
	case target == nil && c.claimed(rel.To):
		// It is there and broken; its own faults are reported.
	case target == nil && (c.remote(u) || c.set.opts.Unknown):
		// The host of a remote need not publish every table (spec 2.5.2), so the name is
		// kept. Of an unknown target it is not known either whether it points back.
		p.Stored = p.Stored && (!rel.Many || !c.set.opts.Unknown || c.remote(u))
	case target == nil || target.View:
		c.beyond(u, at+"/to", fmt.Sprintf("the relation points at %q; this host has no such entity", rel.To), "name one of "+c.known())
		target = nil
	}
	c.typeOfKey(u, p, target)
	if target == nil {
		return
	}
	name, key := linkNames(p.Name, rel)
	p.Link = &Link{Name: name, Key: key, Many: rel.Many, Target: target, Field: p}
	if !rel.Many {
		for name, value := range map[string]string{"by": rel.By, "through": rel.Through} {
			if value != "" {
				c.beyond(u, at+"/"+name, name+" is for many relations; this one holds the key itself", "leave it out")
			}
		}
		return
	}
	if rel.Through != "" {
		c.through(u, p, at)
		return
	}
	p.Link.Inverse = c.inverse(u, p, at)
	if p.Link.Inverse != nil {
		p.Stored = false
		p.Link.Name, p.Link.Key = p.Name, p.Name
	}
}

// facing reports two many relations of two entities that lead to one another without a
// one-relation: a product's tagIds and a tag's productIds would be two independent lists.
func (c *compiler) facing(u *unit) {
	if u.entity == nil || u.src.View || c.remote(u) {
		return
	}
	for _, p := range u.entity.Fields {
		if p.Link == nil || !p.Link.Many || p.Link.Inverse != nil || p.Link.Target == u.entity {
			continue
		}
		for _, q := range p.Link.Target.Fields {
			if q.Link == nil || !q.Link.Many || q.Link.Inverse != nil || q.Link.Target != u.entity {
				continue
			}
			c.fault(u, child("/properties", p.Name)+"/x-kit/role/relation",
				fmt.Sprintf("%s.%s and %s.%s are many relations that face each other, with no one relation between them: they would be two lists that know nothing of each other",
					u.entity.Name, p.Name, p.Link.Target.Name, q.Name),
				"keep the ids on one side and take the other field out, or write an entity in between that has a one relation to each")
		}
	}
}

// claimed says whether a source took the name, but has a card that cannot be used.
func (c *compiler) claimed(key string) bool { return c.units[key] != nil && c.units[key].card == nil }

// inverse returns the one relation of the target that points back, or nil if the row itself
// holds the ids (docs/decisions/card-language.md).
//
//	fields of the target that point back   by        result
//	0                                      absent    nil: a list of ids
//	one                                    absent    that field
//	several                                absent    a fault that asks for by
//	any                                    a field   that field, or a fault
func (c *compiler) inverse(u *unit, p *Property, at string) *Property {
	rel, self := p.Axes.Relation, u.entity.Key
	if u.src.View {
		// A view's rows are the rows of the entity it was cut from.
		if u.card.Derived == nil {
			return nil
		}
		self = EntityKey(u.card.Derived.From)
	}
	var back []*Property
	for _, q := range p.Link.Target.Fields {
		if r := q.Axes.Relation; r != nil && !r.Many && r.To == self {
			back = append(back, q)
		}
	}
	var names []string
	for _, q := range back {
		names = append(names, q.Name)
	}
	if rel.By != "" {
		if i := slices.Index(names, rel.By); i >= 0 {
			return back[i]
		}
		remedy := "leave by out: the row itself then holds the ids"
		if len(names) > 0 {
			remedy = "write by: " + orList(names)
		}
		c.beyond(u, at+"/by", fmt.Sprintf("%s has no field %q that points back at %s", p.Link.Target.Name, rel.By, self), remedy)
		return nil
	}
	switch len(back) {
	case 0:
		return nil
	case 1:
		return back[0]
	}
	c.beyond(u, at, fmt.Sprintf("several fields of %s point back at %s: %s", p.Link.Target.Name, self, strings.Join(names, ", ")),
		"say which one this is the other side of, by: "+orList(names))
	return nil
}

// typeOfKey gives a relation field without a type the type and format of the key it holds
// (docs/decisions/card-language.md): the target's primary key, or a string for an unknown target.
//
//	authorId with kind: one                     {"type": "string"}
//	authorId with kind: one, onDelete: set null {"type": ["string", "null"]}
//	tagIds with kind: many                      {"type": "array", "items": {"type": "string"}}
func (c *compiler) typeOfKey(u *unit, p *Property, target *Entity) {
	key := Shape{Type: "string"}
	if target != nil && target.Primary != nil && target.Primary.Shape.Type != "" {
		key.Type, key.Format = target.Primary.Shape.Type, target.Primary.Shape.Format
	}
	s := &p.Shape
	untyped := s.Bool == nil && s.Type == "" && s.Extra.Get("type") == nil && s.Enum == nil && !s.Extra.hasAny(applicators)
	at := child("/properties", p.Name)
	switch {
	case p.Axes.Relation.Many:
		if untyped {
			s.Type, s.Nullable = "array", false
		}
		if s.Type != "array" {
			c.beyond(u, at+"/type", "a many relation is a list of keys", "write type: array, or leave the type out")
			return
		}
		if s.Items == nil {
			s.Items = &key
		}
	case untyped:
		s.Type, s.Nullable = key.Type, p.Axes.Relation.OnDelete == SetNull
		if s.Format == "" {
			s.Format = key.Format
		}
	case target != nil && target.Primary != nil && s.Type != "" && key.Type != s.Type && !c.remote(u):
		c.fault(u, at+"/type", fmt.Sprintf("the field is of type %s, but the primary key of %s is of type %s", s.Type, target.Name, key.Type),
			"write type: "+key.Type+", or leave the type out")
	}
	if p.Axes.Relation.OnDelete == SetNull && !p.Axes.Relation.Many && !s.Nullable {
		c.beyond(u, at+"/x-kit/role/relation/onDelete", "set null on a field that cannot be null", "write type: ["+s.Type+", 'null'], or another rule")
	}
}

// linkNames returns the name of a relation and the name of its raw key
// (docs/decisions/card-language.md):
//
//	field               kind   name       key
//	authorId, author_id one    author     the field's own
//	author              one    author     authorId
//	id                  one    the target the field's own
//	tagIds              many   tags       the field's own
//	tags                many   tags       tagIds
//	related             many   related    relatedIds
func linkNames(field string, rel *Relation) (name, key string) {
	if rel.Many {
		for _, suffix := range []string{"Ids", "IDs", "_ids"} {
			if stem, ok := strings.CutSuffix(field, suffix); ok && stem != "" {
				return pluralOf(stem), field
			}
		}
		if one := singular(field); one != "" {
			return field, one + "Ids"
		}
		return field, field + "Ids"
	}
	for _, suffix := range []string{"Id", "ID", "_id"} {
		if stem, ok := strings.CutSuffix(field, suffix); ok && stem != "" {
			return stem, field
		}
	}
	if field == "id" {
		return Camel(rel.To), field
	}
	return field, field + "Id"
}

// pluralOf is [Plural], but a stem that is a regular plural already stays as it is: tagsIds are
// the ids of tags, statusIds the ids of statuses. Singular words that end like a plural (class,
// status, basis, canvas) are known by their endings.
func pluralOf(stem string) string {
	lower := strings.ToLower(stem)
	for _, end := range []string{"ss", "us", "is", "as"} {
		if strings.HasSuffix(lower, end) {
			return Plural(stem)
		}
	}
	if singular(stem) != "" {
		return stem
	}
	return Plural(stem)
}

// collisions reports names that two fields of an entity would have, once as a field and once
// as a relation or its key, and enters the relations by name: a card cannot have authorId as a
// relation and author as a text. In a card of a remote such a relation is a plain field
// instead: the names are its author's to give.
func (c *compiler) collisions(u *unit) {
	e := u.entity
	for _, p := range e.Fields {
		if p.Link == nil {
			continue
		}
		clash := func(at, message string) {
			c.beyond(u, at, message, "rename one of the two fields")
			if c.remote(u) {
				p.Link, p.Stored = nil, true
			}
		}
		link := p.Link
		for _, name := range []string{link.Name, link.Key} {
			if name == p.Name {
				continue
			}
			if other := e.byName[name]; other != nil && p.Link != nil {
				clash(child("/properties", other.Name), fmt.Sprintf("the relation %s already answers to the name %q", p.Name, name))
			}
		}
		if other := e.link[link.Name]; other != nil && p.Link != nil {
			clash(child("/properties", p.Name), fmt.Sprintf("the relation %s already answers to the name %q", other.Field.Name, link.Name))
			continue
		}
		if p.Link != nil {
			e.link[link.Name] = link
		}
	}
}

// NewFieldAlias returns the alias of a field with the old name name.
func NewFieldAlias(name string, p *Property, until time.Time) *FieldAlias {
	a := &FieldAlias{Name: name, Field: p, Until: until}
	if p.Link != nil {
		a.Relation, a.Key = linkNames(name, p.Axes.Relation)
	}
	return a
}
