package sqlite

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/turns"
)

// TestStatementsHaveABudget checks that a statement which runs longer than it may is
// answered with the limit's name, and costs nobody else anything.
func TestStatementsHaveABudget(t *testing.T) {
	m := newMusic(t, Options{Path: t.TempDir() + "/store.db", Readers: 1}, 4000)
	worst := m.worst()["and once more"].where
	find := func() (int, error) {
		found, err := m.store.Find(t.Context(), &facade.Find{
			Entity: m.album, Select: rows.NewLayout([]string{"id"}), Where: worst, Sort: []facade.SortKey{{Field: m.album.Primary}}, Limit: 50, Count: true,
		})
		if err != nil {
			return 0, err
		}
		return found.Rows.Len(), nil
	}
	spent := func(what string, err error) {
		t.Helper()
		var e *kiterror.Error
		if !errors.As(err, &e) || e.Code != kiterror.UnprocessableEntity {
			t.Fatalf("%s: the error is %v", what, err)
		}
		if diff := cmp.Diff(map[string]any{"limit": "limits.statement", "budget": "1ns"}, e.Details); diff != "" {
			t.Errorf("%s: the details (-want +got):\n%s", what, diff)
		}
	}
	limit := func(d time.Duration) {
		t.Helper()
		set := func(c *engine.Conn) error { c.Limit = d; return nil }
		if err := errors.Join(m.store.db.Read(t.Context(), set), m.store.db.Write(&engine.Op{Ctx: t.Context(), Alone: true, Run: set})); err != nil {
			t.Fatal(err)
		}
	}
	limit(time.Nanosecond)
	_, err := find()
	spent("a search", err)
	_, err = m.store.Delete(t.Context(), m.album, []byte(`"a07"`), m.through(filter.None, m.album, "tracks", worst.Sub[0]), nil)
	spent("a write", err)
	limit(time.Hour)
	if n, err := find(); n != 0 || err != nil {
		t.Errorf("with time enough: %d rows of none, %v", n, err)
	}
	if total := m.total(t, m.album); total != 20 {
		t.Errorf("the write that was interrupted left %d rows of 20", total)
	}
}

// TestLanes checks that statements count on the indexes that the table has; the rules of lanes
// are tested in sqltext.
func TestLanes(t *testing.T) {
	m := newMusic(t, Options{Memory: true}, 10)
	by := func(names ...string) (keys []facade.SortKey) {
		for _, name := range names {
			keys = append(keys, facade.SortKey{Field: m.track.Property(name)})
		}
		return keys
	}
	albums := &facade.EachKey{Field: m.track.Property("albumId"), Values: make([]json.RawMessage, 20)}
	for _, c := range []struct {
		what string
		q    facade.Find
		want turns.Lane
	}{
		{"a page by the key", facade.Find{Sort: by("id"), Limit: 50}, turns.Short},
		{"a page by the index of a relation", facade.Find{Sort: by("albumId", "id"), Limit: 50}, turns.Short},
		{"a page that has to be sorted", facade.Find{Sort: by("title", "id"), Limit: 50}, turns.Search},
		{"few rows of parents", facade.Find{Each: albums, Sort: by("id"), Limit: 20}, turns.Short},
		{"many rows of parents", facade.Find{Each: albums, Sort: by("id"), Limit: 300}, turns.Search},
		{"first rows of parents that have to be sorted", facade.Find{Each: albums, Sort: by("title", "id"), Limit: 1}, turns.Search},
	} {
		c.q.Entity, c.q.Select = m.track, rows.NewLayout([]string{"id"})
		tb, err := m.store.table(m.track)
		if err != nil {
			t.Fatal(err)
		}
		r := &reading{store: m.store.access, table: tb}
		if err := r.Begin(&tb.Table, &c.q, budget.MeterOf(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := r.Lane(true); got != c.want {
			t.Errorf("%s: lane %d, want %d", c.what, got, c.want)
		}
	}
}
