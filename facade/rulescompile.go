package facade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// collectors compiles the rules of a Frond's frond.yaml and binds them to its doors.
func (b *compiler) collectors(src *FrondSource, configs []collectorConfig) {
	file := src.Config.File
	for _, c := range configs {
		door := b.doorOf(src, c.name, c.at, "a collector")
		switch {
		case door == nil:
			continue
		case door.collector != nil:
			what := "Go code attaches one too"
			if _, twice := door.collector.(*rules); twice {
				what = "it has one already"
			}
			b.fault(file, c.at, fmt.Sprintf("%s has two collectors: %s", door.Name, what), "leave one that says both")
			continue
		}
		r := &rules{file: file, at: c.at}
		for _, rc := range c.rules {
			r.list = append(r.list, b.rule(file, door, rc))
		}
		door.collector = r
	}
}

// doorOf is the door of this Frond that a key of its frond.yaml names; nil with a
// fault where there is none.
func (b *compiler) doorOf(src *FrondSource, name, at, what string) *Door {
	door := b.doors[schema.EntityKey(name)]
	switch {
	case door == nil:
		b.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, but no door is called that", what, name), b.doorsRemedy())
		return nil
	case door.Frond.Name != src.Name:
		b.fault(src.Config.File, at, fmt.Sprintf("%s is declared for %s, which is a door of the Frond %s", what, door.Name, door.Frond.Name), "declare it in that Frond's frond.yaml")
		return nil
	}
	return door
}

func (b *compiler) rule(file string, door *Door, c ruleConfig) *rule {
	r := &rule{at: c.at, denyAll: c.all}
	if c.when != "" {
		var err error
		if r.when, err = compileExpression(c.when, stateNames); err != nil {
			b.fault(file, c.at+"/when", "the expression cannot be used: "+err.Error(), `write one over user and state, such as user.role == "admin"`)
			r.when = nil
		} else if g := r.when.gives; g != "" && g != "boolean" {
			b.fault(file, c.at+"/when", fmt.Sprintf("the expression gives a value of type %s, not true or false", g), `compare it, such as user.role == "admin"`)
		}
	}
	if c.all && (c.rows != nil || len(c.hide) > 0 || len(c.set) > 0) {
		b.fault(file, c.at, "rows, hide and set say nothing where all is denied", "leave them out, or deny single operations: deny: [delete]")
	}
	b.operations(file, c.at+"/deny/", door, c.deny, ", or write deny: all")
	b.operations(file, c.at+"/for/", door, c.ops, "")
	r.deny, r.ops = c.deny, c.ops
	if door.Entity == nil {
		if c.rows != nil || len(c.hide) > 0 || len(c.set) > 0 {
			b.fault(file, c.at, fmt.Sprintf("%s stores nothing, so there are no rows and fields to scope", door.Name), "leave when and deny")
		}
		return r
	}
	if c.rows != nil {
		var details []schema.Detail
		r.rows, details = parseTemplate(door.Entity, c.rows, c.at+"/rows")
		r.bound = dynamic(r.rows)
		b.joins(file, c.at+"/rows", door, r.rows)
		if p := r.rows.closed(); p != nil && door.Frond.Remote != "" {
			b.fault(file, c.at+"/rows", fmt.Sprintf("the condition goes by %s, which is closed outward, so that nobody can ask by it where %s runs", p.Name, door.Name), "go by another field, or scope the rows there")
		}
		if list := door.ops["list"]; list != nil && !list.Takes("filter") {
			b.fault(file, c.at+"/rows", fmt.Sprintf("the list of %s takes no filter where it runs, so that rows cannot be left out of it", door.Name), "leave hide and deny, or scope the rows there")
		}
		for _, d := range details {
			b.fault(file, d.Pointer, strings.TrimPrefix(d.Pointer[len(c.at)+1:]+" "+d.Message, "/"), "")
		}
	}
	for i, name := range c.hide {
		r.hide = b.hidden(file, fmt.Sprint(c.at, "/hide/", i), door, name, r.hide)
	}
	for _, p := range c.set {
		b.preset(file, door, r, p)
	}
	return r
}

// operations faults the names that are no operation of the door.
func (b *compiler) operations(file, at string, door *Door, names []string, or string) {
	for i, name := range names {
		if door.Operation(name) == nil {
			b.fault(file, fmt.Sprint(at, i), fmt.Sprintf("%s has no operation %q", door.Name, name), "name some of "+strings.Join(door.operationNames(), ", ")+or)
		}
	}
}

// hidden adds the field that a name of hide means: a field of the card, by its own
// name or by its relation's, or a computed one.
func (b *compiler) hidden(file, at string, door *Door, name string, hide []string) []string {
	p, _ := filterField(door.Entity, name)
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

// fieldNames are the fields of a door, the computed ones last.
func (d *Door) fieldNames() (names []string) {
	for _, p := range d.Entity.Fields {
		names = append(names, p.Name)
	}
	for _, c := range d.Computed {
		names = append(names, c.Name)
	}
	return names
}

func (b *compiler) preset(file string, door *Door, r *rule, c presetConfig) {
	p := door.Entity.Property(c.name)
	if p == nil || !p.Stored {
		var names []string
		for _, p := range door.Entity.Fields {
			if p.Stored {
				names = append(names, p.Name)
			}
		}
		b.fault(file, c.at, fmt.Sprintf("%s has no stored field %q", door.Name, c.name), "name some of "+strings.Join(names, ", "))
		return
	}
	ref, value, why := readReference(c.value)
	if why != "" {
		b.fault(file, c.at, c.name+" "+why, "")
		return
	}
	if ref == nil {
		if why := unfitFor(p, value); why != "" {
			b.fault(file, c.at, fmt.Sprintf("%s %s", c.name, why), "")
			return
		}
		value = kept(p, json.RawMessage(jsontext.Trim(value)))
	}
	r.set = append(r.set, preset{field: p, value: value, ref: ref})
}
