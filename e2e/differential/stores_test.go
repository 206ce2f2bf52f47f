package differential

import (
	"io"
	"log/slog"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// TestStoresAnswerAlike fills SQLite and PostgreSQL with the same random rows and reads both
// with the same random finds: rows, cursors, totals and groups are the same to the byte.
func TestStoresAnswerAlike(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	file := storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Statement: -1, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		if err := s.Prepare(t.Context(), entities); err != nil {
			t.Fatal(err)
		}
		return s
	}}
	server := storetest.Harness{NoNUL: true, Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		s, err := postgres.Open(postgres.Options{URL: pgtest.Database(t), Statement: -1, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		if err := s.Prepare(t.Context(), entities); err != nil {
			t.Fatal(err)
		}
		return s
	}}
	finds := 3000
	if testing.Short() {
		finds = 600
	}
	storetest.Compare(t, file, server, finds)
}
