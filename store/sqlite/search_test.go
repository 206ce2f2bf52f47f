package sqlite

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/storetest"
)

// TestModulesComeWhenNeeded writes to a table that another store over the same file has made searchable, and
// searches it: a connection that reads gets the module with its first search, and had none before.
func TestModulesComeWhenNeeded(t *testing.T) {
	opts := Options{Path: t.TempDir() + "/store.db"}
	prepared := func(s *Store, searched bool) *schema.Entity {
		t.Helper()
		set := storetest.SearchCards(t)
		e := set.Entity("memo")
		if !searched {
			e.Search, set.Entity("note").Search = nil, nil
		}
		if err := s.Prepare(t.Context(), set.Entities); err != nil {
			t.Fatal(err)
		}
		return e
	}
	insert := func(s *Store, e *schema.Entity, id string) {
		t.Helper()
		row := facade.Record{{Name: "id", Value: []byte(`"` + id + `"`)}, {Name: "title", Value: []byte(`"tea"`)}, {Name: "body", Value: []byte("null")}}
		if _, err := s.Insert(t.Context(), e, []facade.Record{row}, nil, rows.NewLayout(nil)); err != nil {
			t.Fatal(err)
		}
	}
	modules := func(s *Store) (n int64) {
		err := s.db.Read(t.Context(), func(c *engine.Conn) (err error) {
			n, err = c.Number("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	older := internal(t, opts)
	prepared(older, false)
	_ = older.Close()
	older = internal(t, opts) // the tables are there: this start changes none
	memo := prepared(older, false)
	insert(older, memo, "a")

	newer := internal(t, opts)
	searched := prepared(newer, true)
	insert(older, memo, "b")
	if n := modules(newer); n != 0 {
		t.Error("a connection has the module although it has not searched")
	}
	q, _ := search.Parse("tea", "simple")
	q.Fields = []string{"title"}
	found, err := newer.Find(t.Context(), &facade.Find{
		Entity: searched, Select: rows.NewLayout([]string{"id"}), Where: &filter.Filter{Op: filter.Search, Search: q},
		Sort: []facade.SortKey{{Field: searched.Primary}}, Limit: 5,
	})
	if err != nil || found.Rows.Len() != 2 {
		t.Fatal(found, err)
	}
	if n := modules(newer); n != 1 {
		t.Error("the connection that has searched does not have the module")
	}
}
