package projection

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// addNested adds the writes of rows that belong to the row to its input (docs/nested.md):
//
//	input CreateOrderInput { reference: String!  lines: OrderLinesInput }
//	input OrderLinesInput {
//	  create: [OrderLinesCreateInput!]  update: [OrderLinesUpdateInput!]  delete: [ID!]  set: [OrderLinesSetInput!]
//	}
//
// or, of rows in between, the ids of the other side:
//
//	input ProductTagsInput { connect: [ID!]  disconnect: [ID!]  set: [ID!] }
//
// The key of the owner is filled in, and no field of them.
func (ns *inputs) addNested(in *definition, d *door) {
	for _, n := range d.Nested {
		to := ns.doors.byKey[n.Door.Entity.Key]
		if in == nil || to == nil || ns.doors.catalog.NestedLists(n) == nil {
			continue
		}
		by := &origin{what: "input of " + n.Name, door: d.Door}
		ns.addInput(in, by, &arg{name: n.Name, typ: ns.nestedOf(n, d, to).typ(), description: "The rows of " + n.Name + " to write with this one."})
	}
}

// nestedOf returns the input of the rows of a relation, which create and update share.
func (ns *inputs) nestedOf(n *catalog.Nested, d, to *door) *definition {
	if in := ns.nested[n]; in != nil {
		return in
	}
	by := &origin{what: "input of " + n.Name, door: d.Door}
	name := d.typ + schema.GraphQLType(n.Name)
	in := ns.newInput(ns.free(name+"Input", by), "")
	ns.nested[n] = in
	row := func(suffix string, form inputForm) *definition {
		form.without = n.By
		made := ns.newInputOf(to.Entity, name+suffix, to.typ, &origin{what: "input of " + n.Name, door: d.Door}, form)
		if made == nil {
			made = ns.newInput(ns.free(name+suffix, by), "")
		}
		if form.patch {
			p := to.Entity.Primary
			ns.addInput(made, by, &arg{name: p.Name, typ: ns.required(keyType(p))})
		}
		return made
	}
	for _, list := range ns.doors.catalog.NestedLists(n) {
		var of *ast.Type
		switch {
		case n.Far != nil:
			of = keyType(n.Far.Link.Target.Primary)
		case list.Name == "create":
			of = row("CreateInput", inputForm{}).typ()
		case list.Name == "update":
			of = row("UpdateInput", inputForm{patch: true}).typ()
		case list.Name == "delete":
			of = keyType(to.Entity.Primary)
		default:
			of = row("SetInput", inputForm{optional: true}).typ()
		}
		ns.addInput(in, by, &arg{name: list.Name, typ: ns.list(ns.required(of)), description: list.About})
	}
	return in
}
