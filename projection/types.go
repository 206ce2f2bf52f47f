package projection

import (
	"cmp"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// door is a door with its types. A type is made when something needs it first: the filter of a
// door that is only reached through a relation is made by that relation.
type door struct {
	*catalog.Door
	index  int     // among the doors, from 1
	typ    string  // Post
	origin *origin // of the type
	shown          // object is nil if the door stores no rows

	filter, many *input // PostFilter, PostListFilter
	order        *input // PostOrder; nil: no sortable fields, or not made yet
	lists        *listArgs
	written      *object // of updateMany and deleteMany
}

// shown is the output side of a card: the object type of its rows and the connection over
// them. A door and a view each have one, and every operation that gives such rows shares it.
type shown struct {
	object *object
	page   *object // the connection
	entity *schema.Entity
	door   *door // nil: a view
}

// addDoor names the type of a door and makes it, without fields. All doors are added before any
// gets its fields, since relations go both ways. A door without an entity has no type; its name
// is still the prefix of its operations: `graphql:` of the door, or the door's name in
// GraphQL's spelling.
func (b *Builder) addDoor(d *catalog.Door) {
	own := &door{Door: d, typ: d.GraphQL, origin: &origin{what: entityItself, door: d}}
	if own.typ == "" {
		own.typ = schema.GraphQLType(d.Name)
	}
	b.doors = append(b.doors, own)
	// From 1, so that doors follow the root types in the SDL (rootRank is -1).
	own.index = len(b.doors)
	b.byDoor[d] = own
	if d.Entity == nil {
		return
	}
	own.typ = b.free(own.typ, own.origin)
	b.byKey[d.Entity.Key] = own
	own.shown = shown{object: b.newObject(own.typ, d.Entity.Card.Description), entity: d.Entity, door: own}
}

// has reports whether the door serves the built-in operation op: list, findById, findByIds,
// create, update or delete.
func (d *door) has(op string) bool { return d.builtin(op) != nil }

// builtin returns a built-in operation of the door, or nil. An operation of the author's that
// has the name of one (a `list` of their own) is not built in and returns nil: its arguments
// and its result are the author's.
func (d *door) builtin(name string) *catalog.Operation {
	if op := d.Operation(name); op != nil && op.Builtin {
		return op
	}
	return nil
}

// fillObject gives a door's type its fields, in this order: the global id, the version, the
// readable fields of the card with their relations, and the computed fields. The order is the
// order in the SDL.
func (b *Builder) fillObject(d *door) {
	if d.object == nil {
		return
	}
	// A primary key that callers may not read must not leave inside a global id either.
	if p := d.Entity.Primary; p != nil && p.Readable() {
		d.object.node = true
		node := &binding.Node{Type: d.typ}
		// Without findById the type is a Node all the same, but Query.node gives null for it
		// (docs/decisions/graphql-schema.md).
		if d.has("findById") {
			node.Door = d.Door
		}
		b.nodes[d.Entity.Key] = node
		b.addFields(d.object, ownOrigin, &field{
			name: "nodeId", typ: b.required(graphql.ID),
			binding: &binding.Field{Kind: binding.NodeID, Column: p.Name, Door: d.Door, Output: d.Entity},
		})
	}
	if d.ETag && d.Entity.Primary != nil {
		b.addFields(d.object, ownOrigin, &field{
			name: catalog.ETag, typ: graphql.String, description: "The version of the row as the caller sees it; pass it as ifMatch.", binding: column(catalog.ETag),
		})
	}
	b.addColumns(d.object, d.Entity, d.typ, d.origin)
	for _, c := range d.Computed {
		by := &origin{what: "computed field " + c.Name, door: d.Door}
		b.addFields(d.object, by, &field{
			name:        c.Name,
			description: cmp.Or(c.Description, described(&c.Shape, c.Name)),
			deprecated:  c.Shape.WhyDeprecated(),
			// A presenter that fails, or a far one that is not there, costs the field and not the row.
			typ:     b.output(named{&c.Shape, d.typ + schema.GraphQLType(c.Name), by}),
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
func (b *Builder) addColumns(o *object, e *schema.Entity, typ string, by *origin) {
	for _, c := range columnsOf(e) {
		p := c.Property
		switch {
		case !p.Readable():
		case p.Link == nil:
			b.addColumn(o, by, c, c.name, b.columnType(p, typ, by))
		case p.Link.Many:
			b.addMany(o, e, by, c)
		default:
			b.addColumn(o, by, c, c.key, keyType(p))
			if to, relation := b.relation(e, p.Link); to != nil {
				b.addFields(o, by.at(p, "relation").old(c.old), &field{
					name:        c.relation,
					description: described(&p.Shape, c.relation),
					deprecated:  c.deprecated(),
					typ:         to.object.gql, // docs/calls.md: always nullable, the caller may not see the target
					binding:     &binding.Field{Kind: binding.ToOne, Column: c.name, Relation: relation, Door: to.Door, Output: to.Entity},
				})
			}
		}
	}
}

// namedField is a field under one of its names: that of now or, where old is not nil, an old one.
type namedField struct {
	*schema.Property
	name          string // the member of a row
	relation, key string // of a relation, as schema.Link has them
	old           *schema.FieldAlias
}

// columnsOf returns the fields of a card, followed by those with old names, under the old
// names.
func columnsOf(e *schema.Entity) []namedField {
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
	return all
}

// deprecated is why the name should no longer be used; "" for no reason.
func (c *namedField) deprecated() string {
	if c.old != nil {
		return c.old.Reason()
	}
	return c.Shape.WhyDeprecated()
}

// addColumn gives o the field called name that gives c as it is. It is non-null where the field
// is there in every row (see stays).
func (b *Builder) addColumn(o *object, by *origin, c namedField, name string, t graphql.Output) {
	b.addFields(o, by.at(c.Property, fieldItself).old(c.old), &field{
		name:        name,
		description: described(&c.Shape, name),
		deprecated:  c.deprecated(),
		typ:         b.unless(!stays(c.Property), t),
		binding:     column(c.name),
	})
}

// addMany gives o the connection of a many relation. There are two kinds (docs/decisions/graphql-schema.md):
//
//	the other door points back      comments(filter, orderBy, first, …): CommentConnection
//	the row stores a list of ids    tagIds: [ID!] and tags(first, …): TagConnection
//
// The first kind is left out where the target's list takes no filter, or where the key that it
// would filter by is not readable.
func (b *Builder) addMany(o *object, e *schema.Entity, from *origin, c namedField) {
	p := c.Property
	by := from.at(p, "relation").old(c.old)
	f := &field{name: c.relation, description: described(&p.Shape, c.relation), deprecated: c.deprecated()}
	if p.Stored {
		b.addColumn(o, from, c, c.key, b.list(b.required(keyType(p))))
	}
	to, relation := b.relation(e, p.Link)
	if to == nil {
		return
	}
	// Nullable: a door that is down, or closed to the caller, must not take the row along.
	f.typ = b.connection(&to.shown, to.typ, to.origin).gql
	f.args = pagingArgs
	f.binding = &binding.Field{Kind: binding.ToManyIDs, Column: c.name, Relation: relation, Door: to.Door, Output: to.Entity, Args: pagingInto}
	if !relation.InRow() {
		args := b.listArgs(to)
		f.args = args.args
		f.binding.Kind, f.binding.Column, f.binding.Args = binding.ToMany, relation.Column, args.into
	}
	b.addFields(o, by, f)
}

// relation returns the relation of rows of e along a link, with its door, or nil where it is not in
// the schema. A door that was filtered out of the schema counts as not there.
func (b *Builder) relation(e *schema.Entity, l *schema.Link) (*door, *catalog.Relation) {
	to := b.byKey[l.Target.Key]
	if to == nil {
		return nil, nil
	}
	relation := catalog.RelationTo(e, l, to.Door)
	if relation == nil {
		return nil, nil
	}
	return to, relation
}

// columnType returns the type of a plain field. A primary key is an ID, unless the card says
// it is a number: then it stays one, on this surface as on the others (docs/decisions/graphql-schema.md).
func (b *Builder) columnType(p *schema.Property, typ string, by *origin) graphql.Output {
	if p.Axes.Primary {
		return keyType(p)
	}
	return b.output(b.home(p, typ, by))
}

// keyType returns the type of a primary key, or of a key that points at one, which has the
// type of its target's:
//
//	string of any format    ID
//	integer                 Int
//	integer beyond 32 bits  BigInt
//
// For a relation that stores a list of ids it is the type of one of them.
func keyType(p *schema.Property) *graphql.Scalar {
	s := &p.Shape
	if l := p.Link; l != nil && l.Target != nil && l.Target.Primary != nil {
		s = &l.Target.Primary.Shape
	}
	if s.Type == "array" && s.Items != nil {
		s = s.Items
	}
	if s.Type != "integer" {
		return graphql.ID
	}
	if beyondInt(s) {
		return bigInt
	}
	return graphql.Int
}

// show returns the type of rows of e: that of the door whose entity e is, or one of e's own,
// made at the first call. Its object is nil if the card has no readable field, since GraphQL
// types need a field. op is the operation that returns the rows; a nameless card inside it is
// named after it: PostStatsOutput.
func (b *Builder) show(e *schema.Entity, op *catalog.Operation) *shown {
	if d := b.byKey[e.Key]; d != nil && d.Entity == e {
		return &d.shown
	}
	if s := b.cards[e]; s != nil {
		return s
	}
	by := &origin{what: "type", view: e}
	name := schema.GraphQLType(e.Name)
	if !schema.IsGraphQLName(e.Name) { // a card written in its operation, without a name of its own
		by = &origin{what: "output", op: op}
		name = b.typeOf(op.Door) + schema.GraphQLType(op.Name) + "Output"
	}
	s := &shown{entity: e}
	b.cards[e] = s
	if readable(e) {
		name = b.free(name, by)
		s.object = b.newObject(name, e.Card.Description)
		b.addColumns(s.object, e, name, by)
	}
	return s
}

// typeOf returns the prefix of the names of a door's types. A door outside of the schema may
// still name the output of an operation inside it.
func (b *Builder) typeOf(d *catalog.Door) string {
	if own := b.byDoor[d]; own != nil {
		return own.typ
	}
	return schema.GraphQLType(d.Name)
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

// column is the binding of a field that gives the member called name of a row or a nested
// object.
func column(name string) *binding.Field {
	return &binding.Field{Kind: binding.Column, Column: name}
}
