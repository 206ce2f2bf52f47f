package filter

import (
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/schema"
)

// The grammar as cards, for the card of list's query and so for discovery. A field is
// described by the name of its group of operators, so that a hundred text fields share one
// card:
//
//	string         eq ne in notIn lt lte gt gte contains startsWith endsWith icontains isNull
//	integer        eq ne in notIn lt lte gt gte isNull; number, dateTime, date, decimal as well
//	boolean        eq ne in notIn isNull
//	listOfString   isNull has; every kind of item as well
//	json           isNull

// CardOf returns the name of the group of operators that a field takes, such as "string",
// "dateTime" or "listOfInteger". Fields with the same name take the same operators.
func CardOf(p *schema.Property) string {
	if kind, ok := ItemKind(p); ok {
		return "listOf" + schema.Capital(kindNames[kind])
	}
	return kindNames[p.Kind]
}

// kindNames are the first parts of the names that [CardOf] gives.
var kindNames = map[schema.Kind]string{
	schema.KindJSON: "json", schema.KindString: "string", schema.KindInteger: "integer", schema.KindNumber: "number",
	schema.KindBoolean: "boolean", schema.KindDateTime: "dateTime", schema.KindDate: "date", schema.KindDecimal: "decimal",
}

// Card returns the shape of an object of operators, by the name that [CardOf] gives. Its
// properties are shared and must not be changed; they are nil for an unknown name.
func Card(name string) schema.Shape { return schema.Shape{Type: "object", Properties: cards[name]} }

// valueShapes is the shape of an operand of each kind. It has the kind's type and format
// alone: bounds and patterns of the field do not apply to the operand.
var valueShapes = map[schema.Kind]schema.Shape{
	schema.KindString:   {Type: "string"},
	schema.KindInteger:  {Type: "integer"},
	schema.KindNumber:   {Type: "number"},
	schema.KindBoolean:  {Type: "boolean"},
	schema.KindDateTime: {Type: "string", Format: "date-time"},
	schema.KindDate:     {Type: "string", Format: "date"},
	schema.KindDecimal:  {Type: "string", Format: "decimal"},
}

// cards are the operators of each CardOf, with the shapes of their operands.
var cards = func() map[string][]schema.Field {
	boolean := schema.Shape{Type: "boolean"}
	all := map[string][]schema.Field{"json": {{Name: "isNull", Shape: boolean}}}
	for kind, shape := range valueShapes {
		var fields []schema.Field
		for _, name := range operatorsOf(&schema.Property{Field: &schema.Field{}, Kind: kind}) {
			f := schema.Field{Name: name, Shape: shape}
			switch o := operators[name]; {
			case o.op == IsNull:
				f.Shape = boolean
			case o.many:
				item := shape
				f.Shape = schema.Shape{Type: "array", Items: &item, Extra: schema.Keywords{{Name: "maxItems", Value: json.RawMessage(strconv.Itoa(maxOperands))}}}
			}
			fields = append(fields, f)
		}
		all[kindNames[kind]] = fields
		all["listOf"+schema.Capital(kindNames[kind])] = []schema.Field{{Name: "isNull", Shape: boolean}, {Name: "has", Shape: shape}}
	}
	return all
}()
