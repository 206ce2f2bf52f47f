package compile

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// builtins gives a stored door its built-in operations, as far as its author keeps them: all, the ones that only
// names, without the ones that are false. The author's own code may call the others. findByIds exists with
// findById, whose batch it is.
func (b *doorBuilder) builtins(d *catalog.Door, src *project.Frond, c *project.Door) {
	off, said := b.switchedOff(src, c)
	d.Inside = map[string]*catalog.Operation{}
	for _, x := range catalog.Builtins {
		if x.Needs != nil {
			off[x.Name] = off[x.Name] || !b.opens(d, src, c, x)
			if !isBuiltin(c, x.Name) && slices.ContainsFunc(c.Ops, func(o project.Operation) bool { return o.Name == x.Name }) {
				continue // an operation of the author's
			}
		}
		if off[x.Name] && src.Remote != "" {
			continue
		}
		op := &catalog.Operation{
			Name: x.Name, Kind: x.Kind, Door: d, Builtin: true, Cardinality: x.Cardinality,
			Description: x.Description, Answered: true, Patch: x.Patch,
		}
		if x.Cardinality != catalog.NoOutput {
			op.Output, op.OutDoor = d.Entity, d
		}
		if x.Input {
			op.Input = d.Entity
		}
		for _, name := range x.Needs {
			need := cmp.Or(d.Operation(name), d.Inside[name])
			if need == nil && !x.IsMany() { // a remote has none inside; the rights are those of list all the same
				need = &catalog.Operation{Name: name, Kind: x.Kind, Door: d, Builtin: true}
			}
			if need != nil {
				op.Needs = append(op.Needs, need)
			}
		}
		b.builtinCards(d, op)
		if o := said[x.Name]; o != nil {
			op.Description, op.Deprecated, op.GraphQL = cmp.Or(o.Description, op.Description), o.Deprecated, o.GraphQL
			if o.Kind != "" && catalog.Kind(o.Kind) != x.Kind || o.Cardinality != "" || slices.ContainsFunc(o.Parts[:], project.Part.Given) {
				b.report.fault(src.Config.File, o.At, fmt.Sprintf("%s is built in; its input and output are not declared", x.Name),
					"leave description, deprecated and graphql, or give an operation of your own another name")
			}
		}
		if off[x.Name] {
			d.Inside[x.Name] = op
			continue
		}
		d.Add(op)
	}
}

// switchedOff returns the built-in operations that only and false close, and the door's own
// words about the built-in ones.
func (b *doorBuilder) switchedOff(src *project.Frond, c *project.Door) (off map[string]bool, said map[string]*project.Operation) {
	off, said = map[string]bool{}, map[string]*project.Operation{}
	if c.Only != nil {
		for _, x := range catalog.Builtins {
			off[x.Name] = x.Needs == nil && !slices.Contains(c.Only, x.Name)
		}
		off["findByIds"] = off["findByIds"] && off["findById"]
	}
	for i, name := range c.Only {
		if catalog.BuiltinNamed(name) == nil && !slices.ContainsFunc(c.Ops, func(o project.Operation) bool { return o.Name == name }) {
			b.report.fault(src.Config.File, fmt.Sprint(c.At, "/operations/only/", i), fmt.Sprintf("%s is no built-in operation", name), schema.DidYouMean(name, strings.Split(catalog.BuiltinNames(), ", "))+"name some of "+catalog.BuiltinNames())
		}
	}
	for i := range c.Ops {
		if o := &c.Ops[i]; isBuiltin(c, o.Name) {
			said[o.Name] = o
			if o.Off {
				off[o.Name] = true
			}
		}
	}
	if o := said["findById"]; o != nil && o.Off && said["findByIds"] == nil {
		off["findByIds"] = true
	}
	return off, said
}

