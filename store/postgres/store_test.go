package postgres_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{NoNUL: true, PlainZero: true, Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, postgres.Options{URL: pgtest.Database(t), Statement: -1}, entities)
	}})
}

func TestStorePooled(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{Few: true, NoNUL: true, PlainZero: true, Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		url := with(pgtest.Pooled(t, pgtest.Database(t), 8), "pool=transaction")
		return open(t, postgres.Options{URL: url, Statement: -1}, entities)
	}})
}

// with adds a parameter to a URL.
func with(url, parameter string) string {
	if strings.Contains(url, "?") {
		return url + "&" + parameter
	}
	return url + "?" + parameter
}

// open is a store with tables for entities, closed at the end of the test.
func open(t testing.TB, opts postgres.Options, entities []*schema.Entity) *postgres.Store {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = quiet
	}
	if opts.Transaction == 0 {
		opts.Transaction = -1 // the machine may be busy
	}
	store, err := postgres.Open(opts)
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
