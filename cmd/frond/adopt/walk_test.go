package adopt_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// walked is a column of another program that [TestWalkOfForeignColumns] walks.
type walked struct {
	name, typ string
	// values are SQL expressions of rows 1, 2, …; later values come when the project is made.
	values, later []string
	// refused are the words of steps that are refused by a message that names the column or its type.
	refused string
	// folds says that letters of both cases are equal.
	folds bool
}

// TestWalkOfForeignColumns: whatever a row of another program's table shows is found, excluded,
// ordered, paged by and grouped by as it is shown, for each type of column.
func TestWalkOfForeignColumns(t *testing.T) {
	t.Run("postgres", func(t *testing.T) { walkPostgres(t) })
	t.Run("sqlite", func(t *testing.T) { walkSQLite(t) })
}

func walkPostgres(t *testing.T) {
	address := pgtest.Database(t)
	columns := []walked{
		{name: "whole", typ: "integer", values: []string{"2", "-1", "2", "2147483647"}},
		{name: "small", typ: "smallint", values: []string{"2", "-1", "2", "32767"}},
		{name: "big", typ: "bigint", values: []string{"9007199254740993", "9007199254740992", "-1"}},
		{name: "single", typ: "real", values: []string{"0.1", "'NaN'", "'-Infinity'", "3", "'Infinity'", "'NaN'", "1e-7", "0.1"}},
		{name: "double", typ: "double precision", values: []string{"0.1", "'NaN'", "'-Infinity'", "3", "'Infinity'", "'NaN'", "1e-7", "0.1"}},
		{name: "exact", typ: "numeric", values: []string{"1.50", "'NaN'", "-2", "1.5", "'Infinity'", "9007199254740993.1", "'-Infinity'", "'NaN'"}},
		{name: "price", typ: "numeric(10,2)", values: []string{"1.50", "'NaN'", "-2", "1.5"}},
		{name: "yes", typ: "boolean", values: []string{"true", "false", "true"}},
		{name: "words", typ: "text", values: []string{"'b'", "'a'", "'B'", "''", "'a'", "'ä'", "'  '"}},
		{name: "short", typ: "varchar(10)", values: []string{"'b'", "'a'", "'B'", "''", "'a'"}},
		{name: "fixed", typ: "char(5)", values: []string{"'b'", "'a'", "'B'", "'a'"}},
		{name: "one", typ: `"char"`, values: []string{"'b'", "'a'", "'B'", "'a'"}},
		{name: "called", typ: "name", values: []string{"'b'", "'a'", "'B'", "'a'"}},
		{name: "folded", typ: "citext", values: []string{"'b'", "'a'", "'B'", "'A'", "'c'"}, folds: true},
		{name: "lax", typ: "text COLLATE lax", values: []string{"'b'", "'a'", "'B'", "'A'", "'c'"}, folds: true},
		{name: "mood", typ: "mood", values: []string{"'ok'", "'sad'", "'ok'", "'glad'"}},
		{name: "day", typ: "date", values: []string{"'2026-05-01'", "'infinity'", "'0044-03-15 BC'", "'2026-05-01'", "'-infinity'", "'0001-02-03 BC'", "'10000-01-01'", "'infinity'", "'9999-12-31'"}},
		{name: "at", typ: "timestamptz", values: []string{"'2026-05-01Z'", "'infinity'", "'0044-03-15Z BC'", "'2026-05-01Z'", "'-infinity'", "'0001-02-03 04:05:06.000007Z BC'", "'10000-01-01Z'", "'infinity'", "'2026-05-01 00:00:00.000001Z'"}},
		{name: "local", typ: "timestamp", values: []string{"'2026-05-01'", "'infinity'", "'0044-03-15 BC'", "'2026-05-01'", "'-infinity'", "'0001-02-03 04:05:06.000007 BC'", "'10000-01-01'"}},
		{name: "clock", typ: "time", values: []string{"'10:30'", "'24:00'", "'10:30:00.5'", "'10:30'"}},
		{name: "zoned", typ: "timetz", values: []string{"'10:30+02'", "'24:00+00'", "'10:30:00.5+02'", "'09:30+01'", "'08:00+05:30'"}},
		{name: "guid", typ: "uuid", values: []string{"'00000000-0000-0000-0000-00000000000b'", "'00000000-0000-0000-0000-00000000000A'", "'00000000-0000-0000-0000-00000000000b'"}},
		{name: "doc", typ: "jsonb", values: []string{`'{"a": 1}'`, "'[2]'", "'null'", "'1'"}, refused: "eq lt order group min"},
		{name: "raw", typ: "json", values: []string{`'{"a": 1}'`, "'[2]'", "'null'", "'1'"}, refused: "eq lt order group min"},
		{name: "list", typ: "int[]", values: []string{"'{1,2}'", "'{}'", "'{1,NULL}'"}, refused: "eq lt order group min"},
		{name: "cash", typ: "money", values: []string{"1.50::numeric", "-2", "10", "1.50::numeric", "1000000"}},
		{name: "host", typ: "inet", values: []string{"'10.0.0.10'", "'10.0.0.9'", "'10.0.0.9/8'", "'::1'", "'10.0.0.10'"}},
		{name: "net", typ: "cidr", values: []string{"'10.0.0.0/8'", "'9.0.0.0/8'", "'10.0.0.0/32'", "'::/0'", "'10.0.0.0/8'"}},
		{name: "span", typ: "interval", values: []string{"'1 hour'", "'-2 days'", "'10 hours'", "'1 hour'", "'24 hours'", "'1 mon'"}},
		{name: "numbers", typ: "int4range", values: []string{"'[2,9)'", "'[10,12)'", "'empty'", "'[2,9)'", "'(,3)'"}},
		{name: "days", typ: "daterange", values: []string{"'[2026-01-01,2026-02-01)'", "'[2025-01-01,infinity)'", "'empty'", "'[2026-01-01,2026-02-01)'"}},
		{name: "spans", typ: "int4multirange", values: []string{"'{[2,9)}'", "'{[10,12),[20,30)}'", "'{}'", "'{[2,9)}'"}},
		{name: "mac", typ: "macaddr", values: []string{"'08:00:2b:01:02:03'", "'08:00:2b:01:02:0a'", "'08:00:2b:01:02:03'"}},
		{name: "bits", typ: "bit(3)", values: []string{"'101'", "'010'", "'101'"}},
		{name: "flags", typ: "varbit", values: []string{"'101'", "'0101'", "'1'", "'101'", "''"}},
		{name: "markup", typ: "xml", values: []string{"'<b/>'", "'<a/>'", "'<b/>'"}, refused: "lt order group min"},
		{name: "tree", typ: "ltree", values: []string{"'a.b'", "'a'", "'a.B'", "'a.b'", "'a_b'"}},
		{name: "year", typ: "year", values: []string{"2001", "1901", "2001"}},
		{name: "email", typ: "email", values: []string{"'b'", "'a'", "'B'", "'A'"}, folds: true},
	}
	var b strings.Builder
	b.WriteString("CREATE EXTENSION citext; CREATE EXTENSION ltree; CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad'); CREATE DOMAIN year AS integer CHECK (VALUE >= 1901); CREATE DOMAIN email AS citext;\n" +
		"CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n")
	b.WriteString(tableOf(columns))
	b.WriteString(rowsOf(columns, func(c *walked) []string { return c.values }, 1))
	db, s := openPostgres(t, address, b.String())
	walk(t, db, s, columns)
}

