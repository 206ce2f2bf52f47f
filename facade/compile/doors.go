package compile

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// doorBuilder makes the doors of a project with their operations. Equal cards of built-in
// operations are made once.
type doorBuilder struct {
	report    *report
	model     *model
	limits    project.ListLimits // of a door that states none
	idCards   map[idCard]*schema.Entity
	ownCards  map[*catalog.Door]*schema.Entity // of an id, under the name of the door
	listCards map[queryCard]*schema.Entity     // of list and aggregate
	rowCards  map[string]*schema.Entity        // by operation
}

// idCard sets the card of an id, or of several, apart from other doors' cards: by the shape of the id, and
// by the remote, whose cards are read with less rigour.
type idCard struct{ name, shape, remote string }

// queryCard sets the query of a list or of aggregate apart from other doors' queries.
type queryCard struct {
	op       string
	limits   project.ListLimits
	searched bool
}

// frond makes the doors of a Frond: one for each of its entities, then the doors without rows.
func (b *doorBuilder) frond(src *project.Frond, config project.Config) {
	frond := &catalog.Frond{Name: src.Name, Remote: src.Remote, Open: src.Open, Atomic: src.Remote != "" && (src.Known == nil || src.Known.Atomic), Rehearses: src.Remote != "" && src.Known != nil && src.Known.Rehearses, File: cmp.Or(src.Config.File, path.Join(src.Dir, "frond.yaml"))}
	if src.Foreign {
		frond.File = cmp.Or(src.Beside.File, "fronds/"+src.Name+"/frond.yaml")
	}
	b.model.fronds = append(b.model.fronds, frond)
	file := src.Config.File
	configured := map[string]*project.Door{}
	for _, d := range config.Doors {
		key := schema.EntityKey(d.Name)
		if configured[key] != nil {
			b.report.fault(file, d.At, fmt.Sprintf("the door %s is written twice", d.Name), "write it once")
			continue
		}
		configured[key] = d
	}
	opened := b.openedMany(src, config)
	for _, e := range b.model.set.Entities {
		if e.Frond != src.Name {
			continue
		}
		d := configured[e.Key]
		delete(configured, e.Key)
		switch {
		case d == nil:
			d = &project.Door{Name: e.Name}
		case d.Off:
			continue // no façade: absent from discovery, REST and GraphQL (spec 2.5.2)
		}
		d.Many = opened[e.Key]
		b.door(frond, src, d, e)
	}
	for _, d := range config.Doors {
		if configured[schema.EntityKey(d.Name)] != d || d.Off {
			continue
		}
		switch e := b.model.set.Entity(d.Name); {
		case e != nil && e.View:
			b.report.fault(file, d.At, fmt.Sprintf("%s is a view, and a view has no door", d.Name), "name the door after an entity, or give it a name of its own")
		case e != nil:
			b.report.fault(file, d.At, fmt.Sprintf("%s is an entity of the Frond %s", e.Name, e.Frond), "configure its door in that Frond's frond.yaml")
		default:
			b.door(frond, src, d, nil)
		}
	}
	checkPlurals(b.report, frond, file)
}

// checkPlurals reports two doors whose REST paths are equal without regard to case.
func checkPlurals(r *report, frond *catalog.Frond, file string) {
	taken := map[string]*catalog.Door{}
	for _, d := range frond.Doors {
		key := strings.ToLower(d.Plural) // a path is found without regard to case
		if other := taken[key]; other != nil {
			r.fault(cmp.Or(file, d.Origin), d.At, fmt.Sprintf("the plural %s is claimed twice, by %s (%s) and %s (%s)", d.Plural, other.Name, other.Origin, d.Name, d.Origin),
				fmt.Sprintf("write doors: {%s: {plural: …}} in the frond.yaml of %s", d.Name, frond.Name))
			continue
		}
		taken[key] = d
	}
}

// door makes one door; e is nil for a door without rows. A second owner of a name is a fault
// that names both, since a method is entity.op for the whole host.
func (b *doorBuilder) door(frond *catalog.Frond, src *project.Frond, c *project.Door, e *schema.Entity) {
	name := c.Name
	if e != nil {
		name = e.Name
	}
	d := &catalog.Door{
		Name: c.Name, Frond: frond, Entity: e, GraphQL: c.GraphQL, At: c.At,
		Plural: cmp.Or(c.Plural, schema.Plural(name)),
		Origin: origin(src, c.Name),
		Limits: c.Limits.Or(b.limits),
	}
	key := schema.EntityKey(d.Name)
	if other := b.model.doors[key]; other != nil {
		b.report.fault(d.Origin, c.At, fmt.Sprintf("the door %s "+schema.TwoOwners+": %s and %s", d.Name, other.Origin, d.Origin), "rename one of them: the method is entity.op, for the whole host")
		return
	}
	b.model.doors[key] = d
	frond.Doors = append(frond.Doors, d)
	if e != nil {
		d.Name = e.Name
		p, _ := filter.Field(e, catalog.ETag)
		d.ETag = p == nil
		b.builtins(d, src, c)
	}
	b.namedOperations(d, src, c)
	if len(d.Operations) == 0 {
		b.report.fault(cmp.Or(src.Config.File, d.Origin), c.At, fmt.Sprintf("the door %s has no operation", d.Name), "declare one under operations, or write "+d.Name+": false")
	}
}

// origin is where a door was declared, for messages.
func origin(src *project.Frond, name string) string {
	for _, s := range src.Cards {
		if !s.View && strings.EqualFold(s.Name, name) && s.File != "" {
			return s.File
		}
	}
	return cmp.Or(src.Config.File, "the Frond "+src.Name)
}
