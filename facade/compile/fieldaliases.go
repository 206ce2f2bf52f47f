package compile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// compileFieldAlias compiles the old name of a renamed field that answers until a date. The
// entity of the field has it, and each view that took the field over from the entity.
func compileFieldAlias(r *report, m *model, now func() time.Time, file string, all []project.Rename, n project.Rename) {
	_, was, _ := strings.Cut(n.From, ".")
	entity, is, _ := strings.Cut(n.To, ".")
	e := m.set.Entity(entity)
	if e == nil && m.incomplete {
		return // a remote of which nothing is known yet may have it
	}
	if last, _ := lastName(all, n, true); last != is {
		r.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, which is renamed itself", n.From, n.To), fmt.Sprintf("write %s: {to: %s.%s, until: %s}", n.From, entity, last, n.Until))
		return
	}
	var p *schema.Property
	door := m.doors[schema.EntityKey(entity)]
	if door != nil && door.Entity != nil {
		p = e.Property(is)
	}
	if p == nil || !p.Stored {
		r.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, and no door has a field called that", n.From, n.To), m.doorsRemedy(entity))
		return
	}
	until := lastSecond(n.Until)
	for _, card := range append([]*schema.Entity{e}, m.viewsOf(e, is)...) {
		a := schema.NewFieldAlias(was, card.Property(is), until)
		a.File, a.At = file, n.At
		var taken string
		if card == e {
			taken = takenName(door, a)
		} else {
			taken = nameTaken(card, a)
		}
		switch {
		case taken == "":
			card.AddAlias(a)
		case card == e:
			r.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, and %s means something else there", n.From, n.To, taken), "write "+n.From+": "+n.To+" without until, or rename the other one")
			return
		}
		// A view that has a field of its own by the old name keeps it.
	}
	noteEnd(r, file, n, schema.NewFieldAlias(was, p, until).Past(now()))
}

// viewsOf are the views, with a name or within an operation, that took the field called name
// over from e.
func (m *model) viewsOf(e *schema.Entity, name string) (views []*schema.Entity) {
	add := func(v *schema.Entity) {
		if v != nil && v.Derives(e, name) && v.Property(name) != nil && !slices.Contains(views, v) {
			views = append(views, v)
		}
	}
	for _, v := range m.set.Views {
		add(v)
	}
	for _, f := range m.fronds {
		for _, d := range f.Doors {
			for _, op := range d.Operations {
				add(op.Input)
				add(op.Output)
			}
		}
	}
	return views
}

// takenName is the first name of an alias that the rows of a door have already, or "".
func takenName(door *catalog.Door, a *schema.FieldAlias) string {
	for _, name := range []string{a.Name, a.Relation, a.Key} {
		if name != "" && door.ComputedField(name) != nil || name == catalog.ETag {
			return name
		}
	}
	return nameTaken(door.Entity, a)
}

// nameTaken is the first name of an alias that has a meaning in the filters of e, or "".
func nameTaken(e *schema.Entity, a *schema.FieldAlias) string {
	for _, name := range []string{a.Name, a.Relation, a.Key} {
		if name == "" {
			continue
		}
		if p, _ := filter.Field(e, name); p != nil || e.Alias(name) != nil {
			return name
		}
		if name == "and" || name == "or" || name == "not" {
			return name
		}
	}
	return ""
}

// knownAliases takes over the old names that a remote Frond answers. One that cannot be had
// here, since something here has the name, is left out with a note: the remote is not ours to
// change.
func knownAliases(r *report, m *model, now func() time.Time, src *project.Frond, declared []project.Rename) {
	if src.Known == nil {
		return
	}
	file := "rpc.discover of " + src.Remote
	for i := range src.Known.Doors {
		d := &src.Known.Doors[i]
		door := m.doors[schema.EntityKey(d.Name)]
		if door == nil || door.Frond.Name != src.Name {
			continue
		}
		var found []project.Rename
		for _, a := range d.Aliases {
			found = append(found, project.Rename{From: a.Name, To: door.Name, Until: a.Until})
		}
		for _, a := range d.Fields {
			found = append(found, project.Rename{From: door.Name + "." + a.Name, To: door.Name + "." + a.Field, Until: a.Until})
		}
		for _, n := range found {
			if slices.ContainsFunc(declared, func(o project.Rename) bool { return strings.EqualFold(o.From, n.From) }) {
				continue // said here already
			}
			if _, err := time.Parse(time.DateOnly, n.Until); err != nil {
				continue // another make of host: no day, no alias
			}
			before, ended := len(r.faults), r.ended
			aliasOf(r, m, now, file, nil, n)
			for _, f := range r.faults[before:] {
				r.ignored = append(r.ignored, schema.Fault{File: f.File, Message: f.Message})
			}
			r.faults, r.ended = r.faults[:before], ended // that it has ended is for the remote to say
		}
	}
}

// aliasOf compiles the old name of an entity or of a field.
func aliasOf(r *report, m *model, now func() time.Time, file string, all []project.Rename, n project.Rename) {
	if strings.Contains(n.From, ".") {
		compileFieldAlias(r, m, now, file, all, n)
	} else {
		compileAlias(r, m, now, file, all, n)
	}
}
