package projection

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/reference"
	"github.com/frondhost/frond/resolvers/validation"
	"github.com/frondhost/frond/schema"
)

// Builder collects the types and fields of a schema. It is used once, by one goroutine:
//
//	NewBuilder        Query.node, Query.nodes and the interface Node
//	RegisterAll       the types and operations of a catalog, at most once
//	RegisterType      fields of the author's own, any number of times
//	Build             claims the remaining names, builds, prints, loads the SDL
//
// A step reports its errors at its end. An illegal or repeated name is collected, its owner
// goes on under a spare name, and the step returns all errors at once.
type Builder struct {
	claims    *claims
	catalog   *catalog.Catalog
	opts      Options
	reference *reference.Executor
	built     bool

	doors  []*door
	byDoor map[*catalog.Door]*door
	byKey  map[string]*door          // by their entity's key
	cards  map[*schema.Entity]*shown // views, and entities without a door, as output
	bodies map[body]*input           // nil: a body without a field
	shared map[string]*input         // StringFilter and its like
	shapes shapes

	query, mutation *object // mutation is nil until it has a field
	subscription    *object // made with the first fact
	live            bool    // Subscription has query fields
	rowChange       *enum
	node            *graphql.Interface
	pageInfo        *object
	direction       *enum
	objects         map[string]*object
	order           []any          // *object, *input, *enum, as they were made
	ranks           map[string]int // of their names: their order in the SDL
	bindings        binding.Fields
	nodes           map[string]*binding.Node

	lists    map[graphql.Type]*graphql.List
	nonNulls map[graphql.Type]*graphql.NonNull
}

// NewBuilder returns a Builder with the parts of every schema: the interface Node and the
// fields Query.node and Query.nodes.
func NewBuilder() *Builder {
	b := &Builder{
		claims: newClaims(),
		byDoor: map[*catalog.Door]*door{},
		byKey:  map[string]*door{},
		cards:  map[*schema.Entity]*shown{},
		bodies: map[body]*input{},
		shared: map[string]*input{},
		shapes: shapes{
			out:   map[*schema.Shape]*object{},
			in:    map[*schema.Shape]*input{},
			patch: map[*schema.Shape]*input{},
			enums: map[*schema.Shape]*graphql.Enum{},
		},
		objects:  map[string]*object{},
		ranks:    map[string]int{"Query": rootRank, "Mutation": rootRank, "Subscription": rootRank, "PageInfo": sharedRank, "SortDirection": sharedRank, "RowChange": sharedRank},
		bindings: binding.Fields{},
		nodes:    map[string]*binding.Node{},
		lists:    map[graphql.Type]*graphql.List{},
		nonNulls: map[graphql.Type]*graphql.NonNull{},
	}
	b.query = b.newObject("Query", "")
	b.node = graphql.NewInterface(graphql.InterfaceConfig{
		Name:        "Node",
		Description: "An object that can be fetched again by its global id.",
		Fields:      graphql.Fields{"nodeId": &graphql.Field{Type: b.required(graphql.ID), Description: nodeIDText}},
		ResolveType: reference.TypeOfNode,
	})
	b.order = append(b.order, b.node)
	b.addFields(b.query, ownOrigin, &field{
		name:        "node",
		description: "Returns the object with this global id, or null.",
		typ:         b.node,
		args:        []*arg{{name: "nodeId", typ: b.required(graphql.ID)}},
		binding:     &binding.Field{Kind: binding.NodeRoot},
	})
	b.addFields(b.query, ownOrigin, &field{
		name:        "nodes",
		description: "Returns the objects with these global ids, at most 500, in the order of the ids: null where node returns null.",
		typ:         b.list(b.node),
		args:        []*arg{{name: "nodeIds", typ: b.required(b.list(b.required(graphql.ID)))}},
		binding:     &binding.Field{Kind: binding.NodeRoot},
	})
	return b
}

// nodeIDText describes the field nodeId, on Node and on every type that implements it.
const nodeIDText = "The global id: opaque, stable, and unique across all types."

// addFields gives o fields on behalf of by, and enters their bindings. It leaves out a field
// whose name is taken on o or illegal in GraphQL, and records the error.
func (b *Builder) addFields(o *object, by *origin, fields ...*field) {
	for _, f := range fields {
		if !b.claims.claim(space{"field", o.name}, f.name, by) {
			continue
		}
		of := b.bindings[o.name]
		if of == nil {
			of = map[string]*binding.Field{}
			b.bindings[o.name] = of
		}
		of[f.name] = f.binding
		o.fields = append(o.fields, f)
	}
}

