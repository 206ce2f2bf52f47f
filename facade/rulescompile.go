package facade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// collectors compiles what a frond.yaml says about who may do what, and binds it to doors:
// first to the doors that are named, then to those that '*' stands for.
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
		case door.said != "":
			b.fault(file, c.At, fmt.Sprintf("%s has two collectors: it has one already", door.Name), "leave one that says both")
		case door.collector != nil:
			b.fault(file, c.At, fmt.Sprintf("%s has two collectors: Go code attaches one too", door.Name), "leave one that says both")
		default:
			b.collect(file, door, c)
		}
	}
	for _, c := range configs {
		if c.Name != project.Others {
			continue
		}
		for _, door := range b.fronds[slices.IndexFunc(b.fronds, func(f *Frond) bool { return f.Name == src.Name })].Doors {
			if door.collector != nil || door.said != "" {
				continue
			}
			rest := b.faults
			b.faults = nil
			b.collect(file, door, c)
			b.faults = append(rest, forOne(door, b.faults, rest)...)
		}
	}
}

// forOne are the faults of rules that stand for many doors, found with one of them: a
// fault of the expression is the same for all doors and reported once.
func forOne(door *Door, found, known schema.Faults) (out schema.Faults) {
	for _, f := range found {
		if strings.HasSuffix(f.Pointer, "/when") {
			if !slices.Contains(known, f) {
				out = append(out, f)
			}
			continue
		}
		f.Message = "'*' stands for " + door.Name + " too: " + f.Message
		if f.Remedy != "" {
			f.Remedy += ", or "
		}
		f.Remedy += "give " + door.Name + " an entry of its own"
		out = append(out, f)
	}
	return out
}

// collect binds a collector to a door: rules, or the word open.
func (b *compiler) collect(file string, door *Door, c project.Collector) {
	door.said, door.unclosed = file+"#"+c.At, c.Open
	if c.Open {
		return
	}
	r := &rules{file: file, at: c.At}
	for _, rc := range c.Rules {
		rule := b.rule(file, door, rc, c.Name == project.Others)
		_, timed := dynamic(rule.rows)
		for _, p := range rule.set {
			timed = timed || p.ref != nil && p.ref.path == nil
		}
		r.list, r.timed = append(r.list, rule), r.timed || timed
	}
	door.collector = r
}

