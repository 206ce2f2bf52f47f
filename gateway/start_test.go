package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
)

// preparedStore is an author's own store that is prepared by a function.
type preparedStore struct {
	facade.Store
	prepare func() error
	seeded  *bool
}

func (s preparedStore) Abilities() facade.Abilities {
	return facade.Abilities{Seeder: s, Prepare: func(context.Context, []*schema.Entity, catalog.SchemaChanges, bool) error { return s.prepare() }}
}

func (s preparedStore) Seeded(context.Context, []*schema.Entity) (map[*schema.Entity]bool, error) {
	*s.seeded = true
	return nil, errors.New("the seeds are not looked at")
}

func (s preparedStore) Seed(context.Context, []facade.SeedBatch) error { return nil }

// TestSurfacesAreBuiltBeforeTables starts a gateway whose store or whose surface has a fault, or both have one: a fault of a surface is
// found before the store is prepared, and no seed is written.
func TestSurfacesAreBuiltBeforeTables(t *testing.T) {
	files := map[string]string{
		"entities/thing.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}}}`,
		"seeds/thing.yaml":    `[{id: t1}]`,
	}
	disk, fields := errors.New("the disk is full"), errors.New("a field is missing")
	for _, c := range []struct {
		store, surface error
		says           string
	}{
		{disk, nil, "the disk is full"},
		{nil, fields, "a field is missing"},
		{disk, fields, "a field is missing"},
		{nil, nil, "the seeds are not looked at"},
	} {
		prepared, seeded := false, false
		store := preparedStore{seeded: &seeded, prepare: func() error {
			prepared = true
			return c.store
		}}
		_, err := gateway.New(folderOf(t, files), quiet(gateway.Options{Store: store, Extend: func(*projection.Builder) error { return c.surface }}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the store fails with %v and a surface with %v: %v", c.store, c.surface, err)
		}
		if prepared == (c.surface != nil) {
			t.Errorf("a surface fails with %v, and the store is prepared: %v", c.surface, prepared)
		}
		if failed := c.store != nil || c.surface != nil; seeded == failed {
			t.Errorf("seeds were looked at: %v", seeded)
		}
	}
}
