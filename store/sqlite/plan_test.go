package sqlite_test

import (
	"testing"

	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

func TestPlansOfChanges(t *testing.T) {
	storetest.RunMigrations(t, "testdata/plans.txt", func(t testing.TB) storetest.Migrator {
		return open(t, sqlite.Options{Memory: true, Statement: -1}, nil)
	})
}
