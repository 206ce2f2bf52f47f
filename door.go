package frond

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// DoorOf is a door of an App, whose rows are of type T. Functions attached to it answer calls
// from every surface, and the program's own calls. Attach all of them before the program
// starts; attaching is not safe from several goroutines.
type DoorOf[T any] struct{ *door }

// door is the part of a DoorOf that does not depend on the type.
type door struct {
	app  *App
	name string
	ref  facade.DoorRef
	card *cardText
	row  *record

	compiled atomic.Pointer[catalog.Door] // as the last start or change of a remote had it
}

// Door is the door of an entity, with its rows as values of T, a struct. A type belongs to one
// door: [Inside] and [From] find the door by it. A door without stored rows has the type
// struct{}.
func Door[T any](app *App, name string) *DoorOf[T] {
	t := reflect.TypeFor[T]()
	d := &door{app: app, name: name, ref: app.project.Door(name), card: cardOf(app.project, name), row: &record{typ: t}}
	if t.Kind() != reflect.Struct {
		app.fault(fmt.Sprintf("the rows of %s cannot be of type %s", name, t), "give Door a struct")
		return &DoorOf[T]{d}
	}
	d.row = recordOf(t)
	d.row.spell(d.card)
	facade.Check(d.ref, d.check)
	app.named = append(app.named, d)
	if t.NumField() == 0 {
		return &DoorOf[T]{d}
	}
	switch other := app.doors[t]; {
	case other == nil:
		app.doors[t] = d
	case schema.EntityKey(other.name) != schema.EntityKey(name):
		app.fault(fmt.Sprintf("%s is the type of two doors, %s and %s", t, other.name, name), "give each door a type of its own")
	}
	return &DoorOf[T]{d}
}

// check compares the struct with the card.
func (d *door) check(compiled *catalog.Door) (faults schema.Faults) {
	d.compiled.Store(compiled)
	if compiled.Entity == nil && d.row.typ.NumField() == 0 {
		return nil
	}
	if compiled.Entity == nil {
		return schema.Faults{{File: goCode, Message: fmt.Sprintf("%s stores nothing, and has no rows of type %s", d.name, d.row.typ), Remedy: "give Door the name of an entity"}}
	}
	var fields []schema.Field
	for _, p := range compiled.Entity.Fields {
		if p.Stored {
			fields = append(fields, *p.Field)
		} else if m := d.row.member(p.Name); m != nil {
			faults = append(faults, schema.Fault{
				File: goCode, Message: fmt.Sprintf("%s.%s is for %s.%s, which is the other side of a relation and has no value in a row", d.row.typ, m.goName, compiled.Name, p.Name),
				Remedy: "keep it out with the tag `json:\"-\"`, and list the rows of " + p.Link.Target.Name,
			})
			fields = append(fields, *p.Field)
		}
	}
	for _, c := range compiled.Computed {
		fields = append(fields, schema.Field{Name: c.Name, Shape: c.Shape})
	}
	return append(faults, d.row.compare(compiled.Name, fields)...)
}

// enter is the context of a function of the program.
func (d *door) enter(ctx context.Context) context.Context {
	return withScene(ctx, &scene{app: d.app})
}

// Command attaches fn to a command that frond.yaml declares, or in place of a built-in one. In
// is decoded from one object with the judged members of params, query and body; Out is
// marshalled into the answer, by the rules of the operation's output. fn is called from many
// goroutines.
//
// The calls that fn makes with its context are one transaction: they are committed together
// when it returns without an error, or not at all. After a conflict with another transaction fn
// runs again, so its other effects may happen more than once: send mail from [DoorOf.After]. It
// has two seconds from its first call on (limits.transaction). The option [Detached] makes each
// call commit by itself.
func Command[T, In, Out any](d *DoorOf[T], name string, fn func(ctx context.Context, in In) (Out, error), options ...CommandOption) {
	facade.HandleCommand(d.ref, name, func(ctx context.Context, in In) (Out, error) { return fn(d.enter(ctx), in) }, options...)
	facade.Check(d.ref, answers(name, reflect.TypeFor[In](), reflect.TypeFor[Out]()))
}

// CommandOption changes what [Command] attaches.
type CommandOption = facade.HandlerOption

// Detached is for a command that calls other services, whose effects cannot be rolled back: its
// calls are not a transaction, each commits by itself, and it runs once. It cannot be called
// within the transaction of another command.
const Detached = facade.Detached

// Query has fn answer a query, as [Command] does a command.
func Query[T, In, Out any](d *DoorOf[T], name string, fn func(ctx context.Context, in In) (Out, error)) {
	facade.HandleQuery(d.ref, name, func(ctx context.Context, in In) (Out, error) { return fn(d.enter(ctx), in) })
	facade.Check(d.ref, answers(name, reflect.TypeFor[In](), reflect.TypeFor[Out]()))
}

// answers compares the parameter and the result of a function with the cards of its operation.
func answers(name string, in, out reflect.Type) func(*catalog.Door) schema.Faults {
	return func(d *catalog.Door) (faults schema.Faults) {
		op := d.Operation(name)
		if op == nil || op.Open {
			return nil // reported by the façade; or the input is unknown
		}
		what := d.Name + "." + name
		if in.Kind() == reflect.Struct && !ownJSON(in) {
			var fields []schema.Field
			for _, card := range []*schema.Entity{op.Params, op.Query, op.Input} {
				if card != nil {
					fields = append(fields, fieldsOf(card)...)
				}
			}
			faults = recordOf(in).compare(what, fields)
		}
		if out = elementOf(out); op.Output == nil || out.Kind() != reflect.Struct || ownJSON(out) || out == resultType {
			return faults
		}
		fields := fieldsOf(op.Output)
		if d.Entity != nil && op.Output.View && op.Output.Card.Derived != nil {
			fields = append(fields, fieldsOf(d.Entity)...) // fields that a view leaves out are left out
		}
		for _, c := range d.Computed {
			fields = append(fields, schema.Field{Name: c.Name, Shape: c.Shape})
		}
		r := recordOf(out)
		return append(append(faults, r.compare(op.Output.Name, fields)...), r.cover(what, op.Output)...)
	}
}

var resultType = reflect.TypeFor[facade.Result]()

func fieldsOf(card *schema.Entity) []schema.Field {
	fields := make([]schema.Field, len(card.Fields))
	for i, p := range card.Fields {
		fields[i] = *p.Field
	}
	return fields
}
