package sqltext

import "github.com/frondhost/frond/facade"

// shortOffset is how many rows a short read may leave out: each of them is read all the same.
const shortOffset = 1000

// Short says whether the work is bounded by the number of rows that are asked for, whatever
// the size of the table: rows of given keys with a cheap condition, or a page in the order of
// an index. led says whether an index begins with a column. Short reads may use the
// connections that are kept for them; all others are searches.
func (r *Reading) Short(led func(*Column) bool) bool {
	q := r.Find
	switch {
	case r.Reach == SingleRow:
		return true
	case q.Offset > shortOffset:
		return false
	case q.Each != nil:
		return light(q.Where) && (!q.Count || q.Where == nil)
	}
	return q.Where == nil && (len(r.Order) == 0 || led(r.Order[0].Column))
}

// light says whether a condition of a row takes a lookup at most. Tests of a part of a text
// read the whole text, and relations to many rows read all of those.
func light(f *facade.Filter) bool {
	if f == nil {
		return true
	}
	switch f.Op {
	case facade.Contains, facade.IContains, facade.EndsWith, facade.Has:
		return false
	case facade.Some, facade.None, facade.Every:
		if f.Link == nil || f.Link.Many {
			return false
		}
	}
	for _, sub := range f.Sub {
		if !light(sub) {
			return false
		}
	}
	return true
}
