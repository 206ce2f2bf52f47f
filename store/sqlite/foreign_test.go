package sqlite_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// TestConstraintsOfAForeignFile: a constraint that no card describes is named in the log, and in the
// answer in development alone; so is what a trigger raises.
func TestConstraintsOfAForeignFile(t *testing.T) {
	path := foreign(t, `CREATE TABLE machine (id INTEGER PRIMARY KEY, load INT CONSTRAINT load_fits CHECK (load < 100), place TEXT);
CREATE TRIGGER no_roof BEFORE INSERT ON machine WHEN NEW.place = 'roof' BEGIN SELECT RAISE(ABORT, 'roof_is_closed'); END;
CREATE TRIGGER no_void BEFORE INSERT ON machine WHEN NEW.place = 'void' BEGIN SELECT RAISE(IGNORE); END;`)
	project, err := facade.Read(fstest.MapFS{
		"entities/machine.yaml": {Data: []byte(`
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  load: {type: integer}
  place: {type: string}
`)},
		"frond.yaml": {Data: []byte("tables: {machine: {table: machine}}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range []bool{true, false} {
		var log bytes.Buffer
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Foreign: true, NameRules: named, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		f, err := facade.New(storetest.Compiled(t, project), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
			t.Fatal(err)
		}
		for body, rule := range map[string]string{`{"id":1,"load":100,"place":"hall"}`: "load_fits", `{"id":1,"load":1,"place":"roof"}`: "roof_is_closed"} {
			_, err := f.Call(t.Context(), &facade.Call{Entity: "machine", Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(body)}})
			if kiterror.CodeOf(err) != kiterror.Conflict || strings.Contains(err.Error(), rule) != named {
				t.Errorf("%s, named %v: %v", body, named, err)
			}
			if !strings.Contains(log.String(), "table=machine") || !strings.Contains(log.String(), rule) {
				t.Errorf("%s: the log does not name %s: %s", body, rule, log.String())
			}
		}
		_, err = f.Call(t.Context(), &facade.Call{Entity: "machine", Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(`{"id":2,"load":1,"place":"void"}`)}})
		if kiterror.CodeOf(err) != kiterror.Conflict || !strings.Contains(err.Error(), "the database wrote no row") {
			t.Errorf("a row that a trigger leaves out: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIntegersThatAreDoubles: a whole double in an integer column is an integer up to the
// largest that a double distinguishes from its neighbours, and null beyond.
func TestIntegersThatAreDoubles(t *testing.T) {
	path := foreign(t, `CREATE TABLE reading (id INTEGER PRIMARY KEY, n);
INSERT INTO reading VALUES (1, 9007199254740991.0), (2, -9007199254740991.0), (3, 9007199254740992.0), (4, 1.5);`)
	project, err := facade.Read(fstest.MapFS{
		"entities/reading.yaml": {Data: []byte("properties:\n  id: {type: integer, x-kit: {role: {primary: true}}}\n  n: {type: [integer, 'null']}\n")},
		"frond.yaml":            {Data: []byte("tables: {reading: {table: reading}}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Foreign: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f, err := facade.New(storetest.Compiled(t, project), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	r, err := f.Call(t.Context(), &facade.Call{Entity: "reading", Operation: "list"})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"id":1,"n":9007199254740991},{"id":2,"n":-9007199254740991},{"id":3,"n":null},{"id":4,"n":null}]`
	if got := string(r.Rows.AppendJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestGroupsOfAForeignFile: values that the card cannot carry are null in groups too, and decimals may
// be numbers.
func TestGroupsOfAForeignFile(t *testing.T) {
	path := foreign(t, `CREATE TABLE sale (id INTEGER PRIMARY KEY, shop TEXT, n, price, total NUMERIC, at TEXT, day TEXT);
INSERT INTO sale VALUES (1, 'a', 5, 1.5, '1.50', '2024-10-27T01:30:00+02:00', '2024-02-29'), (2, 'a', 2.0, 1, 2.25, '2024-10-26T23:40:00Z', 'a day'),
	(3, 'a', 'x', 'y', 3, 'never', '2024-02-01'), (4, 'b', 1.5, NULL, NULL, NULL, NULL);`)
	project, err := facade.Read(fstest.MapFS{
		"entities/sale.yaml": {Data: []byte(`
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  shop: {type: string}
  n: {type: [integer, 'null']}
  price: {type: [number, 'null']}
  total: {type: [string, 'null'], format: decimal}
  at: {type: [string, 'null'], format: date-time}
  day: {type: [string, 'null'], format: date}
`)},
		"frond.yaml": {Data: []byte("tables: {sale: {table: sale}}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Foreign: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f, err := facade.New(storetest.Compiled(t, project), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		`{"select":"count,n.sum,n.countDistinct,price.sum,total.sum,total.avg"}`: `[{"key":{},"count":4,"n":{"sum":7,"countDistinct":2},"price":{"sum":2.5},"total":{"sum":"6.75","avg":"2.25000000"}}]`,
		`{"by":"at:hour","zone":"Europe/Paris","sort":"-at"}`:                    `[{"key":{"at":"2024-10-27T01:00:00+02:00"},"count":2},{"key":{"at":null},"count":2}]`,
		`{"by":"day:month","sort":"-day"}`:                                       `[{"key":{"day":"2024-02-01"},"count":2},{"key":{"day":null},"count":2}]`,
		`{"by":"total","sort":"-total","limit":2}`:                               `[{"key":{"total":"3"},"count":1},{"key":{"total":"2.25"},"count":1}]`,
	} {
		res, err := f.Call(t.Context(), &facade.Call{Entity: "sale", Operation: "aggregate", Invocation: facade.Invocation{Query: json.RawMessage(query)}})
		if err != nil {
			t.Errorf("%s: %v", query, err)
		} else if got := string(res.Rows.AppendJSON(nil)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", query, got, want)
		}
	}
}
