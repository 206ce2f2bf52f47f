package contract

import (
	"slices"

	"github.com/frondhost/frond/describe"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

// Judge is what callers send to one entity, or by one view.
type Judge struct {
	Name   string // of the entity or the view
	Member string // in index.js; "": callers send nothing
	Sends  []Sent
}

// Sent is a body: of a new row, a patch, or the input of a named operation.
type Sent struct {
	Op     string
	Card   *schema.Entity
	Mode   schema.Mode
	Preset []string // fields that the host fills in
	Within []*script.Judge
	Type   *Decl
}

// exported are the names that the package exports in addition to entities and views.
var exported = []string{"details", "fill", "rows", "createClient", "KitError"}

// judges reads what callers send to the doors of a Frond, and by its views.
//
//	a door    create and update as far as it has them, each named operation with an input
//	a view    create and update: the view as a body
func (b *reading) judges(f *catalog.Frond) {
	taken := newNames(exported...)
	add := func(name string, sends ...Sent) {
		judge := &Judge{Name: name, Sends: sends}
		if len(sends) > 0 {
			judge.Member = taken.take(member(name))
		}
		b.model.Judges = append(b.model.Judges, judge)
	}
	for i, d := range f.Doors {
		var sends []Sent
		for k, op := range d.Operations {
			sent := Sent{Op: op.Name, Card: op.Input, Mode: schema.Create, Within: describe.NestedJudges(b.catalog, op), Type: b.model.Doors[i].Ops[k].In}
			if op.Patch {
				sent.Mode = schema.Patch
			}
			switch {
			case op.Input == nil, op.Builtin && op.Name != "create" && op.Name != "update":
				continue
			case op.Builtin && op.Name == "create":
				sent.Preset = d.Presets
			// Of an operation with further parts the body has a type of its own.
			case !op.Builtin && (op.Params != nil || op.Query != nil):
				sent.Type = b.body(b.model.Doors[i].Type+schema.GraphQLType(op.Name)+"Body", "The body of "+d.Name+"."+op.Name+".", op.Input, sent.Mode)
			}
			sends = append(sends, sent)
		}
		add(d.Name, sends...)
	}
	for _, v := range b.catalog.Set.Views {
		if v.Frond != f.Name || slices.ContainsFunc(f.Doors, func(d *catalog.Door) bool { return d.Entity == v }) {
			continue
		}
		name := schema.GraphQLType(v.Name)
		add(v.Name,
			Sent{Op: "create", Card: v, Mode: schema.Create, Type: b.body(name+"Input", "What "+v.Name+" takes.", v, schema.Create)},
			Sent{Op: "update", Card: v, Mode: schema.Patch, Type: b.body(name+"Patch", "A part of "+v.Name+".", v, schema.Patch)})
	}
}

// body is the type of a body that a card judges.
func (b *reading) body(name, doc string, card *schema.Entity, mode schema.Mode) *Decl {
	d := b.declare(&Decl{Name: b.taken.take(name), Doc: doc})
	b.input(d, card, mode, nil)
	return d
}
