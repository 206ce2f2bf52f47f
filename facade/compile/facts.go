package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// facts compiles the facts of a Frond:
//
//	facts:
//	  - {name: orderPlaced, schema: order, on: order.create}
//	  - {name: newsletterSent, schema: {type: object, properties: …}}   # emitted by Go code
//	changes: [product]                                                  # the fact productChanged
func (b *compiler) facts(src *project.Frond, c project.Config) {
	frond := b.fronds[slices.IndexFunc(b.fronds, func(f *catalog.Frond) bool { return f.Name == src.Name })]
	for i := range c.Facts {
		if f := b.fact(src, frond, &c.Facts[i]); f != nil {
			frond.Facts = append(frond.Facts, f)
		}
	}
	for _, door := range b.changed(src, frond, c.Changes) {
		f := &catalog.Fact{Name: catalog.ChangesName(door.Name), Frond: frond, Changes: true}
		if other := factNamed(frond, f.Name); other != nil {
			b.fault(src.Config.File, other.At, fmt.Sprintf("the fact %s has the name of the one that announces the changes of %s", f.Name, door.Name), "give it another name, or leave "+door.Name+" out of changes")
			continue
		}
		about(f, door, door.Entity)
		for _, change := range []catalog.Change{catalog.Created, catalog.Updated, catalog.Deleted} {
			door.Announce(change, f)
		}
		frond.Facts = append(frond.Facts, f)
	}
}

// factNamed is the fact of a Frond with this name, or nil.
func factNamed(frond *catalog.Frond, name string) *catalog.Fact {
	for _, f := range frond.Facts {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// fact compiles one entry of facts; nil for one that cannot be used.
func (b *compiler) fact(src *project.Frond, frond *catalog.Frond, c *project.Fact) *catalog.Fact {
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
	f := &catalog.Fact{Name: c.Name, Frond: frond, When: c.When, At: c.At}
	data := b.card(file, src.Name, schema.GraphQLType(c.Name)+"Fact", c.Schema)
	b.opened(file, cmp.Or(c.Schema.At, c.At), data)
	var door *catalog.Door
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
		about(f, door, door.Entity)
	case door != nil:
		about(f, door, data)
		b.carried(file, cmp.Or(c.Schema.At, c.At), f)
	case data != nil:
		about(f, b.rowsOf(src, data), data)
	default:
		about(f, nil, nil)
	}
	if c.When != "" && door != nil {
		f.Condition = b.condition(file, c.At+"/when", f, c.When)
	}
	for _, op := range f.On {
		door.Announce(catalog.ChangeOf(op.Name), f)
	}
	return f
}

// factName reports whether a text can be part of the subjects, lines and paths of events.
func factName(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_')) {
			return false
		}
	}
	return s != "" && len(s) <= 128 && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}

// about finds the door whose rows the fact is about, and the fields that it carries; door is nil
// for a shape of its own.
func about(f *catalog.Fact, door *catalog.Door, data *schema.Entity) {
	f.Door, f.Data = door, data
	if data != nil {
		f.Schema = data.Card
	}
	switch {
	case door != nil:
		f.Judged = door
	default:
		f.Judged = &catalog.Door{Index: -1, Name: f.Name, Frond: f.Frond, Entity: data, Origin: f.Frond.File, At: f.At}
	}
}

