package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/schema"
)

// filterOf is the filter input of a door: DESIGN 5's filter grammar with a name
// for every field the door shows. Whether one caller may filter by a field is the
// façade's word, as everywhere.
func (b *Builder) filterOf(d *door) *input {
	if d.filter != nil {
		return d.filter
	}
	by := &origin{what: "filter", door: d.Door}
	name := b.free(d.typ+"Filter", by)
	in := b.newInput(name, "")
	d.filter = in
	for _, p := range d.Entity.Fields {
		if !p.Readable() {
			continue
		}
		add := func(name string, t graphql.Input, what string) {
			b.addInput(in, by.at(p, what), &arg{name: name, typ: t, deprecated: deprecated(&p.Shape)})
		}
		switch l := p.Link; {
		case l == nil:
			add(p.Name, b.operators(d, p), "filter")
		case !l.Many:
			add(l.Key, b.scalarFilter(keyType(p)), "filter")
			if to := b.shownTarget(l); to != nil {
				add(l.Name, b.filterOf(to).gql, "filter")
			}
		default:
			if to := b.shownTarget(l); to != nil {
				add(l.Name, b.manyFilter(to).gql, "filter")
			}
			if p.Stored {
				add(l.Key, b.operatorInput(keyType(p).Name()+"ListFilter", house, keyType(p), []string{"has"}), "filter")
			}
		}
	}
	all := b.list(b.required(in.gql))
	for _, a := range []*arg{
		{name: "and", typ: all},
		{name: "or", typ: all},
		{name: "not", typ: in.gql},
	} {
		b.addInput(in, house, a)
	}
	return in
}

// shownTarget is the door a link leads to where it is in the schema, and filters
// reach it.
func (b *Builder) shownTarget(l *schema.Link) *door {
	if !b.catalog.Joins(l) {
		return nil
	}
	if to := b.byKey[l.Target.Key]; to != nil && to.Entity == l.Target {
		return to
	}
	return nil
}

// manyFilter is the filter through a many relation.
func (b *Builder) manyFilter(to *door) *input {
	if to.many != nil {
		return to.many
	}
	by := &origin{what: "filter", door: to.Door}
	in := b.newInput(b.free(to.typ+"ListFilter", by), "")
	to.many = in
	of := b.filterOf(to).gql
	for _, a := range []*arg{
		{name: "some", typ: of},
		{name: "none", typ: of},
		{name: "every", typ: of},
	} {
		b.addInput(in, by, a)
	}
	return in
}

// operators is the input with the operators of a plain field.
func (b *Builder) operators(d *door, p *schema.Property) graphql.Input {
	s := &p.Shape
	switch {
	case p.Axes.Primary:
		return b.scalarFilter(keyType(p))
	case s.Type == "array" && s.Items != nil && s.Items.Type != "array" && len(s.Items.Properties) == 0:
		n := b.home(p, d.typ, d.origin)
		n.shape = n.shape.Items
		return b.listFilter(b.leaf(n), n)
	case s.Type == "array", len(s.Properties) > 0:
		return b.scalarFilter(jsonAny)
	}
	n := b.home(p, d.typ, d.origin)
	switch t := b.leaf(n).(type) {
	case *graphql.Enum:
		return b.enumFilter(t, n)
	case *graphql.Scalar:
		return b.scalarFilter(t)
	}
	return b.scalarFilter(jsonAny)
}

// What each operator says, and the groups of them that the kinds of values have.
var (
	operatorText = map[string]string{
		"eq":         "Equals this value.",
		"ne":         "Differs from this value.",
		"in":         "Equals one of these values.",
		"notIn":      "Equals none of these values.",
		"lt":         "Is less than this value.",
		"lte":        "Is at most this value.",
		"gt":         "Is greater than this value.",
		"gte":        "Is at least this value.",
		"contains":   "Contains this text.",
		"startsWith": "Starts with this text.",
		"endsWith":   "Ends with this text.",
		"icontains":  "Contains this text, ignoring case.",
		"has":        "Has this value as one of its elements.",
		"isNull":     "With true: is null. With false: is not null.",
	}
	same    = []string{"eq", "ne", "in", "notIn"}
	ordered = append(same[:4:4], "lt", "lte", "gt", "gte")
	textual = append(ordered[:8:8], "contains", "startsWith", "endsWith", "icontains")

	operatorsOf = map[string][]string{
		"String": textual, "ID": ordered, "UUID": ordered, "Boolean": same[:2], "JSON": nil,
		"Int": ordered, "BigInt": ordered, "Float": ordered, "Decimal": ordered,
		"DateTime": ordered, "Date": ordered, "Time": ordered,
	}
)

// scalarFilter is the operator input of a scalar, one for the whole schema:
// StringFilter, IntFilter, IDFilter.
func (b *Builder) scalarFilter(t *graphql.Scalar) graphql.Input {
	return b.operatorInput(t.Name()+"Filter", house, t, operatorsOf[t.Name()])
}

// enumFilter is the operator input of one enum: PostStatusFilter.
func (b *Builder) enumFilter(t *graphql.Enum, n named) graphql.Input {
	return b.operatorInput(t.Name()+"Filter", &origin{what: "filter", door: n.by.door, op: n.by.op, field: n.by.field}, t, same)
}

// listFilter is the operator input of a list of values: StringListFilter, PostTagsListFilter.
func (b *Builder) listFilter(item graphql.Output, n named) graphql.Input {
	t := item.(graphql.Input)
	if item == jsonAny {
		return b.scalarFilter(jsonAny)
	}
	by := house
	if _, own := item.(*graphql.Enum); own {
		by = &origin{what: "filter", door: n.by.door, op: n.by.op, field: n.by.field}
	}
	return b.operatorInput(t.Name()+"ListFilter", by, t, []string{"has"})
}

func (b *Builder) operatorInput(name string, by *origin, t graphql.Input, operators []string) graphql.Input {
	if in := b.shared[name]; in != nil {
		return in.gql
	}
	in := b.newInput(b.free(name, by), "")
	b.shared[name] = in
	said := operatorText
	if by != house {
		said = nil // the shared filters say it
	}
	for _, op := range operators {
		typ := t
		if op == "in" || op == "notIn" {
			typ = b.list(b.required(t))
		}
		b.addInput(in, by, &arg{name: op, typ: typ, description: said[op]})
	}
	b.addInput(in, by, &arg{name: "isNull", typ: graphql.Boolean, description: said["isNull"]})
	return in.gql
}

// orderOf is the input of one sort key, or nil where there is nothing to sort by.
func (b *Builder) orderOf(d *door) *input {
	if d.order != nil {
		return d.order
	}
	var sortable []*schema.Property
	for _, p := range d.Entity.Fields {
		if p.Readable() && p.Stored && p.Kind != schema.KindJSON {
			sortable = append(sortable, p)
		}
	}
	if len(sortable) == 0 {
		return nil
	}
	by := &origin{what: "order", door: d.Door}
	in := b.newInput(b.free(d.typ+"Order", by), "A sort key: exactly one field. In a list the first key sorts first: [{a: DESC}, {b: ASC}].")
	d.order = in
	for _, p := range sortable {
		name := p.Name
		if p.Link != nil {
			name = p.Link.Key
		}
		b.addInput(in, by.at(p, "order"), &arg{name: name, typ: b.directionType().gql, deprecated: deprecated(&p.Shape)})
	}
	return in
}

func (b *Builder) directionType() *enum {
	if b.direction == nil {
		b.direction = b.newEnum("SortDirection", "The direction of a sort key. Null sorts as the smallest value.", []string{"ASC", "DESC"})
	}
	return b.direction
}
