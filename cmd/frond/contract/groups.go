package contract

import (
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// groups gives aggregate the type of its answer. The selection of a call decides which members there
// are, so all of them but the key are optional:
//
//	OrderGroups      items, hasMore, endCursor
//	OrderGroup       key, count, and a member for each field that has functions
//	OrderGroupKey    the fields that rows are grouped by
//	Int64Numbers     the functions of fields of one type
func (b *reading) groups(d *catalog.Door, door *Door, o *Op) {
	optional := func(name string, t Type) Field { return Field{Name: name, Type: t, Optional: true, Absent: true} }
	key := b.object("group key "+d.Entity.Key, door.Type+"GroupKey", "The values that the rows of a group share, by the names of by.", func(*Decl) {})
	group := b.object("group "+d.Entity.Key, door.Type+"Group", "Numbers about a group of rows: those that the call selects.", func(in *Decl) {
		in.Fields = []Field{{Name: "key", Type: Type{Basic: named, Decl: key}}, optional("count", Type{Basic: integer})}
	})
	for _, p := range d.Entity.Fields {
		if !p.Readable() || !p.Stored || p.Axes.Out.Name != "" || !aggregate.Key.On(p.Kind) {
			continue
		}
		t := b.typeOf(&p.Shape, b.base(d.Entity, p.Name), schema.GraphQLType(p.Name), whole)
		t.Null = true
		key.Fields = append(key.Fields, optional(p.Name, t))
		for unit := aggregate.Value; unit <= aggregate.Year; unit++ {
			switch of := p.Name + ":" + unit.String(); {
			case unit == aggregate.Value:
				o.By = append(o.By, p.Name)
			case p.Kind == schema.KindDateTime, p.Kind == schema.KindDate && unit != aggregate.Hour:
				o.By = append(o.By, of)
			}
		}
		if p.Name != "key" && p.Name != "count" {
			group.Fields = append(group.Fields, optional(p.Name, Type{Basic: named, Decl: b.numbers(p, t)}))
		}
	}
	o.Out = &Type{Basic: named, Decl: b.object("groups "+d.Entity.Key, door.Type+"Groups", "A page of groups.", func(in *Decl) {
		in.Fields = []Field{
			{Name: "items", Type: Type{Basic: listOf, Elem: &Type{Basic: named, Decl: group}}},
			{Name: "hasMore", Type: Type{Basic: boolean}},
			{Name: "endCursor", Type: Type{Basic: textValue, Null: true}},
		}
	})}
	o.Cardinality = catalog.One
	o.Big = append([]string{aggregate.Sum.String(), aggregate.Min.String(), aggregate.Max.String()}, bigFields(d.Entity)...)
}

// numbers is the type of the functions of a field, which fields of one type share; t is the type of its
// values.
func (b *reading) numbers(p *schema.Property, t Type) *Decl {
	if t.Decl != nil {
		t = Type{Basic: textValue, Null: true} // of an enumeration
	}
	t.Literals = nil
	name := map[Basic]string{textValue: "Text", integer: "Integer", number: "Number", boolean: "Boolean", moment: "Moment"}[t.Basic]
	switch {
	case t.Big:
		name = "Int64"
	case p.Kind == schema.KindDecimal:
		name = "Decimal"
	}
	return b.object("numbers "+name, name+"Numbers", "The functions of a field that a call selects.", func(in *Decl) {
		for _, f := range aggregate.OfField {
			of := t
			switch {
			case !f.On(p.Kind):
				continue
			case f == aggregate.CountDistinct:
				of = Type{Basic: integer}
			case f == aggregate.Sum && p.Kind == schema.KindInteger:
				of.Big = true
			case f == aggregate.Avg && p.Kind == schema.KindInteger:
				of = Type{Basic: number, Null: true}
			}
			in.Fields = append(in.Fields, Field{Name: f.String(), Type: of, Optional: true, Absent: true})
		}
	})
}
