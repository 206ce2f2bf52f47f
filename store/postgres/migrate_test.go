package postgres_test

import (
	"testing"

	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

func TestPlansOfChanges(t *testing.T) {
	storetest.RunMigrations(t, "testdata/plans.txt", func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
}
