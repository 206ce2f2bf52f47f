package facade

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/schema"
)

// compiler makes the catalog of a project: startup thinks, so that requests only
// look up. It goes on after a fault, so that all are told at once.
type compiler struct {
	project  *Project
	registry *schema.Registry
	limits   ListLimits
	set      *schema.Set
	fronds   []*Frond
	doors    map[string]*Door
	seeds    []seedFile
	faults   schema.Faults

	listCards map[ListLimits]*schema.Entity
}

func (b *compiler) fault(file, at, message, remedy string) {
	b.faults = append(b.faults, schema.Fault{File: file, Pointer: at, Message: message, Remedy: remedy})
}

func (b *compiler) compile() *Catalog {
	b.doors = map[string]*Door{}
	if b.registry = b.project.Registry; b.registry == nil {
		b.registry = schema.Builtins()
	}
	var sources []schema.Source
	opts := schema.CompileOptions{Vendor: b.project.Vendor, Remote: map[string]bool{}}
	configs := make([]frondConfig, len(b.project.Fronds))
	for i, f := range b.project.Fronds {
		b.named(i, f)
		for _, s := range f.Cards {
			s.Frond = f.Name
			sources = append(sources, s)
		}
		opts.Remote[f.Name] = f.Remote != ""
		var faults schema.Faults
		configs[i], faults = readConfig(f.Config)
		b.faults = append(b.faults, faults...)
	}
	var err error
	if b.set, err = schema.Compile(sources, b.registry, &opts); err != nil {
		b.keep(err)
		return nil // doors are told from entities, and those are not there
	}
	for i, f := range b.project.Fronds {
		b.frond(f, configs[i])
	}
	b.link()
	b.attach()
	for _, f := range b.project.Fronds {
		b.readSeeds(f)
	}
	vendor := cmp.Or(b.project.Vendor, schema.DefaultVendor)
	return &Catalog{Vendor: vendor, Fronds: b.fronds, Set: b.set, doors: b.doors}
}

// keep keeps the faults of cards.
func (b *compiler) keep(err error) {
	var faults schema.Faults
	if errors.As(err, &faults) {
		b.faults = append(b.faults, faults...)
	} else {
		b.fault("", "", err.Error(), "")
	}
}

// named faults Fronds that cannot be told apart or named in a path.
func (b *compiler) named(i int, f *FrondSource) {
	at := cmp.Or(f.Config.File, f.Dir, f.Name)
	if !isName(f.Name) {
		b.fault(at, "", fmt.Sprintf("%q cannot be the name of a Frond", f.Name), "write a letter, then letters, digits, - or _: catalog")
	}
	for _, other := range b.project.Fronds[:i] {
		if strings.EqualFold(other.Name, f.Name) {
			b.fault(at, "", fmt.Sprintf("two Fronds are called %s: %s and %s", f.Name, cmp.Or(other.Dir, "the root"), cmp.Or(f.Dir, "the root")), "rename one of them")
		}
	}
}

// frond makes a Frond's doors: one for each of its entities, then those that
// store nothing.
func (b *compiler) frond(src *FrondSource, config frondConfig) {
	frond := &Frond{Name: src.Name, Remote: src.Remote}
	b.fronds = append(b.fronds, frond)
	file := src.Config.File
	configured := map[string]*doorConfig{}
	for _, d := range config.doors {
		key := schema.EntityKey(d.name)
		if configured[key] != nil {
			b.fault(file, d.at, fmt.Sprintf("the door %s is written twice", d.name), "write it once")
			continue
		}
		configured[key] = d
	}
	for _, e := range b.set.Entities {
		if e.Frond != src.Name {
			continue
		}
		d := configured[e.Key]
		delete(configured, e.Key)
		switch {
		case d == nil:
			d = &doorConfig{name: e.Name}
		case d.off:
			continue // no façade: absent from discovery, REST and GraphQL (spec 2.5.2)
		}
		b.door(frond, src, d, e)
	}
	for _, d := range config.doors {
		if configured[schema.EntityKey(d.name)] != d || d.off {
			continue
		}
		switch e := b.set.Entity(d.name); {
		case e != nil && e.View:
			b.fault(file, d.at, fmt.Sprintf("%s is a view, and a view has no door", d.name), "name the door after an entity, or give it a name of its own")
		case e != nil:
			b.fault(file, d.at, fmt.Sprintf("%s is an entity of the Frond %s", e.Name, e.Frond), "configure its door in that Frond's frond.yaml")
		default:
			b.door(frond, src, d, nil)
		}
	}
	b.plurals(frond, file)
	for _, f := range config.facts {
		fact := Fact{Name: f.name}
		if e := b.card(file, src.Name, schema.GraphQLType(f.name)+"Fact", f.schema); e != nil {
			fact.Schema = e.Card
		}
		frond.Facts = append(frond.Facts, fact)
	}
}

