package facade

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/frondhost/frond/schema"
)

// builtinCards gives a built-in operation the cards of its params and query, so
// that a consumer knows what a host understands (DESIGN 5). The surfaces read
// them; the path judges these few keys by hand.
func (b *compiler) builtinCards(d *Door, op *Operation) {
	id := schema.Field{Name: "id", Shape: d.Entity.Primary.Shape}
	switch op.Name {
	case "findById", "update", "delete":
		if d.idCard == nil {
			d.idCard = b.view(d, "Id", &schema.Card{Fields: []schema.Field{id}, Required: []string{"id"}})
		}
		op.Params = d.idCard
	case "findByIds":
		ids := schema.Field{Name: "ids", Shape: schema.Shape{
			Type: "array", Items: &id.Shape, Description: "The ids of the rows, in the order they are wanted.",
			Extra: keywords("maxItems", maxIDs),
		}}
		op.Query = b.view(d, "Ids", &schema.Card{Fields: []schema.Field{ids}, Required: []string{"ids"}})
	case "list":
		op.Query = b.view(d, "List", listCard(d))
	}
}

func (b *compiler) view(d *Door, name string, card *schema.Card) *schema.Entity {
	e, err := b.set.CompileView(schema.Source{File: d.Origin, Name: d.Name + name, Frond: d.Frond.Name, View: true, Card: card})
	if err != nil {
		b.keep(err)
	}
	return e
}

func keywords(name string, n int) schema.Keywords {
	return schema.Keywords{{Name: name, Value: json.RawMessage(strconv.Itoa(n))}}
}

// listCard is the grammar of list as a card: query of the operation.
//
//	filter  {"price": {"gte": 10}, "or": [{…}, {…}], "author": {"name": {"eq": "Ada"}}}; all members hold
//	sort    "-createdAt,title", or a list of such names; - is descending; the primary key follows by itself
//	limit   rows of a page; 0 is none, for the total alone; more than the most is cut to it
//	after   the endCursor of a page with this sort: the rows behind it. "" is the beginning
//	before  a cursor likewise: the limit rows that stand last before it, in the same order. "" is the end
//	offset  rows to leave out at the beginning; without a cursor
//	fields  the fields to answer: "id,title", or a list
//	total   whether to count all rows that meet the filter; true where left out, -1 is answered for false
func listCard(d *Door) *schema.Card {
	text := func(name, description string) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{Type: "string", Description: description}}
	}
	names := func(name, description string) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{Description: description,
			Extra: schema.Keywords{{Name: "type", Value: json.RawMessage(`["string","array"]`)}}}}
	}
	count := func(name, description string, extra ...schema.Keyword) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{Type: "integer", Description: description,
			Extra: append(keywords("minimum", 0), extra...)}}
	}
	filter := filterShape(d.Entity)
	return &schema.Card{
		Description: fmt.Sprintf("Which rows of %s, in which order, how many of them.", d.Name),
		Required:    []string{},
		Fields: []schema.Field{
			{Name: "filter", Shape: filter},
			names("sort", "Names of fields, such as -createdAt,title; - is descending. The primary key follows by itself."),
			count("limit", fmt.Sprintf("How many rows; more than %d is cut to it, 0 is none.", d.limits.Max),
				schema.Keyword{Name: "default", Value: json.RawMessage(strconv.Itoa(d.limits.Default))}),
			text("after", "A cursor: the rows behind it. Empty: from the beginning."),
			text("before", "A cursor: the rows that stand last before it. Empty: before the end."),
			count("offset", "How many rows to leave out at the beginning."),
			names("fields", "Names of the fields to answer, such as id,title."),
			{Name: "total", Shape: schema.Shape{Type: "boolean", Description: "Whether to count all rows that meet the filter; -1 is answered for false.",
				Extra: schema.Keywords{{Name: "default", Value: json.RawMessage("true")}}}},
		},
	}
}

