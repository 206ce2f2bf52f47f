package reference

import (
	"encoding/json"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
)

// node answers Query.node and Query.nodes. An id that is none, or of a type that is
// not served, is a row that is not there.
func (t *Twin) node(p graphql.ResolveParams) (any, error) {
	if id, one := p.Args["nodeId"].(string); one {
		return t.nodes(p, []any{id})[0], nil
	}
	ids, _ := p.Args["nodeIds"].([]any)
	if len(ids) > binding.MaxNodes {
		return nil, binding.TooManyNodes()
	}
	return t.nodes(p, ids), nil
}

// nodes are the rows of global ids, each a function that makes the call of its type
// for all of that type.
func (t *Twin) nodes(p graphql.ResolveParams, ids []any) []any {
	found := make([]any, len(ids))
	batches := map[*binding.Node]*twinBatch{}
	keys := map[*binding.Node][]json.RawMessage{}
	for i, id := range ids {
		text, _ := id.(string)
		entity, key, ok := binding.ParseNodeID(text)
		node := t.types[entity]
		if !ok || node == nil || node.Door == nil {
			continue
		}
		at := len(keys[node])
		keys[node] = append(keys[node], key)
		batch := batches[node]
		if batch == nil {
			batch = &twinBatch{}
			batch.run = func() ([]any, error) { return t.nodesOf(p, node, keys[node]) }
			batches[node] = batch
		}
		found[i] = twinThunk(func() (any, error) { return batch.value(at) })
	}
	return found
}

func (t *Twin) nodesOf(p graphql.ResolveParams, node *binding.Node, keys []json.RawMessage) ([]any, error) {
	c := t.call(p.Context, node.Door.Name, "findById")
	c.Each = &facade.Each{Field: node.Door.Entity.Primary.Name, Keys: keys}
	c.Select = t.columns(p.Info, p.Info.FieldASTs, node.Type)
	res, err := t.caller.Call(p.Context, c)
	if err != nil {
		return nil, err
	}
	there := newTwinLevel(res)
	there.typ = node.Type
	values := make([]any, len(keys))
	for i, g := range res.Groups {
		if g.From < g.To {
			values[i] = there.row(g.From)
		}
	}
	return values, nil
}

// TypeOfNode is the object type of a value of Query.node and Query.nodes.
func TypeOfNode(p graphql.ResolveTypeParams) *graphql.Object {
	if r, ok := p.Value.(*twinRow); ok {
		o, _ := p.Info.Schema.Type(r.typ).(*graphql.Object)
		return o
	}
	return nil
}
