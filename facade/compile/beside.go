package compile

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// beside is the frond.yaml beside the cards of a remote. src is the Frond with that file in place of the one that its
// host's document amounts to, so that faults name it.
type beside struct {
	of     int // index of the Frond
	src    *project.Frond
	config project.Config
}

// searchesOff takes the search of words from lists of a remote.
func searchesOff(r *report, m *model, src *project.Frond, off []project.Search) {
	for _, s := range off {
		e := m.set.Entity(s.Door)
		if e == nil || e.View || e.Frond != src.Name || e.Search == nil {
			r.fault(src.Config.File, s.At, fmt.Sprintf("%s of %s is not searched by words", s.Door, src.Name), "leave the entry out")
			continue
		}
		e.Search = nil
	}
}

// deprecate marks operations of a remote as deprecated.
func deprecate(r *report, m *model, src *project.Frond, doors []*project.Door) {
	for _, d := range doors {
		door := m.doorOf(r, src, d.Name, d.At, "an operation")
		for _, o := range d.Ops {
			switch {
			case door == nil:
			case door.Operation(o.Name) == nil:
				r.fault(src.Config.File, o.At, fmt.Sprintf("%s has no operation %s", door.Name, schema.Quoted(o.Name)), schema.DidYouMean(o.Name, door.OperationNames())+"its operations are "+strings.Join(door.OperationNames(), ", "))
			case o.Deprecated != "":
				door.Operation(o.Name).Deprecated = o.Deprecated
			}
		}
	}
}

// openFacts opens facts of a remote without a door.
func openFacts(r *report, m *model, src *project.Frond, open []project.Named) {
	frond := m.frond(src.Name)
	for _, n := range open {
		f := factNamed(frond, n.Name)
		switch {
		case f == nil:
			var names []string
			for _, f := range frond.Facts {
				names = append(names, f.Name)
			}
			r.fault(src.Config.File, n.At, fmt.Sprintf("%s has no fact %s", src.Name, schema.Quoted(n.Name)), schema.DidYouMean(n.Name, names)+"its facts are "+strings.Join(names, ", "))
		case f.Door != nil:
			r.fault(src.Config.File, n.At, fmt.Sprintf("%s is about rows of %s, whose collector decides about its receivers", f.Name, f.Door.Name), "leave this entry out")
		default:
			f.Judged.Open, f.Judged.AccessAt = true, src.Config.File+"#"+n.At
		}
	}
}