// rule compiles one rule. anyDoor says that it stands for every door without an entry of
// its own, so that it may name operations which some of them lack.
func (b *compiler) rule(file string, door *Door, c project.Rule, anyDoor bool) *rule {
	r := &rule{at: c.At, denyAll: c.DenyAll, source: c}
	if c.When != "" {
		var err error
		if r.when, err = compileExpression(c.When, stateNames); err != nil {
			b.fault(file, c.At+"/when", "the expression cannot be used: "+err.Error(), `write one over user and state, such as user.role == "admin"`)
			r.when = nil
		} else if g := r.when.gives; g != "" && g != "boolean" {
			b.fault(file, c.At+"/when", fmt.Sprintf("the expression gives a value of type %s, not true or false", g), `compare it, such as user.role == "admin"`)
		}
	}
	scopes := c.Rows != nil || len(c.Hide) > 0 || len(c.Set) > 0 || len(c.ReadOnly) > 0
	if c.DenyAll && scopes {
		b.fault(file, c.At, "rows, hide, readOnly and set say nothing where all is denied", "leave them out, or deny single operations: deny: [delete]")
	}
	b.operations(file, c.At+"/deny/", door, c.Deny, ", or write deny: all", anyDoor)
	b.operations(file, c.At+"/allow/", door, c.Allow, ", or write allow: all", anyDoor)
	b.operations(file, c.At+"/for/", door, c.Ops, "", anyDoor)
	r.deny, r.allow, r.allowAll, r.ops = c.Deny, c.Allow, c.AllowAll, c.Ops
	b.permissions(file, door, r)
	if door.Entity == nil {
		b.userMembers(file, r)
		if scopes {
			b.fault(file, c.At, fmt.Sprintf("%s stores nothing, so there are no rows and fields to scope", door.Name), "leave when, for, allow and deny")
		}
		return r
	}
	if c.Rows != nil {
		var details []schema.Detail
		r.rows, details = parseTemplate(door.Entity, c.Rows, c.At+"/rows")
		r.bound, _ = dynamic(r.rows)
		b.joins(file, c.At+"/rows", door, r.rows)
		if p := r.rows.Closed(); p != nil && door.Frond.Remote != "" {
			b.fault(file, c.At+"/rows", fmt.Sprintf("the condition goes by %s, which is closed outward, so that nobody can ask by it where %s runs", p.Name, door.Name), "go by another field, or scope the rows there")
		}
		if list := door.ops["list"]; list != nil && !list.Takes("filter") {
			b.fault(file, c.At+"/rows", fmt.Sprintf("the list of %s takes no filter where it runs, so that rows cannot be left out of it", door.Name), "leave hide and deny, or scope the rows there")
		}
		for _, d := range details {
			b.fault(file, d.Pointer, strings.TrimPrefix(d.Pointer[len(c.At)+1:]+" "+d.Message, "/"), "")
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

// permissions reports where allow, deny and for of one rule contradict each other
// (docs/decisions/access-rules.md).
func (b *compiler) permissions(file string, door *Door, r *rule) {
	switch allows := r.allow != nil || r.allowAll; {
	case allows && r.denyAll:
		b.fault(file, r.at, "allow says nothing where all is denied", "leave one of them out")
	case r.allow != nil && r.deny != nil:
		b.fault(file, r.at+"/deny", "deny says nothing where allow lists what is open: all others are closed", "leave deny out, or write allow: all beside it")
	}
	for i, name := range r.allow {
		if !r.isFor(name) {
			b.fault(file, fmt.Sprint(r.at, "/allow/", i), fmt.Sprintf("the rule allows %s, which it is not for", name), "name it under for too, or leave it out")
		}
	}
	for i, name := range r.ops {
		op := door.Operation(name)
		if op != nil && !op.Builtin && op.Kind == Command && r.allow == nil && !r.allowAll && !r.denyAll && !among(r.deny, name) {
			b.fault(file, fmt.Sprint(r.at, "/for/", i), fmt.Sprintf("the rule is for the command %s, which stays closed without an allow", name),
				fmt.Sprintf("write allow: [%s], or deny: [%s]", name, name))
		}
	}
}

// operations reports names that are no operation of the door. A rule for any door may name
// what some door of the Frond has; list is the operation that reads through relations ask
// about, whether a door has it or not.
func (b *compiler) operations(file, at string, door *Door, names []string, or string, anyDoor bool) {
	for i, name := range names {
		switch {
		case door.Operation(name) != nil, door.Entity != nil && name == "list":
			continue
		case anyDoor && (builtinNamed(name) != nil || slices.ContainsFunc(door.Frond.Doors, func(d *Door) bool { return d.Operation(name) != nil })):
			continue
		}
		b.fault(file, fmt.Sprint(at, i), fmt.Sprintf("%s has no operation %q", door.Name, name), "name some of "+strings.Join(door.operationNames(), ", ")+or)
	}
}

// readOnly adds the stored field that a name of readOnly means, by its own name or by its
// relation's.
func (b *compiler) readOnly(file, at string, door *Door, name string, r *rule) []string {
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p == nil && door.computed(name) != nil:
		b.fault(file, at, fmt.Sprintf("%s is computed, so that nobody sends it anyway", name), "leave it out")
	case p == nil || !p.Stored:
		b.fault(file, at, fmt.Sprintf("%s has no stored field %q", door.Name, name), "name some of "+strings.Join(storedFields(door.Entity), ", "))
	case slices.Contains(r.hide, p.Name):
		b.fault(file, at, fmt.Sprintf("%s is hidden, so that nobody sends it anyway", name), "leave it under hide or under readOnly")
	case slices.Contains(r.readOnly, p.Name):
		b.fault(file, at, fmt.Sprintf("%s is read-only twice", name), "name it once")
	default:
		return append(r.readOnly, p.Name)
	}
	return r.readOnly
}

// hidden adds the field that a name of hide means: a field of the card, by its own name or
// by its relation's, or a computed one.
func (b *compiler) hidden(file, at string, door *Door, name string, hide []string) []string {
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p != nil:
		name = p.Name
	case door.computed(name) == nil:
		b.fault(file, at, fmt.Sprintf("%s has no field %q", door.Name, name), "name some of "+strings.Join(door.fieldNames(), ", "))
		return hide
	}
	if slices.Contains(hide, name) {
		b.fault(file, at, fmt.Sprintf("%s is hidden twice", name), "name it once")
		return hide
	}
	return append(hide, name)
}

// preset adds a field that the rule sets. A value is checked against the field at once, a
// reference when it is bound.
func (b *compiler) preset(file string, door *Door, r *rule, c project.Preset) {
	p := door.Entity.Property(c.Name)
	if p == nil || !p.Stored {
		b.fault(file, c.At, fmt.Sprintf("%s has no stored field %q", door.Name, c.Name), "name some of "+strings.Join(storedFields(door.Entity), ", "))
		return
	}
	ref, value, why := readReference(c.Value)
	if why == "" {
		why = ref.holdsTime(p)
	}
	if why != "" {
		b.fault(file, c.At, c.Name+" "+why, "")
		return
	}
	if ref == nil {
		if why := unfitFor(p, value); why != "" {
			b.fault(file, c.At, fmt.Sprintf("%s %s", c.Name, why), "")
			return
		}
		value = kept(p, json.RawMessage(jsontext.Trim(value)))
	}
	r.set = append(r.set, preset{field: p, value: value, ref: ref})
}
