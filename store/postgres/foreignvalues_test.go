package postgres_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// TestForeignValues: columns of another program are found by what they show; dates that JSON
// cannot write are null, and the log says so once; a rule of the database is named in the log, and
// in the answer in development.
func TestForeignValues(t *testing.T) {
	t.Parallel()
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
	f, err := facade.New(storetest.Compiled(t, project), store, nil)
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
	if n := strings.Count(log.String(), "a value is answered as null"); n != 2 {
		t.Errorf("the log names %d columns with such values: %s", n, log.String())
	}
	got := call("create", "", `{"id":4,"at":null,"net":null,"opens":null,"seen":null,"made":null,"load":100}`)
	if !strings.Contains(got, "CONFLICT") || !strings.Contains(got, "(load_fits of machine)") || !strings.Contains(log.String(), "constraint=load_fits") {
		t.Errorf("the refusal is %s, the log %s", got, log.String())
	}
}

// TestRulesOfAForeignDatabase: triggers, domains, policies and types of another program refuse a write by a
// code that says what to do, with the database's text in development alone; a row that a trigger leaves out
// is not called written.
func TestRulesOfAForeignDatabase(t *testing.T) {
	t.Parallel()
	address := pgtest.Database(t)
	run(t, address, `CREATE EXTENSION ltree; CREATE DOMAIN share AS int CONSTRAINT share_fits CHECK (VALUE <= 100);
CREATE TABLE parcel (id int PRIMARY KEY, place text, way ltree, part share, owner text DEFAULT 'clerk');
CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.place = 'sea' THEN RAISE EXCEPTION 'parcels cannot swim'; END IF;
  IF NEW.place = 'jail' THEN RAISE EXCEPTION 'no visits' USING ERRCODE = 'insufficient_privilege'; END IF;
  IF NEW.place = 'twice' THEN RAISE EXCEPTION 'there already' USING ERRCODE = 'unique_violation'; END IF;
  IF NEW.place = 'nowhere' THEN RETURN NULL; END IF;
  RETURN NEW; END $$;
CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON parcel FOR EACH ROW EXECUTE FUNCTION judge();
INSERT INTO parcel VALUES (1, 'here', 'a.b', 1, 'clerk'), (2, 'here', 'a', 1, 'chief');
ALTER TABLE parcel ENABLE ROW LEVEL SECURITY; ALTER TABLE parcel FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON parcel FOR SELECT USING (true); CREATE POLICY made ON parcel FOR INSERT WITH CHECK (owner = 'clerk');
CREATE POLICY changed ON parcel FOR UPDATE USING (owner = 'clerk'); CREATE POLICY gone ON parcel FOR DELETE USING (owner = 'clerk');
CREATE ROLE clerk LOGIN; GRANT ALL ON parcel TO clerk`)
	project, err := facade.Read(fstest.MapFS{
		"entities/parcel.yaml": {Data: []byte(`
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  place: {type: [string, 'null']}
  way: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  part: {type: [integer, 'null'], x-kit: {lifecycle: {create: optional}}}
  owner: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
`)},
		"frond.yaml": {Data: []byte("tables: {parcel: {table: parcel}}\nmany: {parcel: [create]}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	asClerk, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	asClerk.User = url.User("clerk")
	for _, named := range []bool{true, false} {
		store, err := postgres.Open(postgres.Options{URL: asClerk.String(), Logger: slog.New(slog.DiscardHandler), NameRules: named})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		f, err := facade.New(storetest.Compiled(t, project), store, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			op, params, body string
			code             kiterror.Code
			text             string // in development
		}{
			{"create", "", `{"id":3,"place":"sea"}`, kiterror.Conflict, "(parcels cannot swim)"},
			{"create", "", `{"id":3,"place":"jail"}`, kiterror.Conflict, "(no visits)"},
			{"create", "", `{"id":3,"place":"twice"}`, kiterror.Conflict, "(there already)"},
			{"create", "", `{"id":3,"place":"here","part":101}`, kiterror.Conflict, "(share_fits)"},
			{"create", "", `{"id":3,"place":"here","way":"a..b"}`, kiterror.ValidationFailed, ""},
			{"create", "", `{"id":3,"place":"here","owner":"chief"}`, kiterror.Forbidden, ""},
			{"create", "", `{"id":3,"place":"nowhere"}`, kiterror.Conflict, ""},
			{"createMany", "", `[{"id":3,"place":"here"},{"id":4,"place":"nowhere"}]`, kiterror.Conflict, ""},
			{"update", `{"id":1}`, `{"place":"nowhere"}`, kiterror.Conflict, ""},
			{"update", `{"id":2}`, `{"place":"there"}`, kiterror.Conflict, ""}, // by the policy
			{"update", `{"id":9}`, `{"place":"there"}`, kiterror.NotFound, ""},
			{"delete", `{"id":2}`, "", kiterror.Conflict, ""},
			{"delete", `{"id":9}`, "", "", ""},
			{"findById", `{"id":3}`, "", "", ""},
		} {
			call := &facade.Call{Entity: "parcel", Operation: c.op}
			if call.Invocation.Params = json.RawMessage(c.params); c.params == "" {
				call.Invocation.Params = nil
			}
			if c.body != "" {
				call.Invocation.Body = json.RawMessage(c.body)
			}
			_, err := f.Call(t.Context(), call)
			if kiterror.CodeOf(err) != c.code || err != nil && named && !strings.Contains(err.Error(), c.text) || err != nil && !named && c.text != "" && strings.Contains(err.Error(), c.text) {
				t.Errorf("named %v, %s %s%s: %v, want %s %s", named, c.op, c.params, c.body, err, c.code, c.text)
			}
		}
		is, err := f.Call(t.Context(), &facade.Call{Entity: "parcel", Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(`{"fields":"id"}`)}})
		if err != nil || is.Rows.Len() != 2 {
			t.Errorf("rows are left: %v, %v", is, err)
		}
	}
}

// TestGroupsOfForeignTypes: groups, sums and extremes of the types that other programs use.
func TestGroupsOfForeignTypes(t *testing.T) {
	address := pgtest.Database(t)
	run(t, address, `CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE visit (id uuid PRIMARY KEY, place varchar(20), mood mood, at timestamp, seen timestamptz, made date, n smallint, big numeric(20,0), price numeric(10,2), weight real, net inet);
INSERT INTO visit VALUES
	('00000000-0000-0000-0000-000000000002', 'b', 'ok', '2024-10-26 23:30', 'infinity', '2024-02-29', 2, 5, 1.50, 0.5, '10.0.0.1'),
	('00000000-0000-0000-0000-000000000001', 'a', 'sad', '2024-10-27 00:30', '2024-10-27 01:30Z', '2024-02-01', 3, 7, 2.25, 1.5, '10.0.0.2'),
	('00000000-0000-0000-0000-000000000003', 'a', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
	project, err := facade.Read(fstest.MapFS{
		"entities/visit.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  place: {type: string}
  mood: {type: [string, 'null']}
  at: {type: [string, 'null'], format: date-time}
  seen: {type: [string, 'null'], format: date-time}
  made: {type: [string, 'null'], format: date}
  n: {type: [integer, 'null']}
  big: {type: [integer, 'null']}
  price: {type: [string, 'null'], format: decimal}
  weight: {type: [number, 'null']}
  net: {type: [string, 'null']}
`)},
		"frond.yaml": {Data: []byte("tables: {visit: {table: visit}}")},
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := postgres.Open(postgres.Options{URL: address, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	f, err := facade.New(storetest.Compiled(t, project), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Prepare(t.Context(), f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		`{"select":"count,n.sum,n.avg,big.sum,price.sum,price.avg,weight.sum,weight.avg,weight.max"}`: `[{"key":{},"count":3,"n":{"sum":5,"avg":2.5},"big":{"sum":12},"price":{"sum":"3.75","avg":"1.87500000"},"weight":{"sum":2,"avg":1,"max":1.5}}]`,
		`{"select":"id.min,place.max,mood.max,net.max,id.countDistinct,mood.countDistinct,at.min"}`:   `[{"key":{},"id":{"min":"00000000-0000-0000-0000-000000000001","countDistinct":3},"place":{"max":"b"},"mood":{"max":"ok","countDistinct":2},"net":{"max":"10.0.0.2"},"at":{"min":"2024-10-26T23:30:00.000Z"}}]`,
		`{"by":"place,mood","sort":"-mood,place","having":{"count":{"lt":2}}}`:                        `[{"key":{"place":"b","mood":"ok"},"count":1},{"key":{"place":"a","mood":"sad"},"count":1},{"key":{"place":"a","mood":null},"count":1}]`,
		`{"by":"at:hour","zone":"Asia/Kolkata","sort":"-at"}`:                                         `[{"key":{"at":"2024-10-27T06:00:00+05:30"},"count":1},{"key":{"at":"2024-10-27T05:00:00+05:30"},"count":1},{"key":{"at":null},"count":1}]`,
		`{"by":"at:day","zone":"Europe/Paris"}`:                                                       `[{"key":{"at":null},"count":1},{"key":{"at":"2024-10-27T00:00:00+02:00"},"count":2}]`,
		`{"by":"seen:hour","zone":"Europe/Paris","filter":{"place":{"eq":"a"}}}`:                      `[{"key":{"seen":null},"count":1},{"key":{"seen":"2024-10-27T02:00:00+01:00"},"count":1}]`,
		`{"by":"made:month","sort":"-made","limit":1}`:                                                `[{"key":{"made":"2024-02-01"},"count":2}]`,
		`{"by":"id","limit":1,"having":{"count":{"gte":1}}}`:                                          `[{"key":{"id":"00000000-0000-0000-0000-000000000001"},"count":1}]`,
	} {
		res, err := f.Call(t.Context(), &facade.Call{Entity: "visit", Operation: "aggregate", Invocation: facade.Invocation{Query: json.RawMessage(query)}})
		if err != nil {
			t.Errorf("%s: %v", query, err)
		} else if got := string(res.Rows.AppendJSON(nil)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", query, got, want)
		}
	}
}
