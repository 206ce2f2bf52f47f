package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

func TestOutbox(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		storetest.RunOutbox(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
			return open(t, sqlite.Options{Memory: true}, entities)
		}})
	})
	t.Run("file", func(t *testing.T) {
		path, entities := "", []*schema.Entity(nil)
		storetest.RunOutbox(t, storetest.Harness{
			Open: func(t testing.TB, of []*schema.Entity) facade.Store {
				path, entities = t.TempDir()+"/store.db", of
				return open(t, sqlite.Options{Path: path}, entities)
			},
			Beside: func(t testing.TB, _ facade.Store) facade.Store {
				return open(t, sqlite.Options{Path: path}, entities)
			},
		})
	})
}

// TestOlderOutbox: a file whose log has no actors gets the column, beside a store that is open.
func TestOlderOutbox(t *testing.T) {
	path, entities := "", []*schema.Entity(nil)
	storetest.RunOlderOutbox(t, storetest.Harness{
		Open: func(t testing.TB, of []*schema.Entity) facade.Store {
			path, entities = t.TempDir()+"/store.db", of
			return open(t, sqlite.Options{Path: path}, entities)
		},
		Beside: func(t testing.TB, _ facade.Store) facade.Store {
			return open(t, sqlite.Options{Path: path}, entities)
		},
	}, func(t testing.TB) {
		db, err := sqlite3.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Exec(`ALTER TABLE "_frond_events" DROP COLUMN actor; ALTER TABLE "_frond_dead" DROP COLUMN actor`), db.Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestQuiet: the commit of another connection ends the quiet of a file.
func TestQuiet(t *testing.T) {
	path := t.TempDir() + "/store.db"
	s, beside := open(t, sqlite.Options{Path: path}, nil), open(t, sqlite.Options{Path: path}, nil)
	if !s.Abilities().Outbox.Quiet(time.Now().Add(time.Hour)) {
		t.Error("a time to come has commits")
	}
	before := time.Now()
	if err := beside.Abilities().Outbox.Emit(t.Context(), []facade.Event{{ID: "one", Frond: "shop", Name: "sold", At: before, Data: json.RawMessage(`{}`)}}); err != nil {
		t.Fatal(err)
	}
	if s.Abilities().Outbox.Quiet(before) {
		t.Error("a commit beside it was not noticed")
	}
}

// TestRestoredOutboxGoesOn restores a backup: the events behind it are gone, and their positions
// are not given again, so that a reader who has seen them misses nothing that comes.
func TestRestoredOutboxGoesOn(t *testing.T) {
	path, backup := t.TempDir()+"/store.db", t.TempDir()+"/backup.db"
	emit := func(s *sqlite.Store, id string) *facade.Event {
		t.Helper()
		_, before, err := s.Abilities().Outbox.Span(t.Context())
		if err == nil {
			err = s.Abilities().Outbox.Emit(t.Context(), []facade.Event{{ID: id, Frond: "shop", Name: "sold", At: time.Now(), Data: json.RawMessage(`{}`)}})
		}
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := s.Abilities().Outbox.Log(t.Context(), before, nil, 9)
		if err != nil || len(events) != 1 {
			t.Fatal(len(events), err)
		}
		return events[0]
	}
	s := open(t, sqlite.Options{Path: path}, nil)
	emit(s, "kept")
	if _, err := sqlite.Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}
	emit(s, "lost")
	lost := emit(s, "lost too")
	s.Close()
	if _, err := sqlite.Restore(t.Context(), backup, path, true); err != nil {
		t.Fatal(err)
	}
	s = open(t, sqlite.Options{Path: path}, nil)
	next := emit(s, "next")
	if next.Position <= lost.Position {
		t.Errorf("the position %s was given again: %s", lost.Position, next.Position)
	}
	oldest, last, err := s.Abilities().Outbox.Span(t.Context())
	if err != nil || facade.Resumable(lost.Position, oldest, last) != nil {
		t.Errorf("a reader at %s cannot go on: %v", lost.Position, facade.Resumable(lost.Position, oldest, last))
	}
	if all, _, _ := s.Abilities().Outbox.Log(t.Context(), 0, nil, 9); len(all) != 2 || all[0].ID != "kept" {
		t.Errorf("%d events", len(all))
	}
}

// TestOutboxIsNoTableOfTheProject prepares a store with an outbox again: nothing is unknown and
// nothing is planned.
func TestOutboxIsNoTableOfTheProject(t *testing.T) {
	path, set := t.TempDir()+"/store.db", storetest.Cards(t)
	s := open(t, sqlite.Options{Path: path}, set.Entities)
	if err := s.Abilities().Outbox.Emit(t.Context(), []facade.Event{{ID: "1", Frond: "shop", Name: "sold", At: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(t.Context(), &migration.Task{Entities: set.Entities})
	if err != nil || len(plan.Steps) > 0 {
		t.Errorf("the plan has %d steps, %v", len(plan.Steps), err)
	}
}

func TestForeignDatabasesHaveNoOutbox(t *testing.T) {
	path := t.TempDir() + "/theirs.db"
	open(t, sqlite.Options{Path: path}, nil).Close()
	s := open(t, sqlite.Options{Path: path, Foreign: true}, nil)
	err := s.Abilities().Outbox.Emit(t.Context(), []facade.Event{{ID: "1", Frond: "shop", Name: "sold", At: time.Now()}})
	if kiterror.CodeOf(err) != kiterror.InternalError {
		t.Errorf("emit: %v", err)
	}
}

// TestFirstWriteKeepsNoEvents: neither a write that finds no row nor one whose command is undone
// makes the tables of the outbox; the next one does.
func TestFirstWriteKeepsNoEvents(t *testing.T) {
	set := storetest.Cards(t)
	tag := set.Entity("tag")
	announced := &facade.Terms{Events: func(*rows.Rows) ([]facade.Event, error) {
		return []facade.Event{{ID: "e", Frond: "shop", Name: "sold", At: time.Now(), Data: json.RawMessage(`{}`)}}, nil
	}}
	for name, first := range map[string]func(ctx context.Context, s *sqlite.Store) error{
		"a row that is not there": func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.Delete(ctx, tag, []byte(`7`), nil, announced)
			return err
		},
		"a command that is undone within another": func(ctx context.Context, s *sqlite.Store) error {
			return s.Transact(ctx, func(ctx context.Context) error {
				undone := errors.New("undone")
				if err := s.Transact(ctx, func(ctx context.Context) error {
					events, _ := announced.Events(nil)
					return errors.Join(s.Abilities().Outbox.Emit(ctx, events), undone)
				}); !errors.Is(err, undone) {
					return err
				}
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sqlite.Options{Memory: true}, set.Entities)
			if err := first(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			events, _ := announced.Events(nil)
			if err := s.Abilities().Outbox.Emit(t.Context(), events); err != nil {
				t.Fatal(err)
			}
			if kept, _, err := s.Abilities().Outbox.Log(t.Context(), 0, nil, 9); err != nil || len(kept) != 1 {
				t.Errorf("%d events are kept, %v", len(kept), err)
			}
		})
	}
}
