package sqlite

import (
	"fmt"

	"github.com/frondhost/frond/facade"
)

// joinable says whether a condition leads through a relation that gives one row at most: then
// the row can be joined instead of looked for.
//
//	{author: {name: {eq: "Ada"}}}   JOIN "author" AS t1 ON t1."id" = t0."author" … t1."name" = ?
func joinable(f *facade.Filter) bool {
	return f.Op == facade.Some && f.Link != nil && !f.Link.Many && f.Link.Target != nil
}

// maxJoins is how many relations are joined; SQLite joins 64 tables at most, and plans long
// for many. The others are looked for as [builder.related] writes them.
const maxJoins = 12

// join writes a JOIN for every one-relation that a condition surely needs: SQLite may then
// begin with the other table, where EXISTS would make it look at every row of this one
// (docs/decisions/036). A JOIN drops rows without a target, as the condition does.
// [builder.filter] comes to the same conditions in the same order, and writes them on the
// joined table.
func (b *builder) join(f *facade.Filter, t *table, alias string) error {
	if f == nil {
		return nil
	}
	if f.Op != facade.And && (!joinable(f) || len(b.joined) == maxJoins) {
		return nil
	}
	if f.Op == facade.Some {
		target, err := b.store.table(f.Link.Target)
		if err != nil {
			return err
		}
		own, err := t.column(f.Link.Field)
		if err != nil {
			return err
		}
		inner := b.alias()
		b.joined = append(b.joined, inner)
		b.text(" JOIN ", target.name, " AS ", inner, " ON ")
		b.column(inner, target.primary)
		b.text(" = ")
		b.column(alias, own)
		t, alias = target, inner
	}
	for _, sub := range f.Sub {
		if err := b.join(sub, t, alias); err != nil {
			return err
		}
	}
	return nil
}

// maxRelations is how many relations a condition may go through, one behind the other. The
// façade allows fewer; this bound keeps a store safe that is called without it: each one costs
// several levels of SQLite's 1,000.
const maxRelations = 20

// tooDeep refuses a filter that is nested deeper than SQLite takes: each relation and each
// negation makes an expression deeper.
func tooDeep() error {
	return facade.Errorf(facade.BadRequest, "the filter is nested too deep; go through %d relations at most", maxRelations)
}

// related writes a condition on the rows that a relation leads to, for Some, None and Every. A
// relation stands in one of three places, and each is written with lookups or with a set (see
// [reach.probes]):
//
//	the id in this row          "author": the target's key equals this column
//	the ids in this row         "tags": a JSON array, opened by json_each
//	this row's id over there    "posts" of an author: the target's column equals this key
//
// Every is NOT … with the condition negated: no row behind the relation fails it.
func (b *builder) related(f *facade.Filter, t *table, alias string) error {
	if f.Link == nil || f.Link.Target == nil {
		return facade.Internal(fmt.Errorf("sqlite: a filter of %s goes through no relation", t.entity.Name))
	}
	if b.depth == maxRelations {
		return tooDeep()
	}
	b.depth++
	defer func(was reach) { b.depth, b.reach = b.depth-1, was }(b.reach)
	target, err := b.store.table(f.Link.Target)
	if err != nil {
		return err
	}
	inList := f.Link.Many && f.Link.Inverse == nil // the ids stand in the row
	outer, key := f.Link.Field, target.entity.Primary
	if f.Link.Inverse != nil { // the target points back
		outer, key = t.entity.Primary, f.Link.Inverse
	}
	own, err := t.column(outer)
	if err != nil {
		return err
	}
	theirs, err := target.column(key)
	if err != nil {
		return err
	}
	inner := b.alias()
	probe := b.reach.probes(f.Link.Many)
	switch {
	case inList && probe:
		ids := b.alias()
		b.text(not(f.Op), "EXISTS (SELECT 1 FROM json_each(")
		b.column(alias, own)
		b.text(") AS ", ids, " CROSS JOIN ", target.name, " AS ", inner, " ON ")
		b.column(inner, theirs)
		b.text(" = ", ids, ".value WHERE ")
	case inList:
		ids := b.alias()
		b.text(not(f.Op), "EXISTS (SELECT 1 FROM json_each(")
		b.column(alias, own)
		b.text(") AS ", ids, " WHERE ", ids, ".value")
		// json_each gives a value without the column's collation, and "1.5" has to find
		// "1.50".
		if theirs.collation != "" {
			b.text(" COLLATE ", theirs.collation)
		}
		b.text(" IN (SELECT ")
		b.column(inner, theirs)
		b.text(" FROM ", target.name, " AS ", inner, " WHERE ")
	case probe:
		b.text(not(f.Op), "EXISTS (SELECT 1 FROM ", target.name, " AS ", inner, " WHERE ")
		b.column(inner, theirs)
		b.text(" = ")
		b.column(alias, own)
		b.text(" AND ")
	default:
		b.column(alias, own)
		b.text(" ", not(f.Op), "IN (SELECT ")
		b.column(inner, theirs)
		b.text(" FROM ", target.name, " AS ", inner, " WHERE ")
		if !theirs.notNull { // nothing is NOT IN a set with a null
			b.column(inner, theirs)
			b.text(" IS NOT NULL AND ")
		}
	}
	if probe {
		b.reach = b.reach.through(f.Link.Many)
	} else {
		b.reach = everyRow
	}
	if f.Op == facade.Every {
		err = b.not(f.Sub, target, inner)
	} else {
		err = b.all(f.Sub, target, inner, " AND ", "1")
	}
	b.text(")")
	if inList && !probe {
		b.text(")")
	}
	return err
}

// not is the word in front of the test for rows: Some holds with a row, None and Every hold
// without one.
func not(op facade.Op) string {
	if op == facade.Some {
		return ""
	}
	return "NOT "
}
