package diff

import (
	"github.com/frondhost/frond/schema"
)

// factPair is a fact in both versions; one of them may be nil.
type factPair struct{ was, is *schema.Card }

// announced is a fact without a card.
var announced = &schema.Card{}

// facts compares what hosts announce, by the names of the facts.
func (c *comparison) facts() {
	was, is := factsOf(c.was), factsOf(c.is)
	for _, name := range append(was.names, without(is.names, was.names)...) {
		pair := factPair{was: was.cards[name], is: is.cards[name]}
		here := place{surface: OnFacts, at: name}
		try(&c.out, factRules, pair, here)
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
}

// factsOf are the facts of a version, in order.
func factsOf(v *Version) announcements {
	out := announcements{cards: map[string]*schema.Card{}}
	for _, frond := range v.catalog.Fronds {
		for _, f := range frond.Facts {
			card := f.Schema
			if card == nil {
				card = announced
			}
			if out.cards[f.Name] == nil {
				out.names = append(out.names, f.Name)
			}
			out.cards[f.Name] = card
		}
	}
	return out
}

// cardMembers are the members of what a fact carries: fields that leave the host.
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
		Rule{"fact-removed", Breaking, []Surface{OnFacts}, "a fact is not announced any more", "keep announcing it until nobody subscribes", ""},
		func(p factPair) *change { return changed(p.is == nil, "announced", "") },
	},
	{
		Rule{"fact-shape-removed", Breaking, []Surface{OnFacts}, "a fact does not say any more what it carries", "name its card under schema:", ""},
		func(p factPair) *change {
			return changed(p.is == announced && p.was != nil && p.was != announced, titled(p.was), "no card")
		},
	},
	{
		Rule{"fact-added", Safe, []Surface{OnFacts}, "a fact is new", "nothing to do", ""},
		func(p factPair) *change { return changed(p.was == nil, "", "announced") },
	},
	{
		Rule{"fact-shape-added", Safe, []Surface{OnFacts}, "a fact says now what it carries", "nothing to do", ""},
		func(p factPair) *change {
			return changed(p.was == announced && p.is != nil && p.is != announced, "no card", titled(p.is))
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
