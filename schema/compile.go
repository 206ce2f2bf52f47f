package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// How cards become a Set. Every step runs for all sources and collects faults, so that an
// author reads all of them at once; a source with a broken card takes part as far as it can,
// so that a relation to it is not reported as leading nowhere.
//
//	read      the text becomes a Card; meaning reports parts without effect   read.go, meaning.go
//	claim     the name is taken; two sources of one name are a fault
//	relate    relations through rows in between become fields                through.go
//	fill      parts that the author left out are added to the card         fill.go
//	expand    views only: of, pick and omit become fields                     view.go
//	link      relations find their targets and names                          link.go
//	facing    two lists that face each other are a fault                      link.go
//	finish    the other faults; the judge is built                            finish.go

// Set is the compiled cards of a host: entities and views, by key. It never changes and may be
// shared between goroutines.
type Set struct {
	// Entities are in the order of their sources, Views too. Neither is to be changed.
	Entities []*Entity
	Views    []*Entity
	byKey    map[string]*Entity
	reg      *Registry
	opts     CompileOptions
	shared   *shared
}

// Entity returns the entity or view called name, or nil. The case of name does not matter
// (spec 2.4).
func (s *Set) Entity(name string) *Entity { return s.byKey[EntityKey(name)] }

// CompileOptions are the settings of [Compile]. A nil pointer is the zero value, which compiles
// a project's own cards.
type CompileOptions struct {
	// Vendor is x-kit-vendor for a card without its own; "" is [DefaultVendor].
	Vendor string
	// Remote names the Fronds whose operations run on another host: their generators and
	// conversions need not be known here (spec 2.2.3), and keys of x-kit that are newer than
	// this program are ignored.
	Remote map[string]bool
	// Partial lets relations name entities outside of the sources: their Link stays nil, the
	// name stays in the axes (spec 2.4). It is for consumers that rebuild a single card, and
	// ignores unknown generators and conversions.
	Partial bool
	// Unknown lets every relation name an entity outside of the sources, as Partial does,
	// without its other effects: the entities of a remote are not known yet.
	Unknown bool
	// Unregistered is called with each generator and conversion missing from the registry,
	// which then causes no fault: for programs that look at cards without running them
	// (docs/decisions/settings-and-commands.md). nil: they are faults.
	Unregistered func(Fault)
	// Relations are many-to-many relations, which become fields of the cards of their entities.
	Relations []ManyToMany
	// Ignored, if not nil, is called with every part of a card that has no effect: unknown
	// keywords, and members of a remote's cards beyond the specification.
	Ignored func(Fault)
}

// DefaultVendor is x-kit-vendor where the options name no other.
const DefaultVendor = "frondhost"

// Compile reads and links cards. The error is Faults: every fault of every source at once, by
// file and pointer; the set is then nil. reg may be nil: then no generator and no conversion
// is known. opts may be nil. Compile may be called from many goroutines, but the callbacks of
// opts are called from the one that called it.
func Compile(sources []Source, reg *Registry, opts *CompileOptions) (*Set, error) {
	set := &Set{byKey: map[string]*Entity{}, reg: reg, shared: &shared{checkers: map[string]*checker{}}}
	if opts != nil {
		set.opts = *opts
	}
	if set.opts.Vendor == "" {
		set.opts.Vendor = DefaultVendor
	}
	if reg == nil {
		set.reg = &Registry{}
	}
	c := compiler{set: set}
	units := make([]*unit, 0, len(sources))
	for i, text := range parseAll(sources) {
		units = append(units, c.read(&sources[i], text))
	}
	for _, u := range units {
		c.claim(u)
	}
	for i := range set.opts.Relations {
		c.manyToMany(&set.opts.Relations[i])
	}
	// Views are cut from entities, so entities come first.
	for _, u := range units {
		if u.card != nil && !u.src.View {
			completeUniques(u.card)
			c.fill(u)
		}
	}
	for _, u := range units {
		if u.card != nil && u.src.View {
			c.expand(u)
			c.fill(u)
		}
	}
	for _, u := range units {
		c.link(u)
	}
	for _, u := range units {
		c.facing(u)
		c.finish(u)
	}
	if len(c.faults) > 0 {
		return nil, c.faults.sorted()
	}
	for _, u := range units {
		if u.src.View {
			set.Views = append(set.Views, u.entity)
		} else {
			set.Entities = append(set.Entities, u.entity)
		}
	}
	return set, nil
}

