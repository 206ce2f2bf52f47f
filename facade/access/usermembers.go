package access

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// references are the references of a rule's filter.
func references(f *filter.Filter) (all []*reference) {
	if f == nil {
		return nil
	}
	for _, v := range f.Values {
		if ref, ok := v.(*reference); ok {
			all = append(all, ref)
		}
	}
	for _, sub := range f.Sub {
		all = append(all, references(sub)...)
	}
	return all
}

// neverCreates returns the required field for which every create under the rule is refused, with
// hidden or read-only, or "".
func (r *rule) neverCreates(d *catalog.Door) (field, why string) {
	op := d.Operation("create")
	if op == nil || !op.Builtin || d.Entity == nil || d.Frond.Remote != "" || !r.isFor("create") || !r.permits(op) {
		return "", ""
	}
	for _, p := range d.Entity.Fields {
		if !p.Required() || slices.ContainsFunc(r.set, func(s preset) bool { return s.field == p }) {
			continue
		}
		switch {
		case slices.Contains(r.hide, p.Name):
			return p.Name, "hidden"
		case slices.Contains(r.readOnly, p.Name):
			return p.Name, "read-only"
		}
	}
	return "", ""
}

// Uncreatable advises on the rules of a door that open a create which can never succeed.
func Uncreatable(d *catalog.Door, c Collector) (all []schema.Fault) {
	r, ok := c.(*rules)
	if !ok {
		return nil
	}
	for _, this := range r.list {
		if field, why := this.neverCreates(d); field != "" {
			all = append(all, schema.Fault{
				File: r.file, Pointer: this.at,
				Message: fmt.Sprintf("%s.create: no call under this rule can succeed, since %s is required and %s", d.Name, field, why),
				Remedy:  fmt.Sprintf("write it under set, or deny: [create]; or take it from %s", map[string]string{"hidden": "hide", "read-only": "readOnly"}[why]),
			})
		}
	}
	return all
}

// UserMembers names the members that state.user has, as the identity of callers gives them.
type UserMembers struct {
	// Names are the members; nil: they are not known, and no rule is checked.
	Names []string
	// Open says that a caller may have other members too. A rule that names one is advice then,
	// and a fault otherwise.
	Open bool
}
