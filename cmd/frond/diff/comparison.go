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

// none is an empty surface.
var none = &surface{view: &catalog.Catalog{}}

// of is a version as a surface shows it.
func (v *Version) of(s catalog.Surface) *surface {
	if shown := v.surfaces[s]; shown != nil {
		return shown
	}
	return none
}

// doorPair is a door in both versions; one of them may be nil.
type doorPair struct{ was, is *catalog.Door }

// doors pairs all doors, those of the old version first.
func (c *comparison) doors() (all []doorPair) {
	paired := map[*catalog.Door]bool{}
	for d := range c.was.catalog.Doors() {
		p := doorPair{was: d, is: c.is.catalog.Door(c.pair.newName(doorKey(d)))}
		if p.is != nil {
			paired[p.is] = true
		}
		all = append(all, p)
	}
	for d := range c.is.catalog.Doors() {
		if !paired[d] {
			all = append(all, doorPair{is: d})
		}
	}
	return all
}
