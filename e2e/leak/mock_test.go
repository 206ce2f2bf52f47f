package leak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/frondhost/frond/cmd/frond/mockdata"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// TestGardensAreMocked: no card may fail to be mocked. Gardens without their code are
// filled with rows that are made up; the façade judges each as it is written, and
// every operation answers by its cards.
func TestGardensAreMocked(t *testing.T) {
	const rows = 12
	last := uint64(120)
	switch {
	case testing.Short():
		last = 15
	case raced:
		last = 40
	}
	for seed := uint64(1); seed <= last; seed++ {
		size := int(seed % 5)
		g := newGarden(newMaker(rand.New(rand.NewPCG(seed, 11))), size)
		if err := mocked(t, g, seed, rows); err != nil {
			t.Fatalf("garden %d of size %d: %v", seed, size, err)
		}
	}
}

func mocked(t *testing.T, g *garden, number uint64, rows int) error {
	t.Helper()
	ctx := context.Background()
	p := &facade.Project{Fronds: g.project(nil, false, hole{}).Fronds} // without handlers, presenters and the generator
	notes, err := mockdata.Fill(p, &mockdata.Options{Rows: rows, Seed: number})
	if err != nil || len(notes) > 0 {
		return fmt.Errorf("%w %v", err, notes)
	}
	store, err := sqlite.Open(ctx, sqlite.Options{Memory: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return err
	}
	defer store.Close()
	f, err := facade.New(storetest.Compiled(t, p), store, nil)
	if err != nil {
		return err
	}
	if err := store.Prepare(ctx, f.Catalog().Set.Entities); err != nil {
		return err
	}
	if _, err := seed.Write(ctx, f); err != nil {
		return err
	}
	for _, door := range f.Catalog().Fronds[0].Doors {
		page, err := facade.Do[struct{ Total int }](ctx, f, door.Name+".list", facade.Invocation{})
		if err != nil || page.Total != rows {
			return fmt.Errorf("%s.list: %d rows, want %d: %w", door.Name, page.Total, rows, err)
		}
		for _, op := range []string{"listRaw", "listCut"} {
			if all, err := facade.Do[[]json.RawMessage](ctx, f, door.Name+"."+op, facade.Invocation{}); err != nil || len(all) != rows {
				return fmt.Errorf("%s.%s: %d rows, want %d: %w", door.Name, op, len(all), rows, err)
			}
		}
		if all, err := facade.Do[facade.List[json.RawMessage]](ctx, f, door.Name+".getPage", facade.Invocation{}); err != nil || len(all.Items) != rows {
			return fmt.Errorf("%s.getPage: %d rows, want %d: %w", door.Name, len(all.Items), rows, err)
		}
	}
	return nil
}
