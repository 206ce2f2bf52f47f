package diff

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// factPair is the card of a fact in both versions; one of them may be nil.
type factPair struct{ was, is *schema.Card }

// emissionPair is a fact that both versions have.
type emissionPair struct{ was, is *catalog.Fact }

// announced is a fact without a card.
var announced = &schema.Card{}

// facts compares what hosts announce, by the names of the facts.
func (c *comparison) facts() {
	was, is := factsOf(c.was), factsOf(c.is)
	for _, name := range append(was.names, without(is.names, was.names)...) {
		pair := factPair{was: was.cards[name], is: is.cards[name]}
		here := place{surface: factsSurface, at: name}
		try(&c.out, factRules, pair, here)
		if pair.was != nil && pair.is != nil {
			c.emission(emissionPair{was.facts[name], is.facts[name]}, here)
		}
		if pair.was == nil || pair.is == nil || pair.was == announced || pair.is == announced {
			continue
		}
		entity := c.was.catalog.Set.Entity(pair.was.Title)
		c.members(resultsOf, cardMembers(pair.was), cardMembers(pair.is), "data", c.renamedIn(entity), []place{here})
	}
}

// announcements are the facts of a version by name.
type announcements struct {
	names []string
	cards map[string]*schema.Card
	facts map[string]*catalog.Fact
}

// factsOf are the facts of a version, in order.
func factsOf(v *Version) announcements {
	out := announcements{cards: map[string]*schema.Card{}, facts: map[string]*catalog.Fact{}}
	for f := range v.catalog.Facts() {
		card := f.Schema
		if card == nil {
			card = announced
		}
		if out.cards[f.Name] == nil {
			out.names = append(out.names, f.Name)
		}
		out.cards[f.Name], out.facts[f.Name] = card, f
	}
	return out
}

// emission compares what emits a fact and who receives it. Of hosts it is not known.
func (c *comparison) emission(p emissionPair, here place) {
	try(&c.out, emissionRules, p, here)
	if p.was.Door != nil || p.is.Door != nil {
		return // the door's rules are compared with the door
	}
	was, is := receiversOf(c.was)[p.was.Name], receiversOf(c.is)[p.is.Name]
	if known(was) && known(is) {
		try(&c.out, receiverRules, accessPair{was, is}, place{surface: accessSurface, at: p.is.Name})
	}
}

// receiversOf is the table of who receives facts, by their names.
func receiversOf(v *Version) map[string]*catalog.Access {
	out := map[string]*catalog.Access{}
	table := v.catalog.FactAccess
	for i := range table {
		out[table[i].Fact] = &table[i]
	}
	return out
}

// sources are the commands that emit a fact; "" if no command does by itself, or the commands
// are unknown.
func sources(f *catalog.Fact) string {
	var names []string
	for _, op := range f.On {
		names = append(names, op.Door.Name+"."+op.Name)
	}
	if f.Changes {
		names = append(names, "every change of "+f.Door.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// emits reports whether b names a command that a does not.
func emits(a, b *catalog.Fact) bool {
	if b.Changes {
		return !a.Changes
	}
	return !a.Changes && slices.ContainsFunc(b.On, func(op *catalog.Operation) bool {
		return !slices.ContainsFunc(a.On, func(o *catalog.Operation) bool { return o.Name == op.Name })
	})
}

// subject is the door of a fact, or "".
func subject(f *catalog.Fact) string {
	if f.Door == nil {
		return ""
	}
	return f.Door.Name
}

// cardMembers are the members of a fact's data: fields that leave the host.
func cardMembers(card *schema.Card) (out []member) {
	for i := range card.Fields {
		f := &card.Fields[i]
		if f.Axes.Out.Closed {
			continue
		}
		optional := f.Axes.Create != nil && f.Axes.Create.Optional
		out = append(out, member{name: f.Name, shape: &f.Shape, nullable: f.Shape.Nullable || optional, sendable: true, converts: f.Axes.Out.Name})
	}
	return out
}

// factRules are tried on every fact.
var factRules = []rule[factPair]{
	{
		changeKind{"fact-removed", Breaking, []Surface{factsSurface}, "a fact is not announced any more", "keep the fact until the last subscriber has left it", ""},
		func(p factPair) *change { return changed(p.is == nil, "announced", "") },
	},
	{
		changeKind{"fact-shape-removed", Breaking, []Surface{factsSurface}, "a fact has no card for its data any more", "name its card under schema:", ""},
		func(p factPair) *change {
			return changed(p.is == announced && p.was != nil && p.was != announced, titled(p.was), "no card")
		},
	},
	{
		changeKind{"fact-added", safe, []Surface{factsSurface}, "a fact is new", "no action needed", ""},
		func(p factPair) *change { return changed(p.was == nil, "", "announced") },
	},
	{
		changeKind{"fact-shape-added", safe, []Surface{factsSurface}, "a fact has a card for its data now", "no action needed", ""},
		func(p factPair) *change {
			return changed(p.was == announced && p.is != nil && p.is != announced, "no card", titled(p.is))
		},
	},
}

// emissionRules are tried on every fact that both versions have.
var emissionRules = []rule[emissionPair]{
	{
		changeKind{"fact-source-removed", Breaking, []Surface{factsSurface}, "a command does not emit a fact any more", "emit it in the command's own code, or keep it under on:", ""},
		func(p emissionPair) *change { return changed(emits(p.is, p.was), sources(p.was), sources(p.is)) },
	},
	{
		changeKind{"fact-source-added", Dangerous, []Surface{factsSurface}, "a further command emits a fact, for unexpected rows", "declare a fact of another name for them", ""},
		func(p emissionPair) *change { return changed(emits(p.was, p.is), sources(p.was), sources(p.is)) },
	},
	{
		changeKind{"fact-condition-changed", Dangerous, []Surface{factsSurface}, "a fact is emitted under another condition", "compare both: rows that are announced no more are missed", ""},
		func(p emissionPair) *change {
			return changed(p.was.When != p.is.When && sources(p.was) != "" && sources(p.is) != "", p.was.When, p.is.When)
		},
	},
	{
		changeKind{"fact-subject-changed", Dangerous, []Surface{factsSurface, accessSurface}, "a fact is about another door or none, so other rules select its receivers", "declare a fact of another name", ""},
		func(p emissionPair) *change {
			return changed(subject(p.was) != subject(p.is), subject(p.was), subject(p.is))
		},
	},
}

// receiverRules are tried on every fact that is about no door.
var receiverRules = []rule[accessPair]{
	{
		changeKind{"fact-opened", Dangerous, onAccess, "a fact that had rules is open to everybody", wasClosed, ""},
		func(p accessPair) *change {
			return changed(p.was.By == catalog.ByRules && p.is.By != catalog.ByRules, "rules", "open")
		},
	},
	{
		changeKind{"fact-closed", Breaking, onAccess, "a fact that was open to everybody has rules", wasOpen, ""},
		func(p accessPair) *change {
			return changed(p.was.By != catalog.ByRules && p.is.By == catalog.ByRules, "open", "rules")
		},
	},
}

// titled is the title of a card; "" of nil.
func titled(c *schema.Card) string {
	if c == nil {
		return ""
	}
	return c.Title
}
