package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// shows is which operations a Frond shows on the surfaces it says something of.
type shows map[catalog.Surface]map[*catalog.Operation]bool

// shownOn finds the operations that the surfaces of a Frond name.
func shownOn(r *report, m *model, frond *catalog.Frond, file string, c project.Surfaces) shows {
	all := shows{}
	for _, s := range c.Surfaces {
		show := map[*catalog.Operation]bool{}
		for _, d := range frond.Doors {
			for _, op := range d.Operations {
				show[op] = s.Except
			}
		}
		for _, n := range s.Names {
			for _, op := range operationsNamed(r, m, frond, file, n) {
				show[op] = !s.Except
				for _, many := range op.Door.Operations {
					if s.Except && slices.Contains(many.Needs, op) {
						show[many] = false // it takes the rights of this one
					}
				}
				if batch := op.Door.Operation("findByIds"); s.Except && op.Builtin && op.Name == "findById" && batch != nil {
					show[batch] = false // it is the batch of findById
				}
			}
		}
		all[catalog.Surface(s.Kind).For(s.Audience)] = show
	}
	return all
}

// operationsNamed are the operations that a name covers: all of a door, or one of
// them.
func operationsNamed(r *report, m *model, frond *catalog.Frond, file string, n project.Named) []*catalog.Operation {
	if n.Name == "" {
		return nil // reported by the reader
	}
	door, operation, one := strings.Cut(n.Name, ".")
	d := m.doors[schema.EntityKey(door)]
	switch {
	case d == nil:
		names := make([]string, len(frond.Doors))
		for i, d := range frond.Doors {
			names[i] = d.Name
		}
		r.fault(file, n.At, fmt.Sprintf("no door is called %s", schema.Quoted(door)), "the doors of "+frond.Name+" are "+strings.Join(names, ", "))
	case d.Frond != frond:
		r.fault(file, n.At, fmt.Sprintf("%s is a door of the Frond %s", d.Name, d.Frond.Name), "write it under surfaces in that Frond's frond.yaml")
	case !one:
		return d.Operations
	case d.Operation(operation) == nil:
		r.fault(file, n.At, fmt.Sprintf("%s has no operation %s", d.Name, schema.Quoted(operation)), "its operations are "+strings.Join(d.OperationNames(), ", "))
	default:
		return []*catalog.Operation{d.Operation(operation)}
	}
	return nil
}

// narrowedBy returns the operations that the surfaces show which a remote's host describes and a frond.yaml here narrows.
func (there shows) narrowedBy(here shows) shows {
	all := maps.Clone(there)
	for s, show := range here {
		both := map[*catalog.Operation]bool{}
		shown, said := there[s.Kind()]
		for op, is := range show {
			both[op] = is && (!said || shown[op])
		}
		all[s] = both
	}
	return all
}

// showSurfaces gives the catalog its views, one for each of its surfaces. closing hides the doors of remotes that
// are left to their hosts and not called open.
func showSurfaces(r *report, m *model, c *catalog.Catalog, k *bindings, fronds []*project.Frond, configs []project.Config, others []beside, closing bool) {
	var audiences []string
	by := map[*catalog.Frond]shows{}
	for i, f := range fronds {
		audiences = append(audiences, configs[i].Surfaces.Audiences...)
		by[c.Fronds[i]] = shownOn(r, m, c.Fronds[i], f.Config.File, configs[i].Surfaces)
	}
	for _, b := range others {
		audiences = append(audiences, b.config.Surfaces.Audiences...)
		frond := c.Fronds[b.of]
		by[frond] = by[frond].narrowedBy(shownOn(r, m, frond, b.src.Config.File, b.config.Surfaces))
	}
	closed := map[*catalog.Door]bool{}
	c.Show(audiences, func(s catalog.Surface, op *catalog.Operation) bool {
		show, said := by[op.Door.Frond][s]
		if !(said && show[op] || !said && s == s.Kind()) {
			return false
		}
		if closing && access.AuthorityOf(op.Door, k.Collectors[op.Door]) == catalog.ByNobody && op.Door.Frond.Remote != "" {
			closed[op.Door] = true
			return false
		}
		return true
	})
	for d := range c.Doors() {
		if !closed[d] {
			continue
		}
		undecided := catalog.Undecided([]catalog.Access{{Frond: d.Frond.Name, Door: d.Name, By: catalog.ByNobody, Surfaces: c.Surfaces(), Remote: true, File: d.Frond.File}})[0]
		undecided.Message = d.Name + " is not served: " + undecided.Message
		r.ignored = append(r.ignored, undecided)
	}
}
