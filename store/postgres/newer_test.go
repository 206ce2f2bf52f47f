package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// said is a log that keeps what was said.
type said struct{ strings.Builder }

func (l *said) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// TestNewerTables changes a table under a running program. Calls that need what has changed get
// SERVICE_UNAVAILABLE, others go on, Check says that the program cannot serve, and the log names
// the change once. When the table is as it was, everything is answered again.
func TestNewerTables(t *testing.T) {
	for _, c := range []struct {
		name         string
		change, back string
		log          string
	}{
		{"a column is gone", "ALTER TABLE thing RENAME COLUMN n TO m", "ALTER TABLE thing RENAME COLUMN m TO n", "table thing has no column n"},
		{"the table is gone", "ALTER TABLE thing RENAME TO ware", "ALTER TABLE ware RENAME TO thing", "there is no table thing"},
		{"a column has another type", "ALTER TABLE thing ALTER COLUMN n TYPE double precision USING n + 0.5", "ALTER TABLE thing ALTER COLUMN n TYPE bigint USING floor(n)", "column n of table thing has the type double precision, and had bigint"},
		{"a column is text", "ALTER TABLE thing ALTER COLUMN n TYPE text", "ALTER TABLE thing ALTER COLUMN n TYPE bigint USING n::bigint", "column n of table thing has the type text, and had bigint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, log := pgtest.Database(t), &said{}
			version := storetest.Version{Fields: []string{"a: type: string", "n: type: integer"}, Cards: []string{"other", "type: object\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}}\nrequired: [id]\nx-kit-version: 1\n"}}.Compile(t)
			store := open(t, postgres.Options{URL: url, Logger: log.logger()}, version.Set.Entities)
			thing := version.Set.Entity("thing")
			storetest.InsertRows(t, store, thing, `{"id":"1","a":"x","n":7}`)
			calls := map[string]func(context.Context) error{
				"read": func(ctx context.Context) error {
					found, err := store.Find(ctx, &facade.Find{Entity: thing, Select: rows.NewLayout([]string{"id", "n"}), Sort: []facade.SortKey{{Field: thing.Primary}}, Limit: 10})
					if err == nil && string(found.Rows.AppendJSON(nil)) != `[{"id":"1","n":7}]` {
						t.Errorf("read: %s", found.Rows.AppendJSON(nil))
					}
					return err
				},
				"update": func(ctx context.Context) error {
					_, err := store.Update(ctx, thing, json.RawMessage(`"1"`), nil, facade.Record{{Name: "a", Value: json.RawMessage(`"x"`)}}, nil, rows.NewLayout([]string{"id", "n"}))
					return err
				},
			}
			run := func(when string, code kiterror.Code) {
				t.Helper()
				for name, call := range calls {
					if err := call(t.Context()); kiterror.CodeOf(err) != code {
						t.Errorf("%s, %s: %v, want %s", when, name, err, code)
					}
					err := store.Transact(t.Context(), call)
					if kiterror.CodeOf(err) != code {
						t.Errorf("%s, %s in a transaction: %v, want %s", when, name, err, code)
					}
				}
			}
			other := engineOf(t, url)
			run("before", "")
			if err := other.Maintain(t.Context(), func(c2 *engine.Conn) error { return c2.Exec(c.change) }); err != nil {
				t.Fatal(err)
			}
			run("changed", kiterror.ServiceUnavailable)
			run("changed, once more", kiterror.ServiceUnavailable)
			if kiterror.CodeOf(store.Check(t.Context())) == "" {
				t.Error("Check finds nothing")
			}
			if rows := storetest.RowsOf(t, store, version.Set.Entity("other")); rows != "[]" {
				t.Errorf("another table: %s", rows)
			}
			if n := strings.Count(log.String(), c.log); n != 1 {
				t.Errorf("the log names the change %d times:\n%s", n, log.String())
			}
			if err := other.Maintain(t.Context(), func(c2 *engine.Conn) error { return c2.Exec(c.back) }); err != nil {
				t.Fatal(err)
			}
			run("as it was", "")
		})
	}
}

