package filter

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
)

// CardOf names the operators that a field takes: fields with the same name take the same.
func CardOf(p *schema.Property) string {
	if kind, ok := ItemKind(p); ok {
		return "listOf" + upper(kindNames[kind])
	}
	return kindNames[p.Kind]
}

var kindNames = map[schema.Kind]string{
	schema.KindJSON: "json", schema.KindString: "string", schema.KindInteger: "integer", schema.KindNumber: "number",
	schema.KindBoolean: "boolean", schema.KindDateTime: "dateTime", schema.KindDate: "date", schema.KindDecimal: "decimal",
}

// Card is the shape of an object of operators, by the name that [CardOf] gives.
func Card(name string) schema.Shape { return schema.Shape{Type: "object", Properties: cards[name]} }

// valueShapes is the shape of an operand of each kind.
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
		for _, name := range operatorsOf(&schema.Property{Kind: kind}) {
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
		all["listOf"+upper(kindNames[kind])] = []schema.Field{{Name: "isNull", Shape: boolean}, {Name: "has", Shape: shape}}
	}
	return all
}()

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
