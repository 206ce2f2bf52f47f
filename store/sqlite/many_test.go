package sqlite_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

func TestMany(t *testing.T) {
	storetest.RunMany(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, sqlite.Options{Path: t.TempDir() + "/store.db"}, entities)
	}})
}

func TestRehearsals(t *testing.T) {
	storetest.RunRehearsals(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, sqlite.Options{Path: t.TempDir() + "/store.db"}, entities)
	}})
}
