package facade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// surfacesConfig is what a frond.yaml says of surfaces:
//
//	surfaces:
//	  graphql: {only: [product, category.list]}   # doors, or single operations
//	  rest: {except: [order.delete]}              # all but these
//	  envelope: false                             # nothing of this Frond
//	  audiences:
//	    partner:                                  # shows nothing that is not named here
//	      rest: {only: [product.list]}
//
// A surface of everybody's that is not written shows the whole Frond; an audience's
// that is not written shows nothing of it.
type surfacesConfig struct {
	surfaces  []surfaceConfig
	audiences []string
}

type surfaceConfig struct {
	surface Surface
	but     bool // except: all but the named; else the named alone
	names   []surfaceName
}

// surfaceName is a door, or an operation as door.operation.
type surfaceName struct{ name, at string }

func (r *configReader) surfaces(value json.RawMessage, at string) (c surfacesConfig) {
	kinds := make([]string, len(surfaces))
	for i, s := range surfaces {
		kinds[i] = string(s)
	}
	show := func(audience string) func(name, at string, value json.RawMessage) {
		return func(name, at string, value json.RawMessage) {
			if s, said := r.surface(value, at); said {
				s.surface = Surface(name).For(audience)
				c.surfaces = append(c.surfaces, s)
			}
		}
	}
	r.object(value, at, "surfaces", append(kinds[:len(kinds):len(kinds)], "audiences"), func(name, at string, value json.RawMessage) {
		if name != "audiences" {
			show("")(name, at, value)
			return
		}
		r.object(value, at, "audiences", nil, func(name, at string, value json.RawMessage) {
			switch {
			case !isPathWord(name):
				r.fault(at, fmt.Sprintf("%q cannot be the name of an audience", name), "write lower-case letters, digits and hyphens: partner")
				return
			case slices.Contains(kinds, name):
				r.fault(at, fmt.Sprintf("the audience %s has the name of a surface", name), "give it a name of its own: partner")
				return
			}
			c.audiences = append(c.audiences, name)
			r.object(value, at, "an audience", kinds, show(name))
		})
	})
	return c
}

const surfaceRemedy = "write true, false, {only: [product, category.list]} or {except: [order.delete]}"

// surface reads what one surface shows; said is false where nothing is written.
func (r *configReader) surface(value json.RawMessage, at string) (s surfaceConfig, said bool) {
	switch jsontext.KindOf(value) {
	case jsontext.Null:
		return s, false
	case jsontext.True:
		s.but = true // all but nothing
		return s, true
	case jsontext.False:
		return s, true
	case jsontext.Object:
	default:
		r.fault(at, "what a surface shows is true, false, or an object with only or except", surfaceRemedy)
		return s, false
	}
	n, before := 0, len(r.faults)
	r.object(value, at, "a surface", []string{"only", "except"}, func(name, at string, value json.RawMessage) {
		n++
		s.but = name == "except"
		if jsontext.KindOf(value) != jsontext.Array {
			r.fault(at, name+" has to be a list of doors and operations", surfaceRemedy)
			return
		}
		for i, item := range jsontext.Elements(value) {
			here := fmt.Sprint(at, "/", i)
			s.names = append(s.names, surfaceName{r.string(item, here), here})
		}
	})
	if n != 1 && len(r.faults) == before {
		r.fault(at, "a surface has either only or except", surfaceRemedy)
	}
	return s, n == 1
}

// shows is which operations a Frond shows on the surfaces it says something of.
type shows map[Surface]map[*Operation]bool

// surfaces finds the operations that a Frond's surfaces name.
func (b *compiler) surfaces(frond *Frond, file string, c surfacesConfig) shows {
	all := shows{}
	for _, s := range c.surfaces {
		show := map[*Operation]bool{}
		for _, d := range frond.Doors {
			for _, op := range d.Operations {
				show[op] = s.but
			}
		}
		for _, n := range s.names {
			for _, op := range b.shown(frond, file, n) {
				show[op] = !s.but
				if batch := op.Door.ops["findByIds"]; s.but && op.Builtin && op.Name == "findById" && batch != nil {
					show[batch] = false // it stands and falls with findById, whose batch it is
				}
			}
		}
		all[s.surface] = show
	}
	return all
}

// shown are the operations a name stands for: all of a door, or one of them.
func (b *compiler) shown(frond *Frond, file string, n surfaceName) []*Operation {
	if n.name == "" {
		return nil // told by the reader
	}
	door, operation, one := strings.Cut(n.name, ".")
	d := b.doors[schema.EntityKey(door)]
	switch {
	case d == nil:
		names := make([]string, len(frond.Doors))
		for i, d := range frond.Doors {
			names[i] = d.Name
		}
		b.fault(file, n.at, fmt.Sprintf("no door is called %s", kiterror.Quoted(door)), "the doors of "+frond.Name+" are "+strings.Join(names, ", "))
	case d.Frond != frond:
		b.fault(file, n.at, fmt.Sprintf("%s is a door of the Frond %s", d.Name, d.Frond.Name), "write it under surfaces in that Frond's frond.yaml")
	case !one:
		return d.Operations
	case d.ops[operation] == nil:
		b.fault(file, n.at, fmt.Sprintf("%s has no operation %s", d.Name, kiterror.Quoted(operation)), "its operations are "+strings.Join(d.operationNames(), ", "))
	default:
		return []*Operation{d.ops[operation]}
	}
	return nil
}

// showing gives a catalog what each of its surfaces shows.
func (b *compiler) showing(c *Catalog, configs []frondConfig) {
	by := map[*Frond]shows{}
	for i, f := range b.project.Fronds {
		c.Audiences = append(c.Audiences, configs[i].surfaces.audiences...)
		by[c.Fronds[i]] = b.surfaces(c.Fronds[i], f.Config.File, configs[i].surfaces)
	}
	slices.Sort(c.Audiences)
	c.Audiences = slices.Compact(c.Audiences)
	c.views = map[Surface]*Catalog{}
	for _, s := range c.Surfaces() {
		everybody := s == s.Kind()
		c.views[s] = c.view(func(op *Operation) bool {
			show, said := by[op.Door.Frond][s]
			return said && show[op] || !said && everybody
		})
	}
}
