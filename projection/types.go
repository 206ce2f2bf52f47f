package projection

import (
	"cmp"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// door is a door with its types, made as far as something needs them.
type door struct {
	*facade.Door
	index  int     // among the doors, from 1
	typ    string  // Post
	origin *origin // of the type
	shown          // object is nil where the door stores nothing

	filter, many *input // PostFilter, PostListFilter
	order        *input // PostOrder; nil: nothing to sort by, or not made yet
	create       *input
	update       *input
	lists        *listArgs
}

// shown is what rows of one shape are called.
type shown struct {
	object *object
	page   *object // the connection
	entity *schema.Entity
	door   *door // nil: a view
}

// addDoor names the type of a door.
func (b *Builder) addDoor(d *facade.Door) {
	own := &door{Door: d, typ: d.GraphQL, origin: &origin{what: entityItself, door: d}}
	if own.typ == "" {
		own.typ = schema.GraphQLType(d.Name)
	}
	b.doors = append(b.doors, own)
	own.index = len(b.doors)
	b.byDoor[d] = own
	if d.Entity == nil {
		return
	}
	own.typ = b.free(own.typ, own.origin)
	b.byKey[d.Entity.Key] = own
	own.shown = shown{object: b.newObject(own.typ, d.Entity.Card.Description), entity: d.Entity, door: own}
}

// has says whether the door serves one of the CRUD operations.
func (d *door) has(op string) bool { return d.builtin(op) != nil }

func (d *door) builtin(name string) *facade.Operation {
	if op := d.Operation(name); op != nil && op.Builtin {
		return op
	}
	return nil
}

// fillObject gives a door's type its fields: the global id, the version, the readable fields
// of the card, the relations and the computed fields.
func (b *Builder) fillObject(d *door) {
	if d.object == nil {
		return
	}
	if p := d.Entity.Primary; p != nil && p.Readable() {
		d.object.node = true
		node := &binding.Node{Type: d.typ}
		if d.has("findById") {
			node.Door = d.Door
		}
		b.nodes[d.Entity.Key] = node
		b.addField(d.object, house, &field{
			name: "nodeId", typ: b.required(graphql.ID),
			binding: &binding.Field{Kind: binding.NodeID, Column: p.Name, Door: d.Door, Output: d.Entity},
		})
	}
	if d.HasETag() && d.Entity.Primary != nil {
		b.addField(d.object, house, &field{
			name: facade.ETag, typ: graphql.String, description: "The version of the row as the caller sees it; pass it as ifMatch.", binding: column(facade.ETag),
		})
	}
	b.addColumns(d.object, d.Entity, d.typ, d.origin)
	for _, c := range d.Computed {
		by := &origin{what: "computed field " + c.Name, door: d.Door}
		b.addField(d.object, by, &field{
			name:        c.Name,
			description: cmp.Or(c.Description, described(&c.Shape, c.Name)),
			deprecated:  deprecated(&c.Shape),
			// A presenter that fails, or a far one that is not there, costs the field and not the row.
			typ:     b.output(named{&c.Shape, d.typ + schema.GraphQLType(c.Name), by}),
			binding: &binding.Field{Kind: binding.Computed, Column: c.Name},
		})
	}
}

// addColumns gives o a field for each readable field of e.
func (b *Builder) addColumns(o *object, e *schema.Entity, typ string, by *origin) {
	required := set(e.Card.Required)
	for _, p := range e.Fields {
		switch {
		case !p.Readable():
		case p.Link == nil:
			b.addColumn(o, by, p, p.Name, b.columnType(p, typ, by), required)
		case p.Link.Many:
			b.addMany(o, e, by, p, required)
		default:
			b.addColumn(o, by, p, p.Link.Key, keyType(p), required)
			if to := b.target(p.Link, "findById"); to != nil {
				b.addField(o, by.at(p, "relation"), &field{
					name:        p.Link.Name,
					description: described(&p.Shape, p.Link.Name),
					deprecated:  deprecated(&p.Shape),
					typ:         to.object.gql, // DESIGN 5: always nullable, the caller may not see the target
					binding:     &binding.Field{Kind: binding.ToOne, Column: p.Name, Link: p.Link, Door: to.Door, Output: to.Entity},
				})
			}
		}
	}
}

// addColumn gives o the field called name that gives p as it is.
func (b *Builder) addColumn(o *object, by *origin, p *schema.Property, name string, t graphql.Output, required map[string]bool) {
	b.addField(o, by.at(p, fieldItself), &field{
		name:        name,
		description: described(&p.Shape, name),
		deprecated:  deprecated(&p.Shape),
		typ:         b.unless(!stays(p, required), t),
		binding:     column(p.Name),
	})
}

// addMany gives o the connection of a many relation: over the rows that point
// back, or over the ids that stand in the row, which are shown beside it.
func (b *Builder) addMany(o *object, e *schema.Entity, from *origin, p *schema.Property, required map[string]bool) {
	by := from.at(p, "relation")
	f := &field{name: p.Link.Name, description: described(&p.Shape, p.Link.Name), deprecated: deprecated(&p.Shape)}
	if p.Stored {
		b.addColumn(o, from, p, p.Link.Key, b.list(b.required(keyType(p))), required)
		to := b.target(p.Link, "findById")
		if to == nil {
			return
		}
		f.typ = b.connection(&to.shown, to.typ, to.origin).gql
		f.args, f.binding = pagingArgs, &binding.Field{
			Kind: binding.ToManyIDs, Column: p.Name, Link: p.Link, Door: to.Door, Output: to.Entity, Args: pagingInto,
		}
		b.addField(o, by, f)
		return
	}
	to := b.target(p.Link, "list")
	if to == nil || !to.builtin("list").Takes("filter") || e.Primary == nil || !e.Primary.Readable() || !p.Link.Inverse.Readable() {
		return // a view without the primary key cannot say whose rows these are
	}
	// Nullable: a door that is down, or closed to the caller, must not take the row along.
	f.typ = b.connection(&to.shown, to.typ, to.origin).gql
	args := b.listArgs(to)
	f.args, f.binding = args.args, &binding.Field{
		Kind: binding.ToMany, Column: e.Primary.Name, Link: p.Link, Door: to.Door, Output: to.Entity, Args: args.into,
	}
	b.addField(o, by, f)
}

// target is the door a link leads to, where it is in the schema and serves op.
func (b *Builder) target(l *schema.Link, op string) *door {
	if l.Target == nil {
		return nil
	}
	if to := b.byKey[l.Target.Key]; to != nil && to.Entity == l.Target && to.Entity.Primary != nil && to.has(op) {
		return to
	}
	return nil
}

// columnType is the type of a plain field. A primary key is an ID, unless the card
// says it is a number: then it stays one, on this surface as on the others.
func (b *Builder) columnType(p *schema.Property, typ string, by *origin) graphql.Output {
	if p.Axes.Primary {
		return keyType(p)
	}
	return b.output(b.home(p, typ, by))
}

// keyType is the type of a primary key, or of a key that points at one: that one's.
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

// show is the type of rows of e: of the door it belongs to, or one of its own.
func (b *Builder) show(e *schema.Entity, op *facade.Operation) *shown {
	if d := b.byKey[e.Key]; d != nil && d.Entity == e {
		return &d.shown
	}
	if s := b.cards[e]; s != nil {
		return s
	}
	by := &origin{what: "type", view: e}
	name := schema.GraphQLType(e.Name)
	if !schema.IsGraphQLName(e.Name) { // a card that stands in its operation, without a name of its own
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

func (b *Builder) typeOf(d *facade.Door) string {
	if own := b.byDoor[d]; own != nil {
		return own.typ
	}
	return schema.GraphQLType(d.Name)
}

// readable says whether a card has a field to show.
func readable(e *schema.Entity) bool {
	for _, p := range e.Fields {
		if p.Readable() && (p.Link == nil || p.Stored) {
			return true
		}
	}
	return false
}

func column(name string) *binding.Field {
	return &binding.Field{Kind: binding.Column, Column: name}
}
