package store

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/sqltext"
)

// Seed implements [facade.Seeder]: it writes the rows of entities that had no seeds yet and
// remembers the entities, in one transaction. It leaves out an entity that another process has
// seeded since. Relations may lead to rows of batches before; the fields of Late are set after the
// rows of every batch. Errors name the entity, and are otherwise the errors of [Writes.Insert].
func (w *Writes[T]) Seed(ctx context.Context, batches []facade.SeedBatch) error {
	seeds := make([]*seed[T], len(batches))
	var all []*Write[T]
	for i, batch := range batches {
		s, err := w.seed(batch)
		defer s.free()
		if err != nil {
			return kiterror.AsError(err).At(batch.Entity.Name, "create")
		}
		seeds[i] = s
		all = append(all, &s.rows.write)
	}
	return w.db.Seed(ctx, all, func(tx Seeding[T]) error {
		var fresh []*seed[T]
		for _, s := range seeds {
			isFresh, err := tx.Mark(s.rows.write.Table)
			if err != nil {
				return err
			}
			if isFresh {
				fresh = append(fresh, s)
			}
		}
		for _, s := range fresh {
			if len(s.rows.write.Written) == 0 {
				continue
			}
			if err := tx.Run(&s.rows.write, &s.rows.statement); err != nil {
				return err
			}
		}
		for _, s := range fresh {
			for _, late := range s.late {
				if err := tx.Run(&late.write, &late.statement); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// seed is one batch as statements: the one of its rows, and those that set a field of a row when
// all rows are there.
type seed[T engineTable] struct {
	rows  change[T]
	late  []*change[T]
	texts []*sqltext.Builder
}

// seed compiles a batch before its transaction begins, so that a value that its column cannot hold
// fails without one. Free the result, also after an error.
func (w *Writes[T]) seed(batch facade.SeedBatch) (s *seed[T], err error) {
	s = &seed[T]{}
	t, err := w.db.Table(batch.Entity)
	if err != nil {
		return s, err
	}
	var args []sqltext.Value
	for _, record := range batch.Rows {
		if args, err = row(t, args, record); err != nil {
			return s, err
		}
	}
	s.rows.write = Write[T]{Table: t, Written: batch.Rows}
	if len(batch.Rows) > 0 {
		b := s.text(w)
		st := &s.rows.statement
		st.Args, st.Times = w.db.Insert(b, t, args, len(batch.Rows))
		st.SQL = b.SQL
	}
	for _, late := range batch.Late {
		key, isKey := t.Key(late.ID)
		if !isKey {
			return s, sqltext.Refuse(t.Base().Primary.Prop, "type")
		}
		sel := &sqltext.Selection{}
		if err := sel.Choose(t.Base(), nil, nil); err != nil {
			return s, err
		}
		c := &change[T]{write: Write[T]{Table: t, Key: key}}
		if err := c.set(s.text(w), sel, late.Set); err != nil {
			return s, err
		}
		s.late = append(s.late, c)
	}
	return s, nil
}

// text returns a builder that free frees.
func (s *seed[T]) text(w *Writes[T]) *sqltext.Builder {
	s.texts = append(s.texts, w.text.Builder())
	return s.texts[len(s.texts)-1]
}

func (s *seed[T]) free() {
	for _, b := range s.texts {
		b.Free()
	}
}
