package sqlite_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

func TestPlansOfChanges(t *testing.T) {
	storetest.RunMigrations(t, "testdata/plans.txt", func(t testing.TB) storetest.Migrator {
		return open(t, sqlite.Options{Memory: true, Statement: -1}, nil)
	})
}

func TestEndedRenames(t *testing.T) {
	storetest.RunEndedRenames(t, func(t testing.TB) storetest.Migrator {
		return open(t, sqlite.Options{Memory: true, Statement: -1}, nil)
	})
}

func TestRandomMigrations(t *testing.T) {
	storetest.RunRandomMigrations(t, 7, 300, func(t testing.TB) storetest.Migrator {
		return open(t, sqlite.Options{Memory: true, Statement: -1}, nil)
	})
}

// TestMigrationKilled kills the process of a migration at random moments: the file is then what
// it was, and the next one begins anew.
func TestMigrationKilled(t *testing.T) {
	path := t.TempDir() + "/store.db"
	storetest.RunKilledMigrations(t, func(t testing.TB) storetest.Migrator {
		store, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Logger: quiet, Statement: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}, "TestMigrationKilledChild", []string{"FROND_MIGRATION_STORE=" + path}, func() {
		query(t, path, "PRAGMA integrity_check", func(row []string) {
			if row[0] != "ok" {
				t.Fatal(row)
			}
		})
		query(t, path, `SELECT count(*) FROM thing`, func(row []string) {
			if row[0] != fmt.Sprint(storetest.KilledRows()) {
				t.Fatal("rows are", row[0])
			}
		})
	})
}

// TestMigrationKilledChild is the process that is killed.
func TestMigrationKilledChild(t *testing.T) {
	path := os.Getenv("FROND_MIGRATION_STORE")
	if path == "" {
		t.Skip("it is a part of TestMigrationKilled")
	}
	store, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	storetest.MigrateKilled(t, store)
}

func TestSearchMigrations(t *testing.T) {
	storetest.RunSearchMigrations(t, func(t testing.TB) storetest.Migrator {
		return open(t, sqlite.Options{Memory: true, Statement: -1}, nil)
	})
}
