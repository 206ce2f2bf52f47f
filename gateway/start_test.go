package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
)

// slowStore is an author's own store that is prepared by a function.
type slowStore struct {
	facade.Store
	prepare func() error
	seeded  *bool
}

func (s slowStore) Abilities() facade.Abilities {
	return facade.Abilities{Seeder: s, Prepare: func(context.Context, []*schema.Entity, catalog.SchemaChanges, bool) error { return s.prepare() }}
}

func (s slowStore) Seeded(context.Context, []*schema.Entity) (map[*schema.Entity]bool, error) {
	*s.seeded = true
	return nil, errors.New("the seeds are not looked at")
}

func (s slowStore) Seed(context.Context, []facade.SeedBatch) error { return nil }

// TestStoresArePreparedBesideSurfaces starts a gateway whose store is prepared only once a surface
// is being built, and looks at what a start says where either fails, or both: always the same,
// and no seed is written.
func TestStoresArePreparedBesideSurfaces(t *testing.T) {
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
		{disk, fields, "the disk is full"},
		{nil, nil, "the seeds are not looked at"},
	} {
		building, seeded := make(chan struct{}), false
		store := slowStore{seeded: &seeded, prepare: func() error {
			select {
			case <-building:
				return c.store
			case <-time.After(time.Minute):
				return errors.New("no surface is built before the store is prepared")
			}
		}}
		_, err := gateway.New(folderOf(t, files), quiet(gateway.Options{Store: store, Extend: func(*projection.Builder) error {
			close(building)
			return c.surface
		}}))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the store fails with %v and a surface with %v: %v", c.store, c.surface, err)
		}
		if failed := c.store != nil || c.surface != nil; seeded == failed {
			t.Errorf("seeds were looked at: %v", seeded)
		}
	}
}
