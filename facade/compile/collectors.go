package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// compileCollectors compiles the access rules of a frond.yaml, and binds them to doors: first
// to the named doors, then to the doors that '*' covers.
func compileCollectors(r *report, m *model, k *bindings, rules *access.Compiler, src *project.Frond, configs []project.Collector) {
	file := src.Config.File
	for _, c := range configs {
		if c.Name == project.Others {
			continue
		}
		if factCollector(r, m, k, rules, src, c) {
			continue
		}
		door := m.doorOf(r, src, c.Name, c.At, "a collector")
		switch {
		case door == nil:
		case door.AccessAt != "":
			r.fault(file, c.At, fmt.Sprintf("%s has two collectors: it has one already", door.Name), "leave one that says both")
		case k.Collectors[door] != nil:
			r.fault(file, c.At, fmt.Sprintf("%s has two collectors: Go code attaches one too", door.Name), "leave one that says both")
		default:
			collect(k, rules, file, door, c)
		}
	}
	for _, c := range configs {
		if c.Name != project.Others {
			continue
		}
		for _, door := range m.frond(src.Name).Doors {
			if k.Collectors[door] != nil || door.AccessAt != "" {
				continue
			}
			rest := r.faults
			r.faults = nil
			collect(k, rules, file, door, c)
			r.faults = append(rest, forOne(door, r.faults, rest)...)
		}
	}
}

// forOne returns the faults of rules that cover many doors, found with one of them: a
// fault of the expression is the same for all doors and reported once.
func forOne(door *catalog.Door, found, known schema.Faults) (out schema.Faults) {
	for _, f := range found {
		if strings.HasSuffix(f.Pointer, "/when") {
			if !slices.Contains(known, f) {
				out = append(out, f)
			}
			continue
		}
		f.Message = "'*' covers " + door.Name + " too: " + f.Message
		if f.Remedy != "" {
			f.Remedy += ", or "
		}
		f.Remedy += "give " + door.Name + " an entry of its own"
		out = append(out, f)
	}
	return out
}

// collect binds a collector to a door: rules, or the word open.
func collect(k *bindings, rules *access.Compiler, file string, door *catalog.Door, c project.Collector) {
	door.AccessAt, door.Open = file+"#"+c.At, c.Open
	if c.Open {
		return
	}
	k.Collectors[door] = rules.Rules(file, door, c, c.Name == project.Others)
}

// presets notes at each door which fields a caller does not have to send.
func presets(m *model, k *bindings) {
	for _, d := range m.doors {
		d.Presets = d.NotRequired
		if p, ok := k.Collectors[d].(access.Presetter); ok {
			d.Presets = append(p.Presets(), d.NotRequired...)
		}
	}
}

// actors notes at each fact whether some subscribers see who caused an event.
func actors(m *model, k *bindings) {
	for _, frond := range m.fronds {
		for _, f := range frond.Facts {
			if s, ok := k.Collectors[f.Judged].(access.ActorShower); ok {
				f.ShowsActor = s.ShowsActor()
			}
		}
	}
}
