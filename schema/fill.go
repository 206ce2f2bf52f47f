package schema

import (
	"fmt"
	"slices"
)

// fill completes a unit's card with the parts that its author may leave out, and makes its
// properties:
//
//	title             the entity's key
//	x-kit-version     1
//	x-kit-vendor      CompileOptions.Vendor
//	required          the list of spec 2.3, for an entity without one
//	lifecycle.create  optional, for a field that is not required and that nothing fills
//
// Whether the card is sound is for finish to say, when all cards are there.
func (c *compiler) fill(u *unit) {
	card, e := u.card, u.entity
	if e == nil {
		return
	}
	if u.src.View {
		if card.Title == "" {
			card.Title = e.Key
		}
	} else {
		for _, name := range []string{"of", "pick", "omit"} {
			if card.Extra.Get(name) != nil {
				c.fault(u, "/"+name, name+" cuts a view from an entity, and this is an entity", "move the file to views/")
			}
		}
		if card.Title != "" && EntityKey(card.Title) != e.Key {
			c.beyond(u, "/title", fmt.Sprintf("the title is %q, but the file makes the entity %q", card.Title, e.Key),
				"leave the title out, or rename the file") // spec 2.1: title is the lower-case name
		}
		card.Title = e.Key
	}
	if card.Version == 0 {
		card.Version = 1
	}
	if card.Version != 1 {
		c.fault(u, "/x-kit-version", fmt.Sprintf("version %d of cards is not known here", card.Version), "write x-kit-version: 1, or leave it out")
	}
	if card.Vendor == "" {
		card.Vendor = c.set.opts.Vendor
	}
	// An entity whose card has no list of required names gets the list spec 2.3 describes.
	derive := card.Required == nil && !u.src.View
	if derive {
		card.Required = []string{}
		for i := range card.Fields {
			if f := &card.Fields[i]; answered(f) == "" {
				card.Required = append(card.Required, f.Name)
			}
		}
	}
	e.byName = make(map[string]*Property, len(card.Fields))
	for i := range card.Fields {
		p := &Property{Field: card.Fields[i], Index: i, Owner: e, Stored: true}
		p.required = slices.Contains(card.Required, p.Name)
		if p.Axes.Create == nil && !p.required && !p.Axes.In.Closed && (p.Axes.Relation == nil || !p.Axes.Relation.Many) {
			// The field is not required and has no rule: mark it as optional.
			p.Axes.Create = &CreateRule{Optional: true}
		}
		e.Fields = append(e.Fields, p)
		e.byName[p.Name] = p
		if p.Axes.Primary && e.Primary == nil {
			e.Primary = p
		}
	}
}

// answered returns a clause for a message that says how an absent field gets its value at
// creation, or "" if only the caller can supply it.
func answered(f *Field) string {
	switch {
	case f.Axes.Relation != nil && f.Axes.Relation.Many:
		return "a many relation, which is an empty list where it is absent"
	case f.Axes.In.Closed:
		return "boundary.in: closed, so a caller cannot send it"
	case f.Axes.Create != nil:
		return "lifecycle.create"
	}
	return ""
}
