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

// collectors compiles the access rules of a frond.yaml, and binds them to doors:
// first to the doors that are named, then to those that '*' covers.
func (b *compiler) collectors(src *project.Frond, configs []project.Collector) {
	file := src.Config.File
	for _, c := range configs {
		if c.Name == project.Others {
			continue
		}
		if b.factCollector(src, c) {
			continue
		}
		door := b.doorOf(src, c.Name, c.At, "a collector")
		switch {
		case door == nil:
		case door.AccessAt != "":
			b.fault(file, c.At, fmt.Sprintf("%s has two collectors: it has one already", door.Name), "leave one that says both")
		case b.collected[door] != nil:
			b.fault(file, c.At, fmt.Sprintf("%s has two collectors: Go code attaches one too", door.Name), "leave one that says both")
		default:
			b.collect(file, door, c)
		}
	}
	for _, c := range configs {
		if c.Name != project.Others {
			continue
		}
		for _, door := range b.fronds[slices.IndexFunc(b.fronds, func(f *catalog.Frond) bool { return f.Name == src.Name })].Doors {
			if b.collected[door] != nil || door.AccessAt != "" {
				continue
			}
			rest := b.faults
			b.faults = nil
			b.collect(file, door, c)
			b.faults = append(rest, forOne(door, b.faults, rest)...)
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
func (b *compiler) collect(file string, door *catalog.Door, c project.Collector) {
	door.AccessAt, door.Open = file+"#"+c.At, c.Open
	if c.Open {
		return
	}
	rules := access.Compiler{Fronds: b.fronds, User: b.user, Fault: b.fault, Advise: b.advise}
	b.collected[door] = rules.Rules(file, door, c, c.Name == project.Others)
}

// advise keeps an advice once.
func (b *compiler) advise(f schema.Fault) {
	if !slices.Contains(b.advice, f) {
		b.advice = append(b.advice, f)
	}
}

// presets notes at each door which fields a caller does not have to send.
func (b *compiler) presets() {
	for _, d := range b.doors {
		d.Presets = d.NotRequired
		if p, ok := b.collected[d].(access.Presetter); ok {
			d.Presets = append(p.Presets(), d.NotRequired...)
		}
	}
}