// plurals faults two doors under one path.
func (b *compiler) plurals(frond *Frond, file string) {
	taken := map[string]*Door{}
	for _, d := range frond.Doors {
		if other := taken[d.Plural]; other != nil {
			b.fault(cmp.Or(file, d.Origin), d.at, fmt.Sprintf("the plural %s is claimed twice, by %s (%s) and %s (%s)", d.Plural, other.Name, other.Origin, d.Name, d.Origin),
				fmt.Sprintf("write doors: {%s: {plural: …}} in the frond.yaml of %s", d.Name, frond.Name))
			continue
		}
		taken[d.Plural] = d
	}
}

// door makes one door; e is nil for one that stores nothing.
func (b *compiler) door(frond *Frond, src *FrondSource, c *doorConfig, e *schema.Entity) {
	d := &Door{
		Name: c.name, Frond: frond, Entity: e, GraphQL: c.graphql, at: c.at,
		Plural: cmp.Or(c.plural, schema.Plural(schema.EntityKey(c.name))),
		Origin: b.origin(src, c.name),
		limits: c.limits.or(b.limits),
		ops:    map[string]*Operation{},
	}
	key := schema.EntityKey(d.Name)
	if other := b.doors[key]; other != nil {
		b.fault(d.Origin, c.at, fmt.Sprintf("the door %s has two owners: %s and %s", d.Name, other.Origin, d.Origin), "rename one of them: the method is entity.op, for the whole host")
		return
	}
	b.doors[key] = d
	frond.Doors = append(frond.Doors, d)
	if e != nil {
		d.Name = e.Name
		d.reader = &reader{entity: e}
		d.byID = newOrder(e, nil)
		b.builtins(d, src, c)
	}
	b.namedOperations(d, src, c)
	if len(d.Operations) == 0 {
		b.fault(cmp.Or(src.Config.File, d.Origin), c.at, fmt.Sprintf("the door %s has no operation", d.Name), "declare one under operations, or write "+d.Name+": false")
	}
}

// origin is where a door was declared, for messages.
func (b *compiler) origin(src *FrondSource, name string) string {
	for _, s := range src.Cards {
		if !s.View && strings.EqualFold(s.Name, name) && s.File != "" {
			return s.File
		}
	}
	return cmp.Or(src.Config.File, "the Frond "+src.Name)
}

// builtins gives a stored door its built-in operations, as far as its author
// leaves them: all, those that only names, none that is false. findByIds stands
// and falls with findById, whose batch it is.
func (b *compiler) builtins(d *Door, src *FrondSource, c *doorConfig) {
	off := map[string]bool{}
	if c.only != nil {
		for _, x := range builtins {
			off[x.name] = !slices.Contains(c.only, x.name)
		}
		off["findByIds"] = off["findByIds"] && off["findById"]
	}
	for i, name := range c.only {
		if builtinNamed(name) == nil && !slices.ContainsFunc(c.ops, func(o opConfig) bool { return o.name == name }) {
			b.fault(src.Config.File, fmt.Sprint(c.at, "/operations/only/", i), fmt.Sprintf("%s is no built-in operation", name), "name some of "+builtinNames())
		}
	}
	said := map[string]*opConfig{}
	for i := range c.ops {
		if o := &c.ops[i]; builtinNamed(o.name) != nil {
			said[o.name] = o
			if o.off {
				off[o.name] = true
			}
		}
	}
	if o := said["findById"]; o != nil && o.off && said["findByIds"] == nil {
		off["findByIds"] = true
	}
	for _, x := range builtins {
		if off[x.name] {
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
			op.Description, op.GraphQL = cmp.Or(o.description, op.Description), o.graphql
			if o.kind != "" && o.kind != x.kind || o.cardinality != "" || slices.ContainsFunc(o.parts[:], part.given) {
				b.fault(src.Config.File, o.at, fmt.Sprintf("%s is built in; what it takes and gives is not declared", x.name),
					"leave description and graphql, or give an operation of your own another name")
			}
		}
		d.add(op)
	}
}

