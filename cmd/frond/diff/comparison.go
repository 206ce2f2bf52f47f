package diff

import (
	"slices"

	"github.com/frondhost/frond/facade/catalog"
)

// comparison is one run over two versions.
type comparison struct {
	was, is *Version
	pair    *pairing
	out     findings
}

// surfacesOf are the surfaces of a kind that both versions have, and those that one of them
// has: an audience may be new.
func (c *comparison) surfacesOf(kind catalog.Surface) (all []catalog.Surface) {
	for _, v := range []*Version{c.was, c.is} {
		for _, s := range v.catalog.Surfaces() {
			if s.Kind() == kind && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// doors pairs all doors.
func (c *comparison) doors() []pair[catalog.Door] {
	return pairUp(slices.Collect(c.was.catalog.Doors()), slices.Collect(c.is.catalog.Doors()), func(d *catalog.Door) *catalog.Door {
		return c.is.catalog.Door(c.pair.newName(doorKey(d)))
	})
}

// without returns the elements of a that b lacks.
func without(a, b []string) (out []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}
