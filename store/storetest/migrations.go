package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
)

// Migrator is a store whose schema changes by plan.
type Migrator interface {
	facade.Store
	Prepare(ctx context.Context, entities []*schema.Entity) error
	Plan(ctx context.Context, task *migration.Task) (*migration.Plan, error)
	Migrate(ctx context.Context, task *migration.Task) (*migration.Plan, error)
}

var update = flag.Bool("update-plans", false, "write the golden files of migrations")

// Version is one state of a project with an entity called thing: the fields of its card behind
// id, each "name: shape", where a "?" behind the name makes it optional; other cards by name; and
// what frond.yaml says of changes.
type Version struct {
	Fields  []string
	Cards   []string // name and YAML, one after the other
	Changes string
	// Entity is what thing is called; "" for thing.
	Entity string
}

// Compile compiles the version. A fault ends the test.
func (v Version) Compile(t testing.TB) *catalog.Catalog {
	t.Helper()
	name := v.Entity
	if name == "" {
		name = "thing"
	}
	cards := append([]string{name, card(v.Fields...)}, v.Cards...)
	frond := &project.Frond{Name: "app", Config: project.Text{File: "frond.yaml", Data: []byte("collectors: {'*': open}\n" + v.Changes)}}
	for i := 0; i < len(cards); i += 2 {
		frond.Cards = append(frond.Cards, schema.Source{File: cards[i] + ".yaml", Name: cards[i], Data: []byte(cards[i+1])})
	}
	return Compiled(t, &facade.Project{Fronds: []*project.Frond{frond}}).Catalog
}

// card is a card with an id and the given fields.
func card(fields ...string) string {
	text := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	required := "id"
	for _, f := range fields {
		name, shape, _ := strings.Cut(f, ": ")
		plain := strings.TrimSuffix(name, "?")
		text += "  " + plain + ": {" + shape + "}\n"
		if plain == name && !strings.Contains(shape, "kind: many") {
			required += ", " + plain
		}
	}
	return text + "required: [" + required + "]\nx-kit-version: 1\n"
}

