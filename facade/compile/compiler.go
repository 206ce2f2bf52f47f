package compile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// compiler makes the catalog of a project: startup thinks, so that requests only look up.
// It goes on after a fault, so that all faults are reported at once. Each file that ends
// in compile.go has one part of it.
type compiler struct {
	source       *Source
	registry     *schema.Registry
	unregistered func(schema.Fault)
	limits       project.ListLimits
	incomplete   bool
	now          func() time.Time
	set          *schema.Set
	fronds       []*catalog.Frond
	doors        map[string]*catalog.Door
	seeds        []SeedFile
	faults       schema.Faults
	ignored      []schema.Fault // of the cards of remotes
	user         access.UserMembers
	advice       []schema.Fault
	ended        []schema.Fault // aliases that are past their last day

	authored   map[*catalog.Operation]bool // author's code makes calls within it, before it is committed
	presenters map[*catalog.Door][]*access.Presenter
	collected  map[*catalog.Door]access.Collector // a door without one is open
	idCards    map[*catalog.Door]*schema.Entity
	listCards  map[project.ListLimits]*schema.Entity
	rowCards   map[string]*schema.Entity // likewise, by operation
}

// fault keeps a fault: at is the JSON pointer in the file, remedy what to write instead.
func (b *compiler) fault(file, at, message, remedy string) {
	b.faults = append(b.faults, schema.Fault{File: file, Pointer: at, Message: message, Remedy: remedy})
}

// keep keeps the faults of cards, which package schema reports.
func (b *compiler) keep(err error) {
	var faults schema.Faults
	if errors.As(err, &faults) {
		b.faults = append(b.faults, faults...)
	} else {
		b.fault("", "", err.Error(), "")
	}
}

// origin is where a door was declared, for messages.
func (b *compiler) origin(src *project.Frond, name string) string {
	for _, s := range src.Cards {
		if !s.View && strings.EqualFold(s.Name, name) && s.File != "" {
			return s.File
		}
	}
	return cmp.Or(src.Config.File, "the Frond "+src.Name)
}

// card is the entity of a part: named, or written inline, or nil for none.
func (b *compiler) card(file, frond, name string, p project.Part) *schema.Entity {
	switch {
	case p.Name != "":
		e := b.set.Entity(p.Name)
		if e == nil {
			var known []string
			for _, e := range append(slices.Clone(b.set.Views), b.set.Entities...) {
				known = append(known, e.Name)
			}
			b.fault(file, p.At, fmt.Sprintf("no entity and no view is called %s", p.Name), "put it into views/, or name one of "+strings.Join(known, ", "))
		}
		return e
	case p.Card != nil:
		// .json: the text was converted when the file was read.
		e, err := b.set.CompileView(schema.Source{File: file, At: p.At, Name: name, Frond: frond, View: true, Card: nil, Data: p.Card})
		if err != nil {
			b.keep(err)
		}
		return e
	}
	return nil
}

// doorsRemedy names the doors there are, for a fault about one that does not exist.
func (b *compiler) doorsRemedy() string {
	var names []string
	for _, f := range b.fronds {
		for _, d := range f.Doors {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return "there is no door at all; declare it in a frond.yaml, or add a card"
	}
	return "the doors are " + strings.Join(names, ", ")
}

// view compiles a card that this package makes itself, such as the query of list.
func (b *compiler) view(d *catalog.Door, name string, card *schema.Card) *schema.Entity {
	e, err := b.set.CompileView(schema.Source{File: d.Origin, Name: d.Name + name, Frond: d.Frond.Name, View: true, Card: card, Builtin: true})
	if err != nil {
		b.keep(err)
	}
	return e
}

// doorOf is the door of this Frond that a key of its frond.yaml names; nil with a
// fault where there is none.
func (b *compiler) doorOf(src *project.Frond, name, at, what string) *catalog.Door {
	door := b.doors[schema.EntityKey(name)]
	switch {
	case door == nil:
		b.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, but no door is called that", what, name), b.doorsRemedy())
		return nil
	case door.Frond.Name != src.Name:
		b.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, which is a door of the Frond %s", what, door.Name, door.Frond.Name), "declare it in that Frond's frond.yaml")
		return nil
	}
	return door
}

// SeedFile is the rows of one entity for the first start.
type SeedFile struct {
	File   string
	Entity *schema.Entity
	Rows   []json.RawMessage
}

// goCode takes the place of the file in a fault of attached code: the program itself.
const goCode = "Go code"
