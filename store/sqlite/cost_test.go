package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

const (
	albumCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  tracks: {x-kit: {role: {relation: {to: track, kind: many}}}}
required: [id, title]
x-kit-version: 1
`
	trackCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  albumId: {type: string, x-kit: {role: {relation: {to: album, kind: one}}}}
required: [id, title, albumId]
x-kit-version: 1
`
)

// music is twenty albums with any number of tracks.
type music struct {
	store        *Store
	album, track *schema.Entity
	statements   []facade.Statement // the latest ones
}

func newMusic(t testing.TB, opts Options, tracks int) *music {
	t.Helper()
	var sources []schema.Source
	for name, card := range map[string]string{"album": albumCard, "track": trackCard} {
		sources = append(sources, schema.Source{File: name + ".yaml", Name: name, Data: []byte(card)})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &music{album: set.Entity("album"), track: set.Entity("track")}
	opts.Trace = func(sql string, args ...any) {
		m.statements = append(m.statements, facade.Statement{Text: sql, Args: args})
	}
	m.store = internal(t, opts)
	if err := m.store.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	insert := func(e *schema.Entity, n int, row func(i int) string) {
		records := make([]facade.Record, n)
		for i := range records {
			for j, text := range strings.Split(row(i), " ") {
				records[i] = append(records[i], schema.Member{Name: e.Fields[j].Name, Value: json.RawMessage(`"` + text + `"`)})
			}
		}
		if _, err := m.store.Insert(t.Context(), e, records, nil, rows.NewLayout(nil)); err != nil {
			t.Fatal(err)
		}
	}
	insert(m.album, 20, func(i int) string { return fmt.Sprintf("a%02d album%d", i, i) })
	insert(m.track, tracks, func(i int) string { return fmt.Sprintf("t%06d title%d a%02d", i, i, i%20) })
	m.statements = nil
	return m
}

func (m *music) through(op filter.Op, e *schema.Entity, link string, subs ...*filter.Filter) *filter.Filter {
	return &filter.Filter{Op: op, Link: e.Relation(link), Sub: subs}
}

func (m *music) list(t testing.TB, e *schema.Entity, where *filter.Filter) (written int) {
	t.Helper()
	found, err := m.store.Find(t.Context(), &facade.Find{
		Entity: e, Select: rows.NewLayout([]string{"id"}), Where: where, Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 50, Count: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return found.Rows.Len()
}

// steps is the work of SQLite's machine since the last time.
func (m *music) steps() (n int) {
	_ = m.store.db.Read(context.Background(), func(c *engine.Conn) error {
		for st := range c.Raw().Stmts() {
			n += st.Status(sqlite3.STMTSTATUS_VM_STEP, true)
		}
		return nil
	})
	return n
}

// plan is how SQLite goes about the latest statement.
func (m *music) plan(t testing.TB) string {
	t.Helper()
	last := m.statements[len(m.statements)-1]
	var lines []string
	if err := m.store.db.Read(t.Context(), func(c *engine.Conn) error {
		st, _, err := c.Raw().Prepare("EXPLAIN QUERY PLAN " + last.Text)
		if err != nil {
			return err
		}
		for st.Step() {
			lines = append(lines, st.ColumnText(3))
		}
		return st.Close()
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// worst are filters through relations whose rows are shared by many.
func (m *music) worst() map[string]struct {
	entity *schema.Entity
	where  *filter.Filter
} {
	zzz := &filter.Filter{Op: filter.Contains, Field: m.track.Property("title"), Values: []any{"zzz"}}
	group := func(op filter.Op, subs ...*filter.Filter) *filter.Filter { return &filter.Filter{Op: op, Sub: subs} }
	siblings := func(op filter.Op) *filter.Filter {
		return m.through(filter.Some, m.track, "album", m.through(op, m.album, "tracks", zzz))
	}
	return map[string]struct {
		entity *schema.Entity
		where  *filter.Filter
	}{
		"some of the siblings":   {m.track, siblings(filter.Some)},
		"none of the siblings":   {m.track, siblings(filter.None)},
		"every one of them":      {m.track, siblings(filter.Every)},
		"in an alternative":      {m.track, group(filter.Or, siblings(filter.Some), siblings(filter.None))},
		"negated":                {m.track, group(filter.Not, siblings(filter.Some))},
		"down, up and down":      {m.album, m.through(filter.Some, m.album, "tracks", siblings(filter.Some))},
		"and once more":          {m.album, m.through(filter.None, m.album, "tracks", m.through(filter.Some, m.track, "album", m.through(filter.Every, m.album, "tracks", siblings(filter.None))))},
		"what most of them meet": {m.album, m.through(filter.None, m.album, "tracks", zzz)},
	}
}

// TestRelationsAreComputedOnce checks that a filter through relations costs work in
// proportion to the rows: four times the rows, four times the steps.
func TestRelationsAreComputedOnce(t *testing.T) {
	small, large := newMusic(t, Options{Memory: true}, 1000), newMusic(t, Options{Memory: true}, 4000)
	for name, q := range small.worst() {
		small.steps()
		small.list(t, q.entity, q.where)
		few := small.steps()
		if plan := small.plan(t); strings.Contains(plan, "CORRELATED") {
			t.Errorf("%s: a subquery is run for every row:\n%s", name, plan)
		}
		q = large.worst()[name]
		large.steps()
		large.list(t, q.entity, q.where)
		if many := large.steps(); many > 5*few {
			t.Errorf("%s: %d steps over 1,000 rows, %d over 4,000", name, few, many)
		}
	}
}

// TestRowsOfKeysAreProbed checks that a condition of one row, or of the rows of
// given keys, does not compute what all rows would need.
func TestRowsOfKeysAreProbed(t *testing.T) {
	m := newMusic(t, Options{Memory: true}, 4000)
	zzz := &filter.Filter{Op: filter.Eq, Field: m.track.Property("title"), Values: []any{"title19"}}
	some := m.through(filter.Some, m.album, "tracks", zzz)
	is := &filter.Filter{Op: filter.Eq, Field: m.album.Primary, Values: []any{"a19"}}
	layout := rows.NewLayout([]string{"id"})
	check := func(what string, want, got, most int, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Fatalf("%s: %d rows, %v", what, got, err)
		}
		if n := m.steps(); n > most {
			t.Errorf("%s: %d steps, want %d at most; the plan:\n%s", what, n, most, m.plan(t))
		}
	}
	m.steps()
	found, err := m.store.Find(t.Context(), &facade.Find{Entity: m.album, Select: layout, Where: &filter.Filter{Op: filter.And, Sub: []*filter.Filter{some, is}}, Sort: []facade.SortKey{{Field: m.album.Primary}}, Limit: 1})
	check("one row", 1, found.Rows.Len(), 200, err)
	found, err = m.store.Find(t.Context(), &facade.Find{Entity: m.album, Select: layout, Where: some, Limit: 1, Each: &facade.EachKey{Field: m.album.Primary, Values: []json.RawMessage{[]byte(`"a19"`)}}})
	check("rows of keys", 1, found.Rows.Len(), 200, err)
	rows, err := m.store.Update(t.Context(), m.album, []byte(`"a19"`), some, nil, nil, layout)
	check("a row to look at before it is written", 1, rows.Len(), 200, err)
}
