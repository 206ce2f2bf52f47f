package catalog

import (
	"slices"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Discovery is the answer of rpc.discover (spec 2.5): the callable operations and
// their cards. An entity without a façade is not in it, a Frond without doors is.
func (c *Catalog) Discovery() *schema.Discovery {
	doc := &schema.Discovery{IgnoresState: c.IgnoresState, Fronds: make([]schema.DiscoveredFrond, 0, len(c.Fronds))}
	for _, f := range c.Fronds {
		frond := schema.DiscoveredFrond{Name: f.Name, Atomic: f.Atomic || c.Atomic && f.Remote == "", Rehearses: f.Rehearses || c.Rehearses && f.Remote == "", Doors: make([]schema.DiscoveredDoor, 0, len(f.Doors))}
		for _, d := range f.Doors {
			door := schema.DiscoveredDoor{Name: d.Name, Ops: make([]schema.DiscoveredOp, 0, len(d.Operations))}
			if d.Entity != nil {
				door.Schema = d.Entity.Card
			}
			if d.Plural != schema.Plural(d.Name) {
				door.Plural = d.Plural
			}
			door.Computed = d.computedCard()
			for _, a := range d.Aliases {
				door.Aliases = append(door.Aliases, schema.DiscoveredAlias{Name: a.Name, Deprecated: a.Reason(), Until: a.Day()})
			}
			if d.Entity != nil {
				for _, a := range d.Entity.Aliases {
					door.Fields = append(door.Fields, schema.DiscoveredAlias{Name: a.Name, Field: a.Field.Name, Deprecated: a.Reason(), Until: a.Day()})
				}
			}
			for _, n := range d.Nested {
				if c.NestedLists(n) != nil {
					door.Nested = append(door.Nested, n.Name)
				}
			}
			var given schema.Object
			for _, f := range d.Files {
				if f.Field.Readable() {
					door.Files = append(door.Files, f.Field.Name)
					if c.GivesFiles && !f.Withheld {
						given = append(given, schema.Member{Name: f.Field.Name, Value: project.FileRules(f.Types, f.Max, f.Sizes)})
					}
				}
			}
			if len(given) > 0 {
				door.FileFields = given.AppendJSON(nil)
			}
			for _, op := range d.Operations {
				door.Ops = append(door.Ops, c.discovered(op))
			}
			frond.Doors = append(frond.Doors, door)
		}
		for _, fact := range f.Facts {
			announced := schema.DiscoveredFact{Name: fact.Name, Schema: fact.Schema, Actor: fact.ShowsActor}
			if fact.Changes {
				announced.Changes = fact.Door.Name
			}
			frond.Facts = append(frond.Facts, announced)
		}
		if c.Set != nil {
			frond.Views = f.shownViews(c.Set.Views)
		}
		doc.Fronds = append(doc.Fronds, frond)
	}
	return doc
}

// shownViews are the names of all views that the operations and facts of a Frond show, in the order of
// all; nil if their only cards are cards of entities.
func (f *Frond) shownViews(all []*schema.Entity) (names []string) {
	var shown []*schema.Entity
	for _, d := range f.Doors {
		for _, op := range d.Operations {
			if !op.Builtin {
				shown = append(shown, op.Params, op.Query, op.Input, op.Output)
			}
		}
	}
	for _, fact := range f.Facts {
		shown = append(shown, fact.Data)
	}
	if !slices.ContainsFunc(shown, func(e *schema.Entity) bool { return e != nil && e.View }) {
		return nil
	}
	names = []string{} // a card written inline is no view of the Frond
	for _, e := range all {
		if slices.Contains(shown, e) {
			names = append(names, e.Name)
		}
	}
	return names
}

// takesNothing is params of an operation without any: no card would mean that they are unknown
// (docs/decisions/remotes.md).
var takesNothing = &schema.Card{Fields: []schema.Field{}, Required: []string{}}

// discovered is one operation as rpc.discover describes it.
func (c *Catalog) discovered(op *Operation) schema.DiscoveredOp {
	out := schema.DiscoveredOp{
		Name: op.Name, Kind: string(op.Kind), Description: op.Description, Deprecated: op.Deprecated, Cardinality: string(op.Cardinality),
		Params: cardOf(op.Params), Query: cardOf(op.Query), Input: cardOf(op.Input), Output: cardOf(op.Output),
	}
	if out.Open = op.Open; !op.Builtin && !op.Open && op.Params == nil && op.Query == nil {
		out.Params = takesNothing
	}
	if op.Builtin && (op.Name == "list" || op.Name == "findByIds") {
		// docs/calls.md: the grammar of list is published as its input card, which is the
		// spec's own key; a built-in query has no body.
		out.Query, out.Input = nil, op.Query.Card
		if op.Name == "list" {
			out.Input = c.discoveredList(op.Door, op.Query.Card)
		}
	}
	if presets := op.Door.Presets; op.Builtin && op.Input != nil && !op.Patch && len(presets) > 0 {
		// A caller for whom the field is set need not send it; the host refuses the call of any other.
		card := *op.Input.Card
		card.Required = slices.DeleteFunc(slices.Clone(card.Required), func(name string) bool { return slices.Contains(presets, name) })
		out.Input = &card
	}
	if op.Patch {
		// Additive: a patch has no required fields (docs/calls.md).
		out.Input = op.Input.PatchCard()
	}
	out.Mode, out.Hidden = op.mode(), op.Hidden
	return out
}

// ReadsKeyword is the keyword of a computed field in a discovery document that has the fields it is made of. A
// host in front hides it from callers from whom it hides one of them.
const ReadsKeyword = "x-reads"

// computedCard is what presenters add to the rows of the door, as a card.
func (d *Door) computedCard() *schema.Card {
	if len(d.Computed) == 0 {
		return nil
	}
	card := &schema.Card{}
	for _, c := range d.Computed {
		f := schema.Field{Name: c.Name, Shape: c.Shape}
		if len(c.Inputs) > 0 {
			f.Shape.Extra = append(slices.Clone(f.Shape.Extra), schema.Keyword{Name: ReadsKeyword, Value: jsontext.AppendStrings(nil, NamesOf(c.Inputs))})
		}
		card.Fields = append(card.Fields, f)
	}
	return card
}

// cardOf is the card of an entity or a view, nil for nil.
func cardOf(e *schema.Entity) *schema.Card {
	if e == nil {
		return nil
	}
	return e.Card
}
