package postgres_test

import (
	"os"
	"testing"

	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

func TestPlansOfChanges(t *testing.T) {
	storetest.RunMigrations(t, "testdata/plans.txt", func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
}

func TestRandomMigrations(t *testing.T) {
	storetest.RunRandomMigrations(t, 7, 60, func(t testing.TB) storetest.Migrator {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, nil)
	})
}

// TestMigrationKilled kills the process of a migration at random moments: what it has left is
// finished or removed by the next one. Its lease, which would end after 30 seconds, is removed
// at once.
func TestMigrationKilled(t *testing.T) {
	url := pgtest.Database(t)
	storetest.RunKilledMigrations(t, func(t testing.TB) storetest.Migrator {
		store, err := postgres.Open(postgres.Options{URL: url, Logger: quiet, Statement: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}, "TestMigrationKilledChild", []string{"FROND_MIGRATION_STORE=" + url}, func() {
		db, err := engine.Open(engine.Options{URL: url, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Once(t.Context(), engine.SQL("DELETE FROM frond.lease")); err != nil {
			t.Fatal(err)
		}
	})
}

// TestMigrationKilledChild is the process that is killed.
func TestMigrationKilledChild(t *testing.T) {
	url := os.Getenv("FROND_MIGRATION_STORE")
	if url == "" {
		t.Skip("it is a part of TestMigrationKilled")
	}
	store, err := postgres.Open(postgres.Options{URL: url, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	storetest.MigrateKilled(t, store)
}
