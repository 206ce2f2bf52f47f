package contract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// Filter describes the filters of a list, of one entity.
type Filter struct {
	Name   string
	Fields []FilterField
}

// FilterField is a field or a relation in a filter.
type FilterField struct {
	Name string
	Form FilterForm
	Type Type    // of the operands
	To   *Filter // of a relation
	Sums bool    // its values have a sum
}

// numbers are the names of the fields whose values have a sum.
func (f *Filter) numbers() (names []string) {
	for _, field := range f.Fields {
		if field.Sums {
			names = append(names, field.Name)
		}
	}
	return names
}

// FilterForm is which operators a field takes: their type in a client, with %s for the type of
// the operands.
type FilterForm string

// The forms of fields in a filter.
const (
	presence   FilterForm = "Present" // isNull alone
	equality   FilterForm = "Equal<%s>"
	order      FilterForm = "Ordered<%s>"
	textForm   FilterForm = "Text"
	membership FilterForm = "Has<%s>"
	toOne      FilterForm = "%s"
	toMany     FilterForm = "Some<%s>" // with the names of its numbers as the second argument
)

// reach reads a client's knowledge of a door, apart from its operations.
func (b *reading) reach(f *catalog.Frond, d *catalog.Door, door *Door) {
	door.Path = "/api/" + f.Name + "/" + d.Plural
	if d.Entity == nil {
		return
	}
	door.Entity, door.ETag = d.Entity, d.ETag
	door.Key = b.key(d.Entity)
	for _, fact := range f.Facts {
		if fact.Changes && fact.Door == d {
			door.Changes = factPath(fact)
		}
	}
	for _, p := range d.Entity.Fields {
		if p.Link != nil && !slices.Contains(door.Shows, p.Link.Target.Name) {
			door.Shows = append(door.Shows, p.Link.Target.Name)
		}
		if d.File(p.Name) != nil || slices.Contains(d.FilesThere, p.Name) {
			door.Files = append(door.Files, p.Name)
		}
		if p.Readable() && p.Stored && p.Kind != schema.KindJSON {
			door.Sort = append(door.Sort, p.Name)
		}
	}
	if s := d.Entity.Search; s != nil && s.Rank != nil {
		door.Sort = append(door.Sort, s.Rank.Name)
	}
	door.Filter, door.GraphQL = b.filter(d.Entity), graphQLOf(d)
}

// Key is the primary key of an entity's rows.
type Key struct {
	Name string
	Type Type
}

// key is the primary key of an entity, or nil.
func (b *reading) key(e *schema.Entity) *Key {
	if e == nil || e.Primary == nil {
		return nil
	}
	t := b.typeOf(&e.Primary.Shape, b.base(e, e.Primary.Name), schema.GraphQLType(e.Primary.Name), whole)
	// A key of a row is never null, even if its card allows null.
	t.Null = false
	return &Key{e.Primary.Name, t}
}

// GraphQL holds the names of a door in the GraphQL schema.
type GraphQL struct {
	Type, ID string
	Fields   []GraphQLField
	Absent   []string // fields of which GraphQL's null is absence on other transports
}

// GraphQLField is a field of a type, and what selects it.
type GraphQLField struct{ Name, Select string }

// graphQLOf returns the names of a door in GraphQL. It is nil if GraphQL spells one of the
// door's names differently, so that a client would have to translate it, and if a row has
// members without a GraphQL name.
func graphQLOf(d *catalog.Door) *GraphQL {
	if d.Entity.Primary == nil || slices.ContainsFunc(d.Operations, func(op *catalog.Operation) bool { return op.Builtin && op.GraphQL != "" }) {
		return nil
	}
	g := &GraphQL{Type: cmp.Or(d.GraphQL, schema.GraphQLType(d.Name)), ID: "ID"}
	if s := &d.Entity.Primary.Shape; s.Type == "integer" {
		g.ID = "Int"
		if s.Format == "int64" {
			g.ID = "BigInt"
		}
	}
	for _, p := range d.Entity.Fields {
		if p.Link != nil && p.Stored && p.Link.Key != p.Name {
			return nil
		}
		if !p.Readable() || !p.Stored {
			continue
		}
		text, ok := selection(p.Name, &p.Shape)
		if !ok {
			return nil
		}
		if d.File(p.Name) != nil || slices.Contains(d.FilesThere, p.Name) {
			text += ": " + p.Name + "Id" // image is the File
		}
		g.Fields = append(g.Fields, GraphQLField{p.Name, text})
		if p.MayBeAbsent() {
			g.Absent = append(g.Absent, p.Name)
		}
	}
	for _, c := range d.Computed {
		text, ok := selection(c.Name, &c.Shape)
		if !ok {
			return nil
		}
		g.Fields = append(g.Fields, GraphQLField{c.Name, text})
	}
	return g
}

// selection selects a field with all of its members. It is false if a name is illegal in
// GraphQL, or an object has members that its card does not name.
func selection(name string, s *schema.Shape) (string, bool) {
	if !schema.IsGraphQLName(name) {
		return "", false
	}
	if s.Type == "array" && s.Items != nil {
		s = s.Items
	}
	if s.Type != "object" || len(s.Properties) == 0 {
		return name, true
	}
	if v := s.Extra.Get("additionalProperties"); v != nil && string(v) != "false" || s.Extra.Get("patternProperties") != nil {
		return "", false
	}
	members := make([]string, len(s.Properties))
	for i := range s.Properties {
		text, ok := selection(s.Properties[i].Name, &s.Properties[i].Shape)
		if !ok {
			return "", false
		}
		members[i] = text
	}
	return name + " { " + strings.Join(members, " ") + " }", true
}