// MustCompile is Compile for tests and package variables; it panics on faults.
func MustCompile(sources []Source, reg *Registry, opts *CompileOptions) *Set {
	set, err := Compile(sources, reg, opts)
	if err != nil {
		panic(err)
	}
	return set
}

// CompileView compiles one more card against the set, as a view that stays outside
// it: the params, query or input an operation writes inline. Of, pick and omit work
// as in a view. The error is Faults. It may be called from many goroutines.
func (s *Set) CompileView(src Source) (*Entity, error) {
	src.View = true
	c := compiler{set: s}
	u := c.read(&src, parse(&src))
	if u.card != nil {
		u.entity = &Entity{Name: src.Name, Key: EntityKey(src.Name), Frond: src.Frond, View: true, Card: u.card}
		c.expand(u)
		c.fill(u)
		c.link(u)
		c.finish(u)
	}
	if len(c.faults) > 0 {
		return nil, c.faults.sorted()
	}
	return u.entity, nil
}

// compiler collects the faults of a compilation.
type compiler struct {
	set    *Set
	units  map[string]*unit // by key, as far as claimed
	faults Faults
}

// unit is one source while it is compiled.
type unit struct {
	src    *Source
	card   *Card // nil where it could not be read
	entity *Entity
	taken  map[string]bool // fields a view took over from an entity, whose faults are reported there
}

// fault notes a fault of the unit's card at a pointer into it.
func (c *compiler) fault(u *unit, at, message, remedy string) {
	c.faults = append(c.faults, Fault{File: u.src.File, Pointer: u.src.At + at, Message: message, Remedy: remedy})
}

// beyond reports a fault, unless the unit's Frond runs on another host: there the card is valid
// for its own host, so this host ignores the unknown part and reports it to
// CompileOptions.Ignored.
func (c *compiler) beyond(u *unit, at, message, remedy string) {
	if !c.remote(u) {
		c.fault(u, at, message, remedy)
	} else if c.set.opts.Ignored != nil {
		c.set.opts.Ignored(Fault{File: u.src.File, Pointer: u.src.At + at, Message: message + "; it is ignored"})
	}
}

// remote says whether the unit's Frond runs on another host. Its card is then data, and its
// faults are not the author's.
func (c *compiler) remote(u *unit) bool {
	return c.set.opts.Partial || c.set.opts.Remote[u.src.Frond]
}

// read makes the unit of a source, whose text is parsed, and gives it a card of its own, because
// compiling writes into it.
func (c *compiler) read(src *Source, is parsed) *unit {
	u := &unit{src: src, taken: map[string]bool{}}
	card := is.card
	if src.Card != nil {
		card = src.Card
		c.meaning(u, card.AppendJSON(nil))
	} else if is.text != nil {
		c.meaning(u, is.text)
	}
	var faults Faults
	if errors.As(is.err, &faults) {
		c.faults = append(c.faults, faults...)
		return u
	}
	if u.card = card; src.Card != nil {
		own := *card
		own.Fields = slices.Clone(card.Fields)
		u.card = &own
	}
	return u
}

// claim enters the unit in the set under its name.
func (c *compiler) claim(u *unit) {
	if !IsName(u.src.Name) {
		c.fault(u, "", fmt.Sprintf("%q cannot be the name of an entity", u.src.Name),
			"name the file by a letter, then letters, digits, - or _: orderLine.yaml")
		u.card = nil
		return
	}
	key := EntityKey(u.src.Name)
	if c.units == nil {
		c.units = map[string]*unit{}
	}
	if other := c.units[key]; other != nil {
		c.fault(u, "", fmt.Sprintf("%q "+TwoOwners+": %s and %s", key, other.src.owner(), u.src.owner()),
			"rename one of them: the name of an entity or view is the host's")
		u.card = nil
		return
	}
	c.units[key] = u
	if u.card == nil {
		return
	}
	u.entity = &Entity{Name: u.src.Name, Key: key, Frond: u.src.Frond, View: u.src.View, Card: u.card, Table: u.src.Table}
	c.set.byKey[key] = u.entity
}

