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
)

// TestConstraintsOfAForeignFile: a constraint that no card describes is named in the log, and in the
// answer in development alone; so is what a trigger raises.
func TestConstraintsOfAForeignFile(t *testing.T) {
	path := foreign(t, `CREATE TABLE machine (id INTEGER PRIMARY KEY, load INT CONSTRAINT load_fits CHECK (load < 100), place TEXT);
CREATE TRIGGER no_roof BEFORE INSERT ON machine WHEN NEW.place = 'roof' BEGIN SELECT RAISE(ABORT, 'roof_is_closed'); END;`)
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
		f, err := facade.New(project, s, nil)
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
	f, err := facade.New(project, s, nil)
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
