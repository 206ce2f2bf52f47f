package projection

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/validation"
)

// roots are Query, Mutation and Subscription.
type roots struct {
	*typeSet
	query        *definition
	mutation     *definition // nil until it has a field
	subscription *definition // made with the first fact
	live         bool        // Subscription has query fields
}

// newRoots returns the root types with the parts of every schema: the interface Node and the
// fields Query.node and Query.nodes.
func newRoots(ts *typeSet) *roots {
	rs := &roots{typeSet: ts, query: ts.newObject("Query", "")}
	node := ts.newType(ast.Interface, "Node", "An object that can be fetched again by its global id.")
	node.Fields = ast.FieldList{ts.define("nodeId", nodeIDText, ts.required(idType), nil, nil)}
	ts.addFields(rs.query, ownOrigin, &field{
		name:        "node",
		description: "Returns the object with this global id, or null.",
		typ:         node.typ(),
		args:        ast.ArgumentDefinitionList{{Name: "nodeId", Type: ts.required(idType)}},
		binding:     &binding.Field{Kind: binding.NodeRoot},
	})
	ts.addFields(rs.query, ownOrigin, &field{
		name:        "nodes",
		description: "Returns the objects with these global ids, at most 500, in the order of the ids: null where node returns null.",
		typ:         ts.list(node.typ()),
		args:        ast.ArgumentDefinitionList{{Name: "nodeIds", Type: ts.required(ts.list(ts.required(idType)))}},
		binding:     &binding.Field{Kind: binding.NodeRoot},
	})
	return rs
}

// nodeIDText describes the field nodeId, on Node and on every type that implements it.
const nodeIDText = "The global id: opaque, stable, and unique across all types."

// of returns Mutation for commands and Query for all other operations. Mutation is made with
// its first field: GraphQL types need a field, and a read-only host has no mutations.
func (rs *roots) of(kind catalog.Kind) *definition {
	if kind != catalog.Command {
		return rs.query
	}
	if rs.mutation == nil {
		rs.mutation = rs.newObject("Mutation", "")
	}
	return rs.mutation
}

// subscribing returns Subscription, which is made with its first field.
func (rs *roots) subscribing() *definition {
	if rs.subscription == nil {
		rs.subscription = rs.newObject("Subscription", "")
	}
	return rs.subscription
}

// directives returns the schema's own directives, without the ones that every schema has.
func (rs *roots) directives() (list ast.DirectiveDefinitionList) {
	if rs.mutation != nil {
		list = append(list, &ast.DirectiveDefinition{
			Name:        validation.Atomic,
			Description: "On a mutation: its fields are one transaction. If one of them fails, nothing is written and all of them are null.",
			Locations:   []ast.DirectiveLocation{ast.LocationMutation},
		}, &ast.DirectiveDefinition{
			Name:        validation.Rehearse,
			Description: "On a mutation: it is made as with @atomic, and rolled back. extensions.rehearsal has the rows that would change, and a token to approve that.",
			Locations:   []ast.DirectiveLocation{ast.LocationMutation},
		}, &ast.DirectiveDefinition{
			Name:        validation.Approve,
			Description: "On a mutation that was rehearsed: it is made as with @atomic if the rows that it changes are those of the rehearsal. Else nothing is written.",
			Arguments:   ast.ArgumentDefinitionList{{Name: "token", Type: rs.required(stringType)}},
			Locations:   []ast.DirectiveLocation{ast.LocationMutation},
		})
	}
	if rs.live {
		list = append(list, &ast.DirectiveDefinition{
			Name:        validation.Live,
			Description: "On a query field of a subscription: sends the result at once, and again after each change of the data that it read.",
			Locations:   []ast.DirectiveLocation{ast.LocationField},
		})
	}
	if rs.semantic {
		levels := &ast.Value{Kind: ast.ListValue, Children: ast.ChildValueList{{Value: &ast.Value{Kind: ast.IntValue, Raw: "0"}}}}
		list = append(list, &ast.DirectiveDefinition{
			Name:        semanticNonNull,
			Description: "The field is null only where an error says why.",
			Arguments:   ast.ArgumentDefinitionList{{Name: "levels", Type: rs.list(intType), DefaultValue: levels}},
			Locations:   []ast.DirectiveLocation{ast.LocationFieldDefinition},
		})
	}
	return list
}

// semanticNonNull marks the fields that failsNull.
const semanticNonNull = "semanticNonNull"
