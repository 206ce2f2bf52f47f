package projection

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// doors are the doors of a schema. A door that Options.Filter leaves out is not among them.
type doors struct {
	*typeSet
	catalog *catalog.Catalog
	all     []*door
	byDoor  map[*catalog.Door]*door
	byKey   map[string]*door // by their entity's key
}

func newDoors(ts *typeSet) *doors {
	return &doors{typeSet: ts, byDoor: map[*catalog.Door]*door{}, byKey: map[string]*door{}}
}

// door is a door with its types. A type is made when something needs it first: the filter of a
// door that is only reached through a relation is made by that relation.
type door struct {
	*catalog.Door
	rank   int     // its place among the doors, from 1
	typ    string  // Post
	origin *origin // of the type
	shown          // object is nil if the door stores no rows

	filter, many *definition // PostFilter, PostManyFilter
	order        *definition // PostOrderBy; nil: no sortable fields, or not made yet
	manyOrder    *definition // PostManyOrderBy
	lists        *listArgs
	written      *definition // of updateMany and deleteMany
	groups       *doorGroups // of aggregate
	grouped      []grouped   // see filters.of
}

// shown is the output side of a card: the object type of its rows and the connection over
// them. A door and a view each have one, and every operation that gives such rows shares it.
type shown struct {
	object *definition
	page   *definition // the connection
	entity *schema.Entity
	door   *door // nil: a view
}

// listArgs are the arguments of list, and where each goes in the call. Both have the same
// order and length.
type listArgs struct {
	args ast.ArgumentDefinitionList
	into []binding.Arg
}

// add names the type of a door and makes it, without fields. All doors are added before any
// gets its fields, since relations go both ways. A door without an entity has no type; its name
// is still the prefix of its operations: `graphql:` of the door, or the door's name in
// GraphQL's spelling.
func (ds *doors) add(d *catalog.Door) {
	own := &door{Door: d, typ: d.GraphQL, origin: &origin{what: entityItself, door: d}}
	if own.typ == "" {
		own.typ = schema.GraphQLType(d.Name)
	}
	ds.all = append(ds.all, own)
	own.rank = len(ds.all)
	ds.byDoor[d] = own
	if d.Entity == nil {
		return
	}
	own.typ = ds.free(own.typ, own.origin)
	ds.byKey[d.Entity.Key] = own
	own.shown = shown{object: ds.newObject(own.typ, d.Entity.Card.Description), entity: d.Entity, door: own}
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

// relation returns the relation of rows of e along a link, with its door, or nil if it is not in
// the schema. A door that the filter leaves out counts as not in the schema.
func (ds *doors) relation(e *schema.Entity, l *schema.Link) (*door, *catalog.Relation) {
	to := ds.byKey[l.Target.Key]
	if to == nil {
		return nil, nil
	}
	relation := ds.catalog.RelationTo(e, l)
	if relation == nil {
		return nil, nil
	}
	return to, relation
}

// joined returns the door a link leads to. It is nil if the door is not in the schema, or if
// the catalog cannot join the two: a filter through a relation is one query, so both have to be
// in one store.
func (ds *doors) joined(l *schema.Link) *door {
	if !ds.catalog.Joins(l) {
		return nil
	}
	if to := ds.byKey[l.Target.Key]; to != nil && to.Entity == l.Target {
		return to
	}
	return nil
}

// prefix returns the beginning of the names of a door's types. A door outside of the schema may
// still name the output of an operation inside it.
func (ds *doors) prefix(d *catalog.Door) string {
	if own := ds.byDoor[d]; own != nil {
		return own.typ
	}
	return schema.GraphQLType(d.Name)
}

// home returns the place that names the types of a field. A view of an entity shares the
// entity's enums and nested objects of the same shape, so that a client has one PostStatus and
// not one for each view.
func (ds *doors) home(p *schema.Property, typ string, by *origin) named {
	if d := p.Owner.Card.Derived; d != nil && p.Owner.View {
		if from := ds.byKey[schema.EntityKey(d.From)]; from != nil {
			if same := from.Entity.Property(p.Name); same != nil && reflect.DeepEqual(same.Shape, p.Shape) {
				return ds.home(same, from.typ, from.origin)
			}
		}
	}
	return named{&p.Shape, typ + schema.GraphQLType(p.Name), by.at(p, "type")}
}

// presets returns the fields of a body that a collector may set: one of the door whose card it
// is, or whose card the view is cut from.
func (ds *doors) presets(e *schema.Entity) []string {
	key := e.Key
	if e.View && e.Card.Derived != nil {
		key = schema.EntityKey(e.Card.Derived.From)
	}
	if d := ds.byKey[key]; d != nil && (e.View || d.Entity == e) {
		return d.Presets
	}
	return nil
}

// The ranks of types beside the doors' ranks, which begin at 1.
const (
	rootRank   = -1
	nodeRank   = 0
	viewRank   = math.MaxInt - 1
	sharedRank = math.MaxInt
)

// sorted returns the types in the order of the SDL (docs/decisions/graphql-stack.md): the root
// types, Node, the doors in their order, each with the types made from it, then views, then
// the types that doors share.
func (ds *doors) sorted() []*definition {
	for _, t := range ds.made {
		t.rank = ds.rank(t.Name)
	}
	slices.SortStableFunc(ds.made, func(x, y *definition) int { return cmp.Compare(x.rank, y.rank) })
	return ds.made
}

// rank returns the rank of a type by the owner of its name.
func (ds *doors) rank(name string) int {
	switch name {
	case "Query", "Mutation", "Subscription":
		return rootRank
	case "Node":
		return nodeRank
	}
	by := ds.claims.owners[typeNames].of(name)
	if d := by.owner(); d != nil {
		if own := ds.byDoor[d]; own != nil {
			return own.rank
		}
	} else if by.field != nil {
		if own := ds.byKey[by.field.Owner.Key]; own != nil {
			return own.rank
		}
	}
	if by.view != nil || by.fact != nil {
		return viewRank
	}
	return sharedRank
}
