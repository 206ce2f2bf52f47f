package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// RunPhysical renames tables and columns in the database after the deploys of [RunRenames]. The rows,
// their rules, the marks of seeds and the names of files stay; the cards of every version find their
// rows as before; and a second run has nothing to do. While another process serves a database that
// several share, and where names have changed places, it is refused and changes nothing.
func RunPhysical(t *testing.T, shared bool, database func(t testing.TB) (open func() Migrator)) {
	for _, d := range deploys {
		t.Run(d.name, func(t *testing.T) {
			open := database(t)
			first, last := d.versions[0].Compile(t), d.versions[len(d.versions)-1].Compile(t)
			thing, is := first.Set.Entity("thing"), last.Set.Entities[0]
			older := open()
			start(t, older, first)
			InsertRows(t, older, thing, `{"id":"1","a":"x"}`)
			if err := older.Abilities().Seeder.Seed(t.Context(), []facade.SeedBatch{{Entity: thing}}); err != nil {
				t.Fatal(err)
			}
			for _, v := range d.versions[1:] {
				s := open()
				start(t, s, v.Compile(t))
				shut(t, s)
			}
			InsertRows(t, older, thing, `{"id":"2","a":"y"}`)
			task := &migration.Task{Entities: last.Set.Entities, Changes: last.Changes, Physical: true}
			s := open()
			if shared {
				var refused migration.Refused
				if _, err := s.Migrate(t.Context(), task); d.name != "and back" && d.name != "two fields that change places" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), "1 gateway serves the store")) {
					t.Errorf("beside a gateway: %v", err)
				}
			}
			shut(t, older)
			start(t, s, last)
			files := names(s, is)
			plan, err := s.Migrate(t.Context(), task)
			if d.name == "two fields that change places" {
				if err == nil || !strings.Contains(err.Error(), "there is another column a and column b") {
					t.Errorf("names that have changed places: %v", err)
				}
			} else if err != nil {
				t.Fatal(err)
			} else if moves := len(plan.Steps) > 0; moves != (d.name != "and back") {
				t.Errorf("the steps are %v", plan.Steps)
			} else if plan, err = s.Plan(t.Context(), task); err != nil || len(plan.Steps) > 0 {
				t.Errorf("afterwards the plan has %v, %v", plan.Steps, err)
			}
			check := func(when string) {
				t.Helper()
				if rows := RowsOf(t, s, is); rows != d.rows {
					t.Errorf("%s: the rows are %s, want %s", when, rows, d.rows)
				}
			}
			check("afterwards")
			if now := names(s, is); now != files {
				t.Errorf("the lasting names of fields are %s, and were %s", now, files)
			}
			seeded, err := s.Abilities().Seeder.Seeded(t.Context(), last.Set.Entities)
			for _, e := range last.Set.Entities {
				if err != nil || seeded[e] != (e == is) {
					t.Errorf("%s has had its seeds: %v, %v", e.Name, seeded[e], err)
				}
			}
			for _, p := range is.Fields {
				if p.Shape.Type != "string" || p == is.Primary || p.Axes.Relation != nil {
					continue
				}
				for value, code := range map[string]kiterror.Code{`"x"`: kiterror.Conflict, `"longer than nine"`: kiterror.ValidationFailed} {
					_, err := s.Insert(t.Context(), is, []facade.Record{record(is, `{"id":"3","`+p.Name+`":`+value+`}`)}, nil, nil)
					if kiterror.CodeOf(err) != code || !strings.Contains(err.Error(), p.Name) {
						t.Errorf("%s.%s = %s: %v, want %s", is.Name, p.Name, value, err, code)
					}
				}
			}
			shut(t, s)
			if s = open(); d.back == "" { // older cards find their rows, and write more
				if _, err := s.Migrate(t.Context(), &migration.Task{Entities: first.Set.Entities, Changes: first.Changes, Start: true}); err != nil {
					t.Fatalf("the first version does not start again: %v", err)
				}
				if rows := RowsOf(t, s, thing); !strings.HasPrefix(rows, `[{"id":"1","a":"x"`) {
					t.Errorf("the first version reads %s", rows)
				}
				shut(t, s)
				s = open()
			}
			start(t, s, last)
			check("at the next start")
			if now := names(s, is); now != files {
				t.Errorf("the lasting names of fields are %s at the next start, and were %s", now, files)
			}
		})
	}
}

// names are the first lasting names of an entity's fields.
func names(s Migrator, e *schema.Entity) string {
	var all []string
	for _, p := range e.Fields {
		all = append(all, s.Abilities().FieldNames(e, p.Name)[0])
	}
	return strings.Join(all, " ")
}

// shut closes a store, as the end of its process does.
func shut(t *testing.T, s Migrator) {
	t.Helper()
	if closer, ok := s.(interface{ Close() error }); ok {
		if err := closer.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
