package filter

import (
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// AppendJSON appends the filter in the grammar that [Parser] reads; a nil filter is {}.
// Parsing it again gives a filter that holds for the same rows. Conditions that all have to hold
// are members of one object; and joins those that have the same name:
//
//	{"price":{"gte":10,"lt":20},"authorId":{"eq":"a1"}}
//	{"and":[{"name":{"contains":"a"}},{"name":{"contains":"b"}}]}
//
// An empty And is {}; an empty Or is {"or":[]}. Placeholders of a [Reference] have to be
// resolved before.
func (f *Filter) AppendJSON(dst []byte) []byte {
	switch objects := sideBySide(f.Conditions()); len(objects) {
	case 0:
		return append(dst, "{}"...)
	case 1:
		return appendObject(dst, objects[0])
	default:
		dst = jsontext.AppendName(append(dst, '{'), "and")
		return append(jsontext.AppendList(dst, objects, appendObject), '}')
	}
}

// appendObject appends conditions whose names differ as one object.
func appendObject(dst []byte, all []*Filter) []byte {
	dst = append(dst, '{')
	written := make([]bool, len(all))
	for i, c := range all {
		if written[i] {
			continue
		}
		name, operator := c.words()
		dst = jsontext.AppendName(jsontext.Comma(dst), name)
		if operator == "" {
			dst = c.appendOperand(dst)
			continue
		}
		dst = append(dst, '{')
		for j, other := range all[i:] {
			if n, operator := other.words(); n == name {
				dst = other.appendOperand(jsontext.AppendName(jsontext.Comma(dst), operator))
				written[i+j] = true
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendEqualities appends a filter whose conditions are equalities as an object of fields and
// values; ok is false for any other filter.
//
//	{"status": "open", "ownerId": null}
func (f *Filter) AppendEqualities(dst []byte) (text []byte, ok bool) {
	dst = append(dst, '{')
	for _, c := range f.Conditions() {
		name, _ := c.words()
		dst = jsontext.AppendName(jsontext.Comma(dst), name)
		switch {
		case c.Op == Eq:
			dst = c.appendOperand(dst)
		case c.Op == IsNull && c.Values[0] == true:
			dst = append(dst, "null"...)
		default:
			return nil, false
		}
	}
	return append(dst, '}'), !f.NeedsAnd()
}

// words returns the name of a condition in an object and the operator under it; "" where the
// operand follows the name. The key of a relation is compared by its own name (authorId); the
// field's name takes a filter of the other side.
//
//	or, not                 or, not
//	the row of a relation   author
//	rows of a relation      comments some, comments count
//	a comparison            authorId eq
func (f *Filter) words() (name, operator string) {
	switch f.Op {
	case And, Or:
		return map[Op]string{And: "and", Or: "or"}[f.Op], ""
	case Not:
		return "not", ""
	case Aggregate:
		return f.Link.Name, f.Derived.Func.String()
	case OfRule:
		return ofRule, ""
	case Search: // for those who compare reads: no parser takes it
		return "$search", ""
	case Some, None, Every:
		if !f.Link.Many {
			return f.Link.Name, ""
		}
		return f.Link.Name, map[Op]string{Some: "some", None: "none", Every: "every"}[f.Op]
	}
	return Word(f.Field), f.Op.Word()
}

// Word is the name of a field in a filter's text: the key's, where a relation is kept under its own.
func Word(field *schema.Property) string {
	if field.Link != nil {
		return field.Link.Key
	}
	return field.Name
}

// appendOperand appends the operand of a condition.
func (f *Filter) appendOperand(dst []byte) []byte {
	switch f.Op {
	case And, Or:
		return jsontext.AppendList(dst, f.Sub, func(dst []byte, sub *Filter) []byte { return sub.AppendJSON(dst) })
	case Not, OfRule, Some, None, Every:
		if f.Via != nil {
			return f.Hops().appendOperand(dst)
		}
		if len(f.Sub) == 0 { // it holds for every row
			return append(dst, "{}"...)
		}
		return f.Sub[0].AppendJSON(dst)
	case Aggregate:
		return f.appendAggregate(dst)
	case Search:
		dst = append(dst, '[')
		for _, name := range f.Search.Fields {
			dst = append(jsontext.AppendString(dst, name), ',')
		}
		return append(jsontext.AppendString(dst, f.Search.Text), ']')
	case In, NotIn:
		return jsontext.AppendList(dst, f.Values, schema.AppendValue)
	}
	return schema.AppendValue(dst, f.Values[0])
}

// appendAggregate appends the operand of the function, as [Parser] reads it.
func (f *Filter) appendAggregate(dst []byte) []byte {
	if f.Derived.Of != nil {
		dst = jsontext.AppendName(append(dst, '{'), f.Derived.Of.Name)
	}
	dst = append(dst, '{')
	for _, c := range f.Sub[0].Conditions() {
		dst = c.appendOperand(jsontext.AppendName(jsontext.Comma(dst), c.Op.Word()))
	}
	if f.Derived.Of != nil {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// Word is the name of an operator that compares a field, as callers write it: eq.
func (o Op) Word() string {
	return operatorNames[slices.IndexFunc(operatorNames, func(name string) bool { return operators[name].op == o })]
}
