package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// thing is a card of an entity called thing with an id and the given fields,
// each "name: shape"; a "?" behind a name makes its creation optional.
func thing(fields ...string) []string { return []string{"thing", card(fields...)} }

func card(fields ...string) string {
	text := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	required := "id"
	for _, f := range fields {
		name, shape, _ := strings.Cut(f, ": ")
		plain := strings.TrimSuffix(name, "?")
		text += "  " + plain + ": {" + shape + "}\n"
		if plain == name && !strings.Contains(shape, "kind: many") {
			required += ", " + plain
		}
	}
	return text + "required: [" + required + "]\nx-kit-version: 1\n"
}

// migrations are changes of one card, with the rows that are there. An after that
// is a list of rows is what they are afterwards; anything else is the refusal.
var migrations = []struct {
	name   string
	before []string
	rows   []string
	after  []string
	want   string // rows as JSON, or what the error says
	log    string // a step that is logged
}{
	{
		"nothing changes",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string"), `[{"id":"1","a":"x"}]`, "",
	},
	{
		"the order of fields is no change",
		thing("a: type: string", "b: type: integer"),
		[]string{`{"id":"1","a":"x","b":2}`},
		thing("b: type: integer", "a: type: string"), `[{"id":"1","b":2,"a":"x"}]`, "",
	},
	{
		"a new nullable field",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string", "b: type: [integer, 'null']"), `[{"id":"1","a":"x","b":null}]`, "added column b to table thing",
	},
	{
		"a new optional field of every kind",
		thing(),
		[]string{`{"id":"1"}`},
		thing("s?: type: string, x-kit: {lifecycle: {create: optional}}", "d?: type: string, format: date, x-kit: {lifecycle: {create: optional}}",
			"t?: type: string, format: date-time, x-kit: {lifecycle: {create: optional}}", "n?: type: number, minimum: 3, x-kit: {lifecycle: {create: optional}}",
			"m?: type: string, format: decimal, x-kit: {lifecycle: {create: optional}}", "o?: type: object, x-kit: {lifecycle: {create: optional}}",
			"b?: type: boolean, x-kit: {lifecycle: {create: optional}}", "e?: type: string, enum: [x, y], x-kit: {lifecycle: {create: optional}}"),
		`[{"id":"1","s":null,"d":null,"t":null,"n":null,"m":null,"o":null,"b":null,"e":null}]`, "added column e to table thing",
	},
	{
		"a new field with a create value",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`, `{"id":"2","a":"y"}`},
		thing("a: type: string", "b?: type: string, x-kit: {lifecycle: {create: {value: \"it's\"}}}", "c?: type: [integer, 'null'], x-kit: {lifecycle: {create: {value: 7}}}"),
		`[{"id":"1","a":"x","b":"it's","c":7},{"id":"2","a":"y","b":"it's","c":7}]`, "rebuilt table thing",
	},
	{
		"a new list of ids",
		thing(),
		[]string{`{"id":"1"}`},
		append(thing("tagIds: type: array, x-kit: {role: {relation: {to: tag, kind: many}}}"), "tag", card()), `[{"id":"1","tagIds":[]}]`, "added column tagIds to table thing",
	},
	{
		"a new field that is never null",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string", "b: type: integer"),
		"table thing, column b: cannot add a column that is never null: there is 1 row, and none has a value for it; let the field be null, say what older rows get with lifecycle.create: {value: …}, or write values: {thing.b: …} in frond.yaml", "",
	},
	{
		"a new field that is never null, and no rows",
		thing("a: type: string"), nil,
		thing("a: type: string", "b: type: integer"), `[]`, "rebuilt table thing",
	},
	{
		"a field is gone",
		thing("a: type: string", "b: type: string"),
		[]string{`{"id":"1","a":"x","b":"y"}`, `{"id":"2","a":"x","b":"z"}`},
		thing("a: type: string"),
		`[{"id":"1","a":"x"},{"id":"2","a":"x"}]`, "rebuilt table thing",
	},
	{
		"a field is gone that held nothing",
		thing("a: type: string", "b: type: [string, 'null']"),
		[]string{`{"id":"1","a":"x","b":null}`},
		thing("a: type: string"), `[{"id":"1","a":"x"}]`, "table thing, column b",
	},
	{
		"a field changes its name",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		thing("b: type: string"),
		"table thing, column a: cannot serve thing.b without its values: 1 row holds a value in the column, and no card describes it; write renamed: {thing.a: thing.b} in frond.yaml if that is its new name; if it has none, write renamed: {thing.a: null}, or run frond migrate apply --drop thing.a\ntable thing, column b: cannot add a column that is never null: there is 1 row, and none has a value for it; let the field be null, say what older rows get with lifecycle.create: {value: …}, or write values: {thing.b: …} in frond.yaml", "",
	},
	{
		"null is allowed",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: [string, 'null']"), `[{"id":"1","a":"x"}]`, "rebuilt table thing",
	},
	{
		"null is forbidden, and there are some",
		thing("a: type: [string, 'null']"),
		[]string{`{"id":"1","a":null}`, `{"id":"2","a":"x"}`},
		thing("a: type: string"),
		"table thing, column a: cannot make the column never null: 1 row holds null (key 1); give those rows a value first, or let the field be null", "",
	},
	{
		"null is forbidden, and there are none",
		thing("a: type: [string, 'null']"),
		[]string{`{"id":"2","a":"x"}`},
		thing("a: type: string"), `[{"id":"2","a":"x"}]`, "rebuilt table thing",
	},
	{
		"the type changes",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"7"}`},
		thing("a: type: integer"),
		"table thing, column a: cannot change the type from string to integer: 1 row holds a value of the old type; keep the type, add a field of another name and move the values, or run frond migrate apply --convert thing.a", "",
	},
	{
		"the type changes where all is null",
		thing("a: type: [string, 'null']"),
		[]string{`{"id":"1","a":null}`},
		thing("a: type: [integer, 'null']"), `[{"id":"1","a":null}]`, "rebuilt table thing",
	},
	{
		"a string becomes JSON",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"7"}`},
		thing("a: type: object"),
		"table thing, column a: cannot change the type from string to json: 1 row gives no value: the card refuses the value: a must be an object (key 1); change those rows first, or write values: {thing.a: …} in frond.yaml", "",
	},
	{
		"a string becomes a date-time",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"2024-01-01T00:00:00Z"}`},
		thing("a: type: string, format: date-time"),
		"table thing, column a: cannot change the type from string to date-time: 1 row holds a value of the old type; keep the type, add a field of another name and move the values, or run frond migrate apply --convert thing.a", "",
	},
	{
		"a string becomes a decimal",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"1.5"}`},
		thing("a: type: string, format: decimal"),
		"table thing, column a: cannot change the type from string to decimal: 1 row holds a value of the old type; keep the type, add a field of another name and move the values, or run frond migrate apply --convert thing.a", "",
	},
	{
		"dates become strings",
		thing("a: type: string, format: date", "b: type: string, format: decimal"),
		[]string{`{"id":"1","a":"2024-01-01","b":"1.50"}`},
		thing("a: type: string", "b: type: string"), `[{"id":"1","a":"2024-01-01","b":"1.50"}]`, "rebuilt table thing",
	},
	{
		"strings become dates that are some",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"2024-01-01"}`},
		thing("a: type: string, format: date"), `[{"id":"1","a":"2024-01-01"}]`, "rebuilt table thing",
	},
	{
		"strings become dates that are none",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"first of May"}`},
		thing("a: type: string, format: date"),
		"table thing, column a: cannot change the type from string to date: 1 row gives no value: the card refuses the value: a must be a date such as 2026-05-01 (key 1); change those rows first, or write values: {thing.a: …} in frond.yaml", "",
	},
	{
		"integers become numbers",
		thing("a: type: integer"),
		[]string{`{"id":"1","a":7}`},
		thing("a: type: number"), `[{"id":"1","a":7}]`, "rebuilt table thing",
	},
	{
		"integers become numbers, one too large",
		thing("a: type: integer"),
		[]string{`{"id":"1","a":9007199254740993}`},
		thing("a: type: number"),
		"table thing, column a: cannot change the type from integer to number: 1 row holds a value of the old type; keep the type, add a field of another name and move the values, or run frond migrate apply --convert thing.a", "",
	},
	{
		"numbers become integers",
		thing("a: type: number"),
		[]string{`{"id":"1","a":7.0}`},
		thing("a: type: integer"), `[{"id":"1","a":7}]`, "rebuilt table thing",
	},
	{
		"numbers become integers, one is half",
		thing("a: type: number"),
		[]string{`{"id":"1","a":7.5}`},
		thing("a: type: integer"),
		"table thing, column a: cannot change the type from number to integer: 1 row holds a value of the old type; keep the type, add a field of another name and move the values, or run frond migrate apply --convert thing.a", "",
	},
	{
		"an enum grows",
		thing("a: type: string, enum: [x]"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string, enum: [x, y]"), `[{"id":"1","a":"x"}]`, "rebuilt table thing",
	},
	{
		"an enum loses a value that is in use",
		thing("a: type: string, enum: [x, y]"),
		[]string{`{"id":"1","a":"x"}`, `{"id":"2","a":"y"}`},
		thing("a: type: string, enum: [x]"),
		"table thing, column a: cannot hold the column to enum: 1 row breaks it (key 2); change those rows first, or widen enum", "",
	},
	{
		"an enum loses a value nobody uses",
		thing("a: type: string, enum: [x, y]"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string, enum: [x]"), `[{"id":"1","a":"x"}]`, "rebuilt table thing",
	},
	{
		"bounds that rows break",
		thing("a: type: integer", "b: type: string"),
		[]string{`{"id":"1","a":5,"b":"long"}`},
		thing("a: type: integer, maximum: 4", "b: type: string, maxLength: 3"),
		"table thing, column a: cannot hold the column to maximum: 1 row breaks it (key 1); change those rows first, or widen maximum\n" +
			"table thing, column b: cannot hold the column to maxLength: 1 row breaks it (key 1); change those rows first, or widen maxLength", "",
	},
	{
		"bounds that rows keep",
		thing("a: type: integer", "b: type: [string, 'null']"),
		[]string{`{"id":"1","a":5,"b":null}`},
		thing("a: type: integer, maximum: 5", "b: type: [string, 'null'], maxLength: 3"), `[{"id":"1","a":5,"b":null}]`, "rebuilt table thing",
	},
	{
		"a new index",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string, x-kit: {role: {index: true}}"), `[{"id":"1","a":"x"}]`, "made index thing:index a",
	},
	{
		"an index is gone",
		thing("a: type: string, x-kit: {role: {index: true}}"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string"), `[{"id":"1","a":"x"}]`, "index thing:index a",
	},
	{
		"a new unique constraint",
		thing("a: type: [string, 'null']"),
		[]string{`{"id":"1","a":"x"}`, `{"id":"2","a":null}`, `{"id":"3","a":null}`},
		thing("a: type: [string, 'null'], x-kit: {role: {unique: [[a]]}}"), `[{"id":"1","a":"x"},{"id":"2","a":null},{"id":"3","a":null}]`, "made index thing:unique a",
	},
	{
		"a new unique constraint that rows break",
		thing("a: type: string", "b: type: integer"),
		[]string{`{"id":"1","a":"x","b":1}`, `{"id":"2","a":"x","b":1}`},
		thing("a: type: string, x-kit: {role: {unique: [[a, b]]}}", "b: type: integer, x-kit: {role: {unique: [[a, b]]}}"),
		"table thing, column a, b: cannot make the values unique: 2 rows share one with another (keys 1, 2); change those rows first, or remove role.unique", "",
	},
	{
		"a unique constraint is gone",
		thing("a: type: string, x-kit: {role: {unique: [[a]]}}"),
		[]string{`{"id":"1","a":"x"}`},
		thing("a: type: string"), `[{"id":"1","a":"x"}]`, "dropped index thing:unique a",
	},
	{
		"a field becomes a relation",
		append(thing("a: type: [string, 'null']"), "tag", card()),
		[]string{`{"id":"1","a":null}`},
		append(thing("a: type: [string, 'null'], x-kit: {role: {relation: {to: tag, kind: one}}}"), "tag", card()), `[{"id":"1","a":null}]`, "rebuilt table thing",
	},
	{
		"a field becomes a relation that rows do not hold",
		append(thing("a: type: string"), "tag", card()),
		[]string{`{"id":"1","a":"lost"}`},
		append(thing("a: type: string, x-kit: {role: {relation: {to: tag, kind: one}}}"), "tag", card()),
		"table thing, column a: cannot hold the relation to tag: 1 row points at none (key 1); change those rows first, or remove role.relation", "",
	},
	{
		"what a relation does on deletion changes",
		thing("a: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}"),
		[]string{`{"id":"2","a":null}`, `{"id":"1","a":"2"}`},
		thing("a: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one, onDelete: cascade}}}"), `[{"id":"1","a":"2"},{"id":"2","a":null}]`, "rebuilt table thing",
	},
	{
		"another primary key",
		thing("a: type: string"),
		[]string{`{"id":"1","a":"x"}`},
		[]string{"thing", strings.Replace(strings.Replace(card("a: type: string"), "id: {type: string, x-kit: {role: {primary: true}}}", "id: {type: string}", 1), "a: {type: string}", "a: {type: string, x-kit: {role: {primary: true}}}", 1)},
		"table thing, column id: cannot change the primary key: rows are known by it; keep the primary key, or move the rows to a new entity\n" +
			"table thing, column a: cannot change the primary key: rows are known by it; keep the primary key, or move the rows to a new entity", "",
	},
	{
		"a new entity",
		thing(),
		[]string{`{"id":"1"}`},
		append(thing(), "other", card("a: type: string")), `[{"id":"1"}]`, "the store made tables",
	},
	{
		"an entity is gone",
		append(thing(), "other", card()),
		[]string{`{"id":"1"}`},
		thing(), `[{"id":"1"}]`, "table other",
	},
}

func TestMigrations(t *testing.T) {
	for _, m := range migrations {
		t.Run(m.name, func(t *testing.T) {
			path := t.TempDir() + "/store.db"
			before := compile(t, m.before...)
			store := open(t, sqlite.Options{Path: path}, before.Entities)
			e := before.Entity("thing")
			for _, row := range m.rows {
				if _, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, row)}, nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			store.Close()
			was := dump(t, path)

			var logged strings.Builder
			store, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			after := compile(t, m.after...)
			err = store.Prepare(t.Context(), after.Entities)
			if !strings.HasPrefix(m.want, "[") {
				var refused migration.Refused
				if !errors.As(err, &refused) || err.Error() != m.want {
					t.Errorf("the error is\n%v\nwant\n%s", err, m.want)
				}
				if diff := cmp.Diff(was, dump(t, path)); diff != "" {
					t.Errorf("something was changed all the same (-before +after):\n%s", diff)
				}
				// The store still answers for the cards it holds.
				if err := store.Prepare(t.Context(), before.Entities); err != nil {
					t.Errorf("back to the cards before: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			e = after.Entity("thing")
			found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout(names(e)), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m.want, string(found.Rows.AppendJSON(nil))); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if !strings.Contains(logged.String(), m.log) {
				t.Errorf("the log does not have %q:\n%s", m.log, logged.String())
			}
			// What is there now is what a new store would have, and a second start finds nothing to do.
			store.Close()
			fresh := t.TempDir() + "/fresh.db"
			open(t, sqlite.Options{Path: fresh}, after.Entities).Close()
			if diff := cmp.Diff(tables(t, fresh), tables(t, path), ignoreExtra); diff != "" && !strings.HasSuffix(m.name, " is gone") && !strings.Contains(m.name, "is gone that held") || m.name == "a unique constraint is gone" && diff != "" {
				t.Errorf("the tables differ from those of a new store (-new +changed):\n%s", diff)
			}
			is := dump(t, path)
			statements := 0
			again := open(t, sqlite.Options{Path: path, Trace: func(sql string, args ...any) {
				if strings.HasPrefix(sql, "CREATE") || strings.HasPrefix(sql, "ALTER") || strings.HasPrefix(sql, "DROP") || strings.HasPrefix(sql, "INSERT") {
					statements++
				}
			}}, after.Entities)
			again.Close()
			if statements != 0 || !cmp.Equal(is, dump(t, path)) {
				t.Errorf("a second start ran %d more changes", statements)
			}
		})
	}
}

// ignoreExtra compares definitions as sets of lines: a column that was added
// stands last.
var ignoreExtra = cmp.Transformer("lines", func(sql string) map[string]bool {
	lines := map[string]bool{}
	for _, line := range strings.FieldsFunc(sql, func(r rune) bool { return r == '\n' || r == ',' }) {
		lines[strings.TrimSuffix(strings.TrimSpace(line), ") STRICT")] = true
	}
	delete(lines, "")
	return lines
})

// TestMigrationOfRelatedTables rebuilds a table others point at: their rows stay.
func TestMigrationOfRelatedTables(t *testing.T) {
	path := t.TempDir() + "/store.db"
	child := card("parentId: type: string, x-kit: {role: {relation: {to: parent, kind: one, onDelete: cascade}}}")
	before := compile(t, "parent", card("a: type: string, enum: [x]"), "child", child)
	store := open(t, sqlite.Options{Path: path}, before.Entities)
	for _, row := range [][2]string{{"parent", `{"id":"p","a":"x"}`}, {"child", `{"id":"c","parentId":"p"}`}} {
		e := before.Entity(row[0])
		if _, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, row[1])}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	// while it is open, as when cards are read again
	after := compile(t, "parent", card("a: type: string, enum: [x, y]"), "child", child)
	if err := store.Prepare(t.Context(), after.Entities); err != nil {
		t.Fatal(err)
	}
	count := func(e *schema.Entity) int {
		found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		return found.Rows.Len()
	}
	if count(before.Entity("child")) != 1 || count(after.Entity("child")) != 1 {
		t.Fatal("building the parent anew took the children with it")
	}
	if _, err := store.Insert(t.Context(), after.Entity("child"), []facade.Record{record(t, after.Entity("child"), `{"id":"d","parentId":"nobody"}`)}, nil, nil); kiterror.CodeOf(err) != kiterror.Conflict {
		t.Errorf("the relation does not hold any more: %v", err)
	}
	if gone, err := store.Delete(t.Context(), after.Entity("parent"), json.RawMessage(`"p"`), nil, nil); !gone || err != nil {
		t.Fatal(gone, err)
	}
	if count(after.Entity("child")) != 0 {
		t.Error("cascade does not reach the children any more")
	}
}

// TestPrepareRefusesWhatItCannotName checks the faults that are in the cards alone.
func TestPrepareRefusesWhatItCannotName(t *testing.T) {
	store := open(t, sqlite.Options{Memory: true}, nil)
	set := compile(t, thing("name: type: string", "Name: type: string")...)
	err := store.Prepare(t.Context(), set.Entities)
	if err == nil || !strings.Contains(err.Error(), "the fields name and Name differ only by case") {
		t.Errorf("the error is %v", err)
	}
}

// record is a JSON object as a Record.
func record(t testing.TB, e *schema.Entity, text string) facade.Record {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Fatalf("not JSON: %s", text)
	}
	var r facade.Record
	for _, p := range e.Fields {
		if v := jsontext.Get([]byte(text), p.Name); v != nil {
			r = append(r, schema.Member{Name: p.Name, Value: v})
		}
	}
	return r
}

// tables are the CREATE statements of a file by name.
func tables(t testing.TB, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	query(t, path, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL", func(row []string) { out[row[0]] = row[1] })
	return out
}

// dump is everything a file holds.
func dump(t testing.TB, path string) []string {
	t.Helper()
	var out []string
	all := tables(t, path)
	for name, sql := range all {
		out = append(out, sql)
		if strings.HasPrefix(sql, "CREATE TABLE") {
			query(t, path, `SELECT * FROM "`+name+`"`, func(row []string) { out = append(out, fmt.Sprint(name, row)) })
		}
	}
	slices.Sort(out)
	return out
}

// query reads a file past the store.
func query(t testing.TB, path, sql string, each func(row []string)) {
	t.Helper()
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.AnyCollationNeeded(); err != nil {
		t.Fatal(err)
	}
	st, _, err := db.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for st.Step() {
		row := make([]string, st.ColumnCount())
		for i := range row {
			row[i] = st.ColumnText(i)
		}
		each(row)
	}
	if st.Err() != nil {
		t.Fatal(st.Err())
	}
}

func TestRenames(t *testing.T) {
	storetest.RunRenames(t, func(t testing.TB) func() storetest.Migrator {
		path := t.TempDir() + "/store.db"
		return func() storetest.Migrator { return open(t, sqlite.Options{Path: path, Statement: -1}, nil) }
	})
}

func TestPhysicalRenames(t *testing.T) {
	storetest.RunPhysical(t, false, func(t testing.TB) func() storetest.Migrator {
		path := t.TempDir() + "/store.db"
		return func() storetest.Migrator { return open(t, sqlite.Options{Path: path, Statement: -1}, nil) }
	})
}

func TestRollouts(t *testing.T) {
	storetest.RunRollouts(t, func(t testing.TB) func() storetest.Migrator {
		path := t.TempDir() + "/store.db"
		return func() storetest.Migrator { return open(t, sqlite.Options{Path: path, Statement: -1}, nil) }
	})
}
