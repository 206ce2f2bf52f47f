package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// mapped gives the cards of a Frond the tables that its frond.yaml names for them.
func mapped(sources []schema.Source, tables []project.Table) {
	for i := range tables {
		for j := range sources {
			if s := &sources[j]; !s.View && strings.EqualFold(s.Name, tables[i].Entity) {
				s.Table = &tables[i].Table
			}
		}
	}
}

// checkTables reports entries of a frond.yaml's tables that the cards do not have: entities
// and fields by other names, a key that is no key.
func checkTables(r *report, m *model, src *project.Frond, tables []project.Table) {
	for i := range tables {
		t := &tables[i]
		e := m.set.Entity(t.Entity)
		if e == nil || e.View || e.Frond != src.Name {
			r.fault(src.Config.File, t.At, fmt.Sprintf("tables names %s, which is no entity of this Frond", t.Entity), "name the file of its card: entities/"+t.Entity+".yaml")
			continue
		}
		var names []string
		for _, p := range e.Fields {
			if p.Stored && p.Parts() == nil {
				names = append(names, p.Name)
			}
		}
		for field := range t.Columns {
			if !slices.Contains(names, field) {
				r.fault(src.Config.File, t.At+"/columns/"+field, fmt.Sprintf("%s has no field %s with a column", e.Name, field), schema.DidYouMean(field, names)+"its fields are "+strings.Join(names, ", "))
			}
		}
		checkKey(r, src, t, e)
		for _, field := range slices.Sorted(maps.Keys(t.References)) {
			checkReference(r, src, t, e, field)
		}
	}
}

// checkReference reports the faults of a relation that is made of several fields: it leads
// to an entity whose key is made of as many of the same kinds, and no caller sends it.
func checkReference(r *report, src *project.Frond, t *project.Table, e *schema.Entity, field string) {
	at := t.At + "/references/" + field
	p := e.Property(field)
	if p == nil || !p.Stored || p == e.Primary || p.Link == nil || p.Link.Many {
		r.fault(src.Config.File, at, fmt.Sprintf("%q is no field of %s with a relation to one row", field, e.Name), "write in its card: x-kit: { role: { relation: { to: ENTITY, kind: one } }, boundary: { in: closed } }")
		return
	}
	to := p.Link.Target
	parts := t.References[field]
	if to.Table == nil || to.Table.Key == nil || len(to.Table.Key) != len(parts) || to.Frond != e.Frond {
		r.fault(src.Config.File, at, fmt.Sprintf("%s leads to %s, whose key is not made of %d fields", field, to.Name, len(parts)), "name a field for each of tables."+to.Name+".key, in its order")
		return
	}
	for i, name := range parts {
		q, theirs := e.Property(name), to.Property(to.Table.Key[i])
		switch {
		case q == nil || !q.Stored || q.Parts() != nil:
			r.fault(src.Config.File, fmt.Sprint(at, "/", i), fmt.Sprintf("%q is no field of %s with a column", name, e.Name), "name the field of the column that refers to "+to.Table.Key[i])
		case theirs != nil && theirs.Kind != q.Kind:
			r.fault(src.Config.File, fmt.Sprint(at, "/", i), fmt.Sprintf("%s and %s.%s are of different types", name, to.Name, theirs.Name), "name the fields in the order of tables."+to.Name+".key")
		}
	}
	if p.Kind != schema.KindString || !p.Axes.In.Closed || p.Axes.Create != nil {
		r.fault(origin(src, e.Name), "/properties/"+p.Name, fmt.Sprintf("%s is made of %s", p.Name, strings.Join(parts, ", ")), "write type: [string, 'null'], boundary: { in: closed }, and no lifecycle.create")
	}
}

// checkKey reports the faults of a key of several fields. The primary field is made of
// them, so that it is a string that no caller sends and that has no column.
func checkKey(r *report, src *project.Frond, t *project.Table, e *schema.Entity) {
	if t.Key == nil {
		return
	}
	at := t.At + "/key"
	for i, name := range t.Key {
		p := e.Property(name)
		switch {
		case p == nil || !p.Stored || p == e.Primary:
			r.fault(src.Config.File, fmt.Sprint(at, "/", i), fmt.Sprintf("%q is no field of %s that a key can be made of", name, e.Name), "name fields that have a column, other than the primary one")
		case slices.Contains(t.Key[:i], name):
			r.fault(src.Config.File, fmt.Sprint(at, "/", i), fmt.Sprintf("the key names %s twice", name), "name each field once")
		case p.Kind == schema.KindJSON || p.Kind == schema.KindNumber:
			r.fault(src.Config.File, fmt.Sprint(at, "/", i), fmt.Sprintf("a key cannot be made of %s: its values have no text of their own", name), "name fields of strings, whole numbers, booleans, dates or decimals")
		}
	}
	if p := e.Primary; p.Kind != schema.KindString || !p.Axes.In.Closed || p.Axes.Create != nil {
		r.fault(origin(src, e.Name), "/properties/"+p.Name, fmt.Sprintf("%s is made of %s", p.Name, strings.Join(t.Key, ", ")), "write type: string, x-kit: { role: { primary: true }, boundary: { in: closed } }, and no lifecycle.create")
	}
}
