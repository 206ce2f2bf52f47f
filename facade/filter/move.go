package filter

import "github.com/frondhost/frond/schema"

// Moved returns f over the fields of other cards: to returns the field there, or nil. missing is a field without one; then moved is
// nil. f is not changed.
func (f *Filter) Moved(to func(*schema.Property) *schema.Property) (moved *Filter, missing *schema.Property) {
	if f == nil {
		return nil, nil
	}
	out := *f
	link := func(l *schema.Link) *schema.Link {
		if l == nil || missing != nil {
			return nil
		}
		if p := to(l.Field); p != nil && p.Link != nil {
			return p.Link
		}
		missing = l.Field
		return nil
	}
	sub := func(f *Filter) *Filter {
		moved, lacks := f.Moved(to)
		if missing == nil {
			missing = lacks
		}
		return moved
	}
	if out.Link = link(f.Link); f.Field != nil {
		if out.Field = to(f.Field); out.Field == nil {
			missing = f.Field
		}
	}
	var last **Derived
	for d, at := f.Derived, &out.Derived; d != nil; d, at = d.Next, last {
		own := *d
		own.Link, own.Where, own.Via = link(d.Link), sub(d.Where), sub(d.Via)
		if d.Of != nil {
			if own.Of = to(d.Of); own.Of == nil {
				missing = d.Of
			}
		}
		*at, last = &own, &own.Next
	}
	out.Via = sub(f.Via)
	if f.Op != Aggregate { // which compares a value without a field
		out.Sub = nil
		for _, s := range f.Sub {
			out.Sub = append(out.Sub, sub(s))
		}
	}
	if missing != nil {
		return nil, missing
	}
	return &out, nil
}
