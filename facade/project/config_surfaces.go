package project

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/schema/jsontext"
)

// surfaceKinds are the surfaces of everybody.
var surfaceKinds = []string{"graphql", "rest", "envelope"}

// surfaces reads what each surface and each audience shows (docs/decisions/access-rules.md). An absent
// surface has no entry; [Surfaces] says what that means. The name of an audience is a segment of a
// path, so that it cannot be the name of a surface.
func (r *configReader) surfaces(value json.RawMessage, at string) (c Surfaces) {
	show := func(audience string) func(name, at string, value json.RawMessage) {
		return func(name, at string, value json.RawMessage) {
			if s, said := r.surface(value, at); said {
				s.Kind, s.Audience = name, audience
				c.Surfaces = append(c.Surfaces, s)
			}
		}
	}
	r.object(value, at, "surfaces", append(surfaceKinds[:len(surfaceKinds):len(surfaceKinds)], "audiences"), func(name, at string, value json.RawMessage) {
		if name != "audiences" {
			show("")(name, at, value)
			return
		}
		r.object(value, at, "audiences", nil, func(name, at string, value json.RawMessage) {
			switch {
			case !isPathWord(name):
				r.fault(at, fmt.Sprintf("%q cannot be the name of an audience", name), "write lower-case letters, digits and hyphens: partner")
				return
			case slices.Contains(surfaceKinds, name):
				r.fault(at, fmt.Sprintf("the audience %s has the name of a surface", name), "give it a name of its own: partner")
				return
			}
			c.Audiences = append(c.Audiences, name)
			r.object(value, at, "an audience", surfaceKinds, show(name))
		})
	})
	return c
}

// surfaceRemedy is the remedy of every fault of a surface: all forms it can have.
const surfaceRemedy = "write true, false, {only: [product, category.list]} or {except: [order.delete]}"

// surface reads what one surface shows; said is false for an absent entry.
func (r *configReader) surface(value json.RawMessage, at string) (s Surface, said bool) {
	switch jsontext.KindOf(value) {
	case jsontext.Null:
		return s, false
	case jsontext.True:
		s.Except = true // all but nothing
		return s, true
	case jsontext.False:
		return s, true
	case jsontext.Object:
	default:
		r.fault(at, "a surface is true, false, or an object with only or except", surfaceRemedy)
		return s, false
	}
	// n counts only and except. An unknown key is a fault already, and does not need a second
	// one about the missing list.
	n, before := 0, len(r.faults)
	r.object(value, at, "a surface", []string{"only", "except"}, func(name, at string, value json.RawMessage) {
		n++
		s.Except = name == "except"
		if jsontext.KindOf(value) != jsontext.Array {
			r.fault(at, name+" has to be a list of doors and operations", surfaceRemedy)
			return
		}
		for i, item := range jsontext.Elements(value) {
			here := fmt.Sprint(at, "/", i)
			s.Names = append(s.Names, Named{r.string(item, here), here})
		}
	})
	if n != 1 && len(r.faults) == before {
		r.fault(at, "a surface has either only or except", surfaceRemedy)
	}
	return s, n == 1
}
