package filter

import (
	"slices"

	"github.com/frondhost/frond/schema"
)

// Conditions are joined as hosts of another make take them: one object in which no name occurs
// twice, with and only where two conditions have the same name.

// Conditions returns the filters that all have to hold where f holds: the filters of an And, and
// of the Ands in it. A filter of another kind is one condition; nil has no conditions.
func (f *Filter) Conditions() []*Filter {
	if f == nil {
		return nil
	}
	if f.Op != And {
		return []*Filter{f}
	}
	var all []*Filter
	for _, sub := range f.Sub {
		all = append(all, sub.Conditions()...)
	}
	return all
}

// Joined returns a filter that holds for the same rows and needs fewer names: equality with known
// values decides the other comparisons of its field, a condition that occurs twice is one, and not
// before an equality becomes its opposite. f is not changed.
//
//	and: [{id: {in: [a, b]}}, {id: {eq: a}}]      {id: {eq: a}}
//	and: [{id: {eq: a}}, {id: {eq: b}}]           holds for no row
//	not: {id: {in: [a]}}                          {id: {notIn: [a]}}
func (f *Filter) Joined() *Filter {
	if f == nil {
		return nil
	}
	if f.Op != And {
		return f.joinedSubs()
	}
	var all []*Filter
	for _, c := range f.Conditions() {
		if c = c.Joined(); c.Never() {
			return Nothing()
		}
		all = append(all, c.Conditions()...)
	}
	for i, c := range all {
		if c == nil || c.Op != Eq && c.Op != In || c.Field.Axes.In.Name != "" { // a conversion decides where the rows are
			continue
		}
		values := c.Values
		for j, other := range all {
			if j != i && other != nil && other.Field == c.Field && other.Op != Has {
				values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return !other.Meets(schema.AppendValue(nil, v)) })
				all[j] = nil
			}
		}
		all[i] = equals(c, values)
	}
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(c *Filter) bool {
		if c == nil || c.Always() {
			return true
		}
		text := string(c.AppendJSON(nil))
		twice := seen[text]
		seen[text] = true
		return twice
	})
	if i := slices.IndexFunc(all, (*Filter).Never); i >= 0 {
		return Nothing()
	}
	return allOf(all)
}

// equals is In or Eq of a field with these values; it holds for no row without any.
func equals(c *Filter, values []any) *Filter {
	switch {
	case len(values) == len(c.Values):
		return c
	case len(values) == 0:
		return Nothing()
	case len(values) == 1:
		return &Filter{Op: Eq, Field: c.Field, Values: values}
	}
	return &Filter{Op: In, Field: c.Field, Values: values}
}

// joinedSubs joins the filters within another one.
func (f *Filter) joinedSubs() *Filter {
	if len(f.Sub) == 0 || f.Op == Aggregate {
		return f
	}
	out := *f
	out.Sub = make([]*Filter, len(f.Sub))
	for i, sub := range f.Sub {
		if out.Sub[i] = sub.Joined(); out.Sub[i] == nil {
			out.Sub[i] = verdict(true)
		}
	}
	if opposite, ok := opposites[out.Sub[0].Op]; ok && f.Op == Not {
		turned := *out.Sub[0]
		turned.Op = opposite
		return &turned
	}
	return &out
}

// opposites are the operators that hold exactly where another one does not, null included.
var opposites = map[Op]Op{Eq: Ne, Ne: Eq, In: NotIn, NotIn: In}

// sideBySide distributes conditions over few objects, so that each has a name at most once. The
// operators of one field share its object; and, or, not and the row of a relation have no
// operator.
func sideBySide(all []*Filter) (objects [][]*Filter) {
	same := map[[2]string]int{} // the first object behind those with this name and operator
	behind := map[string]int{}  // the first object behind those with this name
	alone := map[string]int{}   // the first object behind those where the name has no operator
	for _, c := range all {
		name, operator := c.words()
		at := max(same[[2]string{name, operator}], alone[name])
		if operator == "" {
			at = behind[name]
			alone[name] = at + 1
		}
		same[[2]string{name, operator}] = at + 1
		behind[name] = max(behind[name], at+1)
		if at == len(objects) {
			objects = append(objects, nil)
		}
		objects[at] = append(objects[at], c)
	}
	return objects
}

// NeedsAnd reports whether the text of f has the word and: two conditions have the same name.
func (f *Filter) NeedsAnd() bool {
	return f != nil && (f.Op == And && len(sideBySide(f.Conditions())) > 1 || slices.ContainsFunc(f.Sub, (*Filter).NeedsAnd))
}
