package postgres_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestForeignValues: columns of another program are found by what they show; dates that JSON
// cannot write are null, and the log says so once; a rule of the database is named in the log, and
// in the answer in development.
func TestForeignValues(t *testing.T) {
	address := pgtest.Database(t)
	run(t, address, `CREATE TABLE machine (id int PRIMARY KEY, at inet, net cidr, opens time, seen timestamptz, made date, load int CONSTRAINT load_fits CHECK (load < 100));
INSERT INTO machine VALUES (1, '10.0.0.1', '10.0.0.0/8', '10:30', 'infinity', '0044-03-15 BC', 1), (2, '10.0.0.1/8', '10.0.0.1/32', '24:00', '2026-05-01Z', '2026-05-01', 2), (3, '::1', '::/0', '10:30:00.5', '0044-03-15Z BC', '-infinity', 3)`)
	project, err := facade.Read(fstest.MapFS{
		"entities/machine.yaml": {Data: []byte(`
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  at: {type: [string, 'null']}
  net: {type: [string, 'null']}
  opens: {type: [string, 'null']}
  seen: {type: [string, 'null'], format: date-time}
  made: {type: [string, 'null'], format: date}
  load: {type: [integer, 'null']}
`)},
		"frond.yaml": {Data: []byte("tables: {machine: {table: machine}}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	store, err := postgres.Open(postgres.Options{URL: address, Logger: slog.New(slog.NewTextHandler(&log, nil)), NameRules: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	f, err := facade.New(project, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	call := func(op, query, body string) string {
		in := facade.Invocation{Query: json.RawMessage(query)}
		if body != "" {
			in = facade.Invocation{Body: json.RawMessage(body)}
		}
		result, err := f.Call(t.Context(), &facade.Call{Entity: "machine", Operation: op, Invocation: in})
		if err != nil {
			return err.Error()
		}
		return string(result.AppendJSON(nil))
	}
	for filter, want := range map[string]string{
		`{"at":{"eq":"10.0.0.1"}}`:               `[{"id":1}]`,
		`{"at":{"in":["10.0.0.1/8","::1"]}}`:     `[{"id":2},{"id":3}]`,
		`{"at":{"startsWith":"10.0.0.1"}}`:       `[{"id":1},{"id":2}]`,
		`{"at":{"endsWith":"0.1"}}`:              `[{"id":1}]`,
		`{"net":{"eq":"10.0.0.1/32"}}`:           `[{"id":2}]`,
		`{"opens":{"eq":"10:30:00"}}`:            `[{"id":1}]`,
		`{"opens":{"eq":"24:00:00"}}`:            `[{"id":2}]`,
		`{"opens":{"in":["10:30:00.5"]}}`:        `[{"id":3}]`,
		`{"opens":{"contains":"30:00."}}`:        `[{"id":3}]`,
		`{"seen":{"eq":"2026-05-01T00:00:00Z"}}`: `[{"id":2}]`,
	} {
		if got := call("list", `{"fields":"id","filter":`+filter+`}`, ""); !strings.Contains(got, `"items":`+want) {
			t.Errorf("%s: %s, want %s", filter, got, want)
		}
	}
	if got := call("list", `{"fields":"at,opens","sort":"at","limit":2}`, ""); !strings.Contains(got, `"items":[{"at":"10.0.0.1/8","opens":"24:00:00"},{"at":"10.0.0.1","opens":"10:30:00"}]`) {
		t.Errorf("sorted: %s", got)
	}
	for range 2 {
		got := call("list", `{"fields":"seen,made"}`, "")
		if want := `"items":[{"seen":null,"made":null},{"seen":"2026-05-01T00:00:00.000Z","made":"2026-05-01"},{"seen":null,"made":null}]`; !strings.Contains(got, want) {
			t.Errorf("dates: %s", got)
		}
	}
	if n := strings.Count(log.String(), "a date is answered as null"); n != 2 {
		t.Errorf("the log names %d columns with such dates: %s", n, log.String())
	}
	got := call("create", "", `{"id":4,"at":null,"net":null,"opens":null,"seen":null,"made":null,"load":100}`)
	if !strings.Contains(got, "CONFLICT") || !strings.Contains(got, "(load_fits of machine)") || !strings.Contains(log.String(), "constraint=load_fits") {
		t.Errorf("the refusal is %s, the log %s", got, log.String())
	}
}