// changes are changes of cards, with the rows of thing that are there.
var changes = []struct {
	name   string
	before Version
	rows   []string
	after  Version
}{
	{"nothing", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: string"}}},
	{"a new field that may be null", Version{}, []string{`{"id":"1"}`}, Version{Fields: []string{"a: type: [integer, 'null']"}}},
	{"a new field with a constant", Version{}, []string{`{"id":"1"}`}, Version{Fields: []string{"a?: type: string, maxLength: 9, x-kit: {lifecycle: {create: {value: draft}}}"}}},
	{"a new field that is never null", Version{}, []string{`{"id":"1"}`}, Version{Fields: []string{"a: type: integer"}}},
	{"a new field with an expression", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"Tea"}`, `{"id":"2","a":"Cup"}`}, Version{Fields: []string{"a: type: string", "b: type: string, maxLength: 5"}, Changes: "values: {thing.b: 'lower(a) + \"!\"'}"}},
	{"an expression that the card refuses", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"Tea"}`, `{"id":"2","a":"Teapot"}`}, Version{Fields: []string{"a: type: string", "b: type: string, maxLength: 5"}, Changes: "values: {thing.b: lower(a)}"}},
	{"an expression over a field that is not there", Version{}, []string{`{"id":"1"}`}, Version{Fields: []string{"b: type: string"}, Changes: "values: {thing.b: lower(nowhere)}"}},
	{"a field is gone", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`, `{"id":"2","a":"y"}`}, Version{}},
	{"a field is gone that held nothing", Version{Fields: []string{"a: type: [string, 'null']"}}, []string{`{"id":"1","a":null}`}, Version{}},
	{"a field has another name", Version{Fields: []string{"a: type: string, maxLength: 9, x-kit: {role: {index: true}}"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"b: type: string, maxLength: 9, x-kit: {role: {index: true}}"}, Changes: "renamed: {thing.a: thing.b}"}},
	{"an entity has another name", Version{Fields: []string{"a: type: string, x-kit: {role: {unique: [[a]]}}", "parentId: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}"}}, []string{`{"id":"1","a":"x","parentId":null}`, `{"id":"2","a":"y","parentId":"1"}`}, Version{Entity: "item", Fields: []string{"a: type: string, x-kit: {role: {unique: [[a]]}}", "parentId: type: [string, 'null'], x-kit: {role: {relation: {to: item, kind: one}}}"}, Changes: "renamed: {thing: item}"}},
	{"a chain of names", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Entity: "item", Fields: []string{"c: type: string"}, Changes: "renamed: {thing: good, good: item, thing.a: thing.b, item.b: item.c}"}},
	{"a rename of what is not there", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"b: type: [string, 'null']"}, Changes: "renamed: {thing.aa: thing.b}"}},
	{"a field has another name, and no line says so", Version{Fields: []string{"a: type: string", "n: type: integer"}}, []string{`{"id":"1","a":"x","n":1}`}, Version{Fields: []string{"b: type: string", "n: type: integer"}}},
	{"a field has no new name", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"b: type: [string, 'null']"}, Changes: "renamed: {thing.a: null}"}},
	{"an entity has another name, and no line says so", Version{Fields: []string{"a: type: string", "n: type: integer"}}, []string{`{"id":"1","a":"x","n":1}`}, Version{Entity: "item", Fields: []string{"a: type: string", "m: type: integer"}}},
	{"an entity has no new name", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Entity: "item", Fields: []string{"a: type: string"}, Changes: "renamed: {thing: null}"}},
	{"null is allowed", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: [string, 'null']"}}},
	{"null is forbidden, and there is some", Version{Fields: []string{"a: type: [string, 'null']"}}, []string{`{"id":"1","a":null}`, `{"id":"2","a":"x"}`}, Version{Fields: []string{"a: type: string"}}},
	{"null is forbidden, and an expression gives values", Version{Fields: []string{"a: type: [string, 'null']"}}, []string{`{"id":"1","a":null}`, `{"id":"2","a":"x"}`}, Version{Fields: []string{"a: type: string"}, Changes: "values: {thing.a: '\"was \" + id'}"}},
	{"integers become numbers", Version{Fields: []string{"a: type: integer"}}, []string{`{"id":"1","a":7}`}, Version{Fields: []string{"a: type: number"}}},
	{"integers become numbers, and one is too large", Version{Fields: []string{"a: type: integer"}}, []string{`{"id":"1","a":9007199254740993}`}, Version{Fields: []string{"a: type: number"}}},
	{"integers, numbers and booleans become strings", Version{Fields: []string{"a: type: integer", "b: type: number", "c?: type: [boolean, 'null']"}}, []string{`{"id":"1","a":7,"b":2.5,"c":true}`, `{"id":"2","a":-8,"b":2,"c":null}`}, Version{Fields: []string{"a: type: string", "b: type: string", "c?: type: [string, 'null']"}}},
	{"whole numbers become integers", Version{Fields: []string{"a: type: number", "b?: type: [number, 'null']"}}, []string{`{"id":"1","a":7,"b":null}`, `{"id":"2","a":-3e3,"b":2}`}, Version{Fields: []string{"a: type: integer", "b?: type: [integer, 'null']"}}},
	{"numbers become integers with a loss", Version{Fields: []string{"a: type: number"}}, []string{`{"id":"1","a":7.5}`, `{"id":"2","a":3}`}, Version{Fields: []string{"a: type: integer"}}},
	{"strings become integers where they can", Version{Fields: []string{"a: type: [string, 'null']"}}, []string{`{"id":"1","a":"7"}`, `{"id":"2","a":"seven"}`, `{"id":"3","a":null}`}, Version{Fields: []string{"a: type: [integer, 'null']"}}},
	{"strings become integers that are never null", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"7"}`, `{"id":"2","a":"seven"}`}, Version{Fields: []string{"a: type: integer"}}},
	{"a price in cents", Version{Fields: []string{"price: type: number, minimum: 0"}}, []string{`{"id":"1","price":12.5}`}, Version{Fields: []string{"price: type: integer, minimum: 0, x-kit: {role: {index: true}}"}, Changes: "values: {thing.price: int(price * 100)}"}},
	{"an object of a string", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: object"}}},
	{"an enum grows", Version{Fields: []string{"a: type: string, enum: [x]"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: string, enum: [x, y]"}}},
	{"an enum loses a value that is in use", Version{Fields: []string{"a: type: string, enum: [x, y]"}}, []string{`{"id":"1","a":"x"}`, `{"id":"2","a":"y"}`}, Version{Fields: []string{"a: type: string, enum: [x]"}}},
	{"an enum loses a value, and an expression replaces it", Version{Fields: []string{"a: type: string, enum: [x, y]"}}, []string{`{"id":"1","a":"x"}`, `{"id":"2","a":"y"}`}, Version{Fields: []string{"a: type: string, enum: [x, z]"}, Changes: "values: {thing.a: '\"z\"'}"}},
	{"a new index", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: string, x-kit: {role: {index: true}}"}}},
	{"an index is gone", Version{Fields: []string{"a: type: string, x-kit: {role: {index: true}}"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: string"}}},
	{"a unique constraint that rows break", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"x"}`, `{"id":"2","a":"x"}`, `{"id":"3","a":"y"}`}, Version{Fields: []string{"a: type: string, x-kit: {role: {unique: [[a]]}}"}}},
	{"a unique constraint is gone", Version{Fields: []string{"a: type: string, x-kit: {role: {unique: [[a]]}}"}}, []string{`{"id":"1","a":"x"}`}, Version{Fields: []string{"a: type: string"}}},
	{"a relation", Version{Fields: []string{"a: type: [string, 'null']"}}, []string{`{"id":"1","a":null}`, `{"id":"2","a":"1"}`}, Version{Fields: []string{"a: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}"}}},
	{"a relation that rows do not hold", Version{Fields: []string{"a: type: string"}}, []string{`{"id":"1","a":"lost"}`}, Version{Fields: []string{"a: type: string, x-kit: {role: {relation: {to: thing, kind: one}}}"}}},
	{"a new entity", Version{}, []string{`{"id":"1"}`}, Version{Cards: []string{"other", card("thingId: type: string, x-kit: {role: {relation: {to: thing, kind: one}}}")}}},
	{"an entity is gone", Version{Cards: []string{"other", card()}}, []string{`{"id":"1"}`}, Version{}},
}

// RunMigrations plans and applies each of the changes, on a table without rows and on one with
// some, and compares the outcome with a golden file: the steps with their effects, their treatment
// by a start, the flags that they wait for, and the rows afterwards. An applied plan leaves an
// empty one, and a refused plan changes nothing. open gives a store over an empty database. The
// plans are returned, for tests of their SQL.
func RunMigrations(t *testing.T, golden string, open func(t testing.TB) Migrator) (plans []*migration.Plan) {
	var out strings.Builder
	for _, c := range changes {
		for _, filled := range []bool{false, true} {
			name := c.name + ", no rows"
			if filled {
				name = c.name
			}
			t.Run(name, func(t *testing.T) {
				fmt.Fprintf(&out, "# %s\n", name)
				store := open(t)
				before := c.before.Compile(t)
				if err := store.Prepare(t.Context(), before.Set.Entities); err != nil {
					t.Fatal(err)
				}
				if filled {
					InsertRows(t, store, before.Set.Entity("thing"), c.rows...)
				}
				plans = append(plans, migrated(t, &out, store, before, c.after.Compile(t), c.after.Entity))
			})
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("run with -update-plans, and read what changed (-want +got):\n%s", diff)
	}
	return plans
}

// migrated plans, looks what apply does without flags, and applies with all of them.
func migrated(t *testing.T, out *strings.Builder, store Migrator, before, after *catalog.Catalog, name string) *migration.Plan {
	task := &migration.Task{Entities: after.Set.Entities, Changes: after.Changes}
	plan, err := store.Plan(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	blocked := false
	for _, s := range plan.Steps {
		fmt.Fprintf(out, "%-18s %-8s %-6s %-7s %s\n", s.Op, s.Field, s.Effect, s.Start, strings.TrimSpace(s.Flag+" "+fmt.Sprint(s.Rows)))
		if s.Refused {
			fmt.Fprintf(out, "  %s\n", s.Refusal())
			flag, field, _ := strings.Cut(s.Flag, " ")
			switch flag {
			case migration.DropFlag:
				task.Drop = append(task.Drop, field)
			case migration.ConvertFlag:
				task.Convert = append(task.Convert, field)
			default:
				blocked = true
			}
		}
	}
	if len(plan.Refused()) > 0 {
		var refused migration.Refused
		if _, err := store.Migrate(t.Context(), &migration.Task{Entities: task.Entities, Changes: task.Changes}); !errors.As(err, &refused) {
			t.Fatalf("a plan with refused steps was applied: %v", err)
		}
		// The rows are unchanged.
		if err := store.Prepare(t.Context(), before.Set.Entities); err != nil {
			t.Fatalf("back to the cards before: %v", err)
		}
	}
	if blocked {
		return plan
	}
	if _, err := store.Migrate(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	again, err := store.Plan(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Steps) > 0 {
		text, _ := json.Marshal(again)
		t.Errorf("a second plan has steps: %s", text)
	}
	if name == "" {
		name = "thing"
	}
	fmt.Fprintf(out, "  rows %s\n", RowsOf(t, store, after.Set.Entity(name)))
	return plan
}

// InsertRows writes rows of an entity, given as JSON objects.
func InsertRows(t testing.TB, store facade.Store, e *schema.Entity, rows ...string) {
	t.Helper()
	for _, text := range rows {
		if _, err := store.Insert(t.Context(), e, []facade.Record{record(e, text)}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// record is a JSON object as a Record.
func record(e *schema.Entity, text string) (r facade.Record) {
	for _, p := range e.Fields {
		if v := jsontext.Get([]byte(text), p.Name); v != nil {
			r = append(r, schema.Member{Name: p.Name, Value: v})
		}
	}
	return r
}

// RowsOf is all rows of an entity as JSON, by their keys.
func RowsOf(t testing.TB, store facade.Store, e *schema.Entity) string {
	t.Helper()
	var names []string
	for _, p := range e.Fields {
		names = append(names, p.Name)
	}
	found, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout(names), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return string(found.Rows.AppendJSON(nil))
}
