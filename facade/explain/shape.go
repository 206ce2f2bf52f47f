package explain

import (
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
)

// The shape of a read has the fields that it filters, sorts and looks up by, without values:
//
//	track where title startsWith, year gte sort -year
//
// hashOf and textOf go through the same parts, so that shapes of one hash have one text.

// hashOf hashes the shape of a read, without an allocation.
func hashOf(q *facade.Find) uint64 {
	h := fnv(14695981039346656037).text(q.Entity.Key)
	if q.Group != nil {
		h = h.text("groups")
	}
	if q.Each != nil {
		h = h.text("each").text(q.Each.Field.Name)
	}
	h = h.filter(q.Where)
	if q.Group != nil {
		for i := range q.Group.Keys {
			h = h.text("by").text(q.Group.Columns[i].Of.Name).byte(byte(q.Group.Columns[i].Unit))
		}
	}
	for i := range q.Sort {
		h = h.text(q.Sort[i].Field.Name)
		if q.Sort[i].Desc {
			h = h.text("-")
		}
	}
	if q.Count {
		h = h.text("total")
	}
	return uint64(h)
}

// fnv is a hash by FNV-1a.
type fnv uint64

func (h fnv) byte(b byte) fnv { return (h ^ fnv(b)) * 1099511628211 }

func (h fnv) text(s string) fnv {
	for i := range len(s) {
		h = h.byte(s[i])
	}
	return h.byte(0xff)
}

func (h fnv) filter(f *filter.Filter) fnv {
	if f == nil {
		return h.byte(0xfe)
	}
	h = h.byte(byte(f.Op))
	if f.Field != nil {
		h = h.text(f.Field.Name)
	}
	if f.Link != nil {
		h = h.text(f.Link.Field.Name)
	}
	if f.Derived != nil {
		h = h.text(f.Derived.As.Name)
	}
	for _, sub := range f.Sub {
		h = h.filter(sub)
	}
	return h.byte(0xfd)
}

// textOf writes the shape of a read.
func textOf(q *facade.Find) string {
	var b strings.Builder
	b.WriteString(q.Entity.Name)
	if q.Each != nil {
		b.WriteString(" for each " + q.Each.Field.Name)
	}
	if q.Where != nil {
		b.WriteString(" where ")
		writeFilter(&b, q.Where)
	}
	if q.Group != nil {
		b.WriteString(" in groups")
		for i := range q.Group.Keys {
			key := q.Group.Columns[i].Of.Name + ":" + q.Group.Columns[i].Unit.String()
			b.WriteString(" by " + strings.TrimSuffix(key, ":"))
		}
		return b.String() // an order of groups is not one of rows
	}
	for i := range q.Sort {
		if i == 0 {
			b.WriteString(" sort ")
		} else {
			b.WriteString(", ")
		}
		if q.Sort[i].Desc {
			b.WriteByte('-')
		}
		b.WriteString(q.Sort[i].Field.Name)
	}
	if q.Count {
		b.WriteString(" with total")
	}
	return b.String()
}

// writeFilter writes a filter without its values: title eq, (year gte or year isNull), album(title eq).
func writeFilter(b *strings.Builder, f *filter.Filter) {
	several := func(between string) {
		for i, sub := range f.Sub {
			if i > 0 {
				b.WriteString(between)
			}
			writeFilter(b, sub)
		}
	}
	switch f.Op {
	case filter.And:
		several(", ")
	case filter.Or:
		b.WriteByte('(')
		several(" or ")
		b.WriteByte(')')
	case filter.Not:
		b.WriteString("not (")
		several(", ")
		b.WriteByte(')')
	case filter.Some, filter.None, filter.Every:
		b.WriteString(f.Link.Field.Name)
		b.WriteString(map[filter.Op]string{filter.Some: "(", filter.None: " none(", filter.Every: " every("}[f.Op])
		several(", ")
		b.WriteByte(')')
	case filter.Aggregate:
		several(", ")
	case filter.Search:
		b.WriteString("search")
	default:
		b.WriteString(f.Field.Name + " " + f.Op.Word())
	}
}