// filterShape is what may be filtered by: fields with their operators, relations
// with a filter of the other side, and the words that join filters.
func filterShape(e *schema.Entity) schema.Shape {
	s := schema.Shape{Type: "object", Description: "Conditions that all have to hold.", Properties: make([]schema.Field, 0, len(e.Fields)+3)}
	add := func(name string, shape schema.Shape) {
		s.Properties = append(s.Properties, schema.Field{Name: name, Shape: shape})
	}
	for _, p := range e.Fields {
		if !p.Readable() {
			continue
		}
		switch {
		case p.Link == nil:
			add(p.Name, operatorShape(p))
		case p.Link.Many:
			add(p.Name, schema.Shape{Type: "object", Description: "some, none or every row of " + p.Link.Target.Name, Properties: manyFields(p)})
		default:
			add(p.Link.Key, operatorShape(p))
			add(p.Link.Name, schema.Shape{Type: "object", Description: "A filter of " + p.Link.Target.Name, Extra: anyKeys})
		}
	}
	if e.Property("and") == nil {
		add("and", schema.Shape{Type: "array", Items: &anyObject})
	}
	if e.Property("or") == nil {
		add("or", schema.Shape{Type: "array", Items: &anyObject})
	}
	if e.Property("not") == nil {
		add("not", anyObject)
	}
	return s
}

var (
	anyKeys   = schema.Keywords{{Name: "additionalProperties", Value: json.RawMessage("true")}}
	anyObject = schema.Shape{Type: "object", Extra: anyKeys}
	boolean   = schema.Shape{Type: "boolean"}
)

func manyFields(p *schema.Property) []schema.Field {
	fields := []schema.Field{{Name: "some", Shape: anyObject}, {Name: "none", Shape: anyObject}, {Name: "every", Shape: anyObject}}
	if p.Stored {
		kind, _ := itemKind(p)
		fields = append(fields, schema.Field{Name: "has", Shape: valueShapes[kind]}, schema.Field{Name: "isNull", Shape: boolean})
	}
	return fields
}

// operatorShape is {"eq": …, "in": […], …} for a field, shared by all of its kind:
// a card of filters is read by people and programs that write filters, and says
// which operators there are; the operands are judged by the field.
func operatorShape(p *schema.Property) schema.Shape {
	if isList(p) {
		kind, _ := itemKind(p)
		return schema.Shape{Type: "object", Properties: listOperators[kind]}
	}
	return schema.Shape{Type: "object", Properties: kindOperators[p.Kind]}
}

// valueShapes is the shape of an operand of each kind.
var valueShapes = map[schema.Kind]schema.Shape{
	schema.KindString:   {Type: "string"},
	schema.KindInteger:  {Type: "integer"},
	schema.KindNumber:   {Type: "number"},
	schema.KindBoolean:  boolean,
	schema.KindDateTime: {Type: "string", Format: "date-time"},
	schema.KindDate:     {Type: "string", Format: "date"},
	schema.KindDecimal:  {Type: "string", Format: "decimal"},
}

var kindOperators, listOperators = func() (kinds, lists map[schema.Kind][]schema.Field) {
	kinds, lists = map[schema.Kind][]schema.Field{}, map[schema.Kind][]schema.Field{}
	kinds[schema.KindJSON] = []schema.Field{{Name: "isNull", Shape: boolean}}
	for kind, shape := range valueShapes {
		for _, name := range operatorsOf(&schema.Property{Kind: kind}) {
			f := schema.Field{Name: name, Shape: shape}
			switch o := operators[name]; {
			case o.op == IsNull:
				f.Shape = boolean
			case o.many:
				item := shape
				f.Shape = schema.Shape{Type: "array", Items: &item, Extra: keywords("maxItems", maxOperands)}
			}
			kinds[kind] = append(kinds[kind], f)
		}
		lists[kind] = []schema.Field{{Name: "isNull", Shape: boolean}, {Name: "has", Shape: shape}}
	}
	return kinds, lists
}()
