package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// places are the names that an operation's cards have in each part of the invocation. A nil
// part has no card and accepts no names. The zero places belongs to an unknown operation.
type places struct {
	params, query, body []string
	open                catalog.Kind // no card describes params and query, and this is the kind; "": a card does
}

// placesOf reads the cards of a compiled operation.
func placesOf(op *catalog.Operation) *places {
	if op.Open {
		return &places{open: op.Kind, body: propertiesOf(op.Input)}
	}
	return &places{params: propertiesOf(op.Params), query: propertiesOf(op.Query), body: propertiesOf(op.Input)}
}

// propertiesOf is fieldsOf for a compiled card.
func propertiesOf(e *schema.Entity) []string {
	if e == nil {
		return nil
	}
	names := []string{}
	for _, f := range e.Fields {
		names = append(names, f.Name)
	}
	return names
}

// fill puts each value where a card has its name: params first, then query, then body. A name
// that no card has goes where most names go, for the façade to refuse in its own words. A part
// that gets no value stays absent. inv.Body may be set before; then no value may belong to the
// body.
//
// Of an update with params {id} and a body of fields:
//
//	id=p1 price:=900 nme=x
//	{"params":{"id":"p1"},"body":{"price":900,"nme":"x"}}
//
// An id that is all that params may have becomes inv.ID.
func (p *places) fill(inv *facade.Invocation, given *values) error {
	if p.open != "" {
		return p.fillOpen(inv, given)
	}
	type part struct {
		has   []string
		text  *json.RawMessage
		names []string
	}
	params, query, body := part{has: p.params, text: &inv.Params}, part{has: p.query, text: &inv.Query}, part{has: p.body, text: &inv.Body}
	parts := []*part{&params, &query, &body}
	// The part for names of no card: the body, else the query of an operation without params.
	other := &params
	switch {
	case p.body != nil && inv.Body == nil:
		other = &body
	case p.query != nil && len(p.params) == 0:
		other = &query
	}
	for _, name := range given.names {
		to := other
		for _, part := range parts {
			if slices.Contains(part.has, name) {
				to = part
				break
			}
		}
		to.names = append(to.names, name)
	}
	if inv.Body != nil && len(body.names) > 0 {
		return fmt.Errorf("%s belongs to the body, which --body gives already; write it there", strings.Join(body.names, ", "))
	}
	for _, part := range parts {
		switch {
		case len(part.names) == 0:
		case part == &params && len(p.params) == 1 && part.names[0] == "id" && len(part.names) == 1:
			inv.ID = given.appendValue(nil, "id")
		default:
			*part.text = given.appendJSON(nil, func(name string) bool { return slices.Contains(part.names, name) })
		}
	}
	return nil
}

// fillOpen is Fill without a card of params and query: the fields of the body go into it, id into
// params, other values into the body of a command and the query of a query. A value named params,
// query or body with names below it is that part.
//
//	id=p1 reason=late       {"params":{"id":"p1"},"body":{"reason":"late"}} of a command
//	body.id=7 query.x=1     {"query":{"x":"1"},"body":{"id":"7"}}
func (p *places) fillOpen(inv *facade.Invocation, given *values) error {
	parts := map[string]*json.RawMessage{"params": &inv.Params, "query": &inv.Query, "body": &inv.Body}
	whole := func(name string) bool { return parts[name] != nil && given.below[name].text == nil }
	placeOf := func(name string) string {
		switch {
		case whole(name):
			return name
		case slices.Contains(p.body, name):
			return "body"
		case name == "id":
			return "params"
		case p.open == catalog.Query:
			return "query"
		}
		return "body"
	}
	for name, part := range parts {
		var o *values
		for _, n := range given.names {
			if placeOf(n) != name {
				continue
			}
			if o == nil {
				o = &values{below: map[string]*node{}}
			}
			from := &values{names: []string{n}, below: given.below}
			if whole(n) {
				from = &given.below[n].values
			}
			for _, m := range from.names {
				if o.below[m] != nil {
					return fmt.Errorf("%s is given twice in %s; write it once", m, name)
				}
				o.below[m] = from.below[m]
				o.names = append(o.names, m)
			}
		}
		if o == nil {
			continue
		}
		if *part != nil {
			return errors.New("values belong to the body, which --body gives already; write them there")
		}
		*part = o.appendJSON(nil, nil)
	}
	return nil
}

// doorIn finds the door of an entity in a host's discovery document, by a name of today or an old one, and
// its operation, which may be "". door is nil if the host lacks it.
func doorIn(document json.RawMessage, entity, operation string) (frond string, door *schema.DiscoveredDoor, op *schema.DiscoveredOp, err error) {
	read, err := schema.ReadDiscovery(document)
	if err != nil {
		return "", nil, nil, kiterror.Errorf(kiterror.BadGateway, "the host's discovery document cannot be read: %w", err)
	}
	is := func(name string) bool { return schema.EntityKey(name) == schema.EntityKey(entity) }
	for i := range read.Fronds {
		for j := range read.Fronds[i].Doors {
			door := &read.Fronds[i].Doors[j]
			if !is(door.Name) && !slices.ContainsFunc(door.Aliases, func(a schema.DiscoveredAlias) bool { return is(a.Name) }) {
				continue
			}
			at := slices.IndexFunc(door.Ops, func(op schema.DiscoveredOp) bool { return op.Name == operation })
			switch {
			case at >= 0:
				return read.Fronds[i].Name, door, &door.Ops[at], nil
			case operation == "":
				return read.Fronds[i].Name, door, nil, nil
			}
		}
	}
	return "", nil, nil, nil
}

// placesIn reads the cards of an operation from a host's discovery document.
func placesIn(document json.RawMessage, entity, operation string) (*places, error) {
	_, door, op, err := doorIn(document, entity, operation)
	if err != nil || op == nil {
		return &places{}, err
	}
	return discovered(door, op), nil
}

// builtins are the operations for whose params the specification has no card.
var builtins = []string{"list", "findById", "findByIds", "create", "update", "delete"}

// discovered reads the cards of one operation. A host may leave out the card of a built-in
// operation of a stored door; then the door's own card describes the body.
//
//	no card at all                 open: the kind decides where values go
//	create without an input card   the body has the fields of the door
//	update without an input card   params has id, the body the fields of the door
//	list, findByIds                the input card describes the query
func discovered(door *schema.DiscoveredDoor, op *schema.DiscoveredOp) *places {
	stored := door.Schema != nil
	builtin := stored && slices.Contains(builtins, op.Name)
	if op.Open && !builtin {
		return &places{open: cmp.Or(catalog.Kind(op.Kind), catalog.KindOf(op.Name)), body: fieldsOf(op.Input)}
	}
	p := &places{params: fieldsOf(op.Params), query: fieldsOf(op.Query), body: fieldsOf(op.Input)}
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
