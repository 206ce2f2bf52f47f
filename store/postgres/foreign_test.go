package postgres_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// foreignCards are of tables that another program made.
var foreignCards = fstest.MapFS{
	"entities/visit.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, boundary: {in: closed}}}
  day: {type: string, format: date}
  place: {type: string}
  at: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  span: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  mood: {type: [string, 'null'], enum: [low, high, null], x-kit: {lifecycle: {create: optional}}}
  tags: {type: [array, 'null'], items: {type: [integer, 'null']}, x-kit: {lifecycle: {create: optional}}}
  seen: {type: integer, x-kit: {lifecycle: {create: optional}}}
`)},
	"frond.yaml": {Data: []byte("tables: {visit: {table: Visits, schema: log, key: [day, place], columns: {at: local time}}}")},
}

// TestForeignTable: a table of another program is read and written by its own names and types, and
// conditions are such that its indexes answer them.
func TestForeignTable(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t)
	run(t, address, `CREATE SCHEMA log; CREATE TYPE mood AS ENUM ('low', 'high');
CREATE TABLE log."Visits" (day date, place varchar(10), "local time" timestamp, span interval, mood mood, tags int[], seen smallint NOT NULL DEFAULT 1, PRIMARY KEY (day, place));
INSERT INTO log."Visits" SELECT date '2026-01-01' + n % 400, 'p' || n, timestamp '2026-01-01' + n * interval '1 hour', interval '1 hour', CASE n % 2 WHEN 0 THEN 'low' ELSE 'high' END::mood, ARRAY[n, n + 1], n % 100 FROM generate_series(1, 5000) AS n;
CREATE INDEX ON log."Visits" ("local time"); CREATE INDEX ON log."Visits" (mood); ANALYZE log."Visits"`)
	var statements []string
	store, err := postgres.Open(postgres.Options{URL: address, Trace: func(sql string, _ ...any) { statements = append(statements, sql) }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	project, err := facade.Read(foreignCards)
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, project), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Prepare(context.Background(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	call := func(op, params, query, body string) string {
		statements = nil
		raw := func(s string) json.RawMessage {
			if s == "" {
				return nil
			}
			return json.RawMessage(s)
		}
		result, err := f.Call(context.Background(), &facade.Call{Entity: "visit", Operation: op, Invocation: facade.Invocation{Params: raw(params), Query: raw(query), Body: raw(body)}})
		if err != nil {
			return err.Error()
		}
		return string(result.AppendJSON(nil))
	}
	for _, c := range []struct{ op, params, query, body, want, sql string }{
		{"findById", `{"id": "2026-01-08,p7"}`, "", "", `{"id":"2026-01-08,p7","day":"2026-01-08","place":"p7","at":"2026-01-01 07:00:00","span":"01:00:00","mood":"high","tags":[7,8],"seen":7}`, `t0."day" = $1 AND t0."place" = $2`},
		{"list", "", `{"filter": {"id": {"in": ["2026-01-08,p7", "x", "2026-01-09,p8"]}}, "fields": "id", "total": false}`, "", `"items":[{"id":"2026-01-08,p7"},{"id":"2026-01-09,p8"}]`, ""},
		{"list", "", `{"filter": {"at": {"gte": "2026-01-01T06:30", "lt": "2026-01-01 08:00:00"}}, "fields": "at", "total": false}`, "", `"items":[{"at":"2026-01-01 07:00:00"}]`, `t0."local time" >= $1`},
		{"list", "", `{"filter": {"at": {"gt": "soon"}}, "fields": "at"}`, "", `"items":[],"total":0`, ""},
		{"list", "", `{"filter": {"mood": {"lt": "high"}}, "limit": 1, "fields": "mood"}`, "", `"items":[{"mood":"low"}],"total":2500`, `t0."mood" < $1`},
		{"list", "", `{"filter": {"span": {"eq": "01:00:00"}}, "limit": 1, "fields": "place"}`, "", `"total":5000`, `::text = $1`},
		{"list", "", `{"filter": {"tags": {"has": 7}}, "fields": "place", "sort": "place"}`, "", `"items":[{"place":"p6"},{"place":"p7"}]`, ""},
		{"list", "", `{"filter": {"seen": {"lt": 70000, "gt": 98}}, "limit": 1, "fields": "seen"}`, "", `"total":50`, ""},
		{"list", "", `{"sort": "-id", "limit": 2, "fields": "id", "total": false}`, "", `"items":[{"id":"2027-02-04,p799"},{"id":"2027-02-04,p4799"}]`, `ORDER BY t0."day" DESC, t0."place" DESC`},
		{"findByIds", "", `{"ids": ["2026-01-09,p8", "2026-01-09,p9", "2026-01-08,p7"], "fields": "id"}`, "", `[{"id":"2026-01-09,p8"},{"id":"2026-01-08,p7"}]`, `k.v0`},
		{"create", "", "", `{"day": "2030-01-01", "place": "a,~", "tags": [1, null], "at": "2030-01-01T10:00:00"}`, `{"id":"2030-01-01,a~1~0","day":"2030-01-01","place":"a,~","at":"2030-01-01 10:00:00","span":null,"mood":null,"tags":[1,null],"seen":1}`, `INSERT INTO "log"."Visits" ("day", "place", "local time", "tags") VALUES`},
		{"create", "", "", `{"day": "2030-01-01", "place": "a,~"}`, "already taken together", ""},
		{"create", "", "", `{"day": "2030-01-02", "place": "a", "seen": 70000}`, "the database cannot hold one of the values", ""},
		{"update", `{"id": "2030-01-01,a~1~0"}`, "", `{"mood": "low", "span": "2 days"}`, `"span":"2 days","mood":"low"`, ""},
		{"update", `{"id": "2030-01-01,a"}`, "", `{"mood": "low"}`, "there is no visit with this id", ""},
		{"delete", `{"id": "2030-01-01,a~1~0"}`, "", "", "true", ""},
	} {
		if got := call(c.op, c.params, c.query, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s %s%s%s\n%s\nwant %s", c.op, c.params, c.query, c.body, got, c.want)
		}
		if all := strings.Join(statements, "\n"); !strings.Contains(all, c.sql) {
			t.Errorf("%s %s%s%s\n%s\nwant %s", c.op, c.params, c.query, c.body, all, c.sql)
		}
	}
}
