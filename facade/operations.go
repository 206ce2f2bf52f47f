package facade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// builtins gives a stored door its built-in operations, as far as its author keeps them:
// all, those that only names, none that is false. The author's own code may call the others. findByIds is there exactly where
// findById is, whose batch it is.
func (b *compiler) builtins(d *Door, src *project.Frond, c *project.Door) {
	off := map[string]bool{}
	d.inside = map[string]*Operation{}
	if c.Only != nil {
		for _, x := range builtins {
			off[x.name] = !slices.Contains(c.Only, x.name)
		}
		off["findByIds"] = off["findByIds"] && off["findById"]
	}
	for i, name := range c.Only {
		if builtinNamed(name) == nil && !slices.ContainsFunc(c.Ops, func(o project.Operation) bool { return o.Name == name }) {
			b.fault(src.Config.File, fmt.Sprint(c.At, "/operations/only/", i), fmt.Sprintf("%s is no built-in operation", name), "name some of "+builtinNames())
		}
	}
	said := map[string]*project.Operation{}
	for i := range c.Ops {
		if o := &c.Ops[i]; builtinNamed(o.Name) != nil {
			said[o.Name] = o
			if o.Off {
				off[o.Name] = true
			}
		}
	}
	if o := said["findById"]; o != nil && o.Off && said["findByIds"] == nil {
		off["findByIds"] = true
	}
	for _, x := range builtins {
		if off[x.name] && src.Remote != "" {
			continue
		}
		op := &Operation{
			Name: x.name, Kind: x.kind, Door: d, Builtin: true, Cardinality: x.cardinality,
			Description: x.description, Answered: true, Patch: x.fill == fillUpdate, builtin: x,
		}
		if x.cardinality != NoOutput {
			op.Output, op.reader, op.outDoor = d.Entity, d.reader, d
		}
		if x.fill != fillNothing {
			op.Input = d.Entity
		}
		b.builtinCards(d, op)
		if o := said[x.name]; o != nil {
			op.Description, op.Deprecated, op.GraphQL = cmp.Or(o.Description, op.Description), o.Deprecated, o.GraphQL
			if o.Kind != "" && Kind(o.Kind) != x.kind || o.Cardinality != "" || slices.ContainsFunc(o.Parts[:], project.Part.Given) {
				b.fault(src.Config.File, o.At, fmt.Sprintf("%s is built in; what it takes and gives is not declared", x.name),
					"leave description, deprecated and graphql, or give an operation of your own another name")
			}
		}
		if off[x.name] {
			d.inside[x.name] = op
			continue
		}
		d.add(op)
	}
}

// builtinNamed is the built-in operation called name, or nil.
func builtinNamed(name string) *builtin {
	if i := slices.IndexFunc(builtins, func(b *builtin) bool { return b.name == name }); i >= 0 {
		return builtins[i]
	}
	return nil
}

// builtinNames lists the built-in operations, for messages.
func builtinNames() string {
	names := make([]string, len(builtins))
	for i, x := range builtins {
		names[i] = x.name
	}
	return strings.Join(names, ", ")
}

// namedOperations gives a door the operations its author declares.
func (b *compiler) namedOperations(d *Door, src *project.Frond, c *project.Door) {
	for _, o := range c.Ops {
		if d.Entity != nil && builtinNamed(o.Name) != nil {
			continue
		}
		if o.Off {
			b.fault(src.Config.File, o.At, fmt.Sprintf("%s is no operation that can be switched off", o.Name), "the built-in ones are "+builtinNames())
			continue
		}
		op := &Operation{
			Name: o.Name, Kind: cmp.Or(Kind(o.Kind), KindOf(o.Name)), Door: d, Description: o.Description, Deprecated: o.Deprecated,
			GraphQL: o.GraphQL, Cardinality: Cardinality(o.Cardinality), Answered: src.Remote != "",
		}
		// An inline card is named for what it is: postPublishInput.
		name := func(i int) string {
			return d.Name + schema.Capital(o.Name) + schema.Capital(project.PartNames[i])
		}
		var cards [4]*schema.Entity
		for i, p := range o.Parts {
			cards[i] = b.card(src.Config.File, src.Name, name(i), p)
		}
		op.Params, op.Query, op.Input, op.Output = cards[project.PartParams], cards[project.PartQuery], cards[project.PartInput], cards[project.PartOutput]
		switch {
		case op.Output == nil && op.Cardinality == "":
			op.Cardinality = NoOutput
		case op.Output == nil && op.Cardinality != NoOutput:
			b.fault(src.Config.File, o.At+"/cardinality", fmt.Sprintf("the cardinality is %s, but no output is named", op.Cardinality), "name the output, or leave the cardinality out")
		case op.Output != nil && op.Cardinality == NoOutput:
			b.fault(src.Config.File, o.At+"/cardinality", "an output is named, but the cardinality is none", "remove one of them")
		case op.Cardinality == "":
			op.Cardinality = One
		}
		if op.Output != nil {
			op.reader = &reader{entity: op.Output}
		}
		b.sharedNames(src.Config.File, o.At, op)
		d.add(op)
	}
}

// sharedNames reports a name that stands in two parts of one operation: a typed handler is
// given all of them as one object.
func (b *compiler) sharedNames(file, at string, op *Operation) {
	seen := map[string]string{}
	for i, card := range []*schema.Entity{op.Params, op.Query, op.Input} {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			if where := seen[p.Name]; where != "" {
				b.fault(file, at+"/"+project.PartNames[i], fmt.Sprintf("%s stands in %s and in %s", p.Name, where, project.PartNames[i]), "rename one of them: a handler is given both as one object")
			}
			seen[p.Name] = project.PartNames[i]
		}
	}
}

// link finds, once all doors are there, whose rows an operation answers: those of the door
// of its output, or of the entity that a view was cut from.
func (b *compiler) link() {
	for _, f := range b.fronds {
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
				out := b.doors[key]
				b.staysClosed(d, op)
				if op.outDoor = out; out != nil && out.Entity == op.Output {
					op.reader = out.reader // with its computed fields
				}
			}
		}
	}
}

// readers are the words a reading operation's name begins with (spec 4.2.4,
// docs/calls.md).
var readers = []string{"list", "find", "get", "search", "count", "exists", "stats"}

// KindOf is the kind an operation's name says: query where it begins with a word
// for reading, command for all others. The word has to end there: listAll reads,
// listen does not.
func KindOf(name string) Kind {
	for _, word := range readers {
		rest, ok := strings.CutPrefix(name, word)
		if !ok {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLower(next) {
			return Query
		}
	}
	return Command
}
