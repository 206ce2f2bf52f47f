package access

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Compiler compiles the rules of a frond.yaml.
type Compiler struct {
	Fronds []*catalog.Frond // of the host
	User   UserMembers
	Fault  func(file, at, message, remedy string)
	Advise func(schema.Fault)
}

// Rules compiles the rules at a pointer of a file as the collector of a door. anyDoor says
// that they apply to many doors.
func (b *Compiler) Rules(file string, door *catalog.Door, c project.Collector, anyDoor bool) Collector {
	r := &rules{file: file, at: c.At}
	for _, rc := range c.Rules {
		rule := b.rule(file, door, rc, anyDoor)
		_, timed := dynamic(rule.rows)
		for _, p := range rule.set {
			timed = timed || p.ref != nil && p.ref.path == nil
		}
		r.list, r.timed = append(r.list, rule), r.timed || timed
	}
	b.tryWhens(r)
	return r
}

// rule compiles one rule. anyDoor says that it applies to every door without an entry of
// its own, so that it may name operations which some of them lack.
func (b *Compiler) rule(file string, door *catalog.Door, c project.Rule, anyDoor bool) *rule {
	r := &rule{at: c.At, denyAll: c.DenyAll, source: c, when: b.compileWhen(file, c.At+"/when", c.When, door)}
	if r.actor = c.Actor; c.DenyAll && c.Actor {
		b.Fault(file, c.At+"/actor", "actor has no effect where all is denied", "leave one of them out")
	}
	scopes := c.Rows != nil || len(c.Hide) > 0 || len(c.Set) > 0 || len(c.ReadOnly) > 0
	if c.DenyAll && scopes {
		b.Fault(file, c.At, "rows, hide, readOnly and set have no effect where all is denied", "leave them out, or deny single operations: deny: [delete]")
	}
	b.operations(file, c.At+"/deny/", door, c.Deny, ", or write deny: all", anyDoor)
	b.operations(file, c.At+"/allow/", door, c.Allow, ", or write allow: all", anyDoor)
	b.operations(file, c.At+"/for/", door, c.Ops, "", anyDoor)
	b.derived(file, c.At+"/allow/", door, c.Allow)
	b.derived(file, c.At+"/for/", door, c.Ops)
	r.deny, r.allow, r.allowAll, r.ops = c.Deny, c.Allow, c.AllowAll, c.Ops
	b.permissions(file, door, r)
	if door.Entity == nil {
		b.userMembers(file, r)
		if scopes {
			b.Fault(file, c.At, fmt.Sprintf("%s stores nothing, so there are no rows and fields to scope", door.Name), "leave when, for, allow and deny")
		}
		return r
	}
	if c.Rows != nil {
		var details []schema.Detail
		r.rows, details = parseTemplate(door.Entity, c.Rows, c.At+"/rows")
		r.bound, _ = dynamic(r.rows)
		b.joins(file, c.At+"/rows", door, r.rows)
		if p := r.rows.Closed(); p != nil && door.Frond.Remote != "" {
			b.Fault(file, c.At+"/rows", fmt.Sprintf("the condition goes by %s, which is closed outward, so that nobody can ask by it where %s runs", p.Name, door.Name), "go by another field, or scope the rows there")
		}
		b.askable(file, c.At, door, r.rows)
		for _, d := range details {
			b.Fault(file, d.Pointer, strings.TrimPrefix(d.Pointer[len(c.At)+1:]+" "+d.Message, "/"), "")
		}
	}
	for i, name := range c.Hide {
		r.hide = b.hidden(file, fmt.Sprint(c.At, "/hide/", i), door, name, r.hide)
	}
	for i, name := range c.ReadOnly {
		r.readOnly = b.readOnly(file, fmt.Sprint(c.At, "/readOnly/", i), door, name, r)
	}
	for _, p := range c.Set {
		b.preset(file, door, r, p)
	}
	b.userMembers(file, r)
	return r
}

// askable reports rows by which the host of a remote door cannot be asked.
func (b *Compiler) askable(file, at string, door *catalog.Door, f *filter.Filter) {
	list := door.Operation("list")
	instead := fmt.Sprintf("write rules without rows, such as %s: [{when: user.id != nil}, {deny: all}], or scope the rows there", door.Name)
	switch {
	case list == nil && door.Frond.Remote != "" && door.Frond.Remote != catalog.Elsewhere:
		b.Fault(file, at+"/rows", fmt.Sprintf("%s has no list where it runs, so that its host cannot be asked for some rows alone", door.Name), instead)
	case list == nil:
	case !list.Takes("filter"):
		b.Fault(file, at+"/rows", fmt.Sprintf("the list of %s takes no filter where it runs, so that rows cannot be left out of it", door.Name), instead)
	case list.FilterWords != nil:
		if word := unaskable(f.Joined(), list.FilterWords); word != "" {
			b.Fault(file, at+"/rows", fmt.Sprintf("the filter of %s takes no %s where it runs", door.Name, word), "go by "+cmp.Or(strings.Join(list.FilterWords, ", "), "one condition of each field")+"; or "+instead)
		}
	}
}