// root returns Mutation for commands and Query for all other operations. Mutation is made with
// its first field: GraphQL types need a field, and a read-only host has no mutations.
func (b *Builder) root(kind catalog.Kind) *object {
	if kind != catalog.Command {
		return b.query
	}
	if b.mutation == nil {
		b.mutation = b.newObject("Mutation", "")
	}
	return b.mutation
}

// Notes returns one sentence for each name of a remote Frond that is illegal in GraphQL. Its
// owner is left out of the schema, because its host cannot be renamed from here. An illegal
// local name is an error of Build instead.
func (b *Builder) Notes() []string { return b.claims.notes }

// Build returns the schema; its fields are resolved by calls of caller. The error is
// schema.Faults where names are at fault: all of them, also those that RegisterAll and the
// other Register functions have returned. A Builder builds once; a second Build returns an
// error, also where the first one failed.
//
// The schema is checked three times: by the claims, by graphql-go, and by gqlparser, which
// loads the printed SDL. The loaded text is what documents are validated against
// (docs/decisions/graphql-stack.md), so a type that prints wrong fails here and not at a request.
func (b *Builder) Build(caller facade.Caller) (*binding.Schema, error) {
	if b.built {
		return nil, errors.New("this Builder has built its schema; make another Builder for another")
	}
	// Set before anything can fail: a half-built Builder must not be used again.
	b.built = true
	b.claimByHand()
	if err := b.claims.faults.Err(); err != nil {
		return nil, err
	}
	b.reference = reference.New(caller, b.bindings, b.nodes)
	config := graphql.SchemaConfig{Query: b.query.gql}
	if b.mutation != nil {
		config.Mutation = b.mutation.gql
	}
	if b.subscription != nil {
		config.Subscription = b.subscription.gql
	}
	if b.live {
		config.Directives = append(slices.Clone(graphql.SpecifiedDirectives), liveDirective)
	}
	g, err := graphql.NewSchema(config)
	if err != nil {
		return nil, fmt.Errorf("projection: the GraphQL schema is invalid: %w", err)
	}
	// Before the schema is shared, since what warm fills is written without a lock.
	if err := warm(&g, b.node); err != nil {
		return nil, err
	}
	sdl, err := b.print(&g)
	if err != nil {
		return nil, err
	}
	parsed, err := validation.LoadSchema(sdl)
	if err != nil {
		return nil, err
	}
	s := &binding.Schema{GraphQL: g, SDL: sdl, AST: parsed, Catalog: b.catalog, Fields: b.bindings, Nodes: b.nodes, Resolvers: b.resolvers()}
	b.forget()
	return s, nil
}

// resolvers returns the Resolve of the fields that were registered by hand, by type and field
// name. The executor of package resolvers calls them itself; it does not use the wrapped ones
// that graphql-go has.
func (b *Builder) resolvers() map[string]map[string]graphql.FieldResolveFn {
	all := map[string]map[string]graphql.FieldResolveFn{}
	for _, o := range b.objects {
		for _, f := range o.fields {
			if f.binding != nil {
				continue
			}
			if all[o.name] == nil {
				all[o.name] = map[string]graphql.FieldResolveFn{}
			}
			all[o.name][f.name] = f.resolve
		}
	}
	return all
}

// warm fills the tables that graphql-go makes at first use. An enum makes its tables without a
// lock, so two first requests would race; the possible types of an interface are made again for
// every request. node is the interface Node. The error names an author's enum whose values
// cannot be keys of a map.
func warm(g *graphql.Schema, node *graphql.Interface) (err error) {
	for _, o := range g.PossibleTypes(node) {
		g.IsPossibleType(node, o)
	}
	current := ""
	defer func() {
		// graphql-go panics where it uses such a value as the key of a map.
		if recover() != nil {
			err = fmt.Errorf("the enum %s has values that Go cannot compare; give its values numbers or strings", current)
		}
	}()
	for name, t := range g.TypeMap() {
		if e, ok := t.(*graphql.Enum); ok && !strings.HasPrefix(name, "__") {
			current = name
			e.ParseValue("")
			e.Serialize("")
		}
	}
	return nil
}

// forget drops what graphql-go's types keep of the Builder. They hold the functions that gave
// them their fields for as long as the schema lives, and those functions hold the Builder.
// Only the notes remain.
func (b *Builder) forget() {
	for _, t := range b.order {
		switch t := t.(type) {
		case *object:
			t.fields = nil
		case *input:
			t.fields = nil
		}
	}
	*b = Builder{built: true, claims: &claims{notes: b.claims.notes}}
}