func engineOf(t *testing.T, url string) *engine.DB {
	t.Helper()
	db, err := engine.Open(engine.Options{URL: url, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestTypeChangesBesideReaders: a program with the older cards neither reads nor writes nor
// compares values of the newer type.
func TestTypeChangesBesideReaders(t *testing.T) {
	url := pgtest.Database(t)
	before := storetest.Version{Fields: []string{"a: type: string", "price: type: integer, minimum: 0, x-kit: {role: {index: true}}"}}.Compile(t)
	after := storetest.Version{Fields: []string{"a: type: string", "price: type: number, minimum: 0, x-kit: {role: {index: true}}"}, Changes: "values: {thing.price: price / 2}"}.Compile(t)
	older := open(t, postgres.Options{URL: url}, before.Set.Entities)
	thing := before.Set.Entity("thing")
	storetest.InsertRows(t, older, thing, `{"id":"1","a":"x","price":15}`)
	newer := open(t, postgres.Options{URL: url, Statement: -1}, nil)
	task := &migration.Task{Entities: after.Set.Entities, Changes: after.Changes, Convert: []string{"thing.price"}}
	if _, err := newer.Migrate(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	find := func(q *facade.Find) error {
		q.Entity, q.Sort, q.Limit = thing, append(q.Sort, facade.SortKey{Field: thing.Primary}), 10
		_, err := older.Find(t.Context(), q)
		return err
	}
	price := thing.Property("price")
	for name, err := range map[string]error{
		"read":   find(&facade.Find{Select: rows.NewLayout([]string{"price"})}),
		"filter": find(&facade.Find{Select: rows.NewLayout([]string{"id"}), Where: &filter.Filter{Op: filter.Eq, Field: price, Values: []any{int64(15)}}}),
		"sort":   find(&facade.Find{Select: rows.NewLayout([]string{"id"}), Sort: []facade.SortKey{{Field: price}}}),
		"create": func() error {
			_, err := older.Insert(t.Context(), thing, []facade.Record{{{Name: "id", Value: json.RawMessage(`"2"`)}, {Name: "a", Value: json.RawMessage(`"y"`)}, {Name: "price", Value: json.RawMessage("20")}}}, nil, nil)
			return err
		}(),
		"update": func() error {
			_, err := older.Update(t.Context(), thing, json.RawMessage(`"1"`), nil, facade.Record{{Name: "price", Value: json.RawMessage("20")}}, nil, nil)
			return err
		}(),
	} {
		if kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := find(&facade.Find{Select: rows.NewLayout([]string{"id", "a"})}); err != nil {
		t.Errorf("what has not changed: %v", err)
	}
	if rows := storetest.RowsOf(t, newer, after.Set.Entity("thing")); rows != `[{"id":"1","a":"x","price":7.5}]` {
		t.Errorf("the newer cards read %s", rows)
	}
	if plan, err := newer.Plan(t.Context(), task); err != nil || len(plan.Steps) > 0 {
		t.Errorf("something is left to do: %v %v", plan, err)
	}
}

// TestTypeChangeAtAStart: a start changes no type of a column that a gateway with other cards serves, whatever its rows hold; apply does,
// and goes back.
func TestTypeChangeAtAStart(t *testing.T) {
	for name, row := range map[string]string{"rows": `{"id":"1","n":7}`, "no rows": ""} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.Database(t)
			before := storetest.Version{Fields: []string{"n: type: integer"}}.Compile(t)
			after := storetest.Version{Fields: []string{"n: type: number"}}.Compile(t)
			older := open(t, postgres.Options{URL: url}, before.Set.Entities)
			thing := before.Set.Entity("thing")
			if row != "" {
				storetest.InsertRows(t, older, thing, row)
			}
			newer := open(t, postgres.Options{URL: url, Statement: -1}, nil)
			start := &migration.Task{Entities: after.Set.Entities, Start: true}
			if _, err := newer.Migrate(t.Context(), start); err == nil || !strings.Contains(err.Error(), "1 gateway with other cards serves the column; stop them first, or run frond migrate apply") {
				t.Errorf("a start beside the older cards: %v", err)
			}
			storetest.InsertRows(t, older, thing, `{"id":"2","n":8}`)
			if err := older.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := newer.Migrate(t.Context(), start); err != nil {
				t.Fatal(err)
			}
			storetest.InsertRows(t, newer, after.Set.Entity("thing"), `{"id":"3","n":9.0}`)
			back := open(t, postgres.Options{URL: url, Statement: -1}, nil)
			again := &migration.Task{Entities: before.Set.Entities, Start: true}
			if _, err := back.Migrate(t.Context(), again); err == nil || !strings.Contains(err.Error(), "newer cards have given the column the type number") {
				t.Errorf("a start of the older cards: %v", err)
			}
			if _, err := back.Migrate(t.Context(), &migration.Task{Entities: before.Set.Entities}); err != nil {
				t.Errorf("apply of the older cards: %v", err)
			}
		})
	}
}

// until waits for a condition, a minute at most.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for by := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(by) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// TestRequiredFieldBesideWriters: while a program with the older cards serves, a field that newer cards require may be null in the
// database, and rows that the older program creates get its value. Later it is made never null, by the newer program or by apply.
func TestRequiredFieldBesideWriters(t *testing.T) {
	for name, unchanged := range map[string]bool{"auto": false, "off": true} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.Database(t)
			before := storetest.Version{Fields: []string{"a: type: string"}}.Compile(t)
			after := storetest.Version{Fields: []string{"a: type: string", "b: type: string, x-kit: {role: {index: true}}"}, Changes: "values: {thing.b: lower(a)}"}.Compile(t)
			apply := &migration.Task{Entities: after.Set.Entities, Changes: after.Changes}
			older := open(t, postgres.Options{URL: url}, before.Set.Entities)
			was, is := before.Set.Entity("thing"), after.Set.Entity("thing")
			if err := older.Abilities().Prepare(t.Context(), before.Set.Entities, before.Changes, false); err != nil {
				t.Fatal(err)
			}
			storetest.InsertRows(t, older, was, `{"id":"1","a":"X"}`)
			operator := open(t, postgres.Options{URL: url, Statement: -1}, nil)
			if _, err := operator.Migrate(t.Context(), apply); err != nil {
				t.Fatal(err)
			}
			storetest.InsertRows(t, older, was, `{"id":"2","a":"Y"}`)
			if err := older.Check(t.Context()); err != nil {
				t.Error("after apply, before the deploy:", err)
			}
			newer := open(t, postgres.Options{URL: url, Statement: -1}, nil)
			if err := newer.Abilities().Prepare(t.Context(), after.Set.Entities, after.Changes, unchanged); err != nil {
				t.Fatal(err)
			}
			storetest.InsertRows(t, older, was, `{"id":"3","a":"Z"}`)
			until(t, "the rows are filled", func() bool {
				return storetest.RowsOf(t, newer, is) == `[{"id":"1","a":"X","b":"x"},{"id":"2","a":"Y","b":"y"},{"id":"3","a":"Z","b":"z"}]`
			})
			if err := older.Check(t.Context()); err != nil {
				t.Error("beside the newer cards:", err)
			}
			plan, err := operator.Migrate(t.Context(), apply)
			if err != nil || len(plan.Steps) != 1 || !strings.Contains(plan.Steps[0].Does, "null stays allowed while 1 gateway with other cards serves") {
				t.Errorf("a second apply beside the older cards: %v, %v", plan, err)
			}
			if err := older.Close(); err != nil {
				t.Fatal(err)
			}
			if unchanged {
				if plan, err = operator.Migrate(t.Context(), apply); err != nil || len(plan.Steps) == 0 || plan.Steps[0].Does != "make the column never null" {
					t.Errorf("apply afterwards: %v, %v", plan, err)
				}
			}
			until(t, "the column is never null", func() bool {
				plan, err := operator.Plan(t.Context(), apply)
				return err == nil && len(plan.Steps) == 0
			})
			if _, err := newer.Insert(t.Context(), is, []facade.Record{{{Name: "id", Value: json.RawMessage(`"4"`)}, {Name: "a", Value: json.RawMessage(`"Y"`)}}}, nil, nil); kiterror.CodeOf(err) != kiterror.ValidationFailed {
				t.Errorf("a row without the field: %v", err)
			}
		})
	}
}

