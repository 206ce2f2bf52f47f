package sqltext_test

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
	"github.com/frondhost/frond/store/turns"
)

// trackEntity is the entity of tracks, each of an album.
func trackEntity(t *testing.T) *schema.Entity {
	t.Helper()
	set, err := schema.Compile([]schema.Source{
		{File: "album.json", Name: "album", Data: []byte(`{"type":"object","properties":{
			"id":{"type":"string","x-kit":{"role":{"primary":true}}},
			"tracks":{"x-kit":{"role":{"relation":{"to":"track","kind":"many"}}}}}}`)},
		{File: "track.json", Name: "track", Data: []byte(`{"type":"object","properties":{
			"id":{"type":"string","x-kit":{"role":{"primary":true}}},
			"slug":{"type":"string","x-kit":{"role":{"unique":[["slug"]]}}},
			"title":{"type":"string"},
			"year":{"type":"integer"},
			"albumId":{"type":"string","x-kit":{"role":{"relation":{"to":"album","kind":"one"}}}}}}`)},
	}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Entity("track")
}

// tableOf is a table with an index of its primary key and one for each list of fields.
func tableOf(e *schema.Entity, indexes ...[]string) *sqltext.Table {
	var columns []*sqltext.Column
	for _, p := range e.Fields {
		if p.Stored {
			columns = append(columns, &sqltext.Column{Prop: p, Name: p.Name, NotNull: true})
		}
	}
	table := sqltext.NewTable(e, e.Name, columns)
	for _, names := range indexes {
		var ix []*sqltext.Column
		for _, name := range names {
			ix = append(ix, table.Stored(e.Property(name)))
		}
		table.Indexes = append(table.Indexes, sqltext.Index{Columns: ix})
	}
	table.UseIndexes(false)
	return &table
}

// TestLane judges reads by their form: the same ones over a table with the indexes of its card,
// and over one without.
func TestLane(t *testing.T) {
	e := trackEntity(t)
	indexed, bare := tableOf(e, []string{"slug"}, []string{"albumId", "id"}, []string{"year", "id"}), tableOf(e)
	by := func(names ...string) (keys []facade.SortKey) {
		for _, name := range names {
			desc := name[0] == '-'
			if desc {
				name = name[1:]
			}
			keys = append(keys, facade.SortKey{Field: e.Property(name), Desc: desc})
		}
		return keys
	}
	each := func(field string, n int) *facade.EachKey {
		return &facade.EachKey{Field: e.Property(field), Values: make([]json.RawMessage, n)}
	}
	title := &filter.Filter{Op: filter.Contains, Field: e.Property("title"), Values: []any{"x"}}
	id := &filter.Filter{Op: filter.Eq, Field: e.Primary, Values: []any{"t1"}}
	siblings := &filter.Filter{Op: filter.Some, Link: e.Property("albumId").Link, Sub: []*filter.Filter{
		{Op: filter.Some, Link: e.Property("albumId").Link.Target.Property("tracks").Link, Sub: []*filter.Filter{title}},
	}}
	for _, c := range []struct {
		name string
		find facade.Find
		want turns.Lane // over the table with its indexes
		bare turns.Lane // over one that has only that of its primary key
	}{
		{"rows of ids", facade.Find{Each: each("id", 500), Limit: 1}, turns.Keyed, turns.Keyed},
		{"rows of ids, narrowed", facade.Find{Each: each("id", 500), Limit: 1, Where: title}, turns.Keyed, turns.Keyed},
		{"rows of ids, narrowed by all rows of another table", facade.Find{Each: each("id", 5), Limit: 1, Where: siblings}, turns.Search, turns.Search},
		{"rows of very many ids", facade.Find{Each: each("id", 1001), Limit: 1}, turns.Search, turns.Search},
		{"rows of slugs", facade.Find{Each: each("slug", 5), Limit: 1}, turns.Keyed, turns.Search},
		{"the row of one id", facade.Find{Where: id, Sort: by("id"), Limit: 1}, turns.Keyed, turns.Keyed},
		{"a page", facade.Find{Sort: by("id"), Limit: 500}, turns.Short, turns.Short},
		{"a page and a total that is kept", facade.Find{Sort: by("id"), Limit: 500, Count: true}, turns.Short, turns.Short},
		{"a page far behind", facade.Find{Sort: by("id"), Limit: 500, Offset: 500}, turns.Search, turns.Search},
		{"a page with a filter", facade.Find{Sort: by("id"), Limit: 5, Where: title}, turns.Search, turns.Search},
		{"a page in the order of an index", facade.Find{Sort: by("-year", "-id"), Limit: 50}, turns.Short, turns.Search},
		{"a page in an order that the index has in part", facade.Find{Sort: by("year", "title", "id"), Limit: 50}, turns.Search, turns.Search},
		{"a page in two directions", facade.Find{Sort: by("-year", "id"), Limit: 50}, turns.Search, turns.Search},
		{"a page in the order of a unique field", facade.Find{Sort: by("slug", "-title", "id"), Limit: 50}, turns.Short, turns.Search},
		{"pages of few parents", facade.Find{Each: each("albumId", 20), Sort: by("id"), Limit: 49}, turns.Short, turns.Search},
		{"pages of parents whose rows come to more", facade.Find{Each: each("albumId", 20), Sort: by("id"), Limit: 300}, turns.Search, turns.Search},
		{"first rows of parents in another order", facade.Find{Each: each("albumId", 20), Sort: by("title", "id"), Limit: 1}, turns.Search, turns.Search},
		{"totals of parents", facade.Find{Each: each("albumId", 2), Sort: by("id"), Count: true}, turns.Search, turns.Search},
		{"pages of parents with a filter", facade.Find{Each: each("albumId", 2), Sort: by("id"), Limit: 5, Where: title}, turns.Search, turns.Search},
	} {
		t.Run(c.name, func(t *testing.T) {
			lane := func(table *sqltext.Table, tallied bool) turns.Lane {
				find := c.find
				find.Entity, find.Select = table.Entity, rows.NewLayout([]string{"id"})
				var r sqltext.Reading
				if err := r.Begin(table, &find, budget.MeterOf(t.Context())); err != nil {
					t.Fatal(err)
				}
				return r.Lane(tallied)
			}
			if got := lane(indexed, true); got != c.want {
				t.Errorf("lane %d, want %d", got, c.want)
			}
			if got := lane(bare, true); got != c.bare {
				t.Errorf("without indexes: lane %d, want %d", got, c.bare)
			}
			if c.find.Count && lane(indexed, false) != turns.Search {
				t.Error("a total that has to be counted is no search")
			}
		})
	}
}
