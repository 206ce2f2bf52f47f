package projection

import (
	"slices"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// namedField is a field under one of its names: its present name or, if old is not nil, an old
// one.
type namedField struct {
	*schema.Property
	name          string // the member of a row
	relation, key string // of a relation, as schema.Link has them
	old           *schema.FieldAlias
}

// columnsOf returns the fields of a card, followed by those with old names, under the old
// names. They are made at the first call.
func (ts *typeSet) columnsOf(e *schema.Entity) []namedField {
	if all := ts.columns[e]; all != nil {
		return all
	}
	all := make([]namedField, 0, len(e.Fields)+len(e.Aliases))
	for _, p := range e.Fields {
		c := namedField{Property: p, name: p.Name}
		if p.Link != nil {
			c.relation, c.key = p.Link.Name, p.Link.Key
		}
		all = append(all, c)
	}
	for _, a := range e.Aliases {
		all = append(all, namedField{a.Field, a.Name, a.Relation, a.Key, a})
	}
	ts.columns[e] = all
	return all
}

// deprecated is why the name should no longer be used; "" for no reason.
func (c *namedField) deprecated() string {
	if c.old != nil {
		return c.old.Reason()
	}
	return c.Shape.WhyDeprecated()
}

// stays reports whether a field is there in every row that the caller may read, so that it can
// be non-null (docs/decisions/graphql-schema.md). It is not nullable, and one of these holds:
//
//	it is the primary key
//	the card requires it
//	it is the list of ids of a many relation
//	a create rule supplies it (spec 2.3)
func stays(p *schema.Property) bool {
	switch {
	case p.Shape.Nullable:
		return false
	case p.Axes.Primary, slices.Contains(p.Owner.Card.Required, p.Name), p.Link != nil && p.Link.Many:
		return true
	}
	return p.Axes.Create != nil && !p.Axes.Create.Optional
}

// readable reports whether a card has a field to show. A relation without a stored key is not
// counted: it has no field if its target is not in the schema.
func readable(e *schema.Entity) bool {
	for _, p := range e.Fields {
		if p.Readable() && (p.Link == nil || p.Stored) {
			return true
		}
	}
	return false
}

// column is a binding as typeSet.column returns it.
func column(name string) *binding.Field {
	return &binding.Field{Kind: binding.Column, Column: name}
}