// bigNames are the names of members that are int64.
func bigNames(name string, s *schema.Shape) (names []string) {
	if s.Format == "int64" && s.Type == "integer" {
		names = append(names, name)
	}
	if s.Items != nil {
		names = append(names, bigNames(name, s.Items)...)
	}
	for i := range s.Properties {
		names = append(names, bigNames(s.Properties[i].Name, &s.Properties[i].Shape)...)
	}
	return names
}

// filter is the filter of an entity, which leads to the filters of its relations.
func (b *reading) filter(e *schema.Entity) *Filter {
	if f := b.filters[e.Key]; f != nil {
		return f
	}
	f := &Filter{Name: b.taken.take(schema.GraphQLType(e.Name) + "Filter")}
	b.filters[e.Key] = f
	b.model.Filters = append(b.model.Filters, f)
	for _, p := range e.Fields {
		if !p.Readable() {
			continue
		}
		name := p.Name
		if l := p.Link; l != nil {
			if b.catalog.Joins(l) {
				form := toOne
				if l.Many {
					form = toMany
				}
				f.Fields = append(f.Fields, FilterField{Name: l.Name, Form: form, To: b.filter(l.Target)})
			}
			// A relation and its key may have one name; the name is the relation's.
			if name = l.Key; name == l.Name || name == "" || !p.Stored {
				continue
			}
		}
		f.Fields = append(f.Fields, b.filterField(e, name, p))
	}
	return f
}

// filterField is a field that holds a value.
func (b *reading) filterField(e *schema.Entity, name string, p *schema.Property) FilterField {
	t := b.typeOf(&p.Shape, b.base(e, p.Name), schema.GraphQLType(p.Name), whole)
	t.Null = false
	out := FilterField{Name: name, Type: t, Form: presence}
	out.Sums = p.Kind == schema.KindInteger || p.Kind == schema.KindNumber || p.Kind == schema.KindDecimal
	switch {
	case t.Basic == listOf && t.Elem.Basic != listOf && (t.Elem.Decl == nil || t.Elem.Decl.Enum != nil) && t.Elem.Basic != anyValue:
		out.Form, out.Type = membership, *t.Elem
	case p.Kind == schema.KindJSON:
	case p.Kind == schema.KindBoolean, t.Decl != nil, t.Literals != nil:
		out.Form = equality
	case p.Kind == schema.KindString:
		out.Form = textForm
	default:
		out.Form = order
	}
	return out
}

// literals are the values of an enumeration of numbers, as TypeScript has them; nil if a value
// is no number.
func literals(s *schema.Shape) (all []string) {
	for _, v := range s.Enum {
		if string(v) == "null" {
			continue
		}
		n, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil
		}
		all = append(all, strconv.FormatFloat(n, 'f', -1, 64))
	}
	return all
}

// Relations are the relations of an entity's rows that a caller may select fields of.
type Relations struct {
	Name string // ProductRelations
	Row  *Decl
	To   []RelationTo
	big  []string // names of members of the rows that are int64
}

// RelationTo is one of Relations.
type RelationTo struct {
	Name string
	Door string // the name of the door it leads to
	Many bool
	Of   *Relations
}

// related reads the relations of all doors. Types of rows of other Fronds are declared in
// Model.Related: callers read them and never send them.
func (b *reading) related(f *catalog.Frond, doors []*Door) {
	own := b.model.Types
	for i, d := range f.Doors {
		if d.Entity != nil {
			doors[i].Relations = b.relations(d.Entity)
		}
	}
	b.model.Related = slices.Clone(b.model.Types[len(own):])
	b.model.Types = own
	for _, d := range doors {
		if d.Relations != nil {
			d.Big = d.Relations.bigs(nil, map[*Relations]bool{})
		}
	}
}

// relations are the relations of an entity, which lead to the relations of its targets.
func (b *reading) relations(e *schema.Entity) *Relations {
	if r := b.relationsOf[e.Key]; r != nil {
		return r
	}
	r := &Relations{Name: b.taken.take(schema.GraphQLType(e.Name) + "Relations"), Row: b.row(e), big: bigFields(e)}
	b.relationsOf[e.Key] = r
	b.model.Relations = append(b.model.Relations, r)
	for _, p := range e.Fields {
		if p.Link == nil {
			continue
		}
		if to := b.catalog.RelationTo(e, p.Link); to != nil {
			r.To = append(r.To, RelationTo{Name: p.Link.Name, Door: to.Door.Name, Many: p.Link.Many, Of: b.relations(p.Link.Target)})
		}
	}
	return r
}

// bigs adds the names of members that are int64 in the rows and in their relations.
func (r *Relations) bigs(names []string, seen map[*Relations]bool) []string {
	if seen[r] {
		return names
	}
	seen[r] = true
	for _, name := range r.big {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, to := range r.To {
		names = to.Of.bigs(names, seen)
	}
	return names
}
