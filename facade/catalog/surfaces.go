package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Surface names one surface of a host: graphql, rest or envelope for everybody,
// partner/rest for the audience partner. Each Frond chooses its part of a surface
// under surfaces in its frond.yaml; see [Catalog.Surface].
type Surface string

// The surfaces that everybody sees.
const (
	OnGraphQL  Surface = "graphql"
	OnREST     Surface = "rest"
	OnEnvelope Surface = "envelope"
)

// surfaces are the three ways to call, in the order they are listed.
var surfaces = []Surface{OnGraphQL, OnREST, OnEnvelope}

// For is the surface of the same kind that an audience sees; "" is everybody.
func (s Surface) For(audience string) Surface {
	if audience == "" {
		return s
	}
	return Surface(audience) + "/" + s
}

// Kind is the surface of everybody's that s is like: rest, of partner/rest.
func (s Surface) Kind() Surface { return s[strings.LastIndexByte(string(s), '/')+1:] }

// Surfaces are the surfaces of the host: the three of everybody, and each audience's.
func (c *Catalog) Surfaces() []Surface {
	all := slices.Clone(surfaces)
	for _, audience := range c.Audiences {
		for _, s := range surfaces {
			all = append(all, s.For(audience))
		}
	}
	return all
}

// Surface is the part of the host that one surface shows: the doors and operations of that
// surface and no others. The routes, types and documents of the surface are made from it;
// [facade.Facade.On] answers its calls. Without hidden parts it is the catalog itself. The
// error lists the surfaces.
func (c *Catalog) Surface(s Surface) (*Catalog, error) {
	if view := c.views[s]; view != nil {
		return view, nil
	}
	all := c.Surfaces()
	if slices.Contains(all, s) {
		return c, nil
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return nil, fmt.Errorf("there is no surface %s; there is %s", schema.Quoted(string(s)), strings.Join(names, ", "))
}

// Reaches reports whether a filter may go through a relation to the rows of e: a door of e is
// served here and answers one of the built-in queries. A filter must not discover rows that no
// caller can read here.
func (c *Catalog) Reaches(e *schema.Entity) bool {
	d := c.Door(e.Key)
	return d != nil && slices.ContainsFunc(d.Operations, func(op *Operation) bool { return op.Builtin && op.Kind == Query })
}

// Joins says whether a filter may go through a relation: Reaches its target, and those who keep the
// rows on both sides can be asked.
func (c *Catalog) Joins(l *schema.Link) bool {
	return l.Target != nil && c.Reaches(l.Target) && Crossed(c.Fronds, l) && (l.Through == nil || c.listed(l))
}

// listed reports whether the rows in between of a link are listed here, with both their keys.
func (c *Catalog) listed(l *schema.Link) bool {
	d := c.Door(l.Inverse.Owner.Key)
	return d != nil && d.Entity == l.Inverse.Owner && d.Operation("list") != nil && l.Through.Readable()
}

// Only returns the catalog of one Frond by itself, as its receiver serves it. Relations to other
// Fronds keep their keys.
func (c *Catalog) Only(f *Frond) *Catalog {
	only := &Catalog{Vendor: c.Vendor, Set: c.Set, Fronds: []*Frond{f}, doors: map[string]*Door{}}
	for _, d := range f.Doors {
		only.doors[schema.EntityKey(d.Name)] = d
	}
	return only
}

// Show gives the catalog its audiences and a view for each surface. shows reports whether a surface
// shows an operation. It is called while a catalog is compiled, never later.
func (c *Catalog) Show(audiences []string, shows func(Surface, *Operation) bool) {
	slices.Sort(audiences)
	c.Audiences = slices.Compact(audiences)
	for _, f := range c.Fronds {
		for _, d := range f.Doors {
			for _, op := range d.Operations {
				for _, s := range surfaces {
					if !shows(s, op) {
						op.Hidden = append(op.Hidden, string(s))
					}
				}
			}
		}
	}
	c.views = map[Surface]*Catalog{}
	for _, s := range c.Surfaces() {
		c.views[s] = c.view(func(op *Operation) bool { return shows(s, op) })
		if view := c.views[s]; view != c && s != s.Kind() {
			view.audience = strings.TrimSuffix(string(s), "/"+string(s.Kind()))
		}
	}
}

// view is the catalog with the operations that show lets through.
func (c *Catalog) view(show func(*Operation) bool) *Catalog {
	hides := func(o *Operation) bool { return !show(o) }
	if !slices.ContainsFunc(c.Fronds, func(f *Frond) bool {
		return slices.ContainsFunc(f.Doors, func(d *Door) bool { return slices.ContainsFunc(d.Operations, hides) })
	}) {
		return c
	}
	v := &Catalog{Vendor: c.Vendor, Set: c.Set, Audiences: c.Audiences, doors: map[string]*Door{}, views: c.views}
	for _, f := range c.Fronds {
		frond := *f
		frond.Doors = nil
		for _, d := range f.Doors {
			door := *d
			door.Frond, door.Operations, door.ops = &frond, nil, nil
			for _, o := range d.Operations {
				if show(o) {
					op := *o
					op.Door = &door
					door.Add(&op)
				}
			}
			if len(door.Operations) > 0 {
				door.Aliases = nil
				for _, a := range d.Aliases {
					own := *a
					own.Door = &door
					door.Aliases = append(door.Aliases, &own)
				}
				v.addAliases(&door)
				frond.Doors = append(frond.Doors, &door)
				v.doors[schema.EntityKey(door.Name)] = &door
			}
		}
		// Facts are the same on every surface (spec 2.5.3), so a Frond that has some stays.
		if len(frond.Doors) > 0 || len(frond.Facts) > 0 {
			v.Fronds = append(v.Fronds, &frond)
		}
	}
	return v
}

// Announces reports whether a fact of the host can be watched on a surface that shows c. One
// about the rows of a door needs a query of the door there; one with a shape of its own is on
// the surfaces of everybody that show its Frond.
func (c *Catalog) Announces(f *Fact) bool {
	if f.Door != nil {
		return c.Reaches(f.Door.Entity)
	}
	if c.audience != "" {
		return false
	}
	for _, frond := range c.Fronds {
		if frond.Name == f.Frond.Name {
			return len(frond.Doors) > 0 || len(f.Frond.Doors) == 0
		}
	}
	return false
}
