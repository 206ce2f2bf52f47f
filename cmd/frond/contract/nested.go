package contract

import (
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// nested adds the rows of nested writes to the input of their owner (docs/nested.md).
//
//	interface OrderInput { reference: string; lines?: OrderLines }
//	interface OrderLines { create?: OrderLinesInput[]; update?: OrderLinesPatch[]; delete?: string[]; set?: OrderLinesSet[] }
func (b *reading) nested(in *Decl, d *catalog.Door, door *Door) {
	for _, n := range d.Nested {
		if b.catalog.NestedLists(n) == nil {
			continue
		}
		name, key := door.Type+schema.GraphQLType(n.Name), d.Entity.Key+"."+n.Name
		rows := b.object("nested "+key, name, "The rows of "+n.Name+" to write with their "+d.Name+".", func(rows *Decl) { b.nestedRows(rows, n, name, key) })
		in.Fields = append(in.Fields, Field{Name: n.Name, Doc: rows.Doc, Type: Type{Basic: named, Decl: rows}, Optional: true})
	}
}

// nestedRows adds the lists of rows.
func (b *reading) nestedRows(rows *Decl, n *catalog.Nested, name, key string) {
	to := n.Door
	id := Field{Name: to.Entity.Primary.Name, Type: b.key(to.Entity).Type}
	row := func(list, suffix string, mode schema.Mode, change func(*Decl)) Type {
		return Type{Basic: named, Decl: b.object("nested "+list+" "+key, name+suffix, "A row of "+n.Name+".", func(row *Decl) {
			b.input(row, to.Entity, mode, to.Presets)
			row.Fields = slices.DeleteFunc(row.Fields, func(f Field) bool { return f.Name == n.By.Name })
			change(row)
		})}
	}
	for _, list := range b.catalog.NestedLists(n) {
		var of Type
		switch {
		case n.Far != nil:
			of = b.key(n.Far.Link.Target).Type
		case list.Name == "create":
			of = row("create", "Input", schema.Create, func(*Decl) {})
		case list.Name == "update":
			of = row("update", "Patch", schema.Update, func(row *Decl) { row.Fields = append([]Field{id}, row.Fields...) })
		case list.Name == "delete":
			of = id.Type
		default:
			of = row("set", "Set", schema.Create, func(row *Decl) {
				for i := range row.Fields {
					row.Fields[i].Optional = true
				}
			})
		}
		rows.Fields = append(rows.Fields, Field{Name: list.Name, Doc: list.About, Type: Type{Basic: listOf, Elem: &of}, Optional: true})
	}
}
