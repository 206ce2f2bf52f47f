package schema

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/schema/jsontext"
)

// expand replaces the authoring shorthand of a view by the full card: the fields
// of the entity that of names, in the entity's order, those that pick names or all
// but those that omit names; then the view's own properties, which take the place
// of a field of the same name or follow. Fields keep their axes. Without a list of
// its own the view requires what the entity requires of the fields that survived.
func (c *compiler) expand(u *unit) {
	r := reader{file: u.src.File}
	var of string
	var pick, omit []string
	picked, omitted := false, false
	extra := u.card.Extra[:0:0]
	for _, kw := range u.card.Extra {
		at := u.src.At + child("", kw.Name)
		switch kw.Name {
		case "of":
			of = r.string(kw.Value, at)
		case "pick":
			pick, picked = r.strings(kw.Value, at), true
		case "omit":
			omit, omitted = r.strings(kw.Value, at), true
		default:
			extra = append(extra, kw)
		}
	}
	c.faults = append(c.faults, r.faults...)
	if len(r.faults) > 0 {
		return
	}
	u.card.Extra = extra
	if of == "" {
		if picked || omitted {
			c.fault(u, "", "pick and omit cut a view from an entity, but of names none", "write of: with the entity's name")
		}
		return
	}
	from := c.set.Entity(of)
	if from == nil || from.View {
		what := "names no entity"
		if from != nil {
			what = "names a view"
		}
		c.fault(u, "/of", fmt.Sprintf("of: %s %s", of, what), "name one of "+c.known())
		return
	}
	if picked && omitted {
		c.fault(u, "/pick", "pick and omit are given both", "keep one of them")
	}
	for list, names := range map[string][]string{"pick": pick, "omit": omit} {
		for i, name := range names {
			if from.Card.Field(name) == nil {
				c.fault(u, fmt.Sprintf("/%s/%d", list, i), fmt.Sprintf("%s has no field %q", from.Name, name), fieldNames(from.Card.Fields))
			}
		}
	}
	own := u.card.Fields
	fields := []Field{}
	survived := []string{}
	for _, f := range from.Card.Fields {
		if picked && !slices.Contains(pick, f.Name) || slices.Contains(omit, f.Name) {
			continue
		}
		if i := slices.IndexFunc(own, func(o Field) bool { return o.Name == f.Name }); i >= 0 {
			fields = append(fields, own[i])
			continue
		}
		fields = append(fields, f)
		survived = append(survived, f.Name)
		u.taken[f.Name] = true
	}
	for _, f := range own {
		if !slices.ContainsFunc(fields, func(o Field) bool { return o.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	u.card.Fields = fields
	u.card.Derived = &Derived{From: from.Key, Survived: survived}
	if u.card.Required == nil {
		u.card.Required = []string{}
		for _, name := range from.Card.Required {
			if u.card.Field(name) != nil {
				u.card.Required = append(u.card.Required, name)
			}
		}
	}
	// References of the survived fields lead to the entity's definitions.
	if defs := from.Card.Extra.Get("$defs"); defs != nil && u.card.Extra.Get("$defs") == nil {
		u.card.Extra = append(u.card.Extra, Keyword{"$defs", defs})
	}
}

// known lists the entities there are, for a message.
func (c *compiler) known() string {
	var names []string
	for _, e := range c.set.byKey {
		if !e.View {
			names = append(names, e.Key)
		}
	}
	if len(names) == 0 {
		return "the entities; there is none yet"
	}
	slices.Sort(names)
	if len(names) > 30 {
		names = append(names[:30], "…")
	}
	return orList(names)
}

// PatchCard is the entity's card as the input of update has it: nothing is
// required, and what the card says about the object as a whole is left out, since
// a patch is not the whole.
func (e *Entity) PatchCard() *Card {
	card := *e.Card
	card.Required = []string{}
	card.Extra = slices.DeleteFunc(slices.Clone(card.Extra), func(kw Keyword) bool {
		return kw.Name == "minProperties" || kw.Name == "maxProperties" ||
			applicators[kw.Name] && !(kw.Name == "additionalProperties" && jsontext.KindOf(kw.Value) == jsontext.False)
	})
	return &card
}
