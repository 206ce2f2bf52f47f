package sqlite

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// TestStatementsHaveABudget checks that a statement which runs longer than it may is
// answered with the limit's name, and costs nobody else anything.
func TestStatementsHaveABudget(t *testing.T) {
	m := newMusic(t, Options{Path: t.TempDir() + "/store.db", Readers: 1}, 4000)
	worst := m.worst()["and once more"].where
	find := func() (int, error) {
		found, err := m.store.Find(t.Context(), &facade.Find{
			Entity: m.album, Select: facade.NewLayout([]string{"id"}), Where: worst, Sort: []facade.SortKey{{Field: m.album.Primary}}, Limit: 50, Count: true,
		})
		if err != nil {
			return 0, err
		}
		return found.Rows.Len(), nil
	}
	spent := func(what string, err error) {
		t.Helper()
		var e *facade.Error
		if !errors.As(err, &e) || e.Code != facade.UnprocessableEntity {
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
	_, err = m.store.Delete(t.Context(), m.album, []byte(`"a07"`), m.through(facade.None, m.album, "tracks", worst.Sub[0]), nil)
	spent("a write", err)
	limit(time.Hour)
	if n, err := find(); n != 0 || err != nil {
		t.Errorf("with time enough: %d rows of none, %v", n, err)
	}
	if total := m.total(t, m.album); total != 20 {
		t.Errorf("the write that was interrupted left %d rows of 20", total)
	}
}

// TestShortReads checks which reads may use the connections that are kept.
func TestShortReads(t *testing.T) {
	m := newMusic(t, Options{Memory: true}, 10)
	is := &facade.Filter{Op: facade.Eq, Field: m.track.Primary, Values: []any{"t000001"}}
	title := &facade.Filter{Op: facade.Eq, Field: m.track.Property("title"), Values: []any{"title1"}}
	text := &facade.Filter{Op: facade.Contains, Field: m.track.Property("title"), Values: []any{"1"}}
	both := func(a, b *facade.Filter) *facade.Filter {
		return &facade.Filter{Op: facade.And, Sub: []*facade.Filter{a, b}}
	}
	up := m.through(facade.Some, m.track, "album", &facade.Filter{Op: facade.Eq, Field: m.album.Property("title"), Values: []any{"album1"}})
	down := m.through(facade.Some, m.track, "album", m.through(facade.Some, m.album, "tracks", title))
	by := func(name string) []facade.SortKey { return []facade.SortKey{{Field: m.track.Property(name)}} }
	each := &facade.EachKey{Field: m.track.Property("albumId")}
	for _, c := range []struct {
		what string
		q    facade.Find
		want bool
	}{
		{"a row by its key", facade.Find{Where: is}, true},
		{"a row by its key, if it meets anything", facade.Find{Where: both(down, is)}, true},
		{"a page", facade.Find{Sort: by("id")}, true},
		{"a page by an index", facade.Find{Sort: by("albumId")}, true},
		{"a page that has to be sorted", facade.Find{Sort: by("title")}, false},
		{"a page far behind", facade.Find{Sort: by("id"), Offset: 5000}, false},
		{"a page with a filter", facade.Find{Sort: by("id"), Where: title}, false},
		{"rows of keys", facade.Find{Each: each}, true},
		{"rows of keys and their totals", facade.Find{Each: each, Count: true}, true},
		{"rows of keys with a condition", facade.Find{Each: each, Where: both(title, up)}, true},
		{"their totals", facade.Find{Each: each, Where: title, Count: true}, false},
		{"rows of keys that are searched", facade.Find{Each: each, Where: text}, false},
		{"rows of keys through many", facade.Find{Each: each, Where: down}, false},
	} {
		c.q.Entity = m.track
		tb, err := m.store.table(m.track)
		if err != nil {
			t.Fatal(err)
		}
		r := &reading{store: m.store, table: tb}
		if err := r.Begin(&tb.Table, &c.q, facade.MeterOf(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := r.Short(tb.led); got != c.want {
			t.Errorf("%s is short: %v", c.what, got)
		}
	}
}
