package places

import (
	"strings"

	"github.com/frondhost/frond/gateway"
)

// A Place says where the Fronds of a project run.
type Place struct {
	Fronds  []string        // all of the project
	Moved   []string        // the Fronds with a host of their own; the others run in the gateway
	Between bool            // calls reach the moved Fronds through another gateway
	Signing gateway.Signing // of all hosts; without it the hosts believe every caller, and ask no others
}

// String names the moved Fronds.
func (p Place) String() string {
	words := []string{strings.Join(p.Moved, " ")}
	if p.Between {
		words = append(words, "behind a gateway")
	}
	return strings.Join(words, ", ")
}

// All are the places in which a Frond runs elsewhere: 15 of four Fronds. Every third has a gateway in between.
func All(fronds []string, signing gateway.Signing) []Place {
	var all []Place
	for bits := 1; bits < 1<<len(fronds); bits++ {
		p := Place{Fronds: fronds, Between: bits%3 == 0, Signing: signing}
		for i, f := range fronds {
			if bits>>i&1 == 1 {
				p.Moved = append(p.Moved, f)
			}
		}
		all = append(all, p)
	}
	return all
}
