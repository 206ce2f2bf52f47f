package sqlite

import (
	"fmt"

	"github.com/frondhost/frond/facade"
)

// joinable says whether a condition leads through a relation that gives one row
// at most: then the row can be joined instead of looked for.
func joinable(f *facade.Filter) bool {
	return f.Op == facade.Some && f.Link != nil && !f.Link.Many && f.Link.Target != nil
}

// maxJoins is how many relations are joined; SQLite joins 64 tables at most, and
// plans long for many. The others are looked for by EXISTS.
const maxJoins = 12

// join writes a JOIN for every one-relation that a condition surely needs. SQLite
// may then begin with the other table, where EXISTS would make it look at every
// row of this one (docs/decisions/036). [builder.filter] comes to the same
// conditions in the same order.
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

// maxRelations is how many relations a condition may go through, one behind the other.
const maxRelations = 20

// related writes a condition on the rows a relation leads to.
func (b *builder) related(f *facade.Filter, t *table, alias string) error {
	if f.Link == nil || f.Link.Target == nil {
		return facade.Internal(fmt.Errorf("sqlite: a filter of %s goes through no relation", t.entity.Name))
	}
	if b.depth == maxRelations {
		return tooDeep()
	}
	b.depth++
	defer func() { b.depth-- }()
	target, err := b.store.table(f.Link.Target)
	if err != nil {
		return err
	}
	if f.Op != facade.Some {
		b.text("NOT ")
	}
	b.text("EXISTS (SELECT 1 FROM ")
	inner := b.alias()
	switch {
	case f.Link.Inverse != nil: // the target points back
		back, err := target.column(f.Link.Inverse)
		if err != nil {
			return err
		}
		b.text(target.name, " AS ", inner, " WHERE ")
		b.column(inner, back)
		b.text(" = ")
		b.column(alias, t.primary)
	case f.Link.Many: // the ids stand in the row
		own, err := t.column(f.Link.Field)
		if err != nil {
			return err
		}
		ids := b.alias()
		b.text("json_each(")
		b.column(alias, own)
		b.text(") AS ", ids, " CROSS JOIN ", target.name, " AS ", inner, " ON ")
		b.column(inner, target.primary)
		b.text(" = ", ids, ".value WHERE 1")
	default:
		own, err := t.column(f.Link.Field)
		if err != nil {
			return err
		}
		b.text(target.name, " AS ", inner, " WHERE ")
		b.column(inner, target.primary)
		b.text(" = ")
		b.column(alias, own)
	}
	b.text(" AND ")
	if f.Op == facade.Every {
		err = b.not(f.Sub, target, inner)
	} else {
		err = b.all(f.Sub, target, inner, " AND ", "1")
	}
	b.text(")")
	return err
}
