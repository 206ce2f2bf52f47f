package facade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// facts compiles what a Frond announces:
//
//	facts:
//	  - {name: orderPlaced, schema: order, on: order.create}
//	  - {name: newsletterSent, schema: {type: object, properties: …}}   # emitted by Go code
//	changes: [product]                                                  # the fact productChanged
func (b *compiler) facts(src *project.Frond, c project.Config) {
	frond := b.fronds[slices.IndexFunc(b.fronds, func(f *Frond) bool { return f.Name == src.Name })]
	for i := range c.Facts {
		if f := b.fact(src, frond, &c.Facts[i]); f != nil {
			frond.Facts = append(frond.Facts, f)
		}
	}
	for _, door := range b.changed(src, frond, c.Changes) {
		f := &Fact{Name: ChangesName(door.Name), Frond: frond, Changes: true}
		if other := factNamed(frond, f.Name); other != nil {
			b.fault(src.Config.File, other.at, fmt.Sprintf("the fact %s has the name of the one that announces the changes of %s", f.Name, door.Name), "give it another name, or leave "+door.Name+" out of changes")
			continue
		}
		f.about(door, door.Entity)
		for _, change := range []Change{Created, Updated, Deleted} {
			door.announce(change, f)
		}
		frond.Facts = append(frond.Facts, f)
	}
}

// factNamed is the fact of a Frond with this name, or nil.
func factNamed(frond *Frond, name string) *Fact {
	for _, f := range frond.Facts {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// fact compiles one entry of facts; nil for one that cannot be used.
func (b *compiler) fact(src *project.Frond, frond *Frond, c *project.Fact) *Fact {
	file := src.Config.File
	if c.Name == "" {
		return nil // reported by the reader
	}
	if !factName(c.Name) {
		const message = "cannot be the name of a fact"
		if src.Remote != "" || src.Known != nil {
			b.ignored = append(b.ignored, schema.Fault{File: file, Pointer: c.At, Message: fmt.Sprintf("%q %s", c.Name, message), Remedy: "its events are left out"})
			return nil
		}
		b.fault(file, c.At, fmt.Sprintf("%q %s", c.Name, message), "write letters, digits, dots, - or _, a letter first: orderPlaced")
	}
	f := &Fact{Name: c.Name, Frond: frond, When: c.When, at: c.At}
	data := b.card(file, src.Name, schema.GraphQLType(c.Name)+"Fact", c.Schema)
	b.opened(file, cmp.Or(c.Schema.At, c.At), data)
	var door *Door
	for _, on := range c.On {
		if op := b.emitter(src, f, on); op != nil {
			if door != nil && door != op.Door {
				b.fault(file, on.At, fmt.Sprintf("%s is about rows of %s, and this operation writes %s", f.Name, door.Name, op.Door.Name), "declare a fact for each of them")
				continue
			}
			door = op.Door
			f.On = append(f.On, op)
		}
	}
	switch {
	case door != nil && data == nil:
		f.about(door, door.Entity)
	case door != nil:
		f.about(door, data)
		b.carried(file, cmp.Or(c.Schema.At, c.At), f)
	case data != nil:
		f.about(b.rowsOf(src, data), data)
	default:
		f.about(nil, nil)
	}
	if c.When != "" && door != nil {
		f.when = b.condition(file, c.At+"/when", f, c.When)
	}
	for _, op := range f.On {
		door.announce(changeOf(op.Name), f)
	}
	return f
}

// factName reports whether a text can stand in the subjects, lines and paths that events have.
func factName(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_')) {
			return false
		}
	}
	return s != "" && len(s) <= 128 && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}

// about says whose rows the fact is about and what it carries of them; door is nil for a shape
// of its own.
func (f *Fact) about(door *Door, data *schema.Entity) {
	f.Door, f.Data = door, data
	if data != nil {
		f.Schema = data.Card
	}
	switch {
	case door != nil && data == door.Entity:
		f.judged, f.reader = door, door.reader // with its computed fields
	case door != nil:
		f.judged, f.reader = door, &reader{entity: data}
	default:
		f.judged = &Door{Name: f.Name, Frond: f.Frond, Entity: data, Origin: f.Frond.file, at: f.at, ops: map[string]*Operation{}, keeper: storeKeeper{}, boundary: storeKeeper{}}
		if data != nil {
			f.reader = &reader{entity: data}
			f.judged.reader = f.reader
		}
	}
}