// unaskable is a word of a condition that the filter of a host does not take; "" if it takes them all. A filter whose card names
// no members takes every field, and no name twice.
func unaskable(f *filter.Filter, words []string) string {
	takes := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case f == nil:
	case f.NeedsAnd() && !takes("and"):
		return "and"
	case len(words) == 0 || f.Link != nil: // a relation that the host does not take is asked for in two steps
	case f.Op == filter.Or && !takes("or"):
		return "or"
	case f.Op == filter.Not && !takes("not"):
		return "not"
	case f.Field != nil && !takes(filter.Word(f.Field)):
		return filter.Word(f.Field)
	default:
		for _, sub := range f.Sub {
			if word := unaskable(sub, words); word != "" {
				return word
			}
		}
	}
	return ""
}

// permissions reports where allow, deny and for of one rule contradict each other
// (docs/decisions/access-rules.md).
func (b *Compiler) permissions(file string, door *catalog.Door, r *rule) {
	switch allows := r.allow != nil || r.allowAll; {
	case allows && r.denyAll:
		b.Fault(file, r.at, "allow has no effect where all is denied", "leave one of them out")
	case r.allow != nil && r.deny != nil:
		b.Fault(file, r.at+"/deny", "deny has no effect here: allow lists the open operations, and all others are closed", "leave deny out, or write allow: all in place of the list")
	}
	for i, name := range r.allow {
		if !r.isFor(name) {
			b.Fault(file, fmt.Sprint(r.at, "/allow/", i), fmt.Sprintf("the rule allows %s, which it is not for", name), "name it under for too, or leave it out")
		}
	}
	for i, name := range r.ops {
		op := door.Operation(name)
		if op != nil && !op.Builtin && op.Kind == catalog.Command && r.allow == nil && !r.allowAll && !r.denyAll && !among(r.deny, name) {
			b.Fault(file, fmt.Sprint(r.at, "/for/", i), fmt.Sprintf("the rule is for the command %s, which stays closed without an allow", name),
				fmt.Sprintf("write allow: [%s], or deny: [%s]", name, name))
		}
	}
}

// derived reports operations that have the rights of others: a rule may only deny them.
func (b *Compiler) derived(file, at string, door *catalog.Door, names []string) {
	for i, name := range names {
		if op := door.Operation(name); op != nil && op.Derived() {
			b.Fault(file, fmt.Sprint(at, i), fmt.Sprintf("%s has the rights of %s", name, op.Needs[0].Name), "write "+op.Needs[0].Name+", and deny: ["+name+"] where this one stays closed")
		}
	}
}

// operations reports names that are no operation of the door. A rule for any door may name
// what some door of the Frond has; list is the operation that reads through relations ask
// about, whether a door has it or not.
func (b *Compiler) operations(file, at string, door *catalog.Door, names []string, or string, anyDoor bool) {
	for i, name := range names {
		switch {
		case door.Operation(name) != nil, door.Entity != nil && name == "list":
			continue
		case anyDoor && (catalog.BuiltinNamed(name) != nil || slices.ContainsFunc(door.Frond.Doors, func(d *catalog.Door) bool { return d.Operation(name) != nil })):
			continue
		}
		b.Fault(file, fmt.Sprint(at, i), fmt.Sprintf("%s has no operation %q", door.Name, name), schema.DidYouMean(name, door.OperationNames())+"name some of "+strings.Join(door.OperationNames(), ", ")+or)
	}
}

// readOnly adds the stored field that a name of readOnly means, by its own name or by its
// relation's.
func (b *Compiler) readOnly(file, at string, door *catalog.Door, name string, r *rule) []string {
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p == nil && door.ComputedField(name) != nil:
		b.Fault(file, at, fmt.Sprintf("%s is computed, so that nobody sends it anyway", name), "leave it out")
	case p == nil || !p.Stored:
		b.Fault(file, at, fmt.Sprintf("%s has no stored field %q", door.Name, name), schema.DidYouMean(name, catalog.StoredFields(door.Entity))+"name some of "+strings.Join(catalog.StoredFields(door.Entity), ", "))
	case slices.Contains(r.hide, p.Name):
		b.Fault(file, at, fmt.Sprintf("%s is hidden, so that nobody sends it anyway", name), "leave it under hide or under readOnly")
	case slices.Contains(r.readOnly, p.Name):
		b.Fault(file, at, fmt.Sprintf("%s is read-only twice", name), "name it once")
	default:
		return append(r.readOnly, p.Name)
	}
	return r.readOnly
}

