package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// model holds the entities of a project and, as they are made, its Fronds with their doors.
type model struct {
	set        *schema.Set
	fronds     []*catalog.Frond
	doors      map[string]*catalog.Door // by entity key
	incomplete bool                     // some remotes have not been discovered
}

// frond returns the Frond of a name.
func (m *model) frond(name string) *catalog.Frond {
	return m.fronds[slices.IndexFunc(m.fronds, func(f *catalog.Frond) bool { return f.Name == name })]
}

// card is the entity of a part: named, or written inline, or nil.
func (m *model) card(r *report, file, frond, name string, p project.Part) *schema.Entity {
	switch {
	case p.Name != "":
		e := m.set.Entity(p.Name)
		if e == nil {
			var known []string
			for _, e := range append(slices.Clone(m.set.Views), m.set.Entities...) {
				known = append(known, e.Name)
			}
			r.fault(file, p.At, fmt.Sprintf("no entity and no view is called %s", p.Name), "put it into views/, or name one of "+strings.Join(known, ", "))
		}
		return e
	case p.Card != nil:
		// .json: the text was converted when the file was read.
		e, err := m.set.CompileView(schema.Source{File: file, At: p.At, Name: name, Frond: frond, View: true, Card: nil, Data: p.Card})
		if err != nil {
			r.keep(err)
		}
		return e
	}
	return nil
}

// doorsRemedy names the doors there are, for a fault about a name that no door has.
func (m *model) doorsRemedy(name string) string {
	var names []string
	for _, f := range m.fronds {
		for _, d := range f.Doors {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return "there is no door at all; declare it in a frond.yaml, or add a card"
	}
	return schema.DidYouMean(name, names) + "the doors are " + strings.Join(names, ", ")
}

// view compiles a card that this package makes itself, such as the query of list.
func (m *model) view(r *report, d *catalog.Door, name string, card *schema.Card) *schema.Entity {
	e, err := m.set.CompileView(schema.Source{File: d.Origin, Name: d.Name + name, Frond: d.Frond.Name, Card: card, Builtin: true})
	if err != nil {
		r.keep(err)
	}
	return e
}

// doorOf is the door of this Frond that a key of its frond.yaml names; nil with a fault if
// there is no such door.
func (m *model) doorOf(r *report, src *project.Frond, name, at, what string) *catalog.Door {
	door := m.doors[schema.EntityKey(name)]
	switch {
	case door == nil && src.IsBeside():
		r.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, and %s has no cards here", what, name, src.Name),
			fmt.Sprintf("add cards, write remotes: {%s: http://…} in gateway.yaml, or write the cards of its host with frond sync %[1]s", src.Name))
		return nil
	case door == nil:
		r.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, but no door is called that", what, name), m.doorsRemedy(name))
		return nil
	case door.Frond.Name != src.Name:
		r.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, which is a door of the Frond %s", what, door.Name, door.Frond.Name), "declare it in that Frond's frond.yaml")
		return nil
	}
	return door
}

// stored is an entity whose rows this host keeps, or nil.
func (m *model) stored(name string) *schema.Entity {
	e := m.set.Entity(name)
	if e == nil || e.View || e.Primary == nil {
		return nil
	}
	return e
}

// entitiesRemedy names the entities there are, for a fault about a name that no entity has.
func (m *model) entitiesRemedy(name string) string {
	var names []string
	for _, e := range m.set.Entities {
		if m.stored(e.Name) != nil {
			names = append(names, e.Name)
		}
	}
	return schema.DidYouMean(name, names) + "the entities are " + strings.Join(names, ", ")
}