// rowsOf is the door of this host whose rows a card describes: of the entity, or of the entity
// that a view was cut from.
func (b *compiler) rowsOf(src *project.Frond, data *schema.Entity) *Door {
	key := data.Key
	if data.View {
		if data.Card.Derived == nil {
			return nil
		}
		key = schema.EntityKey(data.Card.Derived.From)
	}
	door := b.doors[key]
	if door == nil || door.Frond.Remote != "" && door.Frond.Name != src.Name {
		return nil // nobody here can say who may see its rows
	}
	return door
}

// emitter is the built-in command that an entry of on names.
func (b *compiler) emitter(src *project.Frond, f *Fact, on project.FactSource) *Operation {
	file := src.Config.File
	name, operation, ok := strings.Cut(on.Name, ".")
	if !ok {
		b.fault(file, on.At, fmt.Sprintf("%q is no operation", on.Name), "write door.operation: order.create")
		return nil
	}
	door := b.doorOf(src, name, on.At, "a fact")
	if door == nil {
		return nil
	}
	op := cmp.Or(door.Operation(operation), door.inside[operation])
	switch {
	case op == nil && changeOf(operation) != "":
		b.fault(file, on.At, fmt.Sprintf("%s has no operation %s, so that the fact would never be emitted", door.Name, operation), "name one of "+strings.Join(door.commands(), ", "))
	case op == nil:
		b.fault(file, on.At, fmt.Sprintf("%s has no operation %q", door.Name, operation), "name one of create, update, delete")
	case op.Kind == Query:
		b.fault(file, on.At, fmt.Sprintf("%s is a query, and changes nothing that could be announced", on.Name), "name one of create, update, delete")
	case door.Entity == nil, changeOf(operation) == "" || !op.Builtin:
		b.fault(file, on.At, fmt.Sprintf("%s is a command of your own, and only its code knows what it announces", on.Name), fmt.Sprintf("leave on out, and emit it there: frond.Emit(ctx, %q, …)", f.Name))
	default:
		return op
	}
	return nil
}

// commands are the built-in commands that a door has, for messages.
func (d *Door) commands() (names []string) {
	for _, op := range d.Operations {
		if op.Builtin && op.Kind == Command {
			names = append(names, d.Name+"."+op.Name)
		}
	}
	if names == nil {
		return []string{"a door that has create, update or delete"}
	}
	return names
}

// condition compiles the when of a fact. A field that the rows do not have is a fault, and so
// is a row that none of the fact's operations has.
func (b *compiler) condition(file, at string, f *Fact, text string) *condition {
	row := types.Map{}
	for _, p := range f.Door.Entity.Fields {
		if p.Stored {
			row[p.Name] = typeOfField(p)
		}
	}
	e, err := compileExpression(text, types.Map{"before": row, "after": row})
	if err != nil {
		b.fault(file, at, "the expression cannot be used: "+err.Error(), `write one over before and after, the row as it was and as it is, such as after.status == "shipped"`)
		return nil
	}
	if e.gives != "" && e.gives != "boolean" {
		b.fault(file, at, fmt.Sprintf("the expression gives a value of type %s, not true or false", e.gives), `compare it, such as after.status == "shipped"`)
		return nil
	}
	c := &condition{expression: e}
	only := func(op string) bool {
		return !slices.ContainsFunc(f.On, func(o *Operation) bool { return o.Name != op })
	}
	for i, lacks := range [2]string{"create", "delete"} {
		if slices.Contains(e.names, rowNames[i]) && only(lacks) {
			b.fault(file, at, fmt.Sprintf("%s is always null at %s", rowNames[i], lacks), "read "+rowNames[1-i])
			return nil
		}
		c.reads[i] = membersOf(e, rowNames[i])
	}
	return c
}

