package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// deploys are versions of a project that follow each other, each on a start of its own. Every
// version has an entity whose rows are those of thing in the first one.
var deploys = []struct {
	name     string
	versions []Version
	// rows are those of the last version: one that the first version wrote before the others
	// started, and one that it wrote afterwards.
	rows string
	// back is why the first version does not start again; "" where it does.
	back string
}{
	{
		"a field",
		[]Version{{Fields: []string{text("a")}}, {Fields: []string{text("b")}, Changes: "renamed: {thing.a: thing.b}"}},
		`[{"id":"1","b":"x"},{"id":"2","b":"y"}]`,
		"",
	},
	{
		"a field with an alias",
		[]Version{{Fields: []string{text("a")}}, {Fields: []string{text("b")}, Changes: "renamed: {thing.a: {to: thing.b, until: 2099-01-01}}"}, {Fields: []string{text("b")}}},
		`[{"id":"1","b":"x"},{"id":"2","b":"y"}]`,
		"",
	},
	{
		"an entity",
		[]Version{{Fields: []string{text("a"), "of?: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}"}}, {Entity: "good", Fields: []string{text("a"), "of?: type: [string, 'null'], x-kit: {role: {relation: {to: good, kind: one}}}"}, Changes: "renamed: {thing: good}"}},
		`[{"id":"1","a":"x","of":null},{"id":"2","a":"y","of":null}]`,
		"",
	},
	{
		"twice",
		[]Version{
			{Fields: []string{text("a")}},
			{Entity: "good", Fields: []string{text("b")}, Changes: "renamed: {thing: good, thing.a: thing.b}"},
			{Entity: "ware", Fields: []string{text("c")}, Changes: "renamed: {thing: good, good: ware, thing.a: thing.b, ware.b: ware.c}"},
		},
		`[{"id":"1","c":"x"},{"id":"2","c":"y"}]`,
		"",
	},
	{
		"and back",
		[]Version{
			{Fields: []string{text("a")}},
			{Entity: "good", Fields: []string{text("b")}, Changes: "renamed: {thing: good, thing.a: thing.b}"},
			{Fields: []string{text("a")}, Changes: "renamed: {good: thing, good.b: good.a}"},
		},
		`[{"id":"1","a":"x"},{"id":"2","a":"y"}]`,
		"",
	},
	{
		"a field, whose name another one gets",
		[]Version{
			{Fields: []string{text("a")}},
			{Fields: []string{text("b")}, Changes: "renamed: {thing.a: thing.b}"},
			{Fields: []string{"a?: type: [integer, 'null']", text("b")}},
			{Fields: []string{"a?: type: [integer, 'null']", text("b")}},
		},
		`[{"id":"1","a":null,"b":"x"},{"id":"2","a":null,"b":"y"}]`,
		"newer cards call that column b since",
	},
	{
		"an entity, whose name another one gets",
		[]Version{
			{Fields: []string{text("a")}},
			{Entity: "good", Fields: []string{text("a")}, Changes: "renamed: {thing: good}"},
			{Entity: "good", Fields: []string{text("a")}, Cards: []string{"thing", card("n: type: integer, x-kit: {role: {index: true}}")}},
		},
		`[{"id":"1","a":"x"},{"id":"2","a":"y"}]`,
		"newer cards call that table good since",
	},
	{
		"two fields that change places",
		[]Version{
			{Fields: []string{text("a"), "b?: type: [integer, 'null'], maximum: 7"}},
			{Fields: []string{text("t"), "b?: type: [integer, 'null'], maximum: 7"}, Changes: "renamed: {thing.a: thing.t}"},
			{Fields: []string{text("t"), "a?: type: [integer, 'null'], maximum: 7"}, Changes: "renamed: {thing.b: thing.a}"},
			{Fields: []string{text("b"), "a?: type: [integer, 'null'], maximum: 7"}, Changes: "renamed: {thing.t: thing.b}"},
		},
		`[{"id":"1","b":"x","a":null},{"id":"2","b":"y","a":null}]`,
		"cannot change the type",
	},
}

