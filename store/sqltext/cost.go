package sqltext

import (
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/turns"
)

// shortRows is how many rows a cheap read reads at most, skipped ones included.
const shortRows = 1000

// Lane returns how long the read may take, by its form: the number of rows that it reads, which
// does not follow from the size of the table.
//
//	rows of a unique field's values           Keyed
//	pages in the order of an index            Short, without a filter
//	pages of parents, in the order of one     Short, without a filter, for parents times limit
//	everything else                           Search
//
// tallied says that the number of all rows is kept, so that counting them costs no read.
func (r *Reading) Lane(tallied bool) turns.Lane {
	q := r.Find
	if q.Group != nil { // of any number of rows
		return turns.Search
	}
	read := max(0, q.Offset) + max(0, q.Limit) + 1
	if q.Each != nil {
		read *= len(q.Each.Values)
		if c := r.Table.Stored(q.Each.Field); c != nil && c.Unique() && r.Table.leads(c, nil) {
			read = len(q.Each.Values)
			if read <= shortRows && light(q.Where) {
				return turns.Keyed
			}
			return turns.Search
		}
	}
	switch {
	case r.reach == singleRow && light(q.Where) && r.Table.leads(r.Table.Primary, nil):
		return turns.Keyed
	case q.Each != nil && q.Each.Through != nil, q.Key != nil || q.Where != nil || read > shortRows, q.Count && (q.Each != nil || !tallied):
	case q.Each == nil && r.Table.leads(nil, r.Order), q.Each != nil && r.Table.leads(r.Table.Stored(q.Each.Field), r.Order):
		return turns.Short
	}
	return turns.Search
}

// light reports whether a condition of one row reads a bounded number of other rows: relations
// to many lead to any number.
func light(f *filter.Filter) bool {
	if f == nil {
		return true
	}
	if f.Op == filter.Aggregate || f.Op == filter.Some || f.Op == filter.None || f.Op == filter.Every {
		if f.Link == nil || f.Link.Many {
			return false
		}
	}
	return !slices.ContainsFunc(f.Sub, func(sub *filter.Filter) bool { return !light(sub) })
}

// leads reports whether an index has the rows in this order, after the values of first; nil: of all
// rows. A unique field leaves one row for each value, and so no order.
func (t *Table) leads(first *Column, order []SortKey) bool {
	var lead []*schema.Property
	if first != nil {
		lead = fields(first)
	}
	for _, ix := range t.indexed {
		if len(ix) >= len(lead) && slices.Equal(ix[:len(lead)], lead) && follows(ix[len(lead):], order) {
			return true
		}
	}
	return false
}

// follows reports whether the fields of an index are an order, all of it in one direction.
func follows(ix []*schema.Property, order []SortKey) bool {
	for i, k := range order {
		if i == len(ix) || ix[i] != k.Column.Prop || k.Desc != order[0].Desc {
			return false
		}
		if k.Column.Unique() {
			break
		}
	}
	return true
}
