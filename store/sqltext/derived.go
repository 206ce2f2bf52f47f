package sqltext

import (
	"fmt"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
)

// Values that the rows behind a relation give a row ([filter.Derived]), in conditions and in orders.

// Sorted writes the table of a read; where keys of the order are derived, the table with a column
// for each. A row that one-relations lead to is joined, and other values are subqueries, or joined to such a
// row ([Words.Lateral]):
//
//	(SELECT t1.*, t2."name" AS "~0", (SELECT count(*) FROM "review" AS t3 WHERE t3."product" = t1."id") AS "~1"
//	  FROM "product" AS t1 LEFT JOIN "author" AS t2 ON t2."id" = t1."author")
//
// The rank of a search is such a column too, see [Dialect]. The rows of a page whose order begins with a
// value behind a relation are filtered in there where one is a subquery, and the database makes each such
// value once, before it sorts; the same goes for the rows of a search under [Words.SearchApart]. Without
// keys the table has no such columns.
func Sorted(r *Reading, b *Builder, keys bool) {
	r.met, b.found = false, nil
	ranked := keys && r.Find.Rank != nil && r.Table.Search != nil
	if ranked && b.db.Words.RankFinds {
		b.found = r.Find.Rank
	}
	derived := slices.ContainsFunc(r.Order, func(k SortKey) bool { return k.derived != nil })
	searched := b.db.Words.SearchApart && !ranked && r.Find.Each == nil && searches(r.Find.Where)
	if !keys || !ranked && !derived && !searched {
		b.Text(r.Table.Name)
		return
	}
	defer func(was reach) { b.reach = was }(b.reach)
	alias := b.Alias()
	b.Text("(SELECT ", alias, ".*")
	if r.Number != "" {
		b.Text(", ", alias, ".", r.Number, " AS ", r.Number)
	}
	b.reach = r.reach
	joined, subqueries := derivedColumns(r, b, alias)
	if ranked {
		b.Text(", ", RankAlias, ".rank AS ", rankName, " FROM ")
		b.db.Dialect.Ranked(b, r.Table, alias, r.Find.Rank)
	} else {
		b.Text(" FROM ", r.Table.Name, " AS ", alias)
	}
	for _, s := range joined {
		b.Text(" LEFT JOIN ", s.target.Name, " AS ", s.inner, " ON ")
		b.equalColumns(s.inner, s.theirs, s.alias, s.own)
		s.visible(r.reach)
		if s.several != nil {
			s.ofRows()
		}
	}
	if searched || subqueries && !ranked && r.Find.Each == nil && r.Order[0].derived != nil { // else an index may have the order
		b.Join(r.Find.Where, r.Table, alias)
		r.Where(b, alias, " WHERE ")
		r.met = true
		b.Text(b.db.Words.Apart)
	}
	b.Text(")")
}

// derivedColumns writes a column for each derived value of an order. joined are the rows that have to be
// joined for them, and subqueries reports whether a value is of several rows.
func derivedColumns(r *Reading, b *Builder, alias string) (joined []behind, subqueries bool) {
	for _, k := range r.Order {
		if k.derived == nil {
			continue
		}
		b.Text(", ")
		if steps, several := oneRow(b, k.derived, r.Table, alias); steps == nil {
			subqueries = true
			derivedValue(b, k.derived, r.Table, alias, k.Column)
		} else if last := &steps[len(steps)-1]; several == nil {
			joined = append(joined, steps...)
			last.function(k.Column)
		} else {
			subqueries, last.several, last.column = true, several, k.Column
			joined = append(joined, steps...)
			b.Text(last.inner, "v.v")
		}
		b.Text(" AS ", k.Column.Plain)
	}
	return joined, subqueries
}

// searches reports whether all rows of a filter meet a search.
func searches(f *filter.Filter) bool {
	return f != nil && (f.Op == filter.Search || f.Op == filter.And && slices.ContainsFunc(f.Sub, searches))
}

// oneRow returns the rows that lead to a derived value of a row of t, if each step leads to one row. A value
// of several rows behind the last step is returned as several, if the database joins it ([Words.Lateral]). Any
// other value of several rows returns no step.
func oneRow(b *Builder, d *filter.Derived, t *Table, alias string) (steps []behind, several *filter.Derived) {
	for ; d != nil; d = d.Next {
		if d.Link.Many || d.Next == nil && d.Func != filter.Key {
			if !b.db.Words.Lateral {
				return nil, nil
			}
			return steps, d
		}
		s, ok := newBehind(b, d, t, alias)
		if !ok || !s.theirs.Unique() {
			return nil, nil
		}
		steps = append(steps, s)
		t, alias = s.target, s.inner
	}
	return steps, nil
}

// derivedValue writes a derived value of a row of t as a subquery, and completes its column.
func derivedValue(b *Builder, d *filter.Derived, t *Table, alias string, column *Column) {
	s, ok := newBehind(b, d, t, alias)
	if !ok {
		return
	}
	b.Text("(SELECT ")
	if d.Next != nil {
		derivedValue(b, d.Next, s.target, s.inner, column)
	} else {
		s.function(column)
	}
	s.ofRow()
	b.Text(")")
}

