package sqlite

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

func TestNamesAndLiterals(t *testing.T) {
	for _, c := range []struct{ name, table, column string }{
		{"post", "post", "post"},
		{"order", "order", "order"},
		{"order-line", "order-line", "order-line"},
		{"größe", "größe", "größe"},
		{"sqlite_schema", "~73716c6974655f736368656d61", "sqlite_schema"},
		{`a"b`, "~612262", "~612262"},
		{"a;b", "~613b62", "~613b62"},
		{"a\x00b", "~610062", "~610062"},
		{"~61", "~7e3631", "~7e3631"},
		{"", "~", "~"},
	} {
		if got := tableName(c.name); got != c.table {
			t.Errorf("the table of %q is %q, want %q", c.name, got, c.table)
		}
		if got := columnName(c.name); got != c.column {
			t.Errorf("the column of %q is %q, want %q", c.name, got, c.column)
		}
	}
	if got := quote(`a"b`); got != `"a""b"` {
		t.Errorf("quoted: %s", got)
	}
	onWriter(t, internal(t, Options{Memory: true}), func(db *engine.Conn) error {
		for _, text := range []string{"", "plain", "it's", "a'; --", "nul\x00nul", "line\nline", "😀", `back\slash`, `"double"`} {
			sql := "SELECT " + engine.LiteralText(text)
			if strings.ContainsAny(strings.Trim(sql, "'"), "\x00\n;\"\\") {
				t.Errorf("%q is %s", text, sql)
			}
			st, err := db.Start([]byte(sql), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !st.Step() || st.ColumnText(0) != text {
				t.Errorf("%q reads back as %q", text, st.ColumnText(0))
			}
			db.Finish(st)
		}
		return nil
	})
}

// onWriter runs do on the connection that writes.
func onWriter(t testing.TB, s *Store, do func(*engine.Conn) error) {
	t.Helper()
	if err := s.db.Write(&engine.Op{Ctx: t.Context(), Alone: true, Run: do}); err != nil {
		t.Fatal(err)
	}
}

// internal is a store with its inside at hand.
func internal(t testing.TB, opts Options) *Store {
	t.Helper()
	opts.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestNumbersInDDL checks that bounds written as SQL text are the numbers meant,
// to the last bit.
func TestNumbersInDDL(t *testing.T) {
	onWriter(t, internal(t, Options{Memory: true}), func(db *engine.Conn) error {
		r := rand.New(rand.NewPCG(1, 2))
		for range 3000 {
			f := math.Float64frombits(r.Uint64())
			if r.IntN(2) == 0 {
				f = math.Round(r.NormFloat64()*1e6) / 1e4
			}
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			lit := engine.Literal(sqltext.FloatValue(f))
			// once: a thousand statements need not be kept
			st, _, err := db.Raw().Prepare("SELECT " + lit + " = ?")
			if err != nil {
				t.Fatal(err)
			}
			st.BindFloat(1, f)
			if !st.Step() || st.ColumnInt64(0) != 1 {
				t.Errorf("%v is written %s, which is another number", f, lit)
			}
			st.Close()
		}
		return nil
	})
}

// TestDefinitionsReadBack writes tables and reads their CREATE statements back.
func TestDefinitionsReadBack(t *testing.T) {
	set, err := schema.Compile([]schema.Source{{File: "thing.yaml", Name: "thing", Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  a: {type: string, enum: ["it's", 'q"q', "plain", "(", ","], minLength: 1, maxLength: 9}
  b: {type: [integer, 'null'], minimum: -5, exclusiveMaximum: 10}
  c: {type: number, maximum: 0.1, exclusiveMinimum: -1e-7}
  d: {type: [string, 'null'], format: decimal}
  e: {type: string, format: date-time}
  f: {type: [string, 'null'], format: date, enum: ["2024-01-01", null]}
  g: {type: array}
  h: {type: boolean, enum: [true]}
  j: {type: string, x-kit: {lifecycle: {create: {value: "it's, (1)"}}}}
  k: {type: number, x-kit: {lifecycle: {create: {value: -1.5}}}}
  iId: {type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one, onDelete: set-null}}}}
required: [id, a, b, c, d, e, f, g, h, iId]
x-kit-version: 1
`)}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := newTable(set.Entity("thing"), migration.DefaultNames(naming), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	s := internal(t, Options{Memory: true})
	if err := s.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	var present []*migration.Table
	onWriter(t, s, func(c *engine.Conn) (err error) { present, err = inspect(c); return err })
	if len(present) != 1 || present[0].Foreign {
		t.Fatalf("the table is not understood: %v", present)
	}
	for _, ix := range tab.described().Indexes {
		if found := present[0].Index(ix.Name); found == nil || found.Text != ix.Text || !found.Own {
			t.Errorf("wrote %s, read %v", ix.Text, found)
		}
	}
	if want := len(tab.Indexes); len(present[0].Indexes) != want {
		t.Errorf("read %d indexes, want %d", len(present[0].Indexes), want)
	}
	for _, c := range tab.columns {
		want := c.def
		want.Field, want.Filled = "", want.Default != "" // the file has no more
		if diff := cmp.Diff(want, *present[0].Column(c.Plain)); diff != "" {
			t.Errorf("%s (-written +read):\n%s", c.Plain, diff)
		}
	}
}

// FuzzParseTable reads CREATE statements of any kind: it understands or does not.
func FuzzParseTable(f *testing.F) {
	f.Add("CREATE TABLE \"x\" (\n  \"id\" TEXT NOT NULL PRIMARY KEY CONSTRAINT \"a:b\" CHECK (length(\"id\") > ')'),\n  \"b\" TEXT REFERENCES \"y\" (\"id\")\n) STRICT")
	f.Add("CREATE TABLE x (a, b)")
	f.Add(`CREATE TABLE "x" ("a" TEXT, "`)
	f.Add("(((")
	f.Fuzz(func(t *testing.T, sql string) {
		if found := parseTable("x", sql); found != nil {
			for i := range found.Columns {
				columnSQL(&found.Columns[i])
			}
		}
	})
}

// TestFieldsCalledLikeRowNumbers has fields take the names SQLite gives a row's number.
func TestFieldsCalledLikeRowNumbers(t *testing.T) {
	for _, taken := range []string{"rowid", "oid", "rowid oid", "rowid oid _rowid_", "ROWID Oid"} {
		text := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  kind: {type: string}\n"
		for _, name := range strings.Fields(taken) {
			if !strings.HasPrefix(name, "_") {
				text += "  " + name + ": {type: string}\n"
			}
		}
		set, err := schema.Compile([]schema.Source{{File: "thing.yaml", Name: "thing", Data: []byte(text + "x-kit-version: 1\n")}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, e := internal(t, Options{Memory: true}), set.Entity("thing")
		if err := s.Prepare(t.Context(), set.Entities); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			var record facade.Record
			for _, p := range e.Fields {
				v := `"same"`
				if p == e.Primary {
					v = fmt.Sprintf(`"%d"`, i)
				}
				record = append(record, schema.Member{Name: p.Name, Value: json.RawMessage(v)})
			}
			if _, err := s.Insert(t.Context(), e, []facade.Record{record}, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		found, err := s.Find(t.Context(), &facade.Find{
			Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: e.Primary, Desc: true}}, Limit: 2,
			Each: &facade.EachKey{Field: e.Property("kind"), Values: []json.RawMessage{json.RawMessage(`"same"`)}},
		})
		if err != nil || string(found.Rows.AppendJSON(nil)) != `[{"id":"4"},{"id":"3"}]` {
			t.Errorf("with %s: %s, %v", taken, found.Rows.AppendJSON(nil), err)
		}
	}
}

// TestPlans reads how SQLite means to answer: by an index, without a sort.
func TestPlans(t *testing.T) {
	set, err := schema.Compile([]schema.Source{{File: "thing.yaml", Name: "thing", Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  at: {type: [string, 'null'], format: date-time, x-kit: {role: {index: true}}}
  name: {type: string, x-kit: {role: {unique: [[name]]}}}
  parentId: {type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}}
required: [id, at, name, parentId]
x-kit-version: 1
`)}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entity("thing")
	var last string
	s := internal(t, Options{Memory: true, Trace: func(sql string, _ ...any) { last = sql }})
	if err := s.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	byID := []facade.SortKey{{Field: e.Primary}}
	byTime := []facade.SortKey{{Field: e.Property("at"), Desc: true}, {Field: e.Primary, Desc: true}}
	key := func(texts ...string) (out []json.RawMessage) {
		for _, text := range texts {
			out = append(out, json.RawMessage(text))
		}
		return out
	}
	for _, c := range []struct {
		name string
		q    *facade.Find
		want string // a step that has to be there
		sort bool   // whether it may sort
	}{
		{"by primary key", &facade.Find{Sort: byID}, "SCAN t0 USING INDEX sqlite_autoindex_thing_1", false},
		{"by an index", &facade.Find{Sort: byTime}, "SCAN t0 USING INDEX thing:index at", false},
		{"behind a cursor", &facade.Find{Sort: byID, From: key(`"x"`)}, "SEARCH t0 USING INDEX sqlite_autoindex_thing_1 (id>?)", false},
		{"behind a cursor of two", &facade.Find{Sort: []facade.SortKey{{Field: e.Property("at")}, {Field: e.Primary}}, From: key(`"2024-01-01T00:00:00Z"`, `"x"`)}, "SEARCH t0 USING INDEX thing:index at (at>?)", false},
		{"a prefix", &facade.Find{Sort: byID, Where: &filter.Filter{Op: filter.StartsWith, Field: e.Property("name"), Values: []any{"ab"}}}, "SEARCH t0 USING INDEX thing:unique name (name>? AND name<?)", true},
		{"a list", &facade.Find{Sort: byID, Where: &filter.Filter{Op: filter.In, Field: e.Property("name"), Values: []any{"a", "b"}}}, "SEARCH t0 USING INDEX thing:unique name (name=?)", true},
		{"many ids", &facade.Find{Each: &facade.EachKey{Field: e.Primary, Values: key(`"x"`)}}, "SEARCH t0 USING INDEX sqlite_autoindex_thing_1 (id=?)", false},
		{"many parents", &facade.Find{Sort: byID, Each: &facade.EachKey{Field: e.Property("parentId"), Values: key(`"x"`)}}, "SEARCH t1 USING COVERING INDEX thing:index parentId (parentId=?)", true},
		{"some child", &facade.Find{Sort: byID, Where: &filter.Filter{Op: filter.Some, Link: e.Relation("parent"), Sub: []*filter.Filter{{Op: filter.Eq, Field: e.Property("name"), Values: []any{"x"}}}}}, "SEARCH t1 USING INDEX thing:unique name (name=?)\nSEARCH t0 USING INDEX thing:index parentId (parentId=?)", true},
	} {
		c.q.Entity, c.q.Select, c.q.Limit = e, rows.NewLayout([]string{"id", "at", "name", "parentId"}), 10
		if _, err := s.Find(t.Context(), c.q); err != nil {
			t.Fatal(err)
		}
		var steps []string
		s.db.Read(t.Context(), func(c *engine.Conn) error {
			st, err := c.Start([]byte("EXPLAIN QUERY PLAN "+last), nil)
			if err != nil {
				t.Fatal(err)
			}
			for st.Step() {
				steps = append(steps, st.ColumnText(3))
			}
			return c.Finish(st)
		})
		plan := strings.Join(steps, "\n")
		if !strings.Contains(plan, c.want) || !c.sort && strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s: the plan is\n%s", c.name, plan)
		}
	}
}

// TestIndexSortsInFiles: a change of the tables sorts in files where there can be some, and later work in memory.
func TestIndexSortsInFiles(t *testing.T) {
	for _, c := range []struct {
		folder string
		files  bool
	}{{t.TempDir(), true}, {t.TempDir() + "/none", false}} {
		t.Setenv("SQLITE_TMPDIR", c.folder)
		if got := tempFiles(); got != c.files {
			t.Errorf("files in %s: %t", c.folder, got)
		}
		s := internal(t, Options{Path: filepath.Join(t.TempDir(), "store.db")})
		set, err := schema.Compile([]schema.Source{{File: "post.yaml", Name: "post", Data: []byte(`{"properties": {"id": {"type": "string", "x-kit": {"role": {"primary": true}}}, "name": {"type": "string", "x-kit": {"role": {"unique": [["name"]]}}}}}`)}}, schema.Builtins(), nil)
		if err == nil {
			err = s.Abilities().Prepare(t.Context(), set.Entities, catalog.SchemaChanges{}, false)
		}
		if err != nil {
			t.Error(err)
		}
		onWriter(t, s, func(c *engine.Conn) error {
			if n, err := c.Number("PRAGMA temp_store"); err != nil || n != 2 {
				t.Errorf("temp_store is %d, %v, want 2 (memory)", n, err)
			}
			return nil
		})
	}
}
