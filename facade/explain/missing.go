package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// missing returns the field whose index would spare a read that goes through a whole table or sorts, or
// nil. It is the first field of these without one: the keys' field, the fields that the filter compares,
// the first of the order or of the keys of groups. The rows of a search are found by their words, and no
// other index has their order.
func missing(q *facade.Find) *schema.Property {
	if q.Each != nil && unindexed(q.Each.Field) {
		return q.Each.Field
	}
	if p := compared(q.Where); p != nil {
		return p
	}
	var first *schema.Property
	switch g := q.Group; {
	case searches(q.Where):
	case g != nil && g.Keys > 0 && g.Columns[0].Unit == aggregate.Value: // no index has an order of groups
		first = g.Columns[0].Of
	case g == nil && len(q.Sort) > 0 && q.Sort[0].Derived != nil: // no index has its order
		return behind(q.Sort[0].Derived)
	case g == nil && len(q.Sort) > 0:
		first = q.Sort[0].Field
	}
	if first != nil && unindexed(first) {
		return first
	}
	return nil
}

// behind is the field that finds the rows of a value behind a relation, if it has no index.
func behind(d *filter.Derived) *schema.Property {
	for ; d != nil; d = d.Next {
		if p := d.Link.Inverse; p != nil && unindexed(p) {
			return p
		}
	}
	return nil
}

// line returns what to write for an index of a field. For a table of another program it is the
// statement to run.
func line(p *schema.Property) string {
	if t := p.Owner.Table; t != nil {
		name, columns := t.Name, []string(nil)
		if t.Schema != "" {
			name = t.Schema + "." + name
		}
		fields := t.References[p.Name]
		if fields == nil {
			fields = []string{p.Name}
		}
		for _, field := range fields {
			columns = append(columns, t.Column(field))
		}
		return fmt.Sprintf("CREATE INDEX ON %s (%s)", name, strings.Join(columns, ", "))
	}
	return fmt.Sprintf("write x-kit: {role: {index: true}} at the field %s of the card %s", p.Name, p.Owner.Name)
}

// unindexed reports whether a stored field has no index, as far as its card says. A relation to one row has
// one, except in another program's table.
func unindexed(p *schema.Property) bool {
	switch {
	case p == p.Owner.Primary || !p.Stored || p.Axes.Index:
		return false
	case p.Link != nil && !p.Link.Many && p.Owner.Table == nil:
		return false
	}
	return !slices.ContainsFunc(p.Owner.Uniques, func(u []*schema.Property) bool { return u[0] == p })
}

// searches reports whether a filter leaves the rows that a search finds.
func searches(f *filter.Filter) bool {
	return f != nil && (f.Op == filter.Search || f.Op == filter.And && slices.ContainsFunc(f.Sub, searches))
}

// compared is the first field without an index that a filter compares in a way that one helps with.
func compared(f *filter.Filter) *schema.Property {
	if f == nil {
		return nil
	}
	switch f.Op {
	case filter.Eq, filter.In, filter.Lt, filter.Lte, filter.Gt, filter.Gte, filter.StartsWith, filter.IsNull:
		if unindexed(f.Field) {
			return f.Field
		}
	case filter.Aggregate:
		return behind(f.Derived)
	case filter.And, filter.Some:
		for _, sub := range f.Sub {
			if p := compared(sub); p != nil {
				return p
			}
		}
	}
	return nil
}
