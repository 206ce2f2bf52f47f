package postgres

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqltext"
)

// planRows is how many rows TestPagesReadLittle has; make plans has a million.
var planRows = flag.Int("rows", 60_000, "how many rows the table of TestPagesReadLittle has")

// track is a table whose orders have long runs of equal values and of nulls: ten levels, half of
// the names null, and one row in a thousand without a date.
const track = `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  level: {type: integer, x-kit: {role: {index: true}}}
  name: {type: [string, 'null'], x-kit: {role: {index: true}}}
  at: {type: [string, 'null'], format: date-time, x-kit: {role: {index: true}}}
  note: {type: string}
required: [id, level, name, at, note]
x-kit-version: 1
`

// planned is a store over a table of tracks, and the latest statement.
type planned struct {
	*Store
	url   string
	track *schema.Entity
	sql   string
	args  []any
	scans int // how many statements have been a [scan]
}

func newPlanned(t testing.TB, rows int, searched ...string) *planned {
	t.Helper()
	set := compiled(t, "track", track)
	e := set.Entity("track")
	if len(searched) > 0 {
		var fields []schema.SearchField
		for _, name := range searched {
			fields = append(fields, schema.SearchField{Property: e.Property(name), Weight: 'A'})
		}
		e.SetSearch("english", fields)
	}
	p := observed(t, set)
	p.track = e
	p.run(t, `ALTER TABLE track SET UNLOGGED`, fmt.Sprintf(`INSERT INTO track SELECT i, i %% 10, CASE WHEN i %% 2 = 0 THEN 'n' || (i * 7919::bigint) %% %[1]d END,
		CASE WHEN i %% 1000 > 0 THEN timestamptz '2024-01-01Z' + i * interval '1 minute' END, 'a note of ordinary length' FROM generate_series(1, %[1]d) AS i`, rows),
		`VACUUM (ANALYZE) track`)
	return p
}

// TestFieldCalledRank: rows with a field called rank are searched, and sorted by the field alone.
func TestFieldCalledRank(t *testing.T) {
	set := compiled(t, "team", `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  rank: {type: integer}
required: [id, name, rank]
x-kit-version: 1
`)
	e := set.Entity("team")
	e.SetSearch("english", []schema.SearchField{{Property: e.Property("name"), Weight: 'A'}})
	p := observed(t, set)
	p.run(t, `INSERT INTO team VALUES ('a', 'red foxes', 2), ('b', 'red deer', 1), ('c', 'owls', 0)`)
	q, _ := search.Parse("red", "english")
	q.Fields = []string{"name"}
	found, err := p.Find(t.Context(), &facade.Find{
		Entity: e, Select: rows.NewLayout([]string{"id"}), Limit: 9,
		Where: &filter.Filter{Op: filter.Search, Search: q}, Sort: []facade.SortKey{{Field: e.Property("rank")}, {Field: e.Primary}},
	})
	if err != nil || found.Rows.Len() != 2 || string(found.Rows.Row(0).At(0)) != `"b"` {
		t.Errorf("found %v, %v", found, err)
	}
}

// TestSystemColumns: a field that PostgreSQL has no column for is a fault that names the field.
func TestSystemColumns(t *testing.T) {
	set := compiled(t, "team", `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  xmin: {type: integer}
required: [id]
x-kit-version: 1
`)
	_, err := newTables(set.Entities, "public", migration.DefaultNames(naming))
	if err == nil || !strings.Contains(err.Error(), "rename the field xmin") {
		t.Errorf("the error is %v", err)
	}
}

// newObserved opens a store for cards, given as name and YAML, that notes its latest query.
func newObserved(t testing.TB, cards ...string) (*planned, *schema.Set) {
	t.Helper()
	set := compiled(t, cards...)
	return observed(t, set), set
}

