package projection

import (
	"slices"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/reference"
	"github.com/frondhost/frond/resolvers/validation"
)

// roots are Query, Mutation and Subscription.
type roots struct {
	*typeSet
	query        *object
	mutation     *object // nil until it has a field
	subscription *object // made with the first fact
	live         bool    // Subscription has query fields
}

// newRoots returns the root types with the parts of every schema: the interface Node and the
// fields Query.node and Query.nodes.
func newRoots(ts *typeSet) *roots {
	rs := &roots{typeSet: ts, query: ts.newObject("Query", "")}
	ts.node = graphql.NewInterface(graphql.InterfaceConfig{
		Name:        "Node",
		Description: "An object that can be fetched again by its global id.",
		Fields:      graphql.Fields{"nodeId": &graphql.Field{Type: ts.required(graphql.ID), Description: nodeIDText}},
		ResolveType: reference.TypeOfNode,
	})
	ts.made = append(ts.made, ts.node)
	ts.addFields(rs.query, ownOrigin, &field{
		name:        "node",
		description: "Returns the object with this global id, or null.",
		typ:         ts.node,
		args:        []*arg{{name: "nodeId", typ: ts.required(graphql.ID)}},
		binding:     &binding.Field{Kind: binding.NodeRoot},
	})
	ts.addFields(rs.query, ownOrigin, &field{
		name:        "nodes",
		description: "Returns the objects with these global ids, at most 500, in the order of the ids: null where node returns null.",
		typ:         ts.list(ts.node),
		args:        []*arg{{name: "nodeIds", typ: ts.required(ts.list(ts.required(graphql.ID)))}},
		binding:     &binding.Field{Kind: binding.NodeRoot},
	})
	return rs
}

// nodeIDText describes the field nodeId, on Node and on every type that implements it.
const nodeIDText = "The global id: opaque, stable, and unique across all types."

// of returns Mutation for commands and Query for all other operations. Mutation is made with
// its first field: GraphQL types need a field, and a read-only host has no mutations.
func (rs *roots) of(kind catalog.Kind) *object {
	if kind != catalog.Command {
		return rs.query
	}
	if rs.mutation == nil {
		rs.mutation = rs.newObject("Mutation", "")
	}
	return rs.mutation
}

// subscribing returns Subscription, which is made with its first field.
func (rs *roots) subscribing() *object {
	if rs.subscription == nil {
		rs.subscription = rs.newObject("Subscription", "")
	}
	return rs.subscription
}

// config returns the configuration of graphql-go's schema.
func (rs *roots) config() graphql.SchemaConfig {
	config := graphql.SchemaConfig{Query: rs.query.gql}
	if rs.mutation != nil {
		config.Mutation = rs.mutation.gql
	}
	if rs.subscription != nil {
		config.Subscription = rs.subscription.gql
	}
	config.Directives = append(slices.Clone(graphql.SpecifiedDirectives), rs.directives()...)
	return config
}

// directives returns the directives of the schema beside those of every schema.
func (rs *roots) directives() (list []*graphql.Directive) {
	if rs.mutation != nil {
		list = append(list, atomicDirective)
	}
	if rs.live {
		list = append(list, liveDirective)
	}
	return list
}

// atomicDirective marks a mutation.
var atomicDirective = graphql.NewDirective(graphql.DirectiveConfig{
	Name:        validation.Atomic,
	Description: "On a mutation: its fields are one transaction. If one of them fails, nothing is written and all of them are null.",
	Locations:   []string{graphql.DirectiveLocationMutation},
})

// liveDirective marks a query field of Subscription.
var liveDirective = graphql.NewDirective(graphql.DirectiveConfig{
	Name:        validation.Live,
	Description: "On a query field of a subscription: sends the result at once, and again after each change of the data that it read.",
	Locations:   []string{graphql.DirectiveLocationField},
})