// owner names a source in a message.
func (s *Source) owner() string {
	switch {
	case s.File != "":
		return s.File
	case s.Frond != "":
		return "the Frond " + s.Frond
	}
	return "the card " + s.Name
}

// sorted is the faults by file and pointer, without duplicates.
func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Pointer, b.Pointer))
	})
	return slices.Compact(f)
}

// fieldNames are the names of fields, for a message.
func fieldNames(fields []Field) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	if len(names) == 0 {
		return "it has no fields"
	}
	return "it has " + strings.Join(names, ", ")
}

// fill completes a unit's card with the parts that its author may leave out, and makes its
// properties:
//
//	title             the entity's key
//	x-kit-version     1
//	x-kit-vendor      CompileOptions.Vendor
//	required          the list of spec 2.3, for an entity without one
//	lifecycle.create  optional, for a field that is neither required nor filled by a rule
//
// Whether the card is sound is for finish to say, when all cards are there.
func (c *compiler) fill(u *unit) {
	card, e := u.card, u.entity
	if e == nil {
		return
	}
	if u.src.View {
		if card.Title == "" {
			card.Title = e.Key
		}
	} else {
		for _, name := range []string{"of", "pick", "omit"} {
			if card.Extra.Get(name) != nil {
				c.fault(u, "/"+name, name+" cuts a view from an entity, and this is an entity", "move the file to views/")
			}
		}
		if card.Title != "" && EntityKey(card.Title) != e.Key {
			c.beyond(u, "/title", fmt.Sprintf("the title is %q, but the file makes the entity %q", card.Title, e.Key),
				"leave the title out, or rename the file") // spec 2.1: title is the lower-case name
		}
		card.Title = e.Key
	}
	if card.Version == 0 {
		card.Version = 1
	}
	if card.Version != 1 {
		c.fault(u, "/x-kit-version", fmt.Sprintf("version %d of cards is not known here", card.Version), "write x-kit-version: 1, or leave it out")
	}
	if card.Vendor == "" {
		card.Vendor = c.set.opts.Vendor
	}
	// An entity whose card has no list of required names gets the list spec 2.3 describes.
	derive := card.Required == nil && !u.src.View
	if derive {
		card.Required = []string{}
		for i := range card.Fields {
			if f := &card.Fields[i]; answered(f) == "" {
				card.Required = append(card.Required, f.Name)
			}
		}
	}
	e.byName = make(map[string]*Property, len(card.Fields))
	for i := range card.Fields {
		p := &Property{Field: &card.Fields[i], Index: i, Owner: e, Stored: true}
		p.required = slices.Contains(card.Required, p.Name)
		if p.Axes.Create == nil && !p.required && !p.Axes.In.Closed && (p.Axes.Relation == nil || !p.Axes.Relation.Many) {
			// The field is not required and has no rule: mark it as optional, which the card does not say.
			marked := *p.Field
			marked.Axes.Create = &CreateRule{Optional: true}
			p.Field = &marked
		}
		e.Fields = append(e.Fields, p)
		e.byName[p.Name] = p
		if p.Axes.Primary && e.Primary == nil {
			e.Primary = p
		}
	}
}

// answered returns a clause for a message that says how an absent field gets its value at
// creation, or "" if only the caller can supply it.
func answered(f *Field) string {
	switch {
	case f.Axes.Relation != nil && f.Axes.Relation.Many:
		return "a many relation, which is an empty list where it is absent"
	case f.Axes.In.Closed:
		return "boundary.in: closed, so a caller cannot send it"
	case f.Axes.Create != nil:
		return "lifecycle.create"
	}
	return ""
}