// ofRows joins the value of the rows behind the row of a step. The database makes it once for each such
// row, for any number of rows that lead to it:
//
//	LEFT JOIN LATERAL (SELECT count(*) AS v FROM "track" AS t3 WHERE t3."album" = t2."id") AS t2v ON t2."id" IS NOT NULL
func (s *behind) ofRows() {
	of, ok := newBehind(s.b, s.several, s.target, s.inner)
	if !ok {
		return
	}
	s.b.Text(" LEFT JOIN LATERAL (SELECT ")
	of.function(s.column)
	s.b.Text(" AS v")
	of.ofRow()
	s.b.Text(") AS ", s.inner, "v ON ")
	s.b.Column(s.inner, s.theirs)
	s.b.Text(" IS NOT NULL")
}

// behind writes the rows behind the relation of a derived value.
type behind struct {
	b           *Builder
	d           *filter.Derived
	target      *Table
	alias       string // of the row
	inner       string // of the rows behind it
	own, theirs *Column

	// several is a value of the rows behind the row of this step, or nil. It is joined under the alias
	// inner with a v behind it, and completes column.
	several *filter.Derived
	column  *Column
}

// newBehind begins the rows behind a relation of t. It returns false if the relation does not
// exist, which fails the statement.
func newBehind(b *Builder, d *filter.Derived, t *Table, alias string) (s behind, ok bool) {
	s = behind{b: b, d: d, alias: alias}
	if s.target, s.own, s.theirs = sidesOf(b, d.Link, t); s.target != nil {
		s.inner = b.Alias()
	}
	return s, s.target != nil
}

// function writes the function of the rows, count(*) or avg(t1."rating"), and completes its column.
func (s *behind) function(column *Column) {
	var of *Column
	if s.d.Of == nil {
		s.b.Text("count(*)")
	} else if of = s.b.column(s.target, s.d.Of); of == nil {
		return
	} else if err := of.order(); err != nil {
		s.b.fail(err)
		return
	}
	s.b.db.Dialect.Grouped(s.b, &aggregate.Column{As: s.d.As, Of: s.d.Of, Func: s.d.Func, Capped: true}, of, column, s.inner, time.UTC)
}

// ofRow writes FROM and WHERE of the rows behind one row.
func (s *behind) ofRow() {
	s.b.Text(" FROM ", s.target.Name, " AS ", s.inner, " WHERE ")
	if through := s.d.Link.Through; through != nil {
		throughRows(s.b, s.inner, s.theirs, s.d.Link.Inverse, through, s.d.Via, func(alias string, near *Column) { s.b.equalColumns(alias, near, s.alias, s.own) })
	} else if inList(s.d.Link) {
		ids := s.b.Alias()
		s.b.Column(s.inner, s.theirs)
		s.b.Text(" IN (SELECT ")
		s.b.db.Dialect.Element(s.b, ids, s.theirs)
		s.b.Text(" FROM ")
		s.b.db.Dialect.Elements(s.b, s.own, s.alias, ids, s.theirs)
		s.b.Text(")")
	} else {
		s.b.equalColumns(s.inner, s.theirs, s.alias, s.own)
	}
	s.visible(s.b.reach.through(s.d.Link.Many))
}

// visible writes the condition on the rows that exist for the caller.
func (s *behind) visible(of reach) {
	if s.d.Where == nil {
		return
	}
	if !deeper(s.b) {
		return
	}
	was := s.b.reach
	s.b.reach = of
	s.b.Text(" AND ")
	s.b.Filter(s.d.Where, s.target, s.inner)
	s.b.depth, s.b.reach = s.b.depth-1, was
}

// aggregated writes a condition on an aggregate of the rows behind a relation. Where an index leads
// to them they are looked up for each row, and else grouped once:
//
//	EXISTS (SELECT count(*) FROM "review" AS t1 WHERE t1."product" = t0."id" HAVING count(*) >= ?)
//	t0."id" IN (SELECT t1."product" FROM "review" AS t1 WHERE … GROUP BY t1."product" HAVING count(*) >= ?)
//
// A row that several rows lead to is judged by the groups: its rows are counted once for all of them.
func aggregated(b *Builder, f *filter.Filter, t *Table, alias string) {
	if f.Derived == nil || len(f.Sub) != 1 {
		b.fail(kiterror.Internal(fmt.Errorf("store: a filter of %s compares no aggregate", t.Entity.Name)))
		return
	}
	s, ok := newBehind(b, f.Derived, t, alias)
	if !ok {
		return
	}
	column := &Column{Prop: s.d.As, NotNull: s.d.Counts()}
	from := len(b.SQL)
	s.function(column)
	value := string(b.SQL[from:])
	b.SQL, column.Name = b.SQL[:from], "("+value+")"+column.Name
	having := NewTable(s.d.As.Owner, "", []*Column{column})
	if inList(s.d.Link) || s.d.Link.Through != nil || b.reach.probes(true) || alias == b.root && s.target.leads(s.theirs, nil) {
		b.Text("EXISTS (SELECT ", value)
		s.ofRow()
		b.Text(" HAVING ")
		b.Filter(f.Sub[0], &having, "")
		b.Text(")")
		return
	}
	none := f.MeetsNone()
	b.several(alias, s.own, s.theirs, "(", ")")
	if none {
		b.Text(" NOT")
	}
	b.Text(" IN (SELECT ")
	b.several(s.inner, s.theirs, s.own, "", "")
	b.Text(" FROM ", s.target.Name, " AS ", s.inner, " WHERE ")
	b.Column(s.inner, s.theirs)
	b.Text(" IS NOT NULL")
	s.visible(everyRow)
	b.Text(" GROUP BY ")
	b.several(s.inner, s.theirs, s.own, "", "")
	b.Text(" HAVING ")
	if none {
		b.not(f.Sub, &having, "")
	} else {
		b.Filter(f.Sub[0], &having, "")
	}
	b.Text(")")
}
