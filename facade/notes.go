package facade

import (
	"fmt"

	"github.com/frondhost/frond/schema"
)

// notes gives the catalog its notes: what remotes say that nothing is made of, and relations that lead to rows of a remote by no operation it has.
func (b *compiler) notes(c *Catalog) {
	for _, src := range b.project.Fronds {
		if src.Remote == "" || src.Known == nil {
			continue
		}
		for _, fault := range src.Known.Ignored {
			fault.File = "rpc.discover of " + src.Remote
			c.Notes = append(c.Notes, fault)
		}
	}
	c.Notes, c.Ended = append(c.Notes, b.ignored...), b.ended
	for _, f := range c.Fronds {
		for _, d := range f.Doors {
			if d.Entity == nil {
				continue
			}
			for _, p := range d.Entity.Fields {
				if why := b.unoffered(f, p); why != "" {
					c.Notes = append(c.Notes, schema.Fault{File: d.Origin, Pointer: "/properties/" + p.Name, Message: "the relation is not offered: " + why})
				}
			}
		}
	}
}

// unoffered is why a relation does not lead to the rows of a remote; "" where it does, or
// does not concern a remote.
func (b *compiler) unoffered(f *Frond, p *schema.Property) string {
	rel := p.Axes.Relation
	if rel == nil || rel.To == "" || !p.Readable() {
		return ""
	}
	if p.Link == nil {
		if f.Remote == "" || b.incomplete || b.set.Entity(rel.To) != nil {
			return ""
		}
		return fmt.Sprintf("%s is no door of any Frond here; the key is a plain field", rel.To)
	}
	door := b.doors[p.Link.Target.Key]
	switch {
	case door == nil || door.Frond.Remote == "":
		return ""
	case p.Stored && door.ops["findById"] == nil:
		return fmt.Sprintf("%s has no findById where it runs; the key is a plain field", door.Name)
	case p.Stored:
		return ""
	case door.ops["list"] == nil:
		return fmt.Sprintf("%s has no list where it runs", door.Name)
	case !door.ops["list"].Takes("filter"):
		return fmt.Sprintf("the list of %s has no input card with filter where it runs, so nobody can ask for the rows that lead to one %s",
			door.Name, p.Owner.Name)
	}
	return ""
}
