package compile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// addNotes gives the catalog its notes: omitted parts of remotes, relations to rows of a remote
// that has no operation for them. It gives its advice too.
func addNotes(r *report, m *model, k *bindings, c *catalog.Catalog, fronds []*project.Frond) {
	for _, src := range fronds {
		if src.Remote == "" || src.Known == nil {
			continue
		}
		for _, fault := range src.Known.Ignored {
			fault.File = "rpc.discover of " + src.Remote
			c.Notes = append(c.Notes, fault)
		}
	}
	c.Advice = r.advice
	c.Notes, c.Ended = append(c.Notes, r.ignored...), r.ended
	for d := range c.Doors() {
		if d.Entity == nil {
			continue
		}
		c.Advice = append(c.Advice, access.Uncreatable(d, k.Collectors[d])...)
		if note, ok := unclearable(d); ok {
			c.Advice = append(c.Advice, note)
		}
		for _, p := range d.Entity.Fields {
			if why := unoffered(m, d.Frond, p); why != "" {
				c.Notes = append(c.Notes, schema.Fault{File: d.Origin, Pointer: "/properties/" + p.Name, Message: "the relation is not offered: " + why})
			}
		}
	}
}

// unclearable returns the note about the fields of a local door that callers may leave out at creation
// and can never clear, since their cards refuse null; false without such fields. Columns of another
// program's table refuse null themselves.
func unclearable(d *catalog.Door) (schema.Fault, bool) {
	if op := d.Operation("update"); d.Frond.Remote != "" || d.Entity.Table != nil || op == nil || !op.Builtin {
		return schema.Fault{}, false
	}
	var names []string
	for _, p := range d.Entity.Fields {
		if p.MayBeAbsent() && p.Stored && !p.Axes.In.Closed && p.Axes.Update == "" {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return schema.Fault{}, false
	}
	first := d.Entity.Property(names[0])
	return schema.Fault{
		File: d.Origin, Pointer: "/properties/" + jsontext.Token(names[0]),
		Message: fmt.Sprintf("%s: optional without null, so that a value can be changed and never cleared", strings.Join(names, ", ")),
		Remedy:  fmt.Sprintf("if callers should clear it, allow null: type: [%s, 'null']", cmp.Or(first.Shape.Type, "string")),
	}, true
}

// unoffered is why a relation does not lead to the rows of a remote, or "".
func unoffered(m *model, f *catalog.Frond, p *schema.Property) string {
	rel := p.Axes.Relation
	if rel == nil || rel.To == "" || !p.Readable() {
		return ""
	}
	if p.Link == nil {
		if f.Remote == "" || m.incomplete || m.set.Entity(rel.To) != nil {
			return ""
		}
		return fmt.Sprintf("%s is no door of any Frond here; the key is a plain field", rel.To)
	}
	door := m.doors[p.Link.Target.Key]
	switch {
	case door == nil || door.Frond.Remote == "":
		return ""
	case p.Stored && door.Operation("findById") == nil:
		return fmt.Sprintf("%s has no findById where it runs; the key is a plain field", door.Name)
	case p.Stored:
		return ""
	case p.Link.Through != nil && m.doors[p.Link.Through.Owner.Key] == nil:
		return "the rows in between have no door where they run"
	case door.Operation("list") == nil:
		return fmt.Sprintf("%s has no list where it runs", door.Name)
	case !door.Operation("list").Takes("filter"):
		return fmt.Sprintf("the list of %s has no input card with filter where it runs, so nobody can ask for the rows that lead to one %s",
			door.Name, p.Owner.Name)
	}
	return ""
}
