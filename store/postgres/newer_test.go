package postgres_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

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

// TestRequiredFieldBesideWriters: a program with the older cards cannot create rows without a field
// that newer cards have to have, says so, and reads on.
func TestRequiredFieldBesideWriters(t *testing.T) {
	url := pgtest.Database(t)
	before := storetest.Version{Fields: []string{"a: type: string"}}.Compile(t)
	after := storetest.Version{Fields: []string{"a: type: string", "b: type: string"}, Changes: "values: {thing.b: lower(a)}"}.Compile(t)
	older := open(t, postgres.Options{URL: url}, before.Set.Entities)
	thing := before.Set.Entity("thing")
	storetest.InsertRows(t, older, thing, `{"id":"1","a":"X"}`)
	newer := open(t, postgres.Options{URL: url, Statement: -1}, nil)
	if _, err := newer.Migrate(t.Context(), &migration.Task{Entities: after.Set.Entities, Changes: after.Changes, Start: true}); err != nil {
		t.Fatal(err)
	}
	_, err := older.Insert(t.Context(), thing, []facade.Record{{{Name: "id", Value: json.RawMessage(`"2"`)}, {Name: "a", Value: json.RawMessage(`"Y"`)}}}, nil, nil)
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || older.Check(t.Context()) == nil {
		t.Errorf("create: %v; Check: %v", err, older.Check(t.Context()))
	}
	if rows := storetest.RowsOf(t, older, thing); rows != `[{"id":"1","a":"X"}]` {
		t.Errorf("the older cards read %s", rows)
	}
	if rows := storetest.RowsOf(t, newer, after.Set.Entity("thing")); rows != `[{"id":"1","a":"X","b":"x"}]` {
		t.Errorf("the newer cards read %s", rows)
	}
}
