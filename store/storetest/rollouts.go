package storetest

import (
	"errors"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/migration"
)

// rollouts are changes of the rules of an entity. wide is a row that the newer cards allow and the older ones do not; at least one row
// with the key 1 is there.
var rollouts = []struct {
	name         string
	older, newer Version
	wide, other  string
	code         kiterror.Code // of wide, after the older cards have been applied
}{
	{
		"an enum value more",
		Version{Fields: []string{"a: type: string, enum: [x, 'y,']"}},
		Version{Fields: []string{"a: type: string, enum: [x, 'y,', z]"}},
		`{"id":"7","a":"z"}`, `{"id":"8","a":"z"}`, kiterror.ValidationFailed,
	},
	{
		"null is allowed, in an index",
		Version{Fields: []string{"a: type: string, x-kit: {role: {index: true}}"}},
		Version{Fields: []string{"a: type: [string, 'null'], x-kit: {role: {index: true}}"}},
		`{"id":"7","a":null}`, `{"id":"8","a":null}`, kiterror.ValidationFailed,
	},
	{
		"a greater length",
		Version{Fields: []string{"a: type: string, maxLength: 8"}},
		Version{Fields: []string{"a: type: string, maxLength: 20"}},
		`{"id":"7","a":"longer than 8"}`, `{"id":"8","a":"longer than 8"}`, kiterror.ValidationFailed,
	},
	{
		"a lesser minimum, of two bounds",
		Version{Fields: []string{"a?: type: string", "n?: type: number, minimum: 1.5, maximum: 9"}},
		Version{Fields: []string{"a?: type: string", "n?: type: number, minimum: -1e3"}},
		`{"id":"7","n":-7}`, `{"id":"8","n":10}`, kiterror.ValidationFailed,
	},
	{
		"a unique constraint is gone",
		Version{Fields: []string{"a: type: string, x-kit: {role: {unique: [[a]]}}"}},
		Version{Fields: []string{"a: type: string"}},
		`{"id":"7","a":"x"}`, `{"id":"8","a":"x"}`, kiterror.Conflict,
	},
	{
		"a relation is gone",
		Version{Fields: []string{"a?: type: string", "of?: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}"}},
		Version{Fields: []string{"a?: type: string", "of?: type: [string, 'null']"}},
		`{"id":"7","of":"lost"}`, `{"id":"8","of":"lost"}`, kiterror.Conflict,
	},
}

// RunRollouts has newer cards widen a rule while older ones are restarted, as in a deploy: the restart takes no rule back, with and
// without the right to change tables, and only apply goes back. open opens the store of another process over the database of a test.
func RunRollouts(t *testing.T, database func(t testing.TB) (open func() Migrator)) {
	for _, r := range rollouts {
		for name, unchanged := range map[string]bool{"": false, ", migrate: off": true} {
			t.Run(r.name+name, func(t *testing.T) {
				open := database(t)
				older, newer := r.older.Compile(t), r.newer.Compile(t)
				task := func(c *catalog.Catalog) *migration.Task {
					return &migration.Task{Entities: c.Set.Entities, Changes: c.Changes, Start: true, Unchanged: unchanged}
				}
				run := func(c *catalog.Catalog, task *migration.Task) (Migrator, *migration.Plan) {
					t.Helper()
					store := open()
					plan, err := store.Migrate(t.Context(), task)
					if err != nil {
						t.Fatal(err)
					}
					return store, plan
				}
				write := func(store Migrator, c *catalog.Catalog, row string) error {
					e := c.Set.Entity("thing")
					_, err := store.Insert(t.Context(), e, []facade.Record{record(e, row)}, nil, nil)
					return err
				}
				first, _ := run(older, &migration.Task{Entities: older.Set.Entities})
				InsertRows(t, first, older.Set.Entity("thing"), `{"id":"1","a":"x"}`)
				deployed, _ := run(newer, &migration.Task{Entities: newer.Set.Entities})
				if err := write(deployed, newer, r.wide); err != nil {
					t.Fatal(err)
				}
				restarted, plan := run(older, task(older))
				if len(plan.Skipped) == 0 {
					t.Error("the restart does not say what it leaves")
				}
				for _, s := range plan.Steps {
					if s.Start == migration.Applies {
						t.Errorf("the restart would %s", s.Does)
					}
				}
				if err := write(deployed, newer, r.other); err != nil {
					t.Errorf("the newer cards write %s after the restart: %v", r.other, err)
				}
				if err := write(restarted, older, `{"id":"2","a":"y,"}`); err != nil {
					t.Errorf("the older cards write: %v", err)
				}
				again, _ := run(newer, task(newer))
				if plan, err := again.Plan(t.Context(), &migration.Task{Entities: newer.Set.Entities}); err != nil || len(plan.Steps) > 0 {
					t.Errorf("the newer cards need %v, %v", plan, err)
				}
				// Going back is refused for rows, and done without them.
				back := &migration.Task{Entities: older.Set.Entities}
				var refused migration.Refused
				if _, err := open().Migrate(t.Context(), back); !errors.As(err, &refused) {
					t.Errorf("apply beside rows that break the rule: %v", err)
				}
				for _, id := range []string{`"7"`, `"8"`} {
					if _, err := deployed.Delete(t.Context(), newer.Set.Entity("thing"), []byte(id), nil, nil); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := open().Migrate(t.Context(), back); err != nil {
					t.Fatal(err)
				}
				if err := write(restarted, older, r.wide); kiterror.CodeOf(err) != r.code {
					t.Errorf("after apply: %v, want %s", err, r.code)
				}
			})
		}
	}
}