func builtinNamed(name string) *builtin {
	for _, x := range builtins {
		if x.name == name {
			return x
		}
	}
	return nil
}

func builtinNames() string {
	names := make([]string, len(builtins))
	for i, x := range builtins {
		names[i] = x.name
	}
	return strings.Join(names, ", ")
}

// namedOperations gives a door the operations its author declares.
func (b *compiler) namedOperations(d *Door, src *FrondSource, c *doorConfig) {
	for _, o := range c.ops {
		if d.Entity != nil && builtinNamed(o.name) != nil {
			continue
		}
		if o.off {
			b.fault(src.Config.File, o.at, fmt.Sprintf("%s is no operation that could be taken away", o.name), "the built-in ones are "+builtinNames())
			continue
		}
		op := &Operation{
			Name: o.name, Kind: cmp.Or(o.kind, KindOf(o.name)), Door: d, Description: o.description,
			GraphQL: o.graphql, Cardinality: o.cardinality, Answered: src.Remote != "",
		}
		// An inline card is named for what it is: postPublishInput.
		name := func(i int) string {
			return d.Name + upper(o.name) + upper(partNames[i])
		}
		var cards [4]*schema.Entity
		for i, p := range o.parts {
			cards[i] = b.card(src.Config.File, src.Name, name(i), p)
		}
		op.Params, op.Query, op.Input, op.Output = cards[partParams], cards[partQuery], cards[partInput], cards[partOutput]
		switch {
		case op.Output == nil && op.Cardinality == "":
			op.Cardinality = NoOutput
		case op.Output == nil && op.Cardinality != NoOutput:
			b.fault(src.Config.File, o.at+"/cardinality", fmt.Sprintf("the cardinality is %s, but no output is named", op.Cardinality), "name the output, or leave the cardinality out")
		case op.Output != nil && op.Cardinality == NoOutput:
			b.fault(src.Config.File, o.at+"/cardinality", "an output is named, but the cardinality is none", "take one of them away")
		case op.Cardinality == "":
			op.Cardinality = One
		}
		if op.Output != nil {
			op.reader = &reader{entity: op.Output}
		}
		b.sharedNames(src.Config.File, o.at, op)
		d.add(op)
	}
}

// sharedNames faults a name that stands in two parts of one operation: a typed
// handler is given all of them as one object.
func (b *compiler) sharedNames(file, at string, op *Operation) {
	seen := map[string]string{}
	for i, card := range []*schema.Entity{op.Params, op.Query, op.Input} {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			if where := seen[p.Name]; where != "" {
				b.fault(file, at+"/"+partNames[i], fmt.Sprintf("%s stands in %s and in %s", p.Name, where, partNames[i]), "rename one of them: a handler is given both as one object")
			}
			seen[p.Name] = partNames[i]
		}
	}
}

// card is the entity behind a part: named, or written inline, or nil for none.
func (b *compiler) card(file, frond, name string, p part) *schema.Entity {
	switch {
	case p.name != "":
		e := b.set.Entity(p.name)
		if e == nil {
			var known []string
			for _, e := range append(slices.Clone(b.set.Views), b.set.Entities...) {
				known = append(known, e.Name)
			}
			b.fault(file, p.at, fmt.Sprintf("no entity and no view is called %s", p.name), "put it into views/, or name one of "+strings.Join(known, ", "))
		}
		return e
	case p.card != nil:
		// .json: the text was converted when the file was read.
		e, err := b.set.CompileView(schema.Source{File: file, At: p.at, Name: name, Frond: frond, View: true, Card: nil, Data: p.card})
		if err != nil {
			b.keep(err)
		}
		return e
	}
	return nil
}

// link finds, when all doors are there, whose rows an operation answers: those of
// the output's own door, or of the entity a view was cut from.
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
				if op.outDoor = out; out != nil && out.Entity == op.Output {
					op.reader = out.reader // with its computed fields
				}
			}
		}
	}
}

func (b *compiler) doorsRemedy() string {
	var names []string
	for _, f := range b.fronds {
		for _, d := range f.Doors {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return "there is no door at all; declare it in a frond.yaml, or add a card"
	}
	return "the doors are " + strings.Join(names, ", ")
}

// readers are the words a reading operation's name begins with (spec 4.2.4,
// DESIGN 5).
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

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
