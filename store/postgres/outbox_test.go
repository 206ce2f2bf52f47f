package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
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

// TestOlderOutbox: a database whose log has no actors gets the column, beside a store that is open.
func TestOlderOutbox(t *testing.T) {
	url, entities := pgtest.Database(t), []*schema.Entity(nil)
	storetest.RunOlderOutbox(t, storetest.Harness{
		Open: func(t testing.TB, of []*schema.Entity) facade.Store {
			entities = of
			return open(t, postgres.Options{URL: url}, entities)
		},
		Beside: func(t testing.TB, _ facade.Store) facade.Store {
			return open(t, postgres.Options{URL: url}, entities)
		},
	}, func(t testing.TB) {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Exec(t.Context(), "ALTER TABLE frond.outbox DROP COLUMN actor; ALTER TABLE frond.events DROP COLUMN actor; ALTER TABLE frond.dead DROP COLUMN actor")
		if err := errors.Join(err, conn.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
	})
}

func TestEmission(t *testing.T) {
	storetest.RunEmission(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
		return open(t, postgres.Options{URL: pgtest.Database(t)}, entities)
	}})
}

// TestEventsConflictWithNothing writes rows and events from many serializable transactions at
// once, beside the relay, a reader and those who trim: they conflict with nothing. PostgreSQL itself
// guesses a conflict now and then on a busy machine, where it has more finished transactions to remember
// than it keeps apart; a table that all of them read or write makes hundreds of them run again.
func TestEventsConflictWithNothing(t *testing.T) {
	set := storetest.Cards(t)
	s := open(t, postgres.Options{URL: pgtest.Database(t), Connections: 20}, set.Entities)
	tag := set.Entity("tag")
	ctx, stop := context.WithCancel(t.Context())
	var beside, writers sync.WaitGroup
	for _, do := range []func() error{
		func() error { _, _, err := s.Abilities().Outbox.Relay(t.Context()); return err },
		func() error {
			_, _, err := s.Abilities().Outbox.Log(t.Context(), 0, []string{"shop.x", "shop.y"}, 100)
			return err
		},
		func() error { _, err := s.Abilities().Outbox.Trim(t.Context(), time.Now(), 50); return err },
		func() error { _, _, err := s.Abilities().Outbox.Behind(t.Context(), 0, nil, ""); return err },
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
					rows, err := s.Insert(ctx, tag, []facade.Record{{{Name: "id", Value: json.RawMessage(id)}, {Name: "label", Value: json.RawMessage(`"x"`)}}}, nil, rows.NewLayout([]string{"id"}))
					if err != nil {
						return err
					}
					return s.Abilities().Outbox.Emit(ctx, []facade.Event{{
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
	if n := runs.Load(); n > many*each*21/20 {
		t.Errorf("%d transactions ran %d times", many*each, n)
	}
}

// TestOutboxIsNoTableOfTheProject prepares a database with an outbox again: nothing is unknown
// and nothing is planned, also where the project's tables stand in the schema of the outbox.
func TestOutboxIsNoTableOfTheProject(t *testing.T) {
	set, url := storetest.Cards(t), pgtest.Database(t)
	for _, in := range []string{"public", "frond"} {
		s := open(t, postgres.Options{URL: with(url, "schema="+in)}, set.Entities)
		if err := s.Abilities().Outbox.Emit(t.Context(), []facade.Event{{ID: "00000000-0000-7000-8000-000000000001", Frond: "shop", Name: "sold", At: time.Now()}}); err != nil {
			t.Fatal(err)
		}
		for _, leads := range []bool{true, true} {
			if last, got, err := s.Abilities().Outbox.Relay(t.Context()); got != leads || err != nil {
				t.Errorf("%s: relay up to %s, leads %v, %v", in, last, got, err)
			}
		}
		if events, _, err := s.Abilities().Outbox.Log(t.Context(), 0, nil, 9); len(events) != 1 || err != nil { // each project has its own log
			t.Errorf("%s: %d events, %v", in, len(events), err)
		}
		plan, err := s.Plan(t.Context(), &migration.Task{Entities: set.Entities})
		if err != nil || len(plan.Steps) > 0 || len(plan.Notices) > 0 {
			t.Errorf("%s: the plan has %d steps and the notices %q, %v", in, len(plan.Steps), plan.Notices, err)
		}
	}
}

// TestEventsHaveTheStoredRow puts a trigger on a table while the store serves it: the event of a
// create has the row that the database has written, the first one behind the trigger too.
func TestEventsHaveTheStoredRow(t *testing.T) {
	set := storetest.Cards(t)
	cluster := pgtest.New(t, pgtest.Options{})
	database := cluster.Database(t)
	s := open(t, postgres.Options{URL: cluster.Primary.URL(database)}, set.Entities)
	announced := func(id string) (event, answer string) {
		t.Helper()
		row := facade.Record{{Name: "id", Value: jsontext.Quote(id)}, {Name: "name", Value: json.RawMessage(`"x"`)}, {Name: "nicknames", Value: json.RawMessage(`[]`)}}
		rows, err := s.Insert(t.Context(), set.Entity("author"), []facade.Record{row}, &facade.Terms{Events: func(rows *rows.Rows) ([]facade.Event, error) {
			event = string(rows.AppendJSON(nil))
			return []facade.Event{{ID: "00000000-0000-7000-8000-000000000001", Frond: "shop", Name: "joined", At: time.Now(), Data: json.RawMessage(rows.Row(0).JSON())}}, nil
		}}, rows.NewLayout([]string{"id", "name"}))
		if err != nil {
			t.Fatal(err)
		}
		return event, string(rows.AppendJSON(nil))
	}
	for _, id := range []string{"a", "b"} {
		if event, answer := announced(id); event != answer || !strings.Contains(answer, `"x"`) {
			t.Errorf("the event was made of %s, answered was %s", event, answer)
		}
	}
	if err := cluster.Primary.Exec(database,
		`CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name := upper(NEW.name); RETURN NEW; END $$`,
		`CREATE TRIGGER shout BEFORE INSERT ON author FOR EACH ROW EXECUTE FUNCTION shout()`); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c", "d"} {
		if event, answer := announced(id); event != answer || !strings.Contains(answer, `"X"`) {
			t.Errorf("behind the trigger the event was made of %s, answered was %s", event, answer)
		}
	}
}
