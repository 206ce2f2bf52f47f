package facade

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// known fits the doors of a remote Frond to its discovery document (docs/remotes.md): which keys
// its lists take, which fields its presenters make, and what it does not require.
// Everything else is as the cards have it.
func (b *compiler) known(src *project.Frond) {
	if src.Remote == "" || src.Known == nil {
		return
	}
	for i := range src.Known.Doors {
		there := &src.Known.Doors[i]
		door := b.doors[schema.EntityKey(there.Name)]
		if door == nil || door.Frond.Name != src.Name {
			continue
		}
		door.open(there)
		if door.Entity == nil {
			continue
		}
		has := map[string]*schema.DiscoveredOp{}
		for j := range there.Ops {
			has[there.Ops[j].Name] = &there.Ops[j]
		}
		if op := has["list"]; op != nil && door.ops["list"] != nil {
			b.restrict(door, door.ops["list"], takes(op.Input))
			door.ops["list"].words = filterWords(op.Input)
		}
		if has["findByIds"] == nil {
			door.remove("findByIds")
		}
		held := false
		for _, name := range []string{"update", "delete"} {
			held = b.holds(door.ops[name], has[name]) || held
		}
		door.reader.versioned = door.reader.versioned && held
		if op := has["create"]; op != nil && op.Input != nil && there.Schema != nil {
			for _, name := range door.Entity.Card.Required {
				if !slices.Contains(op.Input.Required, name) {
					door.presets = append(door.presets, name)
				}
			}
		}
		if there.Computed != nil {
			for j, p := range door.reader.presenters {
				if there.Computed.Field(p.Name) != nil {
					own := *p // an attached one is the project's, which compiles again
					own.elsewhere, own.fn = true, absent
					door.reader.presenters[j] = &own
				}
			}
		}
	}
}

// open marks the operations whose params and query nobody describes, neither here nor there. An
// absent card says no more than that no view is named (spec 2.5); a host like this one describes
// an operation that takes nothing with params that have no members.
func (d *Door) open(there *schema.DiscoveredDoor) {
	for i := range there.Ops {
		far, op := &there.Ops[i], d.ops[there.Ops[i].Name]
		if op == nil || op.builtin != nil || op.Params != nil || op.Query != nil || op.Input != nil && far.Input == nil {
			continue
		}
		op.Open = far.Open
	}
}

// takes are the keys that the list of a remote understands: those of its input card. A
// list without a card gets the limit alone.
func takes(card *schema.Card) []string {
	keys := []string{"limit"}
	if card != nil {
		for i := range card.Fields {
			keys = append(keys, card.Fields[i].Name)
		}
	}
	return keys
}

// filterWords are the members of the filter that a list's card names: and, or, not, fields and
// relations. A filter without members, {"type": "object"}, names none.
func filterWords(card *schema.Card) []string {
	words := []string{}
	if card == nil || card.Field("filter") == nil {
		return words
	}
	for _, f := range card.Field("filter").Shape.Properties {
		words = append(words, f.Name)
	}
	return words
}

// holds reports whether a remote holds a row to a version at one of its operations. What it
// does not take, a version or a condition, is not sent there.
func (b *compiler) holds(op *Operation, there *schema.DiscoveredOp) bool {
	if op == nil || there == nil {
		return false
	}
	taken := []string{"fields"}
	if there.Query != nil {
		for _, f := range there.Query.Fields {
			taken = append(taken, f.Name)
		}
	}
	card := &schema.Card{Required: []string{}}
	for _, f := range op.Query.Card.Fields {
		if slices.Contains(taken, f.Name) {
			card.Fields = append(card.Fields, f)
		}
	}
	switch {
	case len(card.Fields) == len(op.Query.Card.Fields):
		return true
	case len(card.Fields) == 0:
		op.Query = nil
	default:
		op.Query = b.view(op.Door, schema.Capital(op.Name), card)
	}
	op.takes = taken
	return slices.Contains(taken, "ifMatch")
}

// restrict reduces the query of a list to the keys that are taken where it runs.
func (b *compiler) restrict(door *Door, op *Operation, taken []string) {
	op.takes = taken
	card := &schema.Card{}
	for _, f := range op.Query.Card.Fields {
		if slices.Contains(op.listKeys(), f.Name) {
			card.Fields = append(card.Fields, f)
		}
	}
	if len(card.Fields) < len(op.Query.Card.Fields) {
		op.Query = b.view(door, "List", card)
	}
}

// remove takes an operation from the door.
func (d *Door) remove(name string) {
	delete(d.ops, name)
	d.Operations = slices.DeleteFunc(d.Operations, func(op *Operation) bool { return op.Name == name })
}

// joins reports conditions of collectors that no statement can express, because the rows
// of a relation are kept in two places.
func (b *compiler) joins(file, at string, door *Door, f *Filter) {
	if f == nil {
		return
	}
	if f.Link != nil && !samePlace(b.fronds, f.Link) {
		b.fault(file, at, fmt.Sprintf("the condition goes through %s to %s, which runs elsewhere", f.Link.Name, f.Link.Target.Name),
			"compare the key itself, "+f.Link.Key+", or run both Fronds in one place")
	}
	for _, sub := range f.Sub {
		b.joins(file, at, door, sub)
	}
}
