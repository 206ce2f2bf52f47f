package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/frondhost/frond/schema/jsontext"
)

// expand replaces the authoring shorthand of a view by the full card
// (docs/decisions/card-language.md). First come the fields of the entity named by of, in the
// entity's order: those that pick names, or all but those that omit names. Then come the view's
// own properties, which replace a field of the same name or follow. Fields keep their axes. A
// view without a list of required names requires the required names of the entity that it kept.
//
//	of: product
//	pick: [id, name]                          id and name of product, then note
//	properties: {note: {type: string}}
func (c *compiler) expand(u *unit) {
	cut, ok := c.shorthand(u)
	if !ok {
		return
	}
	from, own := cut.from, u.card.Fields
	fields := []Field{}
	survived := []string{}
	for _, f := range from.Card.Fields {
		if cut.picked && !slices.Contains(cut.pick, f.Name) || slices.Contains(cut.omit, f.Name) {
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
		u.card.Extra = append(u.card.Extra, Keyword{Name: "$defs", Value: defs})
	}
}

// cutting is a view's shorthand, resolved: from which entity, and which of its fields.
type cutting struct {
	from       *Entity
	pick, omit []string
	picked     bool // pick is given, if only as []
}

// shorthand takes the authoring keys off a view's card, which is to be a plain JSON Schema. It
// is false without such keys, or if the view cannot be cut; names that the entity does not have
// are faults, and the rest is cut.
func (c *compiler) shorthand(u *unit) (cutting, bool) {
	r := reader{file: u.src.File}
	var cut cutting
	var of string
	omitted := false
	extra := u.card.Extra[:0:0]
	for _, kw := range u.card.Extra {
		at := u.src.At + child("", kw.Name)
		switch kw.Name {
		case "of":
			of = r.string(kw.Value, at)
		case "pick":
			cut.pick, cut.picked = r.strings(kw.Value, at), true
		case "omit":
			cut.omit, omitted = r.strings(kw.Value, at), true
		default:
			extra = append(extra, kw)
		}
	}
	c.faults = append(c.faults, r.faults...)
	if len(r.faults) > 0 {
		return cut, false
	}
	u.card.Extra = extra
	if of == "" {
		if cut.picked || omitted {
			c.fault(u, "", "pick and omit cut a view from an entity, but of names none", "write of: with the entity's name")
		}
		return cut, false
	}
	from := c.set.Entity(of)
	if from == nil || from.View {
		what := "names no entity"
		if from != nil {
			what = "names a view"
		}
		c.fault(u, "/of", fmt.Sprintf("of: %s %s", of, what), "name one of "+c.known())
		return cut, false
	}
	cut.from = from
	if cut.picked && omitted {
		c.fault(u, "/pick", "pick and omit are given both", "keep one of them")
	}
	for list, names := range map[string][]string{"pick": cut.pick, "omit": cut.omit} {
		for i, name := range names {
			if from.Card.Field(name) == nil {
				c.fault(u, fmt.Sprintf("/%s/%d", list, i), fmt.Sprintf("%s has no field %q", from.Name, name), fieldNames(from.Card.Fields))
			}
		}
	}
	return cut, true
}

// known lists the keys of the entities there are, for a message, thirty at most.
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

// PatchCard returns the entity's card as the input of update: no field is required, and the
// keywords about the object as a whole (anyOf, minProperties and their like) are left out,
// since a patch is only a part (docs/decisions/judge.md). The card is a copy, its fields are
// shared.
func (e *Entity) PatchCard() *Card {
	card := *e.Card
	card.Required = []string{}
	card.Extra = slices.DeleteFunc(slices.Clone(card.Extra), func(kw Keyword) bool {
		return kw.Name == "minProperties" || kw.Name == "maxProperties" ||
			applicators[kw.Name] && !(kw.Name == "additionalProperties" && jsontext.KindOf(kw.Value) == jsontext.False)
	})
	return &card
}

// PatchOf returns the merge patch that makes the row after of the row before, as an update takes it
// (docs/writes.md). It has the fields that differ and that callers may write; computed fields,
// versions and read-only fields are left out. An object whose members the card declares has the
// members that differ. A member that after lacks is null, which the judge refuses where the card
// does. Rows are JSON objects.
func (e *Entity) PatchOf(before, after json.RawMessage) json.RawMessage {
	var patch Object
	for _, p := range e.Fields {
		if code, _ := p.Forbids(Patch); code != "" || !p.Stored {
			continue
		}
		var within []Field
		if p.Merges() {
			within = p.Shape.Properties
		}
		if value := difference(within, jsontext.Get(before, p.Name), jsontext.Get(after, p.Name)); value != nil {
			patch = append(patch, Member{Name: p.Name, Value: value})
		}
	}
	return patch.AppendJSON(nil)
}

// difference returns the value that a patch has for a member; nil where before and after are equal.
// within are the declared members of an object that a patch merges.
func difference(within []Field, before, after json.RawMessage) json.RawMessage {
	switch {
	case sameValue(before, after):
		return nil
	case after == nil:
		return json.RawMessage("null")
	case within == nil || jsontext.KindOf(before) != jsontext.Object || jsontext.KindOf(after) != jsontext.Object:
		return after
	}
	declared := map[string][]Field{}
	for i := range within {
		declared[within[i].Name] = within[i].Shape.Properties
	}
	var patch Object
	for name, value := range jsontext.Members(after) {
		if value = difference(declared[name], jsontext.Get(before, name), value); value != nil {
			patch = append(patch, Member{Name: name, Value: value})
		}
	}
	for name := range jsontext.Members(before) {
		if jsontext.Get(after, name) == nil {
			patch = append(patch, Member{Name: name, Value: json.RawMessage("null")})
		}
	}
	return patch.AppendJSON(nil)
}

// sameValue reports whether two texts have the same value, in any order of members. Absent
// values are nil; numbers are compared by their text.
func sameValue(a, b json.RawMessage) bool {
	if a == nil || b == nil || bytes.Equal(a, b) {
		return (a == nil) == (b == nil)
	}
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
