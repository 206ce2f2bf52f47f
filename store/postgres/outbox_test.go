package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

func TestOutbox(t *testing.T) {
	for name, wrap := range map[string]func(testing.TB, string) string{
		"direct": func(_ testing.TB, url string) string { return url },
		"pooled": func(t testing.TB, url string) string { return with(pgtest.Pooled(t, url, 8), "pool=transaction") },
	} {
		t.Run(name, func(t *testing.T) {
			url, entities := "", []*schema.Entity(nil)
			storetest.RunOutbox(t, storetest.Harness{
				NoNUL: true, SideBySide: true,
				Open: func(t testing.TB, of []*schema.Entity) facade.Store {
					url, entities = wrap(t, pgtest.Database(t)), of
					return open(t, postgres.Options{URL: url}, entities)
				},
				Beside: func(t testing.TB, _ facade.Store) facade.Store {
					return open(t, postgres.Options{URL: url}, entities)
				},
			})
		})
	}
}

func TestEmission(t *testing.T) {
	storetest.RunEmission(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, postgres.Options{URL: pgtest.Database(t)}, entities)
	}})
}

// TestEventsConflictWithNothing writes rows and events from many serializable transactions at
// once, beside the relay, a reader and those who trim: none of them runs a second time.
func TestEventsConflictWithNothing(t *testing.T) {
	set := storetest.Cards(t)
	s := open(t, postgres.Options{URL: pgtest.Database(t), Connections: 20}, set.Entities)
	tag := set.Entity("tag")
	ctx, stop := context.WithCancel(t.Context())
	var beside, writers sync.WaitGroup
	for _, do := range []func() error{
		func() error { _, _, err := s.Relay(t.Context()); return err },
		func() error { _, _, err := s.Log(t.Context(), 0, []string{"shop.x", "shop.y"}, 100); return err },
		func() error { _, err := s.Trim(t.Context(), time.Now(), 50); return err },
		func() error { _, _, err := s.Behind(t.Context(), 0, nil, ""); return err },
	} {
		beside.Go(func() {
			for ctx.Err() == nil {
				if err := do(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var runs atomic.Int64
	const many, each = 16, 40
	for n := range many {
		writers.Go(func() {
			for i := range each {
				id := strconv.Itoa(n*each + i)
				if err := s.Transact(t.Context(), func(ctx context.Context) error {
					runs.Add(1)
					rows, err := s.Insert(ctx, tag, []facade.Record{{{Name: "id", Value: json.RawMessage(id)}, {Name: "label", Value: json.RawMessage(`"x"`)}}}, nil, facade.NewLayout([]string{"id"}))
					if err != nil {
						return err
					}
					return s.Emit(ctx, []facade.Event{{
						ID: fmt.Sprintf("00000000-0000-7000-8000-%012d", n*each+i), Frond: "shop", Name: "tagged", Entity: "shop.tag",
						Key: rows.Row(0).Get("id"), At: time.Now(), Data: json.RawMessage(`{}`),
					}})
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	stop()
	beside.Wait()
	if n := runs.Load(); n != many*each {
		t.Errorf("%d transactions ran %d times", many*each, n)
	}
}

// TestOutboxIsNoTableOfTheProject prepares a database with an outbox again: nothing is unknown
// and nothing is planned, also where the project's tables stand in the schema of the outbox.
func TestOutboxIsNoTableOfTheProject(t *testing.T) {
	set, url := storetest.Cards(t), pgtest.Database(t)
	for _, in := range []string{"public", "frond"} {
		s := open(t, postgres.Options{URL: with(url, "schema="+in)}, set.Entities)
		if err := s.Emit(t.Context(), []facade.Event{{ID: "00000000-0000-7000-8000-000000000001", Frond: "shop", Name: "sold", At: time.Now()}}); err != nil {
			t.Fatal(err)
		}
		for _, leads := range []bool{true, true} {
			if last, got, err := s.Relay(t.Context()); got != leads || err != nil {
				t.Errorf("%s: relay up to %s, leads %v, %v", in, last, got, err)
			}
		}
		if events, _, err := s.Log(t.Context(), 0, nil, 9); len(events) != 1 || err != nil { // each project has its own log
			t.Errorf("%s: %d events, %v", in, len(events), err)
		}
		plan, err := s.Plan(t.Context(), &migration.Task{Entities: set.Entities})
		if err != nil || len(plan.Steps) > 0 || len(plan.Notices) > 0 {
			t.Errorf("%s: the plan has %d steps and the notices %q, %v", in, len(plan.Steps), plan.Notices, err)
		}
	}
}

// announced inserts an author and returns what its event was made of and what was answered.
// waited says that the event was made when the row was there.
func announced(t *testing.T, s *postgres.Store, set *schema.Set, row facade.Record, statements *atomic.Int64) (event, answer string, waited bool) {
	t.Helper()
	e := set.Entity("author")
	var names []string
	for _, p := range e.Fields {
		if p.Stored {
			names = append(names, p.Name)
		}
	}
	before := statements.Load()
	rows, err := s.Insert(t.Context(), e, []facade.Record{row}, &facade.Terms{Events: func(rows *facade.Rows) ([]facade.Event, error) {
		waited = statements.Load() > before
		event = string(rows.AppendJSON(nil))
		return []facade.Event{{ID: "00000000-0000-7000-8000-000000000001", Frond: "shop", Name: "joined", At: time.Now(), Data: json.RawMessage(rows.Row(0).JSON())}}, nil
	}}, facade.NewLayout(names))
	if err != nil {
		t.Fatal(row, err)
	}
	return event, string(rows.AppendJSON(nil)), waited
}

// TestForeseenRows inserts every kind of value: an event that is made before its row is written
// carries what the row then is.
func TestForeseenRows(t *testing.T) {
	set := storetest.Cards(t)
	var statements atomic.Int64
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url, Trace: func(string, ...any) { statements.Add(1) }}, set.Entities)
	author := func(i int, members ...string) facade.Record {
		values := map[string]string{"id": fmt.Sprintf(`"%d"`, i), "name": `"x"`, "nicknames": `[]`}
		for j := 0; j < len(members); j += 2 {
			values[members[j]] = members[j+1]
		}
		var r facade.Record
		for _, p := range set.Entity("author").Fields {
			if v := values[p.Name]; v != "" {
				r = append(r, schema.Member{Name: p.Name, Value: json.RawMessage(v)})
			}
		}
		return r
	}
	if event, answer, waited := announced(t, s, set, author(0), &statements); event != answer || !waited {
		t.Errorf("the first row of a table: %s, answered %s, waited for %v", event, answer, waited)
	}
	cases := [][]string{
		{"score", "1"},
		{"score", "1.50"},
		{"score", "-0.0"},
		{"score", "1e300"},
		{"score", "5e-324"},
		{"score", "0.1"},
		{"score", "12345678901234567890"},
		{"age", "-7"},
		{"age", "9007199254740991"},
		{"age", "12.0"},
		{"active", "true"},
		{"active", "false"},
		{"active", "null"},
		{"born", `"2026-02-28"`},
		{"born", `"0001-01-01"`},
		{"born", `"9999-12-31"`},
		{"joined", `"2026-11-22T15:04:05.678Z"`},
		{"joined", `"2026-11-22T15:04:05.678901Z"`},
		{"joined", `"0001-01-01T00:00:00.000Z"`},
		{"joined", `"1969-12-31T23:59:59.999Z"`},
		{"profile", `{"b": 1, "a":[1.50, "x\u00e9", null] , "b":2}`},
		{"anything", `"text"`},
		{"anything", `[1, 2]`},
		{"anything", `3.10`},
		{"nicknames", `["a" , "b\"c"]`},
		{"name", `"\u0041\/\u00e9\n\u001f\ud83d\ude00"`},
		{"name", `"<&>\u2028"`},
	}
	for _, text := range storetest.Hostile {
		if !strings.Contains(text, "\x00") {
			cases = append(cases, []string{"name", string(jsontext.Quote(text))})
		}
	}
	for i, members := range cases {
		event, answer, waited := announced(t, s, set, author(i+1, members...), &statements)
		if event != answer || waited {
			t.Errorf("%s: the event was made of %s, answered was %s; waited for %v", members, event, answer, waited)
		}
	}
	// What the database writes in another way is waited for, and no reason to wait for others.
	for i, members := range [][]string{{"balance", `"-0.00"`}, {"balance", `"1.50"`}, {"born", `"0000-02-29"`}, {"joined", `"0000-01-01T00:00:00.000Z"`}} {
		if event, answer, waited := announced(t, s, set, author(1000+i, members...), &statements); event != answer || !waited {
			t.Errorf("%s: the event was made of %s, answered was %s; waited for %v", members, event, answer, waited)
		}
	}
	if _, _, waited := announced(t, s, set, author(2000), &statements); waited {
		t.Error("an ordinary row was waited for")
	}
}

// TestTriggersAreNoticed puts a trigger on a table while the store serves it: the first row that
// comes otherwise than it was foreseen is the last one that is foreseen.
func TestTriggersAreNoticed(t *testing.T) {
	set := storetest.Cards(t)
	var statements atomic.Int64
	cluster := pgtest.New(t, pgtest.Options{})
	database := cluster.Database(t)
	s := open(t, postgres.Options{URL: cluster.Primary.URL(database), Trace: func(string, ...any) { statements.Add(1) }}, set.Entities)
	author := func(id string) facade.Record {
		return facade.Record{{Name: "id", Value: jsontext.Quote(id)}, {Name: "name", Value: json.RawMessage(`"x"`)}, {Name: "nicknames", Value: json.RawMessage(`[]`)}}
	}
	announced(t, s, set, author("a"), &statements)
	if _, _, waited := announced(t, s, set, author("b"), &statements); waited {
		t.Error("the second row was waited for")
	}
	if err := cluster.Primary.Exec(database,
		`CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := upper(NEW.name); RETURN NEW; END $$`,
		`CREATE TRIGGER shout BEFORE INSERT ON author FOR EACH ROW EXECUTE FUNCTION shout()`); err != nil {
		t.Fatal(err)
	}
	if event, answer, _ := announced(t, s, set, author("c"), &statements); event == answer {
		t.Error("the trigger did nothing: ", answer)
	}
	for _, id := range []string{"d", "e"} {
		if event, answer, waited := announced(t, s, set, author(id), &statements); event != answer || !waited {
			t.Errorf("behind it the event was made of %s, answered was %s; waited for %v", event, answer, waited)
		}
	}
}
