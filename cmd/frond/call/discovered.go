package call

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// placesIn reads an operation's cards in a discovery document (spec 2.5). An operation that the
// document does not have has no places: the failure of the call names the known ones. The
// entity is compared as hosts do (schema.EntityKey), the operation exactly.
func placesIn(document json.RawMessage, entity, operation string) (*Places, error) {
	read, err := schema.ReadDiscovery(document)
	if err != nil {
		return nil, kiterror.Errorf(kiterror.BadGateway, "the host's discovery document cannot be read: %w", err)
	}
	for i := range read.Fronds {
		for j := range read.Fronds[i].Doors {
			door := &read.Fronds[i].Doors[j]
			is := func(name string) bool { return schema.EntityKey(name) == schema.EntityKey(entity) }
			if !is(door.Name) && !slices.ContainsFunc(door.Aliases, func(a schema.DiscoveredAlias) bool { return is(a.Name) }) {
				continue
			}
			for k := range door.Ops {
				if door.Ops[k].Name == operation {
					return discovered(door, &door.Ops[k]), nil
				}
			}
		}
	}
	return &Places{}, nil
}

// builtins are the operations for whose params the specification has no card.
var builtins = []string{"list", "findById", "findByIds", "create", "update", "delete"}

// discovered reads the cards of one operation. A host may publish none for a built-in operation
// of a stored door; then the door's own card describes the body.
//
//	no card at all                 open: the kind decides where values go
//	create without an input card   the body has the fields of the door
//	update without an input card   params has id, the body the fields of the door
//	list, findByIds                the input card describes the query
func discovered(door *schema.DiscoveredDoor, op *schema.DiscoveredOp) *Places {
	stored := door.Schema != nil
	builtin := stored && slices.Contains(builtins, op.Name)
	if op.Open && !builtin {
		return &Places{open: cmp.Or(catalog.Kind(op.Kind), catalog.KindOf(op.Name)), body: fieldsOf(op.Input)}
	}
	p := &Places{params: fieldsOf(op.Params), query: fieldsOf(op.Query), body: fieldsOf(op.Input)}
	switch { // as on every host, where no card says it
	case builtin && op.Name == "create" && p.body == nil:
		p.body = fieldsOf(door.Schema)
	case builtin && op.Name == "update" && p.body == nil:
		p.params, p.body = []string{"id"}, fieldsOf(door.Schema)
	}
	// The input of a stored door's own queries is their query (docs/calls.md).
	if stored && (op.Name == "list" || op.Name == "findByIds") {
		p.query, p.body = append(p.query, p.body...), nil
	}
	return p
}

// fieldsOf are the names of a card's fields; nil means that there is no card, which differs
// from a card without fields.
func fieldsOf(c *schema.Card) []string {
	if c == nil {
		return nil
	}
	names := []string{}
	for _, f := range c.Fields {
		names = append(names, f.Name)
	}
	return names
}