// namedOperations gives a door the operations its author declares.
func (b *doorBuilder) namedOperations(d *catalog.Door, src *project.Frond, c *project.Door) {
	for _, o := range c.Ops {
		if d.Entity != nil && isBuiltin(c, o.Name) {
			continue
		}
		if o.Off {
			b.report.fault(src.Config.File, o.At, fmt.Sprintf("%s is no operation that can be switched off", o.Name), schema.DidYouMean(o.Name, strings.Split(catalog.BuiltinNames(), ", "))+"the built-in ones are "+catalog.BuiltinNames())
			continue
		}
		op := &catalog.Operation{
			Name: o.Name, Kind: cmp.Or(catalog.Kind(o.Kind), catalog.KindOf(o.Name)), Door: d, Description: o.Description, Deprecated: o.Deprecated,
			GraphQL: o.GraphQL, Cardinality: catalog.Cardinality(o.Cardinality), Answered: src.Remote != "",
		}
		// An inline card is named after its use: postPublishInput.
		name := func(i int) string {
			return d.Name + schema.Capital(o.Name) + schema.Capital(project.PartNames[i])
		}
		var cards [4]*schema.Entity
		for i, p := range o.Parts {
			cards[i] = b.model.card(b.report, src.Config.File, src.Name, name(i), p)
		}
		op.Params, op.Query, op.Input, op.Output = cards[project.PartParams], cards[project.PartQuery], cards[project.PartInput], cards[project.PartOutput]
		switch {
		case op.Output == nil && op.Cardinality == "":
			op.Cardinality = catalog.NoOutput
		case op.Output == nil && op.Cardinality != catalog.NoOutput:
			b.report.fault(src.Config.File, o.At+"/cardinality", fmt.Sprintf("the cardinality is %s, but no output is named", op.Cardinality), "name the output, or leave the cardinality out")
		case op.Output != nil && op.Cardinality == catalog.NoOutput:
			b.report.fault(src.Config.File, o.At+"/cardinality", "an output is named, but the cardinality is none", "remove one of them")
		case op.Cardinality == "":
			op.Cardinality = catalog.One
		}
		checkSharedNames(b.report, src.Config.File, o.At, op)
		d.Add(op)
	}
}

// checkSharedNames reports a name in two parts of one operation: a typed handler is
// given all of them as one object.
func checkSharedNames(r *report, file, at string, op *catalog.Operation) {
	seen := map[string]string{}
	for i, card := range []*schema.Entity{op.Params, op.Query, op.Input} {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			if where := seen[p.Name]; where != "" {
				r.fault(file, at+"/"+project.PartNames[i], fmt.Sprintf("%s stands in %s and in %s", p.Name, where, project.PartNames[i]), "rename one of them: a handler is given both as one object")
			}
			seen[p.Name] = project.PartNames[i]
		}
	}
}

// linkOutputs finds, once all doors are there, whose rows an operation answers: the rows of the
// door of its output, or of the entity that a view was cut from.
func linkOutputs(r *report, m *model) {
	for _, f := range m.fronds {
		for _, d := range f.Doors {
			for _, op := range d.Operations {
				if op.Builtin || op.Output == nil {
					continue
				}
				key := op.Output.Key
				if op.Output.View {
					if key = ""; op.Output.Card.Derived != nil {
						key = schema.EntityKey(op.Output.Card.Derived.From)
					}
				}
				staysClosed(r, m, d, op)
				op.OutDoor = m.doors[key]
			}
		}
	}
}

// staysClosed faults a view that opens a field which its entity closes: a field closed outward
// leaves by no view (spec 2.2).
func staysClosed(r *report, m *model, d *catalog.Door, op *catalog.Operation) {
	for name, from := range m.opens(op.Output) {
		r.fault(d.Origin, d.At, fmt.Sprintf("the output of %s.%s, a view of %s, opens %s, which is closed outward there", d.Name, op.Name, from, name),
			"leave it out of the view, or give the view's field a name of its own")
	}
}

// opens lists the fields of a view that its entity closes outward, each with the entity's name.
func (m *model) opens(view *schema.Entity) iter.Seq2[string, string] {
	return func(yield func(name, from string) bool) {
		if view == nil || !view.View || view.Card.Derived == nil {
			return
		}
		from := m.set.Entity(view.Card.Derived.From)
		if from == nil {
			return
		}
		for _, p := range view.Fields {
			if q := from.Property(p.Name); q != nil && !q.Readable() && p.Readable() && !yield(p.Name, from.Name) {
				return
			}
		}
	}
}
