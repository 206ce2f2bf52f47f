package postgres_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

func TestMany(t *testing.T) {
	t.Parallel()
	storetest.RunMany(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, postgres.Options{URL: pgtest.Database(t)}, entities)
	}})
}

func TestRehearsals(t *testing.T) {
	t.Parallel()
	storetest.RunRehearsals(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, postgres.Options{URL: pgtest.Database(t)}, entities)
	}})
}
