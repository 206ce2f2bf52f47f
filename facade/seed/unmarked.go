package seed

import (
	"context"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// seederOf is the [facade.Seeder] of a store. A store without one does not remember seeds:
// there an entity counts as seeded while it has rows, and batches are written one by one.
func seederOf(s facade.Store) facade.Seeder {
	if seeder := s.Abilities().Seeder; seeder != nil {
		return seeder
	}
	return unmarked{s}
}

// unmarked is a store that keeps no marks of its seeds.
type unmarked struct{ facade.Store }

// Seeded counts an entity that has rows.
func (s unmarked) Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error) {
	done := map[*schema.Entity]bool{}
	for _, e := range entities {
		empty, err := isEmpty(ctx, s.Store, e)
		if err != nil {
			return nil, kiterror.AsError(err).At(e.Name, "create")
		}
		done[e] = !empty
	}
	return done, nil
}

// Seed writes the batches one by one.
func (s unmarked) Seed(ctx context.Context, batches []facade.SeedBatch) error {
	for _, b := range batches {
		if len(b.Rows) == 0 {
			continue
		}
		if _, err := s.Insert(ctx, b.Entity, b.Rows, nil, rows.NewLayout([]string{b.Entity.Primary.Name})); err != nil {
			return kiterror.AsError(err).At(b.Entity.Name, "create")
		}
	}
	for _, b := range batches {
		for _, late := range b.Late {
			if _, err := s.Update(ctx, b.Entity, late.ID, nil, late.Set, nil, rows.NewLayout([]string{b.Entity.Primary.Name})); err != nil {
				return kiterror.AsError(err).At(b.Entity.Name, "create")
			}
		}
	}
	return nil
}

// isEmpty reports whether the store has no row of an entity.
func isEmpty(ctx context.Context, s facade.Store, e *schema.Entity) (bool, error) {
	found, err := s.Find(ctx, &facade.Find{
		Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1,
	})
	if err != nil {
		return false, err
	}
	return found.Rows.Len() == 0, nil
}
