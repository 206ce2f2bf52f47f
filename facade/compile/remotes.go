package compile

import (
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// fitToDiscovery fits the doors of a remote Frond to its discovery document (docs/remotes.md): which keys
// its lists take, which fields its presenters make, and which fields it does not require.
// Everything else is as the cards have it.
func fitToDiscovery(r *report, m *model, k *bindings, src *project.Frond) {
	if src.Remote == "" || src.Known == nil {
		return
	}
	for i := range src.Known.Doors {
		there := &src.Known.Doors[i]
		door := m.doors[schema.EntityKey(there.Name)]
		if door == nil || door.Frond.Name != src.Name {
			continue
		}
		describe(door, there)
		if door.Entity == nil {
			continue
		}
		passNested(m, door, there.Nested)
		passFiles(door, there)
		has := map[string]*schema.DiscoveredOp{}
		for j := range there.Ops {
			has[there.Ops[j].Name] = &there.Ops[j]
		}
		if op := has["list"]; op != nil && door.Operation("list") != nil {
			// A list without a card gets the limit alone.
			restrict(r, m, door, door.Operation("list"), append([]string{"limit"}, namesOf(op.Input)...))
			door.Operation("list").Cardless = op.Input == nil
			door.Operation("list").FilterWords = filterWords(op.Input)
			door.Operation("list").SortForm = catalog.SortForm(op.Input)
			door.Operation("list").TakesRules = catalog.TakesRules(op.Input)
			door.Operation("list").SortsBehind = catalog.SortsBehind(op.Input)
		}
		if has["findByIds"] == nil {
			door.Remove("findByIds")
		}
		held := false
		for _, name := range []string{"update", "delete"} {
			held = checksVersion(r, m, door.Operation(name), has[name]) || held
		}
		door.ETag = door.ETag && held
		if op := has["create"]; op != nil && op.Input != nil && there.Schema != nil {
			for _, name := range door.Entity.Card.Required {
				if !slices.Contains(op.Input.Required, name) {
					door.NotRequired = append(door.NotRequired, name)
				}
			}
		}
		if there.Computed != nil {
			for j, p := range k.Presenters[door] {
				if there.Computed.Field(p.Name) != nil {
					own := *p // an attached one is the project's, which compiles again
					own.Elsewhere, own.Headline, own.Fn = true, false, absent
					k.Presenters[door][j] = &own
				}
			}
		}
	}
}

// passNested opens the relations whose rows the host of a remote door takes in bodies.
func passNested(m *model, door *catalog.Door, names []string) {
	for _, name := range names {
		i := slices.IndexFunc(door.Nested, func(n *catalog.Nested) bool { return n.Name == name })
		if p := door.Entity.Property(name); i < 0 && p != nil && p.Link != nil && p.Link.Inverse != nil {
			if to := m.doors[p.Link.Inverse.Owner.Key]; to != nil && to.Frond == door.Frond {
				i = len(door.Nested)
				door.Nested = append(door.Nested, &catalog.Nested{Name: name, By: p.Link.Inverse, Door: to, Far: p.Link.Through})
			}
		}
		if i >= 0 {
			door.Nested[i].Passed = true
		}
	}
}

// passFiles fits the fields with files of a remote door to those whose files its host gives.
func passFiles(door *catalog.Door, there *schema.DiscoveredDoor) {
	door.FilesThere = there.Files
	given := map[string]bool{}
	for _, f := range project.FilesThere(there.FileFields) {
		given[f.Field] = true
		if p := door.Entity.Property(f.Field); door.File(f.Field) == nil && p != nil && plainText(p) {
			door.Files = append(door.Files, &catalog.File{Door: door, Field: p, Types: f.Types, Max: f.Max, Sizes: f.Sizes})
		}
	}
	for _, f := range door.Files {
		f.Withheld = !given[f.Field.Name]
	}
}

// withoutMany removes the writes of many rows that the discovery documents of remotes do not list.
// Rules and surfaces may name them, so they are read before.
func withoutMany(m *model, fronds []*project.Frond) {
	for _, src := range fronds {
		if src.Remote == "" || src.Known == nil {
			continue
		}
		for i := range src.Known.Doors {
			there := &src.Known.Doors[i]
			door := m.doors[schema.EntityKey(there.Name)]
			if door == nil || door.Frond.Name != src.Name {
				continue
			}
			for _, op := range slices.Clone(door.Operations) {
				if op.IsMany() && !slices.ContainsFunc(there.Ops, func(o schema.DiscoveredOp) bool { return o.Name == op.Name }) {
					door.Remove(op.Name)
				}
			}
		}
	}
}

// describe marks the operations whose params and query have no card, neither here nor there. An
// absent card says no more than that no view is named (spec 2.5); a host like this one describes
// an operation without params by params that have no members.
func describe(d *catalog.Door, there *schema.DiscoveredDoor) {
	for i := range there.Ops {
		far, op := &there.Ops[i], d.Operation(there.Ops[i].Name)
		if op == nil || op.Builtin || op.Params != nil || op.Query != nil || op.Input != nil && far.Input == nil {
			continue
		}
		op.Open = far.Open
	}
}

// namesOf are the names of the fields of a card; nil for nil.
func namesOf(card *schema.Card) (names []string) {
	if card != nil {
		for i := range card.Fields {
			names = append(names, card.Fields[i].Name)
		}
	}
	return names
}

// limitedTo is a card of the fields of another one that have these names.
func limitedTo(card *schema.Card, names []string) *schema.Card {
	out := &schema.Card{}
	for _, f := range card.Fields {
		if slices.Contains(names, f.Name) {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// filterWords are the members of the filter that a list's card names: and, or, not, fields and relations, and
// reviews.count of the members of a relation. A filter without members, {"type": "object"}, has no words.
func filterWords(card *schema.Card) []string {
	words := []string{}
	if card == nil || card.Field("filter") == nil {
		return words
	}
	for _, f := range card.Field("filter").Shape.Properties {
		words = append(words, f.Name)
		for _, of := range f.Shape.Properties {
			words = append(words, f.Name+"."+of.Name)
		}
	}
	return words
}

// checksVersion reports whether a remote checks the version of a row at one of its operations. A version
// or a condition that it does not take is not sent there.
func checksVersion(r *report, m *model, op *catalog.Operation, there *schema.DiscoveredOp) bool {
	if op == nil || there == nil {
		return false
	}
	taken := append([]string{"fields"}, namesOf(there.Query)...)
	card := limitedTo(op.Query.Card, taken)
	card.Required = []string{}
	switch {
	case len(card.Fields) == len(op.Query.Card.Fields):
		return true
	case len(card.Fields) == 0:
		op.Query = nil
	default:
		op.Query = m.view(r, op.Door, schema.Capital(op.Name), card)
	}
	op.TakenKeys = taken
	return slices.Contains(taken, "ifMatch")
}

// restrict reduces the query of a list to the keys that its host takes.
func restrict(r *report, m *model, door *catalog.Door, op *catalog.Operation, taken []string) {
	op.TakenKeys = taken
	card := limitedTo(op.Query.Card, op.Keys())
	if len(card.Fields) < len(op.Query.Card.Fields) {
		op.Query = m.view(r, door, "List", card)
	}
}
