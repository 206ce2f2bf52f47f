package frond

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// cardText holds the fields of a card's text, before it is compiled.
type cardText struct {
	names    []string
	primary  string
	required []string             // those that no rule of the card answers for
	nested   map[string]*cardText // the objects in the fields
}

// cardOf finds the card of a door in a project. A card that cannot be read has no fields here;
// its faults are reported when the program starts.
func cardOf(p *facade.Project, door string) *cardText {
	for _, f := range p.Fronds {
		for _, s := range f.Cards {
			if s.View || schema.EntityKey(s.Name) != schema.EntityKey(door) {
				continue
			}
			if text, err := schema.ToJSON(s.File, s.Data); err == nil {
				return readCard(text)
			}
		}
	}
	return &cardText{}
}

// readCard reads the text of a card, or of an object in one.
func readCard(text json.RawMessage) *cardText {
	card := &cardText{nested: map[string]*cardText{}}
	var ruled []string
	for name, property := range jsontext.Members(jsontext.Get(text, "properties")) {
		card.names = append(card.names, name)
		axes := jsontext.Get(property, "x-kit")
		if jsontext.Get(jsontext.Get(axes, "lifecycle"), "create") != nil {
			ruled = append(ruled, name)
		}
		if jsontext.KindOf(jsontext.Get(jsontext.Get(axes, "role"), "primary")) == jsontext.True {
			card.primary = name
		}
		if items := jsontext.Get(property, "items"); items != nil {
			property = items
		}
		if jsontext.Get(property, "properties") != nil {
			card.nested[name] = readCard(property)
		}
	}
	for _, name := range jsontext.Elements(jsontext.Get(text, "required")) {
		if name := jsontext.Unquote(name); !slices.Contains(ruled, name) {
			card.required = append(card.required, name)
		}
	}
	return card
}

// matching is the name among names that a struct field is for: the same one, or the first that
// differs in case alone, or "".
func matching(names []string, name string) string {
	if slices.Contains(names, name) {
		return name
	}
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
	}
	return ""
}
