package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Seeder is a [Store] that remembers which entities it has had seeds of, so that
// seeds are written once in its life and deleted rows never come back.
type Seeder interface {
	// Seeded says which of entities the store has had the seeds of.
	Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error)
	// Seed writes batches in their order and remembers their entities, all in one
	// transaction. A batch whose entity is remembered by then is left out. An error of
	// one batch names its entity.
	Seed(ctx context.Context, batches []SeedBatch) error
}

// SeedBatch is the seeds of one entity. Without rows the entity is only remembered.
type SeedBatch struct {
	Entity *schema.Entity
	Rows   []Record
	Late   []LateField // set when the rows of every batch are there
}

// LateField is a relation of a row to one that is written after it.
type LateField struct {
	ID  json.RawMessage
	Set Record
}

// SeederOf is the [Seeder] of a store. A store without one remembers nothing: there an
// entity counts as seeded while it has rows, and batches are written one by one.
func SeederOf(s Store) Seeder {
	if seeder := s.Abilities().Seeder; seeder != nil {
		return seeder
	}
	return forgetful{s}
}

// forgetful is a store that keeps no marks of what it was seeded with.
type forgetful struct{ Store }

// Seeded counts an entity that has rows.
func (s forgetful) Seeded(ctx context.Context, entities []*schema.Entity) (map[*schema.Entity]bool, error) {
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
func (s forgetful) Seed(ctx context.Context, batches []SeedBatch) error {
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
func isEmpty(ctx context.Context, s Store, e *schema.Entity) (bool, error) {
	found, err := s.Find(ctx, &Find{
		Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Sort: newOrder(e, nil).keys, Limit: 1,
	})
	if err != nil {
		return false, err
	}
	return found.Rows.Len() == 0, nil
}
