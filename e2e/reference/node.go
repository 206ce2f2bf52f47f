package reference

import (
	"encoding/json"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
)

// node resolves Query.node and Query.nodes. A text that is not a global id, or the id of an
// unknown type, names no row: the value is null. More ids than binding.MaxNodes are an error.
func (e *executor) node(p graphql.ResolveParams) (any, error) {
	// Query.node has the argument nodeId, Query.nodes has nodeIds.
	if id, one := p.Args["nodeId"].(string); one {
		return e.rowsOf(p, []any{id})[0], nil
	}
	ids, _ := p.Args["nodeIds"].([]any)
	if len(ids) > binding.MaxNodes {
		return nil, binding.TooManyNodes()
	}
	return e.rowsOf(p, ids), nil
}

// rowsOf returns the rows of global ids, in their order. Each is a thunk; the first of a type
// makes the call for all rows of that type.
func (e *executor) rowsOf(p graphql.ResolveParams, ids []any) []any {
	found := make([]any, len(ids))
	batches := map[*binding.Node]*relationBatch{}
	keys := map[*binding.Node][]json.RawMessage{}
	for i, id := range ids {
		text, _ := id.(string)
		entity, key, ok := binding.ParseNodeID(text)
		node := e.nodes[entity]
		if !ok || node == nil || node.Door == nil {
			continue
		}
		// The place of this row among those of its type, fixed now; the keys are complete when
		// the first thunk runs.
		at := len(keys[node])
		keys[node] = append(keys[node], key)
		batch := batches[node]
		if batch == nil {
			batch = &relationBatch{}
			batch.run = func() ([]any, error) { return e.rowsOfType(p, node, keys[node]) }
			batches[node] = batch
		}
		found[i] = thunk(func() (any, error) { return batch.value(at) })
	}
	return found
}

// rowsOfType fetches the rows of one type by their keys. The level keeps the name of the type,
// for typeOfNode.
func (e *executor) rowsOfType(p graphql.ResolveParams, node *binding.Node, keys []json.RawMessage) ([]any, error) {
	c := e.call(p.Context, node.Door.Name, "findById")
	c.Each = &facade.Each{Field: node.Door.Entity.Primary.Name, Keys: keys}
	c.Select = e.columns(p.Info, p.Info.FieldASTs, node.Type)
	res, err := e.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newLevel(res)
	there.typ = node.Type
	values := make([]any, len(keys))
	for i, g := range res.Groups {
		if g.From < g.To {
			values[i] = there.row(g.From)
		}
	}
	return values, nil
}

// typeOfNode is the ResolveType of the interface Node (specification 6.4.3): the object
// type of a value of Query.node and Query.nodes, nil for any other value.
func typeOfNode(p graphql.ResolveTypeParams) *graphql.Object {
	if r, ok := p.Value.(*row); ok {
		o, _ := p.Info.Schema.Type(r.typ).(*graphql.Object)
		return o
	}
	return nil
}
