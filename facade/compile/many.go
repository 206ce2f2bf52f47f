package compile

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// openedMany returns what many of frond.yaml opens, by the keys of doors. An entry for a door that the
// Frond does not have is a fault.
func (b *doorBuilder) openedMany(src *project.Frond, config project.Config) map[string]*project.Many {
	opened := map[string]*project.Many{}
	for i := range config.Many {
		m := &config.Many[i]
		e := b.model.set.Entity(m.Door)
		off := slices.ContainsFunc(config.Doors, func(d *project.Door) bool { return d.Off && schema.EntityKey(d.Name) == schema.EntityKey(m.Door) })
		switch {
		case e == nil || e.View || e.Frond != src.Name || off:
			b.report.fault(src.Config.File, m.At, fmt.Sprintf("%s is no door with rows of this Frond, and has no writes of many rows", m.Door), "name an entity of "+src.Name+" that has a door")
		case opened[e.Key] != nil:
			b.report.fault(src.Config.File, m.At, fmt.Sprintf("%s is written twice", m.Door), "write it once")
		default:
			opened[e.Key] = m
		}
	}
	return opened
}

// isBuiltin reports whether a name belongs to a built-in operation of the door: a write of many
// rows if many opens it, and aggregate if the author declares no operation of that name; any
// other name is free for the author's.
func isBuiltin(c *project.Door, name string) bool {
	x := catalog.BuiltinNamed(name)
	switch {
	case x == nil || x.Needs == nil:
		return x != nil
	case x.IsMany():
		return wordOf(c, x) != nil
	}
	return !slices.ContainsFunc(c.Ops, func(o project.Operation) bool { return o.Name == name && !o.Off })
}

// opens reports whether callers have an operation that has the rights of others.
func (b *doorBuilder) opens(d *catalog.Door, src *project.Frond, c *project.Door, x *catalog.Builtin) bool {
	switch {
	case x.IsMany():
		return b.opensMany(d, src, c, x)
	case src.Remote != "" && !aggregatesThere(src, d):
		return false
	}
	return d.Operation(x.Needs[0]) != nil || slices.Contains(c.Only, x.Name) // groups, and no rows
}

// aggregatesThere reports whether the host of a remote Frond groups the rows of a door. An unknown host
// has the operations of this program.
func aggregatesThere(src *project.Frond, d *catalog.Door) bool {
	if src.Known == nil {
		return true
	}
	for i := range src.Known.Doors {
		if there := &src.Known.Doors[i]; schema.EntityKey(there.Name) == schema.EntityKey(d.Name) {
			return slices.ContainsFunc(there.Ops, func(op schema.DiscoveredOp) bool {
				return op.Name == catalog.Aggregate && op.Mode == project.GroupsMode
			})
		}
	}
	return false
}

// closeAggregates keeps aggregate from callers if the author's own code answers list: the code
// chooses its rows, and the store does not know them.
func closeAggregates(m *model) {
	for _, d := range m.doors {
		list, op := d.Operation("list"), d.Operation(catalog.Aggregate)
		if list != nil && list.Attached && op != nil && op.Aggregates() && !op.Attached {
			d.Remove(op.Name)
			d.Inside[op.Name] = op
		}
	}
}

// wordOf returns the word under many that opens an operation, or nil.
func wordOf(c *project.Door, x *catalog.Builtin) *project.Named {
	if c.Many == nil {
		return nil
	}
	for i := range c.Many.Words {
		if w := &c.Many.Words[i]; project.ManyWords[w.Name] == x.Name {
			return w
		}
	}
	return nil
}

// opensMany reports whether callers have a write of many rows. It needs the operations of one row: a
// word for one that the door does not have is a fault.
func (b *doorBuilder) opensMany(d *catalog.Door, src *project.Frond, c *project.Door, x *catalog.Builtin) bool {
	word := wordOf(c, x)
	if word == nil {
		return false
	}
	for _, name := range x.Needs {
		if d.Operation(name) != nil {
			continue
		}
		if !c.Many.All && src.Remote == "" {
			b.report.fault(src.Config.File, word.At, fmt.Sprintf("%s needs the rights of %s, which %s does not have", x.Name, name, d.Name),
				"open "+name+" under operations, or leave "+word.Name+" out")
		}
		return false
	}
	return true
}

// nestedRows finds the relations whose rows are written with their owners.
func nestedRows(r *report, m *model, src *project.Frond, config project.Config) {
	fault := r.fault
	if src.Remote != "" {
		fault = func(string, string, string, string) {} // its host says which it takes
	}
	seen := map[*catalog.Door]bool{}
	for _, n := range config.Nested {
		d := m.doors[schema.EntityKey(n.Door)]
		switch {
		case d == nil || d.Entity == nil || d.Frond.Name != src.Name:
			fault(src.Config.File, n.At, fmt.Sprintf("%s is not a door with rows of this Frond", n.Door), "name an entity of "+src.Name+" that has a door")
			continue
		case seen[d]:
			fault(src.Config.File, n.At, fmt.Sprintf("%s is written twice", n.Door), "write it once")
			continue
		}
		seen[d] = true
		for _, relation := range n.Relations {
			p := d.Entity.Property(relation.Name)
			if p == nil || p.Link == nil || !p.Link.Many || p.Link.Inverse == nil {
				fault(src.Config.File, relation.At, fmt.Sprintf("%s.%s is not a relation to many rows that point back", d.Name, relation.Name), "name a relation of kind many with by")
				continue
			}
			by, far := p.Link.Inverse, p.Link.Through
			switch to := m.doors[by.Owner.Key]; {
			case far != nil && !unique(by, far):
				fault(src.Config.File, relation.At, fmt.Sprintf("two rows of %s may lead from one %s to the same row", by.Owner.Name, d.Name), fmt.Sprintf("write unique: [[%s, %s]] under role at %[1]s in the card of %[3]s", by.Name, far.Name, by.Owner.Name))
			case far == nil && by.Axes.Relation.OnDelete != "cascade":
				fault(src.Config.File, relation.At, fmt.Sprintf("the rows of %s.%s do not belong to their %s", d.Name, relation.Name, d.Name), "write onDelete: cascade at "+p.Link.Target.Name+"."+by.Name+", or leave "+relation.Name+" out")
			case to == nil:
				fault(src.Config.File, relation.At, fmt.Sprintf("the rows of %s.%s do not have a door in this Frond", d.Name, relation.Name), "leave "+relation.Name+" out")
			case far != nil && to.Operation("create") == nil && src.Remote == "" && (d.Operation("create") != nil || d.Operation("update") != nil):
				// Code inside could connect rows. Callers of the owner could not, and their cards would have the member.
				fault(src.Config.File, relation.At, fmt.Sprintf("%s.%s connects rows by creating rows of %s, whose create is closed", d.Name, relation.Name, to.Name),
					"open create of "+to.Name+" under operations, with access rules for it, or leave "+relation.Name+" out")
			default:
				d.Nested = append(d.Nested, &catalog.Nested{Name: relation.Name, By: by, Door: to, Far: far})
			}
		}
	}
}

// unique reports whether two fields are unique together, or one of them alone.
func unique(a, b *schema.Property) bool {
	if t := a.Owner.Table; t != nil && len(t.Key) == 2 && slices.Contains(t.Key, a.Name) && slices.Contains(t.Key, b.Name) {
		return true
	}
	return slices.ContainsFunc(a.Owner.Uniques, func(u []*schema.Property) bool {
		return !slices.ContainsFunc(u, func(p *schema.Property) bool { return p != a && p != b })
	})
}
