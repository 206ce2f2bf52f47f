package sqltext

import (
	"fmt"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// Filter writes a condition on the rows of t, whose alias is alias; a nil filter holds for every
// row.
//
// In SQL a comparison with a null is NULL and not false, and NOT NULL is NULL again. A filter
// has two values (docs/decisions/filters-and-paging.md): each operator that could see the difference (Not, Ne,
// NotIn, None, Every) is written so that NULL counts as false.
//
//	{title: {contains: "tea"}, or: [{price: {lt: 5}}, {status: {ne: "live"}}]}
//	(instr(t0."title", ?) > 0 AND (t0."price" < ? OR t0."status" IS NOT ?))
func (b *Builder) Filter(f *filter.Filter, t *Table, alias string) {
	if f == nil {
		b.Truth(true)
		return
	}
	if f.Op == filter.And {
		b.all(f.Sub, t, alias, " AND ", true)
		return
	}
	// join has written this relation: its condition is one on the joined table.
	if b.sure && joinable(f) && len(b.joined) > 0 {
		inner := b.joined[0]
		b.joined = b.joined[1:]
		target := b.table(f.Link.Target)
		if target == nil {
			return
		}
		defer func(was reach) { b.reach = was }(b.reach)
		b.reach = b.reach.through(false)
		b.all(f.Sub, target, inner, " AND ", true)
		return
	}
	defer func(sure bool) { b.sure = sure }(b.sure)
	b.sure = false
	switch f.Op {
	case filter.Or:
		b.all(f.Sub, t, alias, " OR ", false)
	case filter.Not:
		b.not(f.Sub, t, alias)
	case filter.Some, filter.None, filter.Every:
		b.related(f, t, alias)
	case filter.Aggregate:
		aggregated(b, f, t, alias)
	case filter.Search:
		switch {
		case t.Search == nil:
			b.fail(kiterror.Internal(fmt.Errorf("store: %s is not searched; hand its entity to Prepare", t.Entity.Name)))
		case len(f.Search.Any) == 0:
			b.Truth(false)
		case f.Search == b.found:
			b.Truth(true)
		default:
			b.db.Dialect.Search(b, t, alias, f.Search)
		}
	default:
		if c := b.column(t, f.Field); c != nil {
			b.compare(f, c, alias)
		}
	}
}

// all joins conditions by word; empty says whether no condition at all holds. It halves the list
// again and again, since databases bound the depth of an expression (SQLite 1,000, PostgreSQL
// its stack) and a chain of ANDs counts one level for each.
func (b *Builder) all(subs []*filter.Filter, t *Table, alias, word string, empty bool) {
	switch len(subs) {
	case 0:
		b.Truth(empty)
	case 1:
		b.Filter(subs[0], t, alias)
	default:
		half := len(subs) / 2
		b.Text("(")
		b.all(subs[:half], t, alias, word, empty)
		b.Text(word)
		b.all(subs[half:], t, alias, word, empty)
		b.Text(")")
	}
}

// not writes that subs do not all hold: (…) IS NOT TRUE, which is true for false and for NULL.
func (b *Builder) not(subs []*filter.Filter, t *Table, alias string) {
	b.Text("(")
	b.all(subs, t, alias, " AND ", true)
	b.Text(") IS NOT TRUE")
}

// compare writes the comparison of a column with the operand of f. An operand of another type
// than the column's is no error here: it never equals a value, and Ne holds for every row.
func (b *Builder) compare(f *filter.Filter, c *Column, alias string) {
	d := b.db.Dialect
	if f.Op == filter.In || f.Op == filter.NotIn {
		b.among(f, c, alias)
		return
	}
	if len(f.Values) != 1 {
		b.fail(kiterror.Internal(fmt.Errorf("store: a filter on %s has %d values instead of one", f.Field.Name, len(f.Values))))
		return
	}
	value := f.Values[0]
	switch f.Op {
	case filter.IsNull:
		null, _ := value.(bool)
		isNull(b, alias, c, null)
	case filter.Has:
		switch value.(type) {
		case string, int64, float64, bool:
			if c.Prop.Kind == schema.KindJSON {
				d.Has(b, c, alias, value)
				return
			}
		}
		b.Truth(false)
	case filter.Contains, filter.StartsWith, filter.EndsWith, filter.IContains:
		switch text, ok := value.(string); {
		case !ok:
			b.Truth(false)
		case text == "": // every text has nothing in it
			b.Column(alias, c)
			b.Text(" IS NOT NULL")
		default:
			d.Match(b, f.Op, c, alias, text)
		}
	case filter.Eq, filter.Ne, filter.Lt, filter.Lte, filter.Gt, filter.Gte:
		v, ok := operand(f.Field, value)
		if !ok { // nothing of another kind equals, precedes or follows it
			b.Truth(f.Op == filter.Ne)
			return
		}
		switch {
		case c.Parts != nil && f.Op == filter.Eq:
			b.Equal(alias, c, v)
		case c.Parts != nil && f.Op == filter.Ne:
			b.Text("(")
			b.Equal(alias, c, v)
			b.Text(") IS NOT TRUE")
		case f.Op == filter.Eq || f.Op == filter.Ne:
			d.Compare(b, f.Op, c, alias, v)
		default:
			ordered(b, f.Op, alias, c, v)
		}
	default:
		b.fail(kiterror.Internal(fmt.Errorf("store: operator %d is not known", f.Op)))
	}
}

// among writes In and NotIn. Operands of another type than the column's are left out of the
// list.
func (b *Builder) among(f *filter.Filter, c *Column, alias string) {
	if f.Op == filter.NotIn {
		b.Text("(")
	}
	list := make([]Value, 0, len(f.Values))
	for _, v := range f.Values {
		if a, ok := operand(f.Field, v); ok {
			list = append(list, a)
		}
	}
	if c.Parts != nil {
		b.equalOne(alias, c, list)
	} else {
		b.db.Dialect.Among(b, c, alias, list)
	}
	if f.Op == filter.NotIn {
		b.Text(") IS NOT TRUE")
	}
}

// Between writes (t0."name" >= ? AND t0."name" < ?), which an index answers.
func (b *Builder) Between(alias string, c *Column, from, below string) {
	b.Text("(")
	b.Column(alias, c)
	b.Text(" >= ")
	b.Bind(TextValue(from))
	b.Text(" AND ")
	b.Column(alias, c)
	b.Text(" < ")
	b.Bind(TextValue(below))
	b.Text(")")
}
