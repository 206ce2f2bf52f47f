package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Change is one difference between two discoveries of a Frond: a door, field, operation or
// fact that is new, gone, or different.
//
//   - product.stock integer                      added
//   - product.price number                       removed
//     ~ product.sku string → string or null        changed, and the type shows it
//     ~ product.name string (maxLength)            changed in keywords alone
type Change struct {
	Change string   `json:"change"` // added, removed or changed
	Name   string   `json:"name"`   // product, product.stock, product.retire(), fact orderPlaced
	Is     string   `json:"is,omitempty"`
	Was    string   `json:"was,omitempty"`
	In     []string `json:"in,omitempty"` // of a change that the type does not show: the keywords
}

// String is the change as a line: + product.stock integer.
func (c Change) String() string {
	switch {
	case c.Change == "added":
		return strings.TrimSpace("+ " + c.Name + " " + c.Is)
	case c.Change == "removed":
		return strings.TrimSpace("- " + c.Name + " " + c.Was)
	case c.Is != c.Was:
		return fmt.Sprintf("~ %s %s → %s", c.Name, c.Was, c.Is)
	}
	return fmt.Sprintf("~ %s %s (%s)", c.Name, c.Is, strings.Join(c.In, ", "))
}

// Changes are the differences between a Frond's discovery before and now; was may be nil, and
// then everything is added. They are in the order of now, with removed elements at the end. An
// element is identified by its name: a renamed field is a removed one and a new one.
func Changes(was, now *schema.DiscoveredFrond) (all []Change) {
	before, after := partsOf(was), partsOf(now)
	for _, p := range after {
		i := slices.IndexFunc(before, func(o part) bool { return o.name == p.name })
		switch {
		case i < 0:
			all = append(all, Change{Change: "added", Name: p.name, Is: p.is})
		case before[i].text != p.text:
			all = append(all, Change{Change: "changed", Name: p.name, Is: p.is, Was: before[i].is, In: differ(before[i].text, p.text)})
		}
	}
	for _, p := range before {
		if !slices.ContainsFunc(after, func(o part) bool { return o.name == p.name }) {
			all = append(all, Change{Change: "removed", Name: p.name, Was: p.is})
		}
	}
	return all
}

// part is something that a Frond serves.
//
// Names and words of the parts:
//
//	product             the door; "without rows" if it has no table
//	product.stock       a field: integer, date-time or null, computed number
//	product.retire()    an operation: its kind
//	fact orderPlaced    a fact
type part struct {
	name string
	is   string // in a word
	text string // all of it, as one JSON object
}

// partsOf lists the parts of a Frond: doors, fields, operations, facts. nil has no parts. The
// card of a door is a part without its fields and required names, which are parts of their own.
func partsOf(f *schema.DiscoveredFrond) (all []part) {
	if f == nil {
		return nil
	}
	add := func(name, is string, members schema.Object) {
		all = append(all, part{name, is, string(members.AppendJSON(nil))})
	}
	for i := range f.Doors {
		door := &f.Doors[i]
		if door.Schema == nil {
			add(door.Name, "without rows", nil)
		} else {
			card := *door.Schema
			card.Fields, card.Required = nil, nil
			add(door.Name, "", schema.ObjectOf(card.AppendJSON(nil)))
			fieldsOf(door.Name, door.Schema, "", add)
		}
		if door.Computed != nil {
			fieldsOf(door.Name, door.Computed, "computed ", add)
		}
		for j := range door.Ops {
			// The writer of discovery documents writes an operation too, so that its text
			// equals the hosts' text.
			one := schema.Discovery{Fronds: []schema.DiscoveredFrond{{Doors: []schema.DiscoveredDoor{{Ops: door.Ops[j : j+1]}}}}}
			members := schema.ObjectOf(dig(one.AppendJSON(nil), "fronds", "doors", "ops"))
			for k := range members {
				members[k].Value = brief(door, door.Ops[j].Name, members[k].Value)
			}
			add(door.Name+"."+door.Ops[j].Name+"()", door.Ops[j].Kind, members)
		}
	}
	for _, fact := range f.Facts {
		var members schema.Object
		if fact.Schema != nil {
			members = schema.ObjectOf(fact.Schema.AppendJSON(nil))
		}
		add("fact "+fact.Name, "", members)
	}
	return all
}

// brief is a card of an operation without the parts that the door's fields have already: of the
// door's own card it keeps the required names, of a filter its names. Otherwise a new field of
// a door would be a change of create, update and list as well.
func brief(door *schema.DiscoveredDoor, op string, card []byte) []byte {
	if jsontext.KindOf(card) != jsontext.Object || door.Schema == nil {
		return card
	}
	title := jsontext.Get(card, "title")
	switch {
	case op == "list" && jsontext.Get(jsontext.Get(card, "properties"), "filter") != nil:
		text := []byte{'['}
		for name := range jsontext.Members(jsontext.Get(card, "properties")) {
			text = append(jsontext.AppendString(text, name), ',')
		}
		return append(text, "null]"...)
	case jsontext.KindOf(title) == jsontext.String && jsontext.Get(card, "x-kit-derived") == nil &&
		schema.EntityKey(jsontext.Unquote(title)) == schema.EntityKey(door.Name):
		if required := jsontext.Get(card, "required"); required != nil {
			return required
		}
		return []byte("null")
	}
	return card
}

// dig goes down through first elements. dig(text, "fronds", "doors") is the first door of the
// first Frond.
func dig(text []byte, names ...string) []byte {
	for _, name := range names {
		for _, first := range jsontext.Elements(jsontext.Get(text, name)) {
			text = first
			break
		}
	}
	return text
}

// fieldsOf adds a part for each field of a card. A card lists its required fields; here the
// requirement becomes a member of the field, so that a change of it is a change of the field.
func fieldsOf(door string, card *schema.Card, kind string, add func(name, is string, members schema.Object)) {
	one := schema.Card{Fields: make([]schema.Field, 1)}
	for _, f := range card.Fields {
		one.Fields[0] = f
		members := schema.ObjectOf(jsontext.Get(jsontext.Get(one.AppendJSON(nil), "properties"), f.Name))
		if slices.Contains(card.Required, f.Name) {
			members = append(members, schema.Member{Name: "required", Value: []byte("true")})
		}
		add(door+"."+f.Name, kind+inWords(&f.Shape), members)
	}
}

// inWords is a shape's type: date-time or null, list of string. A format is more specific than
// its type and takes its place.
func inWords(s *schema.Shape) string {
	text := s.Type
	switch {
	case s.Format != "":
		text = s.Format
	case s.Type == "array" && s.Items != nil:
		text = "list of " + inWords(s.Items)
	case text == "":
		text = "any"
	}
	if s.Nullable && s.Type != "" {
		text += " or null"
	}
	return text
}

// differ are the keys that two objects do not have alike. The values are compared as text:
// both were written by the same writer.
func differ(a, b string) (names []string) {
	for name, value := range jsontext.Members([]byte(a)) {
		if string(jsontext.Get([]byte(b), name)) != string(value) {
			names = append(names, name)
		}
	}
	for name := range jsontext.Members([]byte(b)) {
		if jsontext.Get([]byte(a), name) == nil {
			names = append(names, name)
		}
	}
	return names
}