// rowsOf is the door of this host whose rows a card describes: of the entity, or of the entity
// that a view was cut from.
func (b *compiler) rowsOf(src *project.Frond, data *schema.Entity) *catalog.Door {
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
func (b *compiler) emitter(src *project.Frond, f *catalog.Fact, on project.FactSource) *catalog.Operation {
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
	op := cmp.Or(door.Operation(operation), door.Inside[operation])
	switch {
	case op == nil && catalog.ChangeOf(operation) != "":
		b.fault(file, on.At, fmt.Sprintf("%s has no operation %s, so that the fact would never be emitted", door.Name, operation), "name one of "+strings.Join(commandsOf(door), ", "))
	case op == nil:
		b.fault(file, on.At, fmt.Sprintf("%s has no operation %q", door.Name, operation), "name one of create, update, delete")
	case op.Kind == catalog.Query:
		b.fault(file, on.At, fmt.Sprintf("%s is a query, and changes nothing that could be announced", on.Name), "name one of create, update, delete")
	case door.Entity == nil, catalog.ChangeOf(operation) == "" || !op.Builtin:
		b.fault(file, on.At, fmt.Sprintf("%s is a command of your own, and only its code can emit facts", on.Name), fmt.Sprintf("leave on out, and emit it there: frond.Emit(ctx, %q, …)", f.Name))
	default:
		return op
	}
	return nil
}

// commandsOf are the built-in commands that a door has, for messages.
func commandsOf(d *catalog.Door) (names []string) {
	for _, op := range d.Operations {
		if op.Builtin && op.Kind == catalog.Command {
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
func (b *compiler) condition(file, at string, f *catalog.Fact, text string) *expression.Condition {
	c, err := expression.CompileCondition(text, f.Door.Entity)
	if err != nil {
		b.fault(file, at, "the expression cannot be used: "+err.Error(), `write one over before and after, the row as it was and as it is, such as after.status == "shipped"`)
		return nil
	}
	if c.Gives != "" && c.Gives != "boolean" {
		b.fault(file, at, fmt.Sprintf("the expression gives a value of type %s, not true or false", c.Gives), `compare it, such as after.status == "shipped"`)
		return nil
	}
	only := func(op string) bool {
		return !slices.ContainsFunc(f.On, func(o *catalog.Operation) bool { return o.Name != op })
	}
	for i, lacks := range [2]string{"create", "delete"} {
		if slices.Contains(c.Names, expression.RowNames[i]) && only(lacks) {
			b.fault(file, at, fmt.Sprintf("%s is always null at %s", expression.RowNames[i], lacks), "read "+expression.RowNames[1-i])
			return nil
		}
	}
	return c
}

// carried reports a card that rows of the fact's door cannot fill.
func (b *compiler) carried(file, at string, f *catalog.Fact) {
	door, data := f.Door, f.Data
	if data == door.Entity {
		return
	}
	if !door.Shapes(data) {
		b.fault(file, at, fmt.Sprintf("%s announces rows of %s, and %s is neither that entity nor a view of it", f.Name, door.Name, data.Name), fmt.Sprintf("write schema: %s, or a view with of: %[1]s", door.Name))
		return
	}
	for _, p := range data.Fields {
		if q := door.Entity.Property(p.Name); p.Stored && (q == nil || !q.Stored) {
			b.fault(file, at, fmt.Sprintf("the card has the field %s, which rows of %s have not", p.Name, door.Name), "leave it out of the view, or emit the fact in Go")
		}
	}
}

// opened reports a view that opens a field which its entity closes (spec 2.2).
func (b *compiler) opened(file, at string, data *schema.Entity) {
	for name, from := range b.opens(data) {
		b.fault(file, at, fmt.Sprintf("the card opens %s, which is closed outward in %s", name, from), "leave it out of the view")
	}
}

// changed are the doors that changes names.
func (b *compiler) changed(src *project.Frond, frond *catalog.Frond, names []project.FactSource) (doors []*catalog.Door) {
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
	f := factNamed(b.fronds[slices.IndexFunc(b.fronds, func(f *catalog.Frond) bool { return f.Name == src.Name })], c.Name)
	switch {
	case f == nil:
		return false
	case f.Door != nil:
		b.fault(src.Config.File, c.At, fmt.Sprintf("%s is about rows of %s, whose collector decides about its receivers", f.Name, f.Door.Name), "leave this entry out")
		return true
	}
	for _, r := range c.Rules {
		if r.Ops != nil || r.Allow != nil || r.AllowAll || r.Deny != nil || r.Set != nil || r.ReadOnly != nil {
			b.fault(src.Config.File, r.At, fmt.Sprintf("%s is a fact, which is received and nothing else", f.Name), "write when, rows, hide, or deny: all")
			return true
		}
	}
	b.collect(src.Config.File, f.Judged, c)
	return true
}