// openPostgres runs SQL on a database, describes it and opens a store of it.
func openPostgres(t *testing.T, address, sql string) (*dbschema.Database, facade.Store) {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Describe(t.Context(), postgres.Options{URL: address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(postgres.Options{URL: address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return db, s
}

func walkSQLite(t *testing.T) {
	columns := []walked{
		{name: "whole", typ: "INTEGER", values: []string{"2", "-1", "2"}, later: []string{"'x'", "1.5", "x'00'", "7", "'y'", "5.0", "9007199254740993"}},
		{name: "bare", typ: "", values: []string{"2", "-1", "2"}, later: []string{"'x'", "1.5", "x'00'", "7", "'5'", "5.0", "9e999"}},
		{name: "big", typ: "BIGINT", values: []string{"9007199254740993", "9007199254740992", "-1"}},
		{name: "real", typ: "REAL", values: []string{"0.1", "-3", "9e999", "-9e999", "0.1"}, later: []string{"'x'", "x'00'"}},
		{name: "price", typ: "NUMERIC(10,2)", values: []string{"1.5", "9007199254740993", "9007199254740992", "-2", "1.5"}, later: []string{"'x'"}},
		{name: "serial", typ: "NUMERIC", values: []string{"2", "9007199254740993", "9007199254740992"}, later: []string{"1.5"}},
		{name: "yes", typ: "BOOLEAN", values: []string{"1", "0", "1"}, later: []string{"2", "'x'", "-1"}},
		{name: "words", typ: "TEXT", values: []string{"'b'", "'a'", "'B'", "''", "'a'", "'Z'", "'z'"}, later: []string{"x'00'", "5"}},
		{name: "folded", typ: "TEXT COLLATE NOCASE", values: []string{"'b'", "'a'", "'B'", "'A'", "'c'", "'Z'"}, folds: true},
		{name: "day", typ: "DATE", values: []string{"'2026-05-01'", "'2025-05-01'", "'2026-05-01'"}, later: []string{"'a day'", "5", "'2026-02-30'", "x'00'"}},
		{name: "at", typ: "DATETIME", values: []string{"'2026-05-01 10:00:00'", "'2025-05-01'", "'2026-05-01 10:00:00'"}, later: []string{"5"}},
		{name: "doc", typ: "JSON", values: []string{`'{"a":1}'`, "'[2]'"}, later: []string{"'x'"}, refused: "eq lt order group min"},
	}
	db, s := openSQLite(t, tableOf(columns)+rowsOf(columns, func(c *walked) []string { return c.values }, 1),
		rowsOf(columns, func(c *walked) []string { return c.later }, 20))
	walk(t, db, s, columns)
}

// openSQLite makes a file by SQL, describes it, runs the SQL that comes later and opens a store of it.
func openSQLite(t *testing.T, sql, later string) (*dbschema.Database, facade.Store) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "adopted.db")
	exec := func(sql string) {
		db, err := sqlite3.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		if err := db.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(sql)
	db, err := sqlite.Describe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	exec(later)
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Foreign: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return db, s
}

// tableOf makes the table of the columns.
func tableOf(columns []walked) string {
	sql := "CREATE TABLE thing (id INTEGER PRIMARY KEY"
	for _, c := range columns {
		sql += ", " + c.name + " " + c.typ
	}
	return sql + ");\n"
}

// rowsOf writes the rows of some values from the key first on, with nulls for the columns that have
// fewer, and a row of nulls behind them.
func rowsOf(columns []walked, values func(*walked) []string, first int) string {
	n := 0
	for i := range columns {
		n = max(n, len(values(&columns[i])))
	}
	var b strings.Builder
	for row := range n + 1 {
		fmt.Fprintf(&b, "INSERT INTO thing VALUES (%d", first+row)
		for i := range columns {
			if all := values(&columns[i]); row < len(all) {
				b.WriteString(", " + all[row])
			} else {
				b.WriteString(", NULL")
			}
		}
		b.WriteString(");\n")
	}
	return b.String()
}

// walk makes a project of a database and walks its table.
func walk(t *testing.T, db *dbschema.Database, store facade.Store, columns []walked) {
	f := adopted(t, db, store)
	for _, c := range columns {
		t.Run(c.name, func(t *testing.T) {
			w := &walker{t: t, f: f, c: c, shown: map[string]string{}}
			w.walk()
		})
	}
}

// adopted makes a project of a database, over a store of it.
func adopted(t *testing.T, db *dbschema.Database, store facade.Store) *facade.Facade {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range adopt.New(db, nil).Files() {
		if name, found := strings.CutPrefix(name, "fronds/app/"); found {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, project), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.(interface {
		Prepare(context.Context, []*schema.Entity) error
	}).Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	return f
}

// walker walks one column.
type walker struct {
	t *testing.T
	f *facade.Facade
	c walked
	// ids are the rows in the order of the column, and shown their values by id, as JSON.
	ids   []string
	shown map[string]string
}

// call answers the rows and the page of a call. A refusal is expected for the steps of c.refused, and
// names the column.
func (w *walker) call(step, op string, query map[string]any) *facade.Result {
	w.t.Helper()
	text, err := json.Marshal(query)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := w.f.Call(w.t.Context(), &facade.Call{Entity: "thing", Operation: op, Invocation: facade.Invocation{Query: text}})
	refused := slices.Contains(strings.Fields(w.c.refused), step)
	switch {
	case err == nil && !refused:
		return r
	case err == nil:
		w.t.Errorf("%s %s is not refused", op, text)
	case !refused || kiterror.CodeOf(err) == kiterror.InternalError || !strings.Contains(err.Error(), w.c.name):
		w.t.Errorf("%s %s: %v", op, text, err)
	}
	return nil
}

// rows lists the ids of a list.
func (w *walker) rows(step string, query map[string]any) (ids []string, ok bool) {
	w.t.Helper()
	query["limit"] = 100
	r := w.call(step, "list", query)
	if r == nil {
		return nil, false
	}
	return idsOf(r), true
}

// idsOf are the ids of the rows of a result.
func idsOf(r *facade.Result) (ids []string) {
	for i := range r.Rows.Len() {
		ids = append(ids, string(r.Rows.Row(i).Get("id")))
	}
	return ids
}

// class is what equal values have in common.
func (w *walker) class(value string) string {
	if w.c.folds {
		return strings.ToLower(value)
	}
	if number, ok := strings.CutPrefix(value, `"`); ok && (w.c.name == "exact" || w.c.name == "price") { // 1.50 is 1.5
		return `"` + strings.TrimRight(strings.TrimRight(strings.TrimSuffix(number, `"`), "0"), ".")
	}
	return value
}

// expect compares ids as sets with the rows that meet a condition.
func (w *walker) expect(what string, got []string, meets func(id string) bool) {
	w.t.Helper()
	var want []string
	for id := range w.shown {
		if meets(id) {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	got = slices.Sorted(slices.Values(got))
	if !slices.Equal(got, want) {
		w.t.Errorf("%s: rows %v, want %v of %v", what, got, want, w.shown)
	}
}

func (w *walker) walk() {
	t, name := w.t, w.c.name
	all := w.call("list", "list", map[string]any{"fields": "id," + name, "limit": 100})
	if all == nil {
		return
	}
	for i := range all.Rows.Len() {
		w.shown[string(all.Rows.Row(i).Get("id"))] = string(all.Rows.Row(i).Get(name))
	}
	values := slices.Sorted(maps.Values(w.shown))
	values = slices.Compact(slices.DeleteFunc(values, func(v string) bool { return v == "null" && name != "doc" && name != "raw" }))
	is := func(id string) string { return w.class(w.shown[id]) }
	filtered := func(step, op string, v any) {
		t.Helper()
		got, ok := w.rows(step, map[string]any{"fields": "id", "filter": map[string]any{name: map[string]any{op: v}}})
		if !ok {
			return
		}
		text := fmt.Sprint(v)
		if raw, ok := v.(json.RawMessage); ok {
			text = string(raw)
		}
		at := -1 // of the first row with this value
		if op != "in" && op != "notIn" {
			at = slices.IndexFunc(w.ids, func(id string) bool { return is(id) == w.class(text) })
		}
		place := func(id string) int {
			if is(id) == is(w.ids[at]) {
				return at
			}
			return slices.Index(w.ids, id)
		}
		has := w.shown
		w.expect(op+" "+text, got, func(id string) bool {
			switch op {
			case "isNull":
				return (has[id] == "null") == v.(bool)
			case "eq":
				return is(id) == w.class(text)
			case "ne":
				return is(id) != w.class(text)
			case "in":
				return is(id) == w.class(string(jsontext.Trim(v.([]json.RawMessage)[0])))
			case "notIn":
				return is(id) != w.class(string(jsontext.Trim(v.([]json.RawMessage)[0])))
			case "lt":
				return has[id] != "null" && place(id) < at
			case "lte":
				return has[id] != "null" && place(id) <= at
			case "gt":
				return has[id] != "null" && place(id) > at
			default:
				return has[id] != "null" && place(id) >= at
			}
		})
	}
	if name != "doc" && name != "raw" {
		filtered("isNull", "isNull", true)
		filtered("isNull", "isNull", false)
	}
	for i, v := range values {
		for _, op := range []string{"eq", "ne"} {
			filtered("eq", op, json.RawMessage(v))
		}
		for _, op := range []string{"in", "notIn"} {
			filtered("eq", op, []json.RawMessage{json.RawMessage(v)})
			if i == 0 { // a long list is another statement
				filtered("eq", op, slices.Repeat([]json.RawMessage{json.RawMessage(v)}, 20))
			}
		}
	}
	w.orders()
	if name == "yes" {
		w.c.refused += " lt min"
	}
	for _, v := range values {
		for _, op := range []string{"lt", "lte", "gt", "gte"} {
			if w.ids != nil || strings.Contains(w.c.refused, "lt") {
				filtered("lt", op, json.RawMessage(v))
			}
		}
	}
	w.groups()
}

// orders sorts by the column and pages both ways.
func (w *walker) orders() {
	name := w.c.name
	up, ok := w.rows("order", map[string]any{"fields": "id", "sort": name})
	if !ok {
		return
	}
	w.ids = up
	down, _ := w.rows("order", map[string]any{"fields": "id", "sort": "-" + name})
	slices.Reverse(down)
	if !slices.Equal(up, down) {
		w.t.Errorf("upwards %v, downwards reversed %v", up, down)
	}
	for _, sort := range []string{name, "-" + name} {
		for _, fields := range []string{"id", "id," + name} {
			want := slices.Clone(up)
			if sort != name {
				slices.Reverse(want)
			}
			for _, back := range []bool{false, true} {
				var got []string
				query := map[string]any{"fields": fields, "sort": sort, "limit": 2, "total": false}
				if back {
					query["before"] = ""
				}
				for pages := 0; ; pages++ {
					r, err := w.page(query)
					if err != nil || pages > len(want) {
						w.t.Fatalf("page %d %v: %v, got %v", pages, query, err, got)
					}
					ids := idsOf(r)
					if back {
						slices.Reverse(ids)
					}
					got = append(got, ids...)
					if back && !r.Page.HasPrevious || !back && !r.Page.HasMore {
						break
					}
					if back {
						query["before"] = r.Page.Cursors[0]
					} else {
						query["after"] = r.Page.EndCursor()
					}
				}
				if back {
					slices.Reverse(got)
				}
				if !slices.Equal(got, want) {
					w.t.Errorf("paged %v, backwards %v: %v, want %v", query["sort"], back, got, want)
				}
			}
		}
	}
}

func (w *walker) page(query map[string]any) (*facade.Result, error) {
	text, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	return w.f.Call(w.t.Context(), &facade.Call{Entity: "thing", Operation: "list", Cursors: true, Invocation: facade.Invocation{Query: text}})
}

// groups groups by the column, and reads its extremes.
func (w *walker) groups() {
	name := w.c.name
	want := map[string]int{}
	for id := range w.shown {
		want[w.class(w.shown[id])]++
	}
	got, pages := map[string]int{}, 0
	query := map[string]any{"by": name, "sort": name, "limit": 1}
	for {
		r := w.call("group", "aggregate", query)
		if r == nil {
			break
		}
		for i := range r.Rows.Len() {
			var group struct {
				Key   map[string]json.RawMessage
				Count int
			}
			row := r.Rows.Row(i).JSON()
			if err := json.Unmarshal(row, &group); err != nil {
				w.t.Fatalf("%s: %v", row, err)
			}
			got[w.class(string(group.Key[name]))] += group.Count
			pages++
		}
		if !r.Page.HasMore || pages > 100 {
			if !maps.Equal(got, want) || pages != len(want) {
				w.t.Errorf("groups in %d pages %v, want %v", pages, got, want)
			}
			break
		}
		query["after"] = r.Page.EndCursor()
	}
	first := func(ids []string) string {
		for _, id := range ids {
			if w.shown[id] != "null" {
				return w.class(w.shown[id])
			}
		}
		return "null"
	}
	if w.ids == nil && !strings.Contains(w.c.refused, "min") {
		return
	}
	r := w.call("min", "aggregate", map[string]any{"select": name + ".min," + name + ".max," + name + ".countDistinct"})
	if r == nil {
		return
	}
	var row map[string]struct {
		Min, Max      json.RawMessage
		CountDistinct int
	}
	if err := json.Unmarshal(r.Rows.Row(0).JSON(), &row); err == nil || row[name].Min != nil {
		down := slices.Clone(w.ids)
		slices.Reverse(down)
		delete(want, "null")
		if is := row[name]; w.class(string(is.Min)) != first(w.ids) || w.class(string(is.Max)) != first(down) || is.CountDistinct != len(want) {
			w.t.Errorf("extremes %s, want %s and %s of %d", r.Rows.Row(0).JSON(), first(w.ids), first(down), len(want))
		}
	}
}

// TestRelationsOfForeignKeys: a foreign key whose letters, blanks or form differ from those of its key leads
// to the row and back, as it does in the database; filters and searches by key agree.
func TestRelationsOfForeignKeys(t *testing.T) {
	const rows = `CREATE TABLE place (code {type} PRIMARY KEY, name text);
CREATE TABLE visit (id integer PRIMARY KEY, place_id {type} REFERENCES place (code));
CREATE INDEX visit_place ON visit (place_id);
INSERT INTO place VALUES ({key}, 'here'), ({other}, 'there');
INSERT INTO visit VALUES (1, {key}), (2, {written}), (3, {other}), (4, NULL);`
	type kind struct {
		typ, key, written, other string
		before                   string
	}
	check := func(t *testing.T, f *facade.Facade, k kind) {
		show := func(s string) string { return string(jsontext.Quote(strings.Trim(s, "'"))) }
		call := func(entity, op, query string, each *facade.Each) string {
			t.Helper()
			r, err := f.Call(t.Context(), &facade.Call{Entity: entity, Operation: op, Each: each, Invocation: facade.Invocation{Query: json.RawMessage(query)}})
			if err != nil {
				return err.Error()
			}
			out := ""
			if each == nil {
				for i := range r.Rows.Len() {
					out += string(r.Rows.Row(i).JSON())
				}
				return out
			}
			for _, g := range r.Groups {
				for i := g.From; i < g.To; i++ {
					out += string(r.Rows.Row(i).JSON())
				}
				out += ";"
			}
			return out
		}
		both := []json.RawMessage{json.RawMessage(show(k.written)), json.RawMessage(show(k.other)), json.RawMessage(`"zz"`), json.RawMessage(show(k.key))}
		for _, c := range []struct{ got, want string }{
			{call("place", "findById", `{"fields":"name"}`, &facade.Each{Field: "code", Keys: both}), `{"name":"here"};{"name":"there"};;{"name":"here"};`},
			{call("place", "findByIds", `{"fields":"name","ids":[`+show(k.written)+`,`+show(k.other)+`]}`, nil), `{"name":"here"}{"name":"there"}`},
			{call("visit", "list", `{"fields":"id","total":false}`, &facade.Each{Field: "placeId", Keys: both}), `{"id":1}{"id":2};{"id":3};;{"id":1}{"id":2};`},
			{call("visit", "list", `{"fields":"id","filter":{"placeId":{"eq":`+show(k.key)+`}}}`, nil), `{"id":1}{"id":2}`},
			{call("visit", "list", `{"fields":"id","filter":{"placeId":{"in":[`+show(k.key)+`]}}}`, nil), `{"id":1}{"id":2}`},
			{call("visit", "list", `{"fields":"id","filter":{"place":{"name":{"eq":"here"}}}}`, nil), `{"id":1}{"id":2}`},
			{call("visit", "list", `{"fields":"id","sort":"place.name,id"}`, nil), `{"id":4}{"id":1}{"id":2}{"id":3}`},
			{call("place", "list", `{"fields":"name","sort":"name","filter":{"visits":{"some":{"id":{"gte":2}}}}}`, nil), `{"name":"here"}{"name":"there"}`},
			{call("place", "list", `{"fields":"name","sort":"-visits.count"}`, nil), `{"name":"here"}{"name":"there"}`},
		} {
			if c.got != c.want {
				t.Errorf("got %s, want %s", c.got, c.want)
			}
		}
	}
	in := func(k kind) string {
		return k.before + strings.NewReplacer("{type}", k.typ, "{key}", k.key, "{written}", k.written, "{other}", k.other).Replace(rows)
	}
	for _, k := range []kind{
		{typ: "citext", key: "'Ann'", written: "'ANN'", other: "'Bob'", before: "CREATE EXTENSION citext;"},
		{typ: "email", key: "'Ann'", written: "'ANN'", other: "'Bob'", before: "CREATE EXTENSION citext; CREATE DOMAIN email AS citext;"},
		{typ: "text COLLATE lax", key: "'Ann'", written: "'ANN'", other: "'Bob'", before: "CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"},
		{typ: "char(5)", key: "'Ann'", written: "'Ann'", other: "'Bob'"},
		{typ: "inet", key: "'10.0.0.1'", written: "'10.0.0.1'", other: "'10.0.0.1/8'"},
		{typ: "interval", key: "'24:00:00'", written: "'24:00:00'", other: "'25:00:00'"},
	} {
		t.Run("postgres "+k.typ, func(t *testing.T) {
			db, s := openPostgres(t, pgtest.Database(t), in(k))
			check(t, adopted(t, db, s), k)
		})
	}
	for _, k := range []kind{
		{typ: "TEXT COLLATE NOCASE", key: "'Ann'", written: "'ANN'", other: "'Bob'"},
		{typ: "VARCHAR(9)", key: "'Ann'", written: "'Ann'", other: "'Bob'"},
	} {
		t.Run("sqlite "+k.typ, func(t *testing.T) {
			db, s := openSQLite(t, in(k), "")
			check(t, adopted(t, db, s), k)
		})
	}
}