// text is a field with everything that has a name of its own in a database: a check, an index and
// a unique constraint.
func text(name string) string {
	return name + ": type: string, maxLength: 9, x-kit: {role: {index: true, unique: [[" + name + "]]}}"
}

// RunRenames starts the versions of a project one after the other over one database, while the
// first one goes on to run. Each start finds the rows, leaves nothing to do, and holds new rows to
// the constraints of its cards. open opens the store of another process over the
// database of a test.
func RunRenames(t *testing.T, database func(t testing.TB) (open func() Migrator)) {
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
			reloaded := open()
			start(t, reloaded, first)
			for _, v := range d.versions[1:] {
				start(t, open(), v.Compile(t))
				start(t, reloaded, v.Compile(t))
			}
			if d.back == "" { // a request that began before the cards were read again
				if rows := RowsOf(t, reloaded, thing); rows != RowsOf(t, older, thing) {
					t.Errorf("cards from before the reload read %s", rows)
				}
			}
			InsertRows(t, older, thing, `{"id":"2","a":"y"}`)
			newer := open()
			start(t, newer, last)
			if rows := RowsOf(t, newer, is); rows != d.rows {
				t.Errorf("the rows are %s, want %s", rows, d.rows)
			}
			seeded, err := newer.Abilities().Seeder.Seeded(t.Context(), last.Set.Entities)
			for _, e := range last.Set.Entities {
				if err != nil || seeded[e] != (e == is) {
					t.Errorf("%s has had its seeds: %v, %v", e.Name, seeded[e], err)
				}
			}
			if rows := RowsOf(t, older, thing); !strings.HasPrefix(rows, `[{"id":"1","a":"x"`) {
				t.Errorf("the version that runs reads %s", rows)
			}
			for _, at := range []struct {
				store Migrator
				e     *schema.Entity
			}{{older, thing}, {newer, is}} {
				for _, p := range at.e.Fields {
					if p.Shape.Type != "string" || p == at.e.Primary || p.Axes.Relation != nil {
						continue
					}
					for value, code := range map[string]kiterror.Code{`"x"`: kiterror.Conflict, `"longer than nine"`: kiterror.ValidationFailed} {
						_, err := at.store.Insert(t.Context(), at.e, []facade.Record{record(at.e, `{"id":"3","`+p.Name+`":`+value+`}`)}, nil, nil)
						if kiterror.CodeOf(err) != code || !strings.Contains(err.Error(), p.Name) {
							t.Errorf("%s.%s = %s: %v, want %s", at.e.Name, p.Name, value, err, code)
						}
					}
				}
			}
			back := open()
			_, err = back.Migrate(t.Context(), &migration.Task{Entities: first.Set.Entities, Changes: first.Changes, Start: true})
			var refused migration.Refused
			switch {
			case d.back != "":
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), d.back) {
					t.Errorf("the first version starts again: %v, want %s", err, d.back)
				}
			case err != nil:
				t.Errorf("the first version does not start again: %v", err)
			default:
				if now, was := RowsOf(t, back, thing), RowsOf(t, older, thing); now != was {
					t.Errorf("the first version reads %s when it starts again, and has read %s", now, was)
				}
			}
			start(t, open(), last)
			if rows := RowsOf(t, newer, is); rows != d.rows {
				t.Errorf("the rows are %s afterwards, want %s", rows, d.rows)
			}
		})
	}
}

// start prepares a store as a start does, and sees that nothing is left to do.
func start(t *testing.T, store Migrator, version *catalog.Catalog) {
	t.Helper()
	task := &migration.Task{Entities: version.Set.Entities, Changes: version.Changes, Start: true}
	if _, err := store.Migrate(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	plan, err := store.Plan(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Steps {
		if s.Start != migration.Leaves {
			t.Errorf("a second start would %s", s.Does)
		}
	}
}
