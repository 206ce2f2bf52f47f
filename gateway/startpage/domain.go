// Package startpage has the part of the page at / that names the Fronds: their entities with rows,
// and a picture of the relations.
package startpage

import (
	"cmp"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// View is a surface that the page shows the doors of.
type View struct {
	Catalog *catalog.Catalog
	Caller  facade.Caller     // answers calls on the surface
	Links   map[string]string // addresses of lists, by the name of the door
}

// Domain is the Fronds of the shown surfaces. It never changes.
type Domain struct {
	fronds  []*frond
	picture string // SVG; "": there are too many doors to draw, or fewer than two
}

type frond struct {
	name   string
	remote bool
	doors  []*door
}

type door struct {
	name  string
	frond *frond
	view  *View
	of    *catalog.Door
	list  *catalog.Operation // nil: no view has the built-in list
	link  string             // of its list; "": no view has one
	leads []relation
}

// relation leads from the rows of a door to other rows.
type relation struct {
	name string
	to   *door
	by   *door // the door whose rows have the key; nil: it is not on the page
}

// New returns the doors of the views: each as the first view has it that lists its rows, or else
// the first that has it.
func New(views ...*View) *Domain {
	d := &Domain{}
	named := map[string]*door{}
	for _, view := range views {
		for _, f := range view.Catalog.Fronds {
			for _, of := range f.Doors {
				one := named[schema.EntityKey(of.Name)]
				if one == nil {
					one = &door{name: of.Name, view: view, of: of}
					named[schema.EntityKey(of.Name)] = one
					d.add(f, one)
				}
				if list := of.Operation("list"); one.list == nil && list != nil && list.Builtin {
					one.view, one.of, one.list = view, of, list
				}
				one.link = cmp.Or(one.link, view.Links[of.Name])
			}
		}
	}
	for _, one := range d.doors() {
		one.relate(named)
	}
	stored := slices.DeleteFunc(d.doors(), func(one *door) bool { return one.of.Entity == nil })
	d.picture = draw(stored, len(d.fronds) > 1)
	return d
}

// add adds a door to its Frond, and the Frond with the first of its doors.
func (d *Domain) add(f *catalog.Frond, one *door) {
	i := slices.IndexFunc(d.fronds, func(g *frond) bool { return g.name == f.Name })
	if i < 0 {
		i = len(d.fronds)
		d.fronds = append(d.fronds, &frond{name: f.Name, remote: f.Remote != ""})
	}
	one.frond = d.fronds[i]
	one.frond.doors = append(one.frond.doors, one)
}

// doors returns the doors of all Fronds, in order.
func (d *Domain) doors() (all []*door) {
	for _, f := range d.fronds {
		all = append(all, f.doors...)
	}
	return all
}

// relate adds the relations that lead to other doors of the page.
func (one *door) relate(named map[string]*door) {
	if one.of.Entity == nil {
		return
	}
	for _, field := range one.of.Entity.Fields {
		l := field.Link
		if l == nil || one.view.Catalog.RelationTo(one.of.Entity, l) == nil {
			continue
		}
		if to := named[l.Target.Key]; to != nil {
			by := one
			if l.Inverse != nil {
				by = named[l.Inverse.Owner.Key]
			}
			one.leads = append(one.leads, relation{l.Name, to, by})
		}
	}
}
