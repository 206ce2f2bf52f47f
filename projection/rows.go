package projection

import (
	"cmp"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// rows are the object types of rows: of doors, views, and entities without a door.
type rows struct {
	*typeSet
	doors  *doors
	shapes *shapes
	pages  *pages
	cards  map[*schema.Entity]*shown // views, and entities without a door
	nodes  map[string]*binding.Node
	files  *files
}

func newRows(ss *shapes, ps *pages) *rows {
	return &rows{typeSet: ss.typeSet, doors: ps.doors, shapes: ss, pages: ps, cards: map[*schema.Entity]*shown{}, nodes: map[string]*binding.Node{}}
}

// fillObject gives a door's type its fields, in this order: the global id, the version, the
// readable fields of the card with their relations, and the computed fields. The order is the
// order in the SDL.
func (rs *rows) fillObject(d *door) {
	if d.object == nil {
		return
	}
	// A primary key that callers may not read must not leave inside a global id either.
	if p := d.Entity.Primary; p != nil && p.Readable() {
		d.object.Interfaces = []string{"Node"}
		node := &binding.Node{Type: d.typ}
		// Without findById the type is a Node all the same, but Query.node gives null for it
		// (docs/decisions/graphql-schema.md).
		if d.has("findById") {
			node.Door = d.Door
		}
		rs.nodes[d.Entity.Key] = node
		rs.addFields(d.object, ownOrigin, &field{
			name: "nodeId", typ: rs.required(idType),
			binding: &binding.Field{Kind: binding.NodeID, Column: p.Name, Door: d.Door, Output: d.Entity},
		})
	}
	if d.ETag && d.Entity.Primary != nil {
		rs.addFields(d.object, ownOrigin, &field{
			name: catalog.ETag, typ: stringType, description: "The version of the row as the caller sees it; pass it as ifMatch.", binding: rs.column(catalog.ETag),
		})
	}
	rs.addColumns(d.object, d.Entity, d.typ, d.origin)
	for _, f := range d.Files {
		if f.Field.Readable() {
			rs.files.add(rs, d.object, d, f, d.origin)
		}
	}
	for _, c := range d.Computed {
		by := &origin{what: "computed field " + c.Name, door: d.Door}
		rs.addFields(d.object, by, &field{
			name:        c.Name,
			description: cmp.Or(c.Description, described(&c.Shape, c.Name)),
			deprecated:  c.Shape.WhyDeprecated(),
			// The failure of a presenter, or a missing remote one, costs the field and not the row.
			typ:     rs.shapes.output(named{&c.Shape, d.typ + schema.GraphQLType(c.Name), by}),
			binding: &binding.Field{Kind: binding.Computed, Column: c.Name},
		})
	}
}

// addColumns gives o a field for each readable field of e:
//
//	plain field          title: String!
//	relation to one      authorId: ID! and author: Author
//	relation to many     comments(…): CommentConnection
//
// typ is the name that types of the fields begin with, by the origin of o. Where the target of
// a relation to one is not in the schema, the key alone remains.
func (rs *rows) addColumns(o *definition, e *schema.Entity, typ string, by *origin) {
	for _, c := range rs.columnsOf(e) {
		p := c.Property
		switch {
		case !p.Readable():
		case o == rs.objectOfFile(p):
			rs.addColumn(o, by, c, c.name+"Id", idType)
		case p.Link == nil:
			rs.addColumn(o, by, c, c.name, rs.columnType(p, typ, by))
		case p.Link.Many:
			rs.addMany(o, e, by, c)
		default:
			rs.addColumn(o, by, c, c.key, keyType(p))
			if to, relation := rs.doors.relation(e, p.Link); to != nil {
				rs.addFields(o, by.at(p, "relation").old(c.old), &field{
					name:        c.relation,
					description: described(&p.Shape, c.relation),
					deprecated:  c.deprecated(),
					typ:         to.object.typ(), // docs/calls.md: always nullable, the caller may not see the target
					binding:     &binding.Field{Kind: binding.ToOne, Column: c.name, Relation: relation, Door: to.Door, Output: to.Entity},
				})
			}
		}
	}
}

// objectOfFile is the type of the door whose field holds files, or nil.
func (rs *rows) objectOfFile(p *schema.Property) *definition {
	if d := rs.doors.byKey[p.Owner.Key]; d != nil && d.File(p.Name) != nil && d.Entity == p.Owner {
		return d.object
	}
	return nil
}

// addColumn gives o the field called name that gives c as it is. It is non-null where the field
// is there in every row (see stays).
func (rs *rows) addColumn(o *definition, by *origin, c namedField, name string, t *ast.Type) {
	rs.addFields(o, by.at(c.Property, fieldItself).old(c.old), &field{
		name:        name,
		description: described(&c.Shape, name),
		deprecated:  c.deprecated(),
		typ:         rs.unless(!stays(c.Property), t),
		binding:     rs.column(c.name),
	})
}

// addMany gives o the connection of a many relation. There are two kinds (docs/decisions/graphql-schema.md):
//
//	the other door points back      comments(filter, orderBy, first, …): CommentConnection
//	the row stores a list of ids    tagIds: [ID!] and tags(first, …): TagConnection
//
// The first kind is left out where the target's list takes no filter, or where the key that it
// would filter by is not readable.
func (rs *rows) addMany(o *definition, e *schema.Entity, from *origin, c namedField) {
	p := c.Property
	by := from.at(p, "relation").old(c.old)
	f := &field{name: c.relation, description: described(&p.Shape, c.relation), deprecated: c.deprecated()}
	if p.Stored {
		rs.addColumn(o, from, c, c.key, rs.list(rs.required(keyType(p))))
	}
	to, relation := rs.doors.relation(e, p.Link)
	if to == nil {
		return
	}
	// Nullable: a door that is down, or closed to the caller, must not take the row along.
	f.typ = rs.pages.connection(&to.shown, to.typ, to.origin).typ()
	f.args = pagingArgs
	f.binding = &binding.Field{Kind: binding.ToManyIDs, Column: c.name, Relation: relation, Door: to.Door, Output: to.Entity, Args: pagingInto}
	if !relation.InRow() {
		args := rs.pages.listArgs(to)
		f.args = args.args
		f.binding.Kind, f.binding.Column, f.binding.Args = binding.ToMany, relation.Column, args.into
	}
	rs.addFields(o, by, f)
}

// columnType returns the type of a plain field. A primary key is an ID, unless the card says
// it is a number: then it stays one, on this surface as on the others (docs/decisions/graphql-schema.md).
func (rs *rows) columnType(p *schema.Property, typ string, by *origin) *ast.Type {
	if p.Axes.Primary {
		return keyType(p)
	}
	return rs.shapes.output(rs.doors.home(p, typ, by))
}

// show returns the type of rows of e: the type of the door whose entity e is, or one of e's
// own, made at the first call. Its object is nil if the card has no readable field, since
// GraphQL types need a field. op is the operation that returns the rows; a nameless card inside
// it is named after it: PostStatsOutput.
func (rs *rows) show(e *schema.Entity, op *catalog.Operation) *shown {
	if d := rs.doors.byKey[e.Key]; d != nil && d.Entity == e {
		return &d.shown
	}
	if s := rs.cards[e]; s != nil {
		return s
	}
	by := &origin{what: "type", view: e}
	name := schema.GraphQLType(e.Name)
	if !schema.IsGraphQLName(e.Name) { // a card written in its operation, without a name of its own
		by = &origin{what: "output", op: op}
		name = rs.doors.prefix(op.Door) + schema.GraphQLType(op.Name) + "Output"
	}
	s := &shown{entity: e}
	rs.cards[e] = s
	if readable(e) {
		name = rs.free(name, by)
		s.object = rs.newObject(name, e.Card.Description)
		rs.addColumns(s.object, e, name, by)
	}
	return s
}
