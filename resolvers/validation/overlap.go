package validation

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// overlaps is the rule "Field Selection Merging" (specification 5.3.2): fields
// with one response key must be one field. gqlparser compares every pair, which
// takes seconds for the worst document that fits the limits; here the fields of a
// key are compared with the first of them, once for their shape and once for
// their name and arguments, so the cost follows the number of fields.
func (v *validation) overlaps() {
	o := &overlap{v: v, reported: map[[2]*ast.Field]bool{}, args: map[*ast.Field]string{}}
	for _, op := range v.doc.Operations {
		fields := o.collect(nil, op.SelectionSet, map[string]bool{})
		o.common(fields)
		o.shape(fields)
	}
}

// perExpanded is how often fields may be compared for each that may be selected. One on
// an interface or a union is compared with those on each of its types.
const perExpanded = 10

// overlap compares the fields of one document. It expects a document that is valid otherwise:
// every field has a definition, every spread a fragment, and no fragment reaches itself.
type overlap struct {
	v        *validation
	compared int
	reported map[[2]*ast.Field]bool // conflicts by their fields: each is reported once
	args     map[*ast.Field]string  // their arguments as text, which a fragment's fields are asked for often
}

// collect appends the fields of a selection set to dst, including the fields of fragments. A
// fragment is followed once for each visited, since a second spread would add no new fields.
func (o *overlap) collect(dst []*ast.Field, set ast.SelectionSet, visited map[string]bool) []*ast.Field {
	for _, sel := range set {
		o.v.steps++
		switch sel := sel.(type) {
		case *ast.Field:
			dst = append(dst, sel)
		case *ast.InlineFragment:
			dst = o.collect(dst, sel.SelectionSet, visited)
		case *ast.FragmentSpread:
			if !visited[sel.Name] {
				visited[sel.Name] = true
				dst = o.collect(dst, sel.Definition.SelectionSet, visited)
			}
		}
	}
	return dst
}

// within returns the selected fields below any of these.
func (o *overlap) within(fields []*ast.Field) []*ast.Field {
	var sub []*ast.Field
	visited := map[string]bool{}
	for _, f := range fields {
		sub = o.collect(sub, f.SelectionSet, visited)
	}
	return sub
}

// grouped groups fields by what key gives for them, in the order in which the keys come first.
func grouped[K comparable](fields []*ast.Field, key func(*ast.Field) K) [][]*ast.Field {
	var groups [][]*ast.Field
	at := make(map[K]int, len(fields))
	for _, f := range fields {
		i, ok := at[key(f)]
		if !ok {
			i = len(groups)
			at[key(f)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// byKey groups fields by their response key.
func byKey(fields []*ast.Field) [][]*ast.Field {
	return grouped(fields, func(f *ast.Field) string { return f.Alias })
}

// shape is SameResponseShape (GraphQL 5.3.2): fields of one key have one type, even if the
// types of their parents differ, since a client reads them under one name.
func (o *overlap) shape(fields []*ast.Field) {
	for _, group := range byKey(fields) {
		first := group[0]
		differs := slices.IndexFunc(group, func(f *ast.Field) bool { return !o.sameShape(first.Definition.Type, f.Definition.Type) })
		if differs < 0 {
			o.shape(o.within(group))
			continue
		}
		o.conflict(first, group[differs], fmt.Sprintf("they return conflicting types %q and %q",
			first.Definition.Type.String(), group[differs].Definition.Type.String()))
	}
}

// sameShape reports whether two types have one shape in JSON: the same lists and non-null
// marks, and the same leaf or any two composite types, whose fields are compared next.
//
//	[Int!] and [Int!]     same
//	Int and Int!          differ
//	Post and Author       same, so far
func (o *overlap) sameShape(a, b *ast.Type) bool {
	for {
		if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
			return false
		}
		if a.Elem == nil {
			break
		}
		a, b = a.Elem, b.Elem
	}
	types := o.v.schema.Types
	x, y := types[a.NamedType], types[b.NamedType]
	if x.IsLeafType() || y.IsLeafType() {
		return x == y
	}
	return true
}

// common is the rest of FieldsInSetCanMerge (GraphQL 5.3.2): fields whose parents may be one
// object have one name and the same arguments. Post.title and Author.name may share a key;
// Post.title and Post.text may not.
func (o *overlap) common(fields []*ast.Field) {
	for _, group := range byKey(fields) {
		for _, set := range o.together(group) {
			differs := slices.IndexFunc(set, func(f *ast.Field) bool { return f.Name != set[0].Name || !o.sameArguments(set[0], f) })
			switch {
			case differs < 0:
				o.common(o.within(set))
			case set[0].Name != set[differs].Name:
				o.conflict(set[0], set[differs], fmt.Sprintf("%q and %q are different fields", set[0].Name, set[differs].Name))
			default:
				o.conflict(set[0], set[differs], "they have differing arguments")
			}
		}
	}
}

// together splits fields into sets that may apply to one object: the fields of each object type
// along with all fields of interfaces and unions. Without an object type there is one set.
func (o *overlap) together(fields []*ast.Field) [][]*ast.Field {
	var abstract, own []*ast.Field
	for _, f := range fields {
		if f.ObjectDefinition.Kind == ast.Object {
			own = append(own, f)
		} else {
			abstract = append(abstract, f)
		}
	}
	sets := grouped(own, func(f *ast.Field) *ast.Definition { return f.ObjectDefinition })
	if len(sets) == 0 {
		sets = append(sets, nil)
	}
	o.compares(len(fields) + (len(sets)-1)*len(abstract))
	for i := range sets {
		sets[i] = append(sets[i], abstract...)
	}
	return sets
}

// compares counts n comparisons. If there are too many, it refuses the document before they are
// made.
func (o *overlap) compares(n int) {
	limit := perExpanded * o.v.options.Limits.Expanded
	if o.compared += n; language.Exceeds(o.compared, limit) {
		o.v.refuse(language.ForLimit(language.CodeMerge, limit, "The fields of the document would be compared more than %d times; select fewer with one key on interfaces and unions."))
		panic(enough{})
	}
}

// conflict notes that two fields of one key cannot merge, at the places of both, the earlier
// one first. A pair is reported once, though several operations may reach it through a
// fragment.
func (o *overlap) conflict(a, b *ast.Field, why string) {
	if b.Position.Start < a.Position.Start {
		a, b = b, a
	}
	pair := [2]*ast.Field{a, b}
	if o.reported[pair] {
		return
	}
	o.reported[pair] = true
	o.v.addAt(language.Positions(a.Position, b.Position),
		"Fields %q conflict because %s. Use different aliases on the fields to fetch both if this was intentional.", a.Alias, why)
}

// sameArguments reports whether two fields have the same arguments, in any order. Variables are
// the same if they have one name.
func (o *overlap) sameArguments(a, b *ast.Field) bool {
	if len(a.Arguments) != len(b.Arguments) {
		return false
	}
	return a == b || len(a.Arguments) == 0 || o.arguments(a) == o.arguments(b)
}

// arguments returns the arguments of a field as one text, made once for each field of the
// document.
func (o *overlap) arguments(f *ast.Field) string {
	text, ok := o.args[f]
	if !ok {
		text = string(language.AppendArguments(nil, f.Arguments))
		o.args[f] = text
	}
	return text
}
