package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// compileFacts compiles the facts of a Frond:
//
//	facts:
//	  - {name: orderPlaced, schema: order, on: order.create}
//	  - {name: newsletterSent, schema: {type: object, properties: …}}   # emitted by Go code
//	changes: [product]                                                  # the fact productChanged
func compileFacts(r *report, m *model, src *project.Frond, c project.Config) {
	frond := m.frond(src.Name)
	for i := range c.Facts {
		if f := compileFact(r, m, src, frond, &c.Facts[i]); f != nil {
			frond.Facts = append(frond.Facts, f)
		}
	}
	for _, door := range changedDoors(r, m, src, frond, c.Changes) {
		f := &catalog.Fact{Name: catalog.ChangesName(door.Name), Frond: frond, Changes: true}
		if other := factNamed(frond, f.Name); other != nil {
			r.fault(src.Config.File, other.At, fmt.Sprintf("the fact %s has the name of the one that announces the changes of %s", f.Name, door.Name), "give it another name, or leave "+door.Name+" out of changes")
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

// compileFact compiles one entry of facts; nil for one that cannot be used.
func compileFact(r *report, m *model, src *project.Frond, frond *catalog.Frond, c *project.Fact) *catalog.Fact {
	file := src.Config.File
	if c.Name == "" {
		return nil // reported by the reader
	}
	if !factName(c.Name) {
		const message = "cannot be the name of a fact"
		if src.Remote != "" || src.Known != nil {
			r.ignored = append(r.ignored, schema.Fault{File: file, Pointer: c.At, Message: fmt.Sprintf("%q %s", c.Name, message), Remedy: "its events are left out"})
			return nil
		}
		r.fault(file, c.At, fmt.Sprintf("%q %s", c.Name, message), "write letters, digits, dots, - or _, a letter first: orderPlaced")
	}
	f := &catalog.Fact{Name: c.Name, Frond: frond, When: c.When, At: c.At}
	data := m.card(r, file, src.Name, schema.GraphQLType(c.Name)+"Fact", c.Schema)
	checkOpened(r, m, file, cmp.Or(c.Schema.At, c.At), data)
	var door *catalog.Door
	for _, on := range c.On {
		if op := emitter(r, m, src, f, on); op != nil {
			if door != nil && door != op.Door {
				r.fault(file, on.At, fmt.Sprintf("%s is about rows of %s, and this operation writes %s", f.Name, door.Name, op.Door.Name), "declare a fact for each of them")
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
		checkCarried(r, file, cmp.Or(c.Schema.At, c.At), f)
	case data != nil:
		about(f, rowsOf(m, src, data), data)
	default:
		about(f, nil, nil)
	}
	if c.When != "" && door != nil {
		f.Condition = compileCondition(r, file, c.At+"/when", f, c.When)
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
func rowsOf(m *model, src *project.Frond, data *schema.Entity) *catalog.Door {
	key := data.Key
	if data.View {
		if data.Card.Derived == nil {
			return nil
		}
		key = schema.EntityKey(data.Card.Derived.From)
	}
	door := m.doors[key]
	if door == nil || door.Frond.Remote != "" && door.Frond.Name != src.Name {
		return nil // this host has no access rules for its rows
	}
	return door
}

// emitter is the built-in command that an entry of on names.
func emitter(r *report, m *model, src *project.Frond, f *catalog.Fact, on project.Named) *catalog.Operation {
	file := src.Config.File
	name, operation, ok := strings.Cut(on.Name, ".")
	if !ok {
		r.fault(file, on.At, fmt.Sprintf("%q is no operation", on.Name), "write a door and its operation, such as order.create")
		return nil
	}
	door := m.doorOf(r, src, name, on.At, "a fact")
	if door == nil {
		return nil
	}
	op := cmp.Or(door.Operation(operation), door.Inside[operation])
	switch {
	case op == nil && catalog.ChangeOf(operation) != "":
		r.fault(file, on.At, fmt.Sprintf("%s has no operation %s, so that the fact would never be emitted", door.Name, operation), "name one of "+strings.Join(commandsOf(door), ", "))
	case op == nil:
		r.fault(file, on.At, fmt.Sprintf("%s has no operation %q", door.Name, operation), schema.DidYouMean(operation, []string{"create", "update", "delete"})+"name one of create, update, delete")
	case op.Kind == catalog.Query:
		r.fault(file, on.At, fmt.Sprintf("%s is a query, and changes nothing that could be announced", on.Name), "name one of create, update, delete")
	case door.Entity == nil, catalog.ChangeOf(operation) == "" || !op.Builtin:
		r.fault(file, on.At, fmt.Sprintf("%s is a command of your own, and only its code can emit facts", on.Name), fmt.Sprintf("leave on out, and emit it there: frond.Emit(ctx, %q, …)", f.Name))
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

// compileCondition compiles the when of a fact. A field that the rows do not have is a fault, and so
// is a row that the fact's operations never have.
func compileCondition(r *report, file, at string, f *catalog.Fact, text string) *expression.Condition {
	c, err := expression.CompileCondition(text, f.Door.Entity)
	if err != nil {
		r.fault(file, at, "the expression cannot be used: "+err.Error(), `write one over before and after, the row as it was and as it is, such as after.status == "shipped"`)
		return nil
	}
	if c.Gives != "" && c.Gives != "boolean" {
		r.fault(file, at, fmt.Sprintf("the expression gives a value of type %s, not true or false", c.Gives), `compare it, such as after.status == "shipped"`)
		return nil
	}
	only := func(op string) bool {
		return !slices.ContainsFunc(f.On, func(o *catalog.Operation) bool { return o.Name != op })
	}
	for i, lacks := range [2]string{"create", "delete"} {
		if slices.Contains(c.Names, expression.RowNames[i]) && only(lacks) {
			r.fault(file, at, fmt.Sprintf("%s is always null at %s", expression.RowNames[i], lacks), "read "+expression.RowNames[1-i])
			return nil
		}
	}
	return c
}

// checkCarried reports a card that rows of the fact's door cannot fill.
func checkCarried(r *report, file, at string, f *catalog.Fact) {
	door, data := f.Door, f.Data
	if data == door.Entity {
		return
	}
	if !door.Shapes(data) {
		r.fault(file, at, fmt.Sprintf("%s announces rows of %s, and %s is neither that entity nor a view of it", f.Name, door.Name, data.Name), fmt.Sprintf("write schema: %s, or a view with of: %[1]s", door.Name))
		return
	}
	for _, p := range data.Fields {
		if q := door.Entity.Property(p.Name); p.Stored && (q == nil || !q.Stored) {
			r.fault(file, at, fmt.Sprintf("the card has the field %s, which rows of %s have not", p.Name, door.Name), "leave it out of the view, or emit the fact in Go")
		}
	}
}

// checkOpened reports a view that opens a field which its entity closes (spec 2.2).
func checkOpened(r *report, m *model, file, at string, data *schema.Entity) {
	for name, from := range m.opens(data) {
		r.fault(file, at, fmt.Sprintf("the card opens %s, which is closed outward in %s", name, from), "leave it out of the view")
	}
}

// changedDoors are the doors that changes names.
func changedDoors(r *report, m *model, src *project.Frond, frond *catalog.Frond, names []project.Named) (doors []*catalog.Door) {
	for _, n := range names {
		if n.Name == project.Others {
			for _, d := range frond.Doors {
				if d.Entity != nil && !slices.Contains(doors, d) {
					doors = append(doors, d)
				}
			}
			continue
		}
		door := m.doorOf(r, src, n.Name, n.At, "changes")
		switch {
		case door == nil:
		case door.Entity == nil:
			r.fault(src.Config.File, n.At, fmt.Sprintf("%s stores nothing, so that there are no changes of it", door.Name), "name a door with a card")
		case !slices.Contains(doors, door):
			doors = append(doors, door)
		}
	}
	return doors
}

// factCollector binds the collector of a fact without a door; false for an entry of a door.
func factCollector(r *report, m *model, k *bindings, rules *access.Compiler, src *project.Frond, c project.Collector) bool {
	if m.doors[schema.EntityKey(c.Name)] != nil {
		return false
	}
	f := factNamed(m.frond(src.Name), c.Name)
	switch {
	case f == nil:
		return false
	case f.Door != nil:
		r.fault(src.Config.File, c.At, fmt.Sprintf("%s is about rows of %s, whose collector decides about its receivers", f.Name, f.Door.Name), "leave this entry out")
		return true
	}
	for _, rule := range c.Rules {
		if rule.Ops != nil || rule.Allow != nil || rule.AllowAll || rule.Deny != nil || rule.Set != nil || rule.ReadOnly != nil {
			r.fault(src.Config.File, rule.At, fmt.Sprintf("%s is a fact, which is received and nothing else", f.Name), "write when, rows, hide, or deny: all")
			return true
		}
	}
	collect(k, rules, src.Config.File, f.Judged, c)
	return true
}
