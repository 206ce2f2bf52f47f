package filter

import (
	"slices"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// AppendJSON appends the filter in the grammar that [Parser] reads; a nil filter is {}.
// Parsing it again gives a filter that holds for the same rows. Members that the caller sent
// side by side come back as a list:
//
//	{"and":[{"price":{"gte":10}},{"authorId":{"eq":"a1"}}]}
//
// An And of one filter is that filter, one of none is {}; an Or of none is {"or":[]}.
// Placeholders of a [Reference] have to be resolved before.
func (f *Filter) AppendJSON(dst []byte) []byte {
	// word opens an object at a name; each one is closed where its value ends.
	word := func(name string) []byte { return jsontext.AppendName(append(dst, '{'), name) }
	list := func(subs []*Filter) []byte {
		return jsontext.AppendList(dst, subs, func(dst []byte, sub *Filter) []byte { return sub.AppendJSON(dst) })
	}
	// one writes the filter below an operator, {} where it has none and so holds for every
	// row.
	one := func(subs []*Filter) []byte {
		if len(subs) == 0 {
			return append(dst, "{}"...)
		}
		return subs[0].AppendJSON(dst)
	}
	if f == nil {
		return append(dst, "{}"...)
	}
	switch f.Op {
	case And, Or:
		if f.Op == And && len(f.Sub) < 2 {
			return one(f.Sub)
		}
		dst = word(map[Op]string{And: "and", Or: "or"}[f.Op])
		return append(list(f.Sub), '}')
	case Not:
		dst = word("not")
		return append(one(f.Sub), '}')
	case Some, None, Every:
		dst = word(f.Link.Name)
		if !f.Link.Many {
			return append(one(f.Sub), '}')
		}
		dst = word(map[Op]string{Some: "some", None: "none", Every: "every"}[f.Op])
		return append(one(f.Sub), "}}"...)
	}
	// The key of a relation is compared by its own name (authorId); the field's name takes a
	// filter of the other side.
	name := f.Field.Name
	if f.Field.Link != nil {
		name = f.Field.Link.Key
	}
	dst = word(name)
	i := slices.IndexFunc(operatorNames, func(name string) bool { return operators[name].op == f.Op })
	dst = word(operatorNames[i])
	if f.Op == In || f.Op == NotIn {
		return append(jsontext.AppendList(dst, f.Values, rows.AppendValue), "}}"...)
	}
	return append(rows.AppendValue(dst, f.Values[0]), "}}"...)
}
