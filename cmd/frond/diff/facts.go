package diff

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// facts compares what hosts announce, by the names of the facts.
func (c *comparison) facts() {
	was, is := factsOf(c.was), factsOf(c.is)
	for _, p := range pairUp(was, is, func(f *catalog.Fact) *catalog.Fact {
		return first(is, func(now *catalog.Fact) bool { return now.Name == f.Name })
	}) {
		here := place{surface: factsSurface, at: p.either().Name}
		try(&c.out, factRules, p, here)
		if p.was == nil || p.is == nil {
			continue
		}
		c.receivers(p)
		if p.was.Schema != nil && p.is.Schema != nil {
			entity := c.was.catalog.Set.Entity(p.was.Schema.Title)
			c.members(resultsOf, cardMembers(p.was.Schema), cardMembers(p.is.Schema), "data", c.renamedIn(entity), []place{here})
		}
	}
}

// factsOf are the facts of a version, in order; of several Fronds with a fact of one name the last.
func factsOf(v *Version) (all []*catalog.Fact) {
	for f := range v.catalog.Facts() {
		if i := slices.IndexFunc(all, func(o *catalog.Fact) bool { return o.Name == f.Name }); i >= 0 {
			all[i] = f
		} else {
			all = append(all, f)
		}
	}
	return all
}

// receivers compares who receives a fact. Of hosts it is not known; the rules of a door are
// compared with the door.
func (c *comparison) receivers(p pair[catalog.Fact]) {
	if p.was.Door != nil || p.is.Door != nil {
		return
	}
	was, is := receiversOf(c.was)[p.was.Name], receiversOf(c.is)[p.is.Name]
	if known(was) && known(is) {
		try(&c.out, receiverRules, pair[catalog.Access]{was, is}, place{surface: accessSurface, at: p.is.Name})
	}
}

// receiversOf is who receives the events of each fact, by its name.
func receiversOf(v *Version) map[string]*catalog.Access {
	return accessOf(v.catalog.FactAccess, func(a *catalog.Access) string { return a.Fact })
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
func cardMembers(card *schema.Card) (out []*member) {
	for i := range card.Fields {
		f := &card.Fields[i]
		if f.Axes.Out.Closed {
			continue
		}
		optional := f.Axes.Create != nil && f.Axes.Create.Optional
		out = append(out, &member{name: f.Name, shape: &f.Shape, nullable: f.Shape.Nullable || optional, sendable: true, converts: f.Axes.Out.Name})
	}
	return out
}

// factRules are tried on every fact.
var factRules = []rule[pair[catalog.Fact]]{
	{changeKind{"fact-removed", Breaking, onFacts, "a fact is no longer announced", "keep the fact until the last subscriber has left it", ""}, gone(announced)},
	{changeKind{"fact-shape-removed", Breaking, onFacts, "a fact has no card for its data", "name its card under schema:", ""}, turned(func(was, is *catalog.Fact) bool { return was.Schema != nil && is.Schema == nil }, cardText)},
	{changeKind{"fact-added", safe, onFacts, "a fact is new", noAction, ""}, added(announced)},
	{changeKind{"fact-shape-added", safe, onFacts, "a fact has a card for its data now", noAction, ""}, turned(func(was, is *catalog.Fact) bool { return was.Schema == nil && is.Schema != nil }, cardText)},
	{changeKind{"fact-source-removed", Breaking, onFacts, "a command no longer emits a fact", "emit it in the command's own code, or keep it under on:", ""}, turned(func(was, is *catalog.Fact) bool { return emits(is, was) }, sources)},
	{changeKind{"fact-source-added", Dangerous, onFacts, "a further command emits a fact, for unexpected rows", "declare a fact of another name for them", ""}, turned(emits, sources)},
	{changeKind{"fact-condition-changed", Dangerous, onFacts, "a fact is emitted under another condition", "compare both: rows that are announced no more are missed", ""}, turned(func(was, is *catalog.Fact) bool {
		return was.When != is.When && sources(was) != "" && sources(is) != ""
	}, func(f *catalog.Fact) string { return f.When })},
	{changeKind{"fact-subject-changed", Dangerous, []Surface{factsSurface, accessSurface}, "a fact is about another door or none, with other receivers", "declare a fact of another name", ""}, differs(subject)},
}

// receiverRules are tried on every fact without a door.
var receiverRules = []rule[pair[catalog.Access]]{
	{changeKind{"fact-opened", Dangerous, onAccess, "a fact with rules is open to everybody", wasClosed, ""}, ends(byRules, "rules", "open")},
	{changeKind{"fact-closed", Breaking, onAccess, "an open fact has rules", wasOpen, ""}, begins(byRules, "open", "rules")},
}

func byRules(a *catalog.Access) bool { return a.By == catalog.ByRules }

func announced(*catalog.Fact) string { return "announced" }

// cardText is the title of the card of a fact's data.
func cardText(f *catalog.Fact) string {
	if f.Schema == nil {
		return "no card"
	}
	return f.Schema.Title
}