// hidden adds the field that a name of hide means: a field of the card, by its own name or
// by its relation's, or a computed one.
func (b *Compiler) hidden(file, at string, door *catalog.Door, name string, hide []string) []string {
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p != nil:
		name = p.Name
	case door.ComputedField(name) == nil:
		b.Fault(file, at, fmt.Sprintf("%s has no field %q", door.Name, name), schema.DidYouMean(name, door.FieldNames())+"name some of "+strings.Join(door.FieldNames(), ", "))
		return hide
	}
	if slices.Contains(hide, name) {
		b.Fault(file, at, fmt.Sprintf("%s is hidden twice", name), "name it once")
		return hide
	}
	return append(hide, name)
}

// preset adds a field that the rule sets. A value is checked against the field at once, a
// reference when it is bound.
func (b *Compiler) preset(file string, door *catalog.Door, r *rule, c project.Preset) {
	p := door.Entity.Property(c.Name)
	if p == nil || !p.Stored {
		b.Fault(file, c.At, fmt.Sprintf("%s has no stored field %q", door.Name, c.Name), schema.DidYouMean(c.Name, catalog.StoredFields(door.Entity))+"name some of "+strings.Join(catalog.StoredFields(door.Entity), ", "))
		return
	}
	ref, value, why := readReference(c.Value)
	if why == "" {
		why = ref.holdsTime(p)
	}
	if why != "" {
		b.Fault(file, c.At, c.Name+" "+why, "")
		return
	}
	if ref == nil {
		if why := unfitFor(p, value); why != "" {
			b.Fault(file, c.At, fmt.Sprintf("%s %s", c.Name, why), "")
			return
		}
		value = storedForm(p, json.RawMessage(jsontext.Trim(value)))
	}
	r.set = append(r.set, preset{field: p, value: value, ref: ref})
}

// joins reports conditions of collectors through relations to rows of another host whose list takes no filter.
func (b *Compiler) joins(file, at string, door *catalog.Door, f *filter.Filter) {
	if f == nil {
		return
	}
	switch {
	case f.Link == nil || door.Frond.Remote == catalog.Elsewhere:
	case catalog.Place(b.Fronds, f.Link.Target) == catalog.Elsewhere:
		b.Fault(file, at, fmt.Sprintf("the condition goes through %s to %s, whose Frond %s is served by another host", f.Link.Name, f.Link.Target.Name, f.Link.Target.Frond),
			fmt.Sprintf("write remotes: {%s: http://…} in gateway.yaml, or --remote %[1]s=http://…", f.Link.Target.Frond))
	case !catalog.Crossed(b.Fronds, f.Link):
		b.Fault(file, at, fmt.Sprintf("the condition goes through %s to %s, which runs elsewhere and has no list that takes a filter", f.Link.Name, f.Link.Target.Name),
			"compare the key itself, "+f.Link.Key+", or run both Fronds in one place")
	}
	for _, sub := range f.Sub {
		b.joins(file, at, door, sub)
	}
}

// userMembers reports the members of user that a rule names and that no caller has, in its when, its
// rows and its set.
func (b *Compiler) userMembers(file string, r *rule) {
	if b.User.Names == nil {
		return
	}
	if r.when != nil {
		for _, name := range r.when.User {
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
func (b *Compiler) userReference(file, at string, ref *reference) {
	if ref != nil && len(ref.path) > 1 && ref.path[0] == "user" {
		b.userMember(file, at, ref.text, ref.path[1])
	}
}

// userMember reports a member of user that no caller has.
func (b *Compiler) userMember(file, at, text, name string) {
	if slices.Contains(b.User.Names, name) {
		return
	}
	found := schema.Fault{
		File: file, Pointer: at,
		Message: fmt.Sprintf("%s: callers have no member %s%s", text, schema.Quoted(name), schema.Instead(name, b.User.Names, true)),
		Remedy:  "write another claim of a token as user.claims." + name,
	}
	switch {
	case b.User.Open:
		b.Advise(found)
	default:
		b.Fault(found.File, found.Pointer, found.Message, found.Remedy)
	}
}
