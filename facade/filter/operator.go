package filter

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// operators names the operators, and which kinds of values take them.
var operators = map[string]struct {
	op   Op
	on   func(*schema.Property) bool
	many bool // takes a list
}{
	"eq":         {Eq, IsScalar, false},
	"ne":         {Ne, IsScalar, false},
	"in":         {In, IsScalar, true},
	"notIn":      {NotIn, IsScalar, true},
	"lt":         {Lt, isOrdered, false},
	"lte":        {Lte, isOrdered, false},
	"gt":         {Gt, isOrdered, false},
	"gte":        {Gte, isOrdered, false},
	"contains":   {Contains, isText, false},
	"startsWith": {StartsWith, isText, false},
	"endsWith":   {EndsWith, isText, false},
	"icontains":  {IContains, isText, false},
	"isNull":     {IsNull, isAny, false},
	"has":        {Has, isList, false},
}

// operatorNames is the order in which operators are listed in messages and cards; the map has
// no order.
var operatorNames = []string{"eq", "ne", "in", "notIn", "lt", "lte", "gt", "gte", "contains", "startsWith", "endsWith", "icontains", "isNull", "has"}

// isAny accepts every field: null can be asked of any value.
func isAny(*schema.Property) bool { return true }

// ofPart reports whether an operator looks for its operand inside a text.
func (o Op) ofPart() bool {
	return o == Contains || o == StartsWith || o == EndsWith || o == IContains
}

// IsScalar reports whether the values of a field can be compared, so that rows can be
// sorted and batched by it.
func IsScalar(p *schema.Property) bool  { return p.Kind != schema.KindJSON }
func isOrdered(p *schema.Property) bool { return IsScalar(p) && p.Kind != schema.KindBoolean }
func isText(p *schema.Property) bool    { return p.Kind == schema.KindString }

// isList reports whether the field is an array whose items can be compared.
func isList(p *schema.Property) bool {
	_, ok := ItemKind(p)
	return ok
}

// ItemKind returns the kind of the items of an array field; false if they cannot be compared.
// Items of a list of ids have the kind of the target's primary key. Formats of items are not
// looked at: an array of dates is one of strings.
func ItemKind(p *schema.Property) (schema.Kind, bool) {
	if p.Link != nil && p.Link.Many && p.Stored && p.Link.Target.Primary != nil {
		return p.Link.Target.Primary.Kind, true
	}
	if p.Shape.Type != "array" || p.Shape.Items == nil {
		return schema.KindJSON, false
	}
	switch p.Shape.Items.Type {
	case "string":
		return schema.KindString, true
	case "integer":
		return schema.KindInteger, true
	case "number":
		return schema.KindNumber, true
	case "boolean":
		return schema.KindBoolean, true
	}
	return schema.KindJSON, false
}

// operatorsOf are the names of the operators that a field takes, in the order messages
// list them.
func operatorsOf(p *schema.Property) []string {
	var names []string
	for _, name := range operatorNames {
		if operators[name].on(p) {
			names = append(names, name)
		}
	}
	return names
}

// Operand converts a text to the value that [Filter] holds as an operand of op on a field. A
// value that the enum of the field does not have is refused for eq, ne, in and notIn
// (docs/decisions/filters-and-paging.md); a part of a text, or a bound, need not be one of its values. Why is
// what to send instead, as the end of a sentence that begins with the name, else "":
//
//	must be one of draft, published
func Operand(p *schema.Property, op Op, text json.RawMessage) (value any, why string) {
	value, why = p.Kind.Value(text)
	if why != "" {
		return nil, "must be " + why
	}
	if s, ok := value.(string); ok && p.Shape.Enum != nil && (op == Eq || op == Ne || op == In || op == NotIn) {
		var known []string
		for _, e := range p.Shape.Enum {
			if jsontext.KindOf(e) == jsontext.String {
				if known = append(known, jsontext.Unquote(e)); known[len(known)-1] == s {
					return value, ""
				}
			}
		}
		return nil, "must be one of " + strings.Join(known, ", ")
	}
	return value, ""
}
