package facade

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// userMembers reports the members of user that a rule names and that no caller has, in its when, its
// rows and its set.
func (b *compiler) userMembers(file string, r *rule) {
	if b.user.Names == nil {
		return
	}
	if r.when != nil {
		for _, name := range r.when.user {
			b.userMember(file, r.at+"/when", "user."+name, name)
		}
	}
	for _, ref := range references(r.rows) {
		b.userReference(file, r.at+"/rows", ref)
	}
	for _, p := range r.set {
		b.userReference(file, r.at+"/set/"+p.field.Name, p.ref)
	}
}

// userReference is userMember for a reference; nil and one into other state are fine.
func (b *compiler) userReference(file, at string, ref *reference) {
	if ref != nil && len(ref.path) > 1 && ref.path[0] == "user" {
		b.userMember(file, at, ref.text, ref.path[1])
	}
}

// userMember reports a member of user that no caller has.
func (b *compiler) userMember(file, at, text, name string) {
	if slices.Contains(b.user.Names, name) {
		return
	}
	found := schema.Fault{
		File: file, Pointer: at,
		Message: fmt.Sprintf("%s: callers have no member %s%s", text, kiterror.Quoted(name), kiterror.Instead(name, b.user.Names, true)),
		Remedy:  "write another claim of a token as user.claims." + name,
	}
	switch {
	case !b.user.Open:
		b.faults = append(b.faults, found)
	case !slices.Contains(b.advice, found):
		b.advice = append(b.advice, found)
	}
}

// references are the references of a rule's filter.
func references(f *Filter) (all []*reference) {
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
// hidden or read-only; "": there is none.
func (r *rule) neverCreates(d *Door) (field, why string) {
	op := d.ops["create"]
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

// uncreatable advises on the rules of a door that open a create which can never succeed.
func uncreatable(d *Door) (all []schema.Fault) {
	r, ok := d.collector.(*rules)
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
