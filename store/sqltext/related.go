package sqltext

import (
	"fmt"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// joinable says whether a condition leads through a relation that gives one row at most: then
// the row can be joined instead of looked for.
//
//	{author: {name: {eq: "Ada"}}}   JOIN "author" AS t1 ON t1."id" = t0."author" … t1."name" = ?
func joinable(f *filter.Filter) bool {
	return f.Op == filter.Some && f.Link != nil && !f.Link.Many && f.Link.Target != nil
}

// Join writes a JOIN for every one-relation that a condition surely needs: the database may
// then begin with the other table, where EXISTS would make SQLite look at every row of this
// one (docs/decisions/sqlite.md). A JOIN drops rows without a target, as the condition does.
// [Builder.Filter] comes to the same conditions in the same order, and writes them on the
// joined table.
func (b *Builder) Join(f *filter.Filter, t *Table, alias string) {
	if f == nil {
		return
	}
	if f.Op != filter.And && (!joinable(f) || len(b.joined) >= b.db.Words.MaxJoins) {
		return
	}
	if f.Op == filter.Some {
		target, own := b.table(f.Link.Target), b.column(t, f.Link.Field)
		if target == nil || own == nil {
			return
		}
		inner := b.Alias()
		b.joined = append(b.joined, inner)
		b.Text(" JOIN ", target.Name, " AS ", inner, " ON ")
		b.equalColumns(inner, target.Primary, alias, own)
		t, alias = target, inner
	}
	for _, sub := range f.Sub {
		b.Join(sub, t, alias)
	}
}

// maxRelations is how many relations a condition may go through, one after the other. The façade
// allows fewer; this bound keeps a store safe without the façade: each relation costs several
// levels of the 1,000 that SQLite takes.
const maxRelations = 20

// deeper counts one more relation of the current condition. It returns false for too many
// relations, which fail the statement.
func deeper(b *Builder) bool {
	if b.depth == maxRelations {
		b.fail(kiterror.Errorf(kiterror.BadRequest, "the filter is nested too deep; go through %d relations at most", maxRelations))
		return false
	}
	b.depth++
	return true
}

// related writes a condition on the rows that a relation leads to, for Some, None and Every. A
// relation is kept in one of three places, and each is written with lookups or with a set (see
// [reach.probes]):
//
//	the id in this row          "author": the target's key equals this column
//	the ids in this row         "tags": a JSON array, opened to rows
//	this row's id over there    "posts" of an author: the target's column equals this key
//
// Every is NOT … with the condition negated: no row of the relation fails it.
func (b *Builder) related(f *filter.Filter, t *Table, alias string) {
	f = f.Hops()
	if f.Link == nil || f.Link.Target == nil {
		b.fail(kiterror.Internal(fmt.Errorf("store: a filter of %s goes through no relation", t.Entity.Name)))
		return
	}
	if !deeper(b) {
		return
	}
	defer func(was reach) { b.depth, b.reach = b.depth-1, was }(b.reach)
	target, own, theirs := sidesOf(b, f.Link, t)
	if target == nil {
		return
	}
	inList := inList(f.Link)
	inner := b.Alias()
	probe := b.db.Words.Lookups || b.reach.probes(f.Link.Many)
	switch {
	case inList:
		b.openList(f.Op, own, alias, theirs, target.Name, inner, probe)
	case probe:
		b.Text(not(f.Op), "EXISTS (SELECT 1 FROM ", target.Name, " AS ", inner, " WHERE ")
		b.equalColumns(inner, theirs, alias, own)
		b.Text(" AND ")
	default:
		b.several(alias, own, theirs, "(", ")")
		b.Text(" ", not(f.Op), "IN (SELECT ")
		b.several(inner, theirs, own, "", "")
		b.Text(" FROM ", target.Name, " AS ", inner, " WHERE ")
		if !theirs.NotNull { // nothing is NOT IN a set with a null
			b.Column(inner, theirs)
			b.Text(" IS NOT NULL AND ")
		}
	}
	if probe {
		b.reach = b.reach.through(f.Link.Many)
	} else {
		b.reach = everyRow
	}
	if f.Op == filter.Every {
		b.not(f.Sub, target, inner)
	} else {
		b.all(f.Sub, target, inner, " AND ", true)
	}
	b.Text(")")
	if inList && !probe {
		b.Text(")")
	}
}

// inList reports whether a row holds the keys of a relation as a list.
func inList(l *schema.Link) bool { return l.Many && l.Inverse == nil }

// sidesOf returns the table that a relation of t leads to, and the columns that are equal. The
// table is nil if the target has no table, which fails the statement.
func sidesOf(b *Builder, l *schema.Link, t *Table) (target *Table, own, theirs *Column) {
	if target = b.table(l.Target); target == nil {
		return nil, nil, nil
	}
	outer, key := l.Field, target.Entity.Primary
	switch {
	case l.Through != nil:
		outer = t.Entity.Primary
	case l.Inverse != nil: // the target points back
		outer, key = t.Entity.Primary, l.Inverse
	}
	if own, theirs = b.column(t, outer), b.column(target, key); own == nil || theirs == nil {
		return nil, nil, nil
	}
	return target, own, theirs
}

// openList begins a condition on the rows whose keys a column holds as a list, by a lookup for
// each key or by the set of all.
func (b *Builder) openList(op filter.Op, own *Column, alias string, theirs *Column, target, inner string, probe bool) {
	d, ids := b.db.Dialect, b.Alias()
	b.Text(not(op), "EXISTS (SELECT 1 FROM ")
	d.Elements(b, own, alias, ids, theirs)
	if probe {
		b.Text(" ", b.db.Words.Cross, " ", target, " AS ", inner, " ON ")
		b.Column(inner, theirs)
		b.Text(" = ")
		d.Element(b, ids, theirs)
		b.Text(" WHERE ")
		return
	}
	b.Text(" WHERE ")
	d.Element(b, ids, theirs)
	b.Text(" IN (SELECT ")
	b.Column(inner, theirs)
	b.Text(" FROM ", target, " AS ", inner, " WHERE ")
}

// not is the word in front of the test for rows: Some holds with a row, None and Every hold
// without one.
func not(op filter.Op) string {
	if op == filter.Some {
		return ""
	}
	return "NOT "
}

// throughRows writes that rows in between lead to a row, whose key is own. equal writes that one of
// them, with the column near, begins at the right row.
func throughRows(b *Builder, alias string, own *Column, from, to *schema.Property, via *filter.Filter, equal func(alias string, near *Column)) {
	t, inner := b.table(from.Owner), b.Alias()
	if t == nil {
		return
	}
	near, far := b.column(t, from), b.column(t, to)
	if near == nil || far == nil {
		return
	}
	b.several(alias, own, far, "(", ")")
	b.Text(" IN (SELECT ")
	b.several(inner, far, own, "", "")
	b.Text(" FROM ", t.Name, " AS ", inner, " WHERE ")
	equal(inner, near)
	if via != nil {
		defer func(was reach) { b.reach = was }(b.reach)
		b.Text(" AND ")
		b.reach = fewRows
		b.Filter(via, t, inner)
	}
	b.Text(")")
}
