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
	h := storetest.Harness{Few: true, NoNUL: true, PlainZero: true, Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		url := with(pgtest.Pooled(t, pgtest.Database(t), 8), "pool=transaction")
		return open(t, postgres.Options{URL: url, Statement: -1}, entities)
	}}
	if testing.Short() { // a pooler makes a difference where statements are prepared or belong together
		h.Only = []string{
			"insert", "relations hold", "pages by cursor", "many keys at once", "a caller who is gone", "writers and readers side by side",
			"a transaction is committed whole or not at all", "transactions within each other", "transfers keep the sum", "random reads against the reference store",
		}
	}
	storetest.Run(t, h)
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
