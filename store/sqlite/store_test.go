package sqlite_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

func TestStoreInMemory(t *testing.T) {
	storetest.Run(t, storetest.Harness{Few: true, Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, sqlite.Options{Memory: true, Statement: -1}, entities)
	}})
}

func TestStoreInFile(t *testing.T) {
	storetest.Run(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, sqlite.Options{Path: t.TempDir() + "/store.db", Statement: -1}, entities)
	}})
}

// open is a store with tables for entities, closed at the end of the test.
func open(t testing.TB, opts sqlite.Options, entities []*schema.Entity) *sqlite.Store {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = quiet
	}
	if opts.Transaction == 0 {
		opts.Transaction = -1 // the machine may be busy
	}
	store, err := sqlite.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	if err := store.Prepare(t.Context(), entities); err != nil {
		t.Fatal(err)
	}
	return store
}