// compiled compiles cards, given as name and YAML.
func compiled(t testing.TB, cards ...string) *schema.Set {
	t.Helper()
	var sources []schema.Source
	for i := 0; i < len(cards); i += 2 {
		sources = append(sources, schema.Source{File: cards[i] + ".yaml", Name: cards[i], Data: []byte(cards[i+1])})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// observed opens a store that notes its latest query.
func observed(t testing.TB, set *schema.Set) (p *planned) {
	t.Helper()
	p = &planned{url: pgtest.Database(t)}
	var err error
	p.Store, err = Open(Options{URL: p.url, Statement: -1, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Trace: func(sql string, args ...any) {
		if strings.HasPrefix(sql, "SELECT") || strings.HasPrefix(sql, "(SELECT") {
			p.sql, p.args = sql, args
			if sql == string(unsorted) {
				p.scans++
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if err := p.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs SQL, each text by itself.
func (p *planned) run(t testing.TB, texts ...string) {
	t.Helper()
	if err := p.db.Maintain(t.Context(), func(c *engine.Conn) error {
		for _, text := range texts {
			if err := c.Exec(text); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// plan is a node of what EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) says.
type plan struct {
	Type    string  `json:"Node Type"`
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
	Recheck float64 `json:"Rows Removed by Index Recheck"`
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Plans   []plan  `json:"Plans"`
}

// read is how many rows the scans of a plan have looked at.
func (p *plan) read() (n float64) {
	if strings.HasSuffix(p.Type, "Scan") && p.Type != "Subquery Scan" && p.Type != "Function Scan" {
		n = (p.Rows + p.Removed + p.Recheck) * p.Loops
	}
	for i := range p.Plans {
		n += p.Plans[i].read()
	}
	return n
}

// explain runs the latest statement once more and returns how it was run, in the given
// plan_cache_mode: by a plan for these values, or for any.
func (p *planned) explain(t *testing.T, mode string) (plan, string) {
	t.Helper()
	values := make([]string, len(p.args))
	for i, v := range p.args {
		if values[i] = "NULL"; v != nil {
			values[i] = literal(v.(string))
		}
	}
	execute := "EXECUTE latest"
	if len(values) > 0 {
		execute += "(" + strings.Join(values, ", ") + ")"
	}
	var text string
	sql := p.sql
	if err := p.db.Maintain(t.Context(), func(c *engine.Conn) error {
		if err := c.Exec("SET plan_cache_mode = " + mode + "; PREPARE latest AS " + sql); err != nil {
			return err
		}
		err := c.Run(&engine.Query{Text: []byte("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + execute), Row: func(row [][]byte) error {
			text = string(row[0])
			return nil
		}})
		if err != nil {
			return err
		}
		return c.Exec("DEALLOCATE latest; RESET plan_cache_mode; RESET enable_sort")
	}); err != nil {
		t.Fatal(sql, err)
	}
	var plans []struct{ Plan plan }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan, text
}

// TestPagesReadLittle reads pages in every order that an index has, from every kind of place in
// it, forwards and backwards: a page reads a small multiple of its limit, however many rows
// there are and however many are equal.
func TestPagesReadLittle(t *testing.T) {
	p := newPlanned(t, *planRows)
	const limit = 20
	n := *planRows
	field := p.track.Property
	date := func(i int) string {
		return fmt.Sprintf(`"2024-%02d-%02dT00:00:00.000Z"`, 1+i%12, 1+i%28)
	}
	id := func(i int) json.RawMessage { return json.RawMessage(fmt.Sprint(i)) }
	text := func(s string) json.RawMessage { return json.RawMessage(s) }
	tried := 0
	for _, order := range []struct {
		field  string
		places [][]json.RawMessage
	}{
		{"", [][]json.RawMessage{{id(1)}, {id(n / 2)}, {id(n)}}},
		{"level", [][]json.RawMessage{{text("0"), id(10)}, {text("5"), id(n / 2)}, {text("9"), id(n - 1)}, {text("4"), id(n)}}},
		{"name", [][]json.RawMessage{{text("null"), id(1)}, {text("null"), id(n / 2)}, {text("null"), id(n)}, {text(`"n5"`), id(n / 2)}, {text(`"a"`), id(1)}, {text(`"z"`), id(1)}}},
		{"at", [][]json.RawMessage{{text("null"), id(1000)}, {text("null"), id(n)}, {text(`"2024-01-01T00:05:00.000Z"`), id(5)}, {text(date(5)), id(n / 2)}, {text(`"2023-01-01T00:00:00.000Z"`), id(1)}, {text(`"2999-01-01T00:00:00.000Z"`), id(1)}}},
	} {
		for _, desc := range []bool{false, true} {
			for _, backward := range []bool{false, true} {
				keys := []facade.SortKey{{Field: p.track.Primary, Desc: desc}}
				if order.field != "" {
					keys = append([]facade.SortKey{{Field: field(order.field), Desc: desc}}, keys...)
				}
				for _, from := range append(order.places, nil) {
					for _, count := range []int{0, 1} {
						q := &facade.Find{Entity: p.track, Select: rows.NewLayout([]string{"id", "note"}), Sort: keys, Limit: limit, Backward: backward, From: from, Including: count == 1 && from != nil}
						if _, err := p.Find(t.Context(), q); err != nil {
							t.Fatal(err)
						}
						for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
							root, text := p.explain(t, mode)
							tried++
							if read := root.read(); read > 4*limit {
								t.Errorf("by %s, descending %v, backward %v, from %s, %s: %.0f rows were read for %d\n%s\n%s", order.field, desc, backward, from, mode, read, limit, p.sql, text)
							}
							if blocks := root.Hit + root.Read; blocks > 6*limit {
								t.Errorf("by %s, descending %v, backward %v, from %s, %s: %d blocks\n%s\n%s", order.field, desc, backward, from, mode, blocks, p.sql, text)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d plans over %d rows", tried, n)
}

// TestLongListsReadTheirRows: a page of the rows whose field is one of many values reads those
// rows by the plan for any values, which a connection keeps while the table grows.
func TestLongListsReadTheirRows(t *testing.T) {
	const size, listed = 6_000, 300
	p := newPlanned(t, size)
	where := &filter.Filter{Op: filter.In, Field: p.track.Property("name")}
	for i := range listed {
		where.Values = append(where.Values, fmt.Sprint("n", i))
	}
	found, err := p.Find(t.Context(), &facade.Find{
		Entity: p.track, Select: rows.NewLayout([]string{"id"}), Where: where, Sort: []facade.SortKey{{Field: p.track.Primary}}, Limit: listed,
	})
	if err != nil || found.Rows.Len() != listed/2 { // the odd ones have no name
		t.Fatal(found, err)
	}
	if root, text := p.explain(t, "force_generic_plan"); root.read() > 2*listed {
		t.Errorf("%.0f rows were read for %d\n%s\n%s", root.read(), found.Rows.Len(), p.sql, text)
	}
}

// TestPagesEndAtACursor reads the few rows between two cursors that stand among many equal
// rows: what is behind the second one is not read.
func TestPagesEndAtACursor(t *testing.T) {
	p := newPlanned(t, 20_000)
	place := func(id string) []json.RawMessage { return []json.RawMessage{[]byte("5"), []byte(id)} }
	for _, desc := range []bool{false, true} {
		q := &facade.Find{
			Entity: p.track, Select: rows.NewLayout([]string{"id"}), Limit: 20, From: place("10005"), Until: place("10055"),
			Sort: []facade.SortKey{{Field: p.track.Property("level"), Desc: desc}, {Field: p.track.Primary, Desc: desc}},
		}
		if desc {
			q.From, q.Until = q.Until, q.From
		}
		found, err := p.Find(t.Context(), q)
		if err != nil || found.Rows.Len() != 4 || found.More {
			t.Fatal(found, err)
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			if root, text := p.explain(t, mode); root.read() > 20 {
				t.Errorf("descending %v, %s: %.0f rows were read\n%s\n%s", desc, mode, root.read(), p.sql, text)
			}
		}
	}
}

// TestSearchesReadLittle searches for words of a few rows: their index leads to them in a page by key and by
// rank, in a total, and beside another condition.
func TestSearchesReadLittle(t *testing.T) {
	p := newPlanned(t, 20_000, "name", "note")
	byID := []facade.SortKey{{Field: p.track.Primary}}
	byRank := []facade.SortKey{{Field: p.track.Search.Rank, Desc: true}, {Field: p.track.Primary}}
	level := &filter.Filter{Op: filter.Eq, Field: p.track.Property("level"), Values: []any{int64(4)}}
	for _, c := range []struct {
		what, text string
		q          facade.Find
		found      int
		entries    float64 // of another index
	}{
		{"a word", "n14", facade.Find{Sort: byID}, 1, 0},
		{"a word without another", "n14 -nothing", facade.Find{Sort: byID}, 1, 0},
		{"one of two words", "n14 or n16", facade.Find{Sort: byID}, 2, 0},
		{"the beginning of a word", "n199*", facade.Find{Sort: byID}, 55, 0},
		{"by rank", "n14 or n16", facade.Find{Sort: byRank}, 2, 0},
		{"a total", "n14 or n16", facade.Find{Sort: byID, Count: true}, 2, 0},
		{"beside a condition", "n14 or n16", facade.Find{Sort: byID, Where: level}, 1, 2_000},
	} {
		q, _ := search.Parse(c.text, "english")
		q.Fields = []string{"name", "note"}
		c.q.Entity, c.q.Select, c.q.Limit = p.track, rows.NewLayout([]string{"id", "name"}), 60
		c.q.Where = filter.Both(c.q.Where, &filter.Filter{Op: filter.Search, Search: q})
		if c.q.Sort[0].Field == p.track.Search.Rank {
			c.q.Rank = q
		}
		found, err := p.Find(t.Context(), &c.q)
		if err != nil || found.Rows.Len() != c.found {
			t.Fatal(c.what, found.Rows.Len(), err)
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			root, text := p.explain(t, mode)
			if most := float64(8*c.found+8) + c.entries; root.read() > most || !strings.Contains(text, sqltext.SearchMark) {
				t.Errorf("%s, %s: %.0f rows were read\n%s\n%s", c.what, mode, root.read(), p.sql, text)
			}
		}
	}
}

// TestRowsOfKeysReadLittle reads the first rows of each of many keys: each reads about as many
// rows as it answers.
func TestRowsOfKeysReadLittle(t *testing.T) {
	p := newPlanned(t, 20_000)
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprint(7*i))
	}
	byID, back := []facade.SortKey{{Field: p.track.Primary}}, []facade.SortKey{{Field: p.track.Primary, Desc: true}}
	each := func(field string, values ...string) *facade.EachKey {
		key := &facade.EachKey{Field: p.track.Property(field)}
		for _, v := range values {
			key.Values = append(key.Values, json.RawMessage(v))
		}
		return key
	}
	for _, c := range []struct {
		what string
		q    facade.Find
		most float64
	}{
		{"rows of an index", facade.Find{Sort: byID, Limit: 5, Each: each("level", "1", "2", "77")}, 20},
		{"the last of them", facade.Find{Sort: back, Limit: 5, From: []json.RawMessage{[]byte("19000")}, Each: each("level", "1", "2", "77")}, 20},
		{"rows of many unique keys", facade.Find{Limit: 1, Each: each("id", many...)}, 200},
		{"rows of unique keys", facade.Find{Limit: 1, Each: each("id", "7", "19999", "123456")}, 3},
	} {
		c.q.Entity, c.q.Select = p.track, rows.NewLayout([]string{"id", "name"})
		if _, err := p.Find(t.Context(), &c.q); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
			if root, text := p.explain(t, mode); root.read() > c.most {
				t.Errorf("%s, %s: %.0f rows were read\n%s\n%s", c.what, mode, root.read(), p.sql, text)
			}
		}
	}
}

// TestPlansAreKept runs the statements of pages and of rows of keys until the server has chosen
// between a plan for their values and one for any: it keeps the latter, and plans no more.
func TestPlansAreKept(t *testing.T) {
	p := newPlanned(t, 20_000)
	byID := []facade.SortKey{{Field: p.track.Primary}}
	byAt := []facade.SortKey{{Field: p.track.Property("at"), Desc: true}, {Field: p.track.Primary, Desc: true}}
	each := func(field string, n int) *facade.EachKey {
		key := &facade.EachKey{Field: p.track.Property(field)}
		for i := range n {
			key.Values = append(key.Values, fmt.Appendf(nil, "%d", i+1))
		}
		return key
	}
	for _, q := range []facade.Find{
		{Limit: 1, Each: each("id", 1)},
		{Limit: 1, Each: each("id", 50)},
		{Limit: 10, Sort: byID, Each: each("level", 1)},
		{Limit: 10, Sort: byAt, Each: each("level", 9)},
		{Limit: 100, Sort: byID},
		{Limit: 100, Sort: byAt, From: []json.RawMessage{[]byte(`"2024-01-02T00:00:00.000Z"`), []byte("1440")}},
	} {
		q.Entity, q.Select = p.track, rows.NewLayout([]string{"id", "level", "name", "at", "note"})
		for range 10 {
			if _, err := p.Find(t.Context(), &q); err != nil {
				t.Fatal(err)
			}
		}
		text, kept := p.sql, ""
		if err := p.db.Maintain(t.Context(), func(c *engine.Conn) error { // the connection that was used last
			return c.Run(&engine.Query{
				Text: []byte("SELECT generic_plans FROM pg_prepared_statements WHERE statement = $1"), Values: [][]byte{[]byte(text)},
				Row: func(row [][]byte) error { kept = string(row[0]); return nil },
			})
		}); err != nil {
			t.Fatal(err)
		}
		if kept != "5" {
			t.Errorf("%q of 10 runs had the kept plan: %s", kept, text)
		}
	}
}