// TestLateRows has a program that no record knows write rows while a change is applied: a value is computed for those that need one,
// and a change that they prevent leaves no rule behind.
func TestLateRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		after  storetest.Version
		before string // the statement that the row comes before
		rows   string // "" where the change is refused
	}{
		{"a new field", storetest.Version{Fields: []string{"a: type: string", "b: type: string"}, Changes: "values: {thing.b: lower(a)}"}, `ADD CONSTRAINT "b:required"`, `[{"id":"1","a":"X","b":"x"},{"id":"2","a":"Late","b":"late"}]`},
		{"a narrower check with values", storetest.Version{Fields: []string{"a: type: string, maxLength: 3"}, Changes: "values: {thing.a: 'a[:3]'}"}, `ADD CONSTRAINT "a:maxLength"`, `[{"id":"1","a":"X"},{"id":"2","a":"Lat"}]`},
		{"a narrower check", storetest.Version{Fields: []string{"a: type: string, maxLength: 3"}}, `ADD CONSTRAINT "a:maxLength"`, ""},
		{"a relation", storetest.Version{Fields: []string{"a?: type: string, x-kit: {role: {relation: {to: thing, kind: one}}}"}}, `ADD CONSTRAINT "a:references"`, ""},
		{"a unique constraint", storetest.Version{Fields: []string{"a: type: string, x-kit: {role: {unique: [[a]]}}"}}, `CREATE UNIQUE INDEX`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := pgtest.Database(t)
			before := storetest.Version{Fields: []string{"a: type: string"}}.Compile(t)
			after := c.after.Compile(t)
			older := open(t, postgres.Options{URL: url}, before.Set.Entities)
			if err := older.Close(); err != nil { // and its entry in the record of gateways
				t.Fatal(err)
			}
			writer := engineOf(t, url)
			write := func(sql string) error {
				return writer.Maintain(t.Context(), func(c *engine.Conn) error { return c.Exec(sql) })
			}
			first := "X"
			if c.name == "a relation" {
				first = "1"
			}
			if err := write(`INSERT INTO thing (id, a) VALUES ('1', '` + first + `')`); err != nil {
				t.Fatal(err)
			}
			written := false
			operator := open(t, postgres.Options{URL: url, Statement: -1, Trace: func(sql string, _ ...any) {
				if strings.Contains(sql, c.before) && !written {
					written = true
					late := "Late"
					if strings.Contains(sql, "UNIQUE") {
						late = "X"
					}
					if err := write(`INSERT INTO thing (id, a) VALUES ('2', '` + late + `')`); err != nil {
						t.Error(err)
					}
				}
			}}, nil)
			_, err := operator.Migrate(t.Context(), &migration.Task{Entities: after.Set.Entities, Changes: after.Changes})
			var refused migration.Refused
			switch {
			case !written:
				t.Fatal("no late row")
			case c.rows == "":
				if !errors.As(err, &refused) {
					t.Errorf("apply: %v", err)
				}
				if err := write(`INSERT INTO thing (id, a) VALUES ('3', 'Another')`); err != nil {
					t.Errorf("a refused change has left a rule: %v", err)
				}
			case err != nil:
				t.Error(err)
			default:
				if rows := storetest.RowsOf(t, operator, after.Set.Entity("thing")); rows != c.rows {
					t.Errorf("the rows are %s, want %s", rows, c.rows)
				}
			}
		})
	}
}