// carried reports a card that rows of the fact's door cannot fill.
func (b *compiler) carried(file, at string, f *Fact) {
	door, data := f.Door, f.Data
	if data == door.Entity {
		return
	}
	if !door.shapes(data) {
		b.fault(file, at, fmt.Sprintf("%s announces rows of %s, and %s is neither that entity nor a view of it", f.Name, door.Name, data.Name), fmt.Sprintf("write schema: %s, or a view with of: %[1]s", door.Name))
		return
	}
	for _, p := range data.Fields {
		if q := door.Entity.Property(p.Name); p.Stored && (q == nil || !q.Stored) {
			b.fault(file, at, fmt.Sprintf("the card has the field %s, which rows of %s have not", p.Name, door.Name), "leave it out of the view, or emit the fact in Go")
		}
	}
}

// opened reports a view that opens what the entity it was cut from closes (spec 2.2).
func (b *compiler) opened(file, at string, data *schema.Entity) {
	for name, from := range b.opens(data) {
		b.fault(file, at, fmt.Sprintf("the card opens %s, which is closed outward in %s", name, from), "leave it out of the view")
	}
}

// changed are the doors that changes names.
func (b *compiler) changed(src *project.Frond, frond *Frond, names []project.FactSource) (doors []*Door) {
	for _, n := range names {
		if n.Name == project.Others {
			for _, d := range frond.Doors {
				if d.Entity != nil && !slices.Contains(doors, d) {
					doors = append(doors, d)
				}
			}
			continue
		}
		door := b.doorOf(src, n.Name, n.At, "changes")
		switch {
		case door == nil:
		case door.Entity == nil:
			b.fault(src.Config.File, n.At, fmt.Sprintf("%s stores nothing, so that there are no changes of it", door.Name), "name a door with a card")
		case !slices.Contains(doors, door):
			doors = append(doors, door)
		}
	}
	return doors
}

// factCollector binds the collector of a fact that is about no door; false where the entry is
// not one's.
func (b *compiler) factCollector(src *project.Frond, c project.Collector) bool {
	if b.doors[schema.EntityKey(c.Name)] != nil {
		return false
	}
	f := factNamed(b.fronds[slices.IndexFunc(b.fronds, func(f *Frond) bool { return f.Name == src.Name })], c.Name)
	switch {
	case f == nil:
		return false
	case f.Door != nil:
		b.fault(src.Config.File, c.At, fmt.Sprintf("%s is about rows of %s, whose collector says who may receive it", f.Name, f.Door.Name), "leave this entry out")
		return true
	}
	for _, r := range c.Rules {
		if r.Ops != nil || r.Allow != nil || r.AllowAll || r.Deny != nil || r.Set != nil || r.ReadOnly != nil {
			b.fault(src.Config.File, r.At, fmt.Sprintf("%s is a fact, which is received and nothing else", f.Name), "write when, rows, hide, or deny: all")
			return true
		}
	}
	b.collect(src.Config.File, f.judged, c)
	return true
}

// emitting reports whether what an operation writes is announced, and whether one write does
// it: rows that go or change with a deleted one have to be read before.
func (b *compiler) emitting(op *Operation, cascades map[*schema.Entity][]cascade) (emits, alone bool) {
	if op.builtin == nil || op.Kind != Command || op.Door.Frond.Remote != "" {
		return false, false
	}
	change := changeOf(op.Name)
	more := change == Deleted && cascades[op.Door.Entity] != nil
	return more || len(op.Door.emits[change]) > 0, !more
}

// unkept are the faults of facts that built-in commands emit, over a store that keeps none.
func unkept(c *Catalog) (faults schema.Faults) {
	for _, f := range c.Fronds {
		for _, fact := range f.Facts {
			if f.Remote == "" && (fact.On != nil || fact.Changes) {
				faults = append(faults, schema.Fault{
					File: f.file, Pointer: cmp.Or(fact.at, "/changes"),
					Message: fmt.Sprintf("the fact %s cannot be kept: the store of this host has no outbox", fact.Name),
					Remedy:  "open a store of SQLite or PostgreSQL, or leave on and changes out",
				})
			}
		}
	}
	return faults
}
