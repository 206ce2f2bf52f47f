package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
)

// shapes are those that a field of a random card may have, with values that it takes.
var shapes = []struct {
	shape  string
	values []string
}{
	{"type: string", []string{`"x"`, `"7"`, `"2024-01-01"`, `"long text"`}},
	{"type: [string, 'null']", []string{`"x"`, `"y"`, "null"}},
	{"type: string, maxLength: 4", []string{`"x"`, `"four"`}},
	{"type: string, enum: [x, y]", []string{`"x"`, `"y"`}},
	{"type: [string, 'null'], enum: [x, y, z, null]", []string{`"x"`, `"z"`, "null"}},
	{"type: integer", []string{"1", "7", "900"}},
	{"type: [integer, 'null'], maximum: 100", []string{"1", "null", "100"}},
	{"type: number", []string{"1.5", "7", "-0.25"}},
	{"type: boolean", []string{"true", "false"}},
	{"type: [string, 'null'], format: date", []string{`"2024-01-01"`, "null"}},
	{"type: [string, 'null'], format: date-time", []string{`"2024-01-01T00:00:00.000Z"`, "null"}},
	{"type: string, format: decimal", []string{`"1.50"`, `"7"`}},
	{"type: [object, 'null']", []string{`{"k":1}`, "null"}},
	{"type: string, x-kit: {role: {index: true}}", []string{`"x"`, `"y"`}},
	{"type: string, x-kit: {lifecycle: {create: {value: draft}}}", []string{`"draft"`, `"done"`}},
	// The last ones are of one field alone: whether converted values are unique, and lead to
	// rows, is seen when they are written.
	{"type: [string, 'null']", []string{"null", `"1-0"`, `"gone"`}},
	{"type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}", []string{"null"}},
	{"type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one, onDelete: cascade}}}", []string{"null"}},
	{"type: [string, 'null'], x-kit: {role: {unique: [[NAME]]}}", []string{"null"}},
}

// constrained is how many of the last shapes are those of the field d.
const constrained = 4

// RunRandomMigrations applies n random changes of random cards over random rows, one after the
// other. A plan that has no refused step, with the flags that it names, can be applied and
// leaves an empty plan; the number of rows stays, and so do the values of fields that did not
// change. A plan that is refused changes nothing. open gives a store over an empty database.
func RunRandomMigrations(t *testing.T, seed uint64, n int, open func(t testing.TB) Migrator) {
	random := rand.New(rand.NewPCG(seed, 0))
	store := open(t)
	was := map[string]int{}
	now := Version{}.Compile(t)
	if err := store.Prepare(t.Context(), now.Set.Entities); err != nil {
		t.Fatal(err)
	}
	applied, blocked := 0, 0
	for i := range n {
		// Rows of the version that is there.
		for j := range random.IntN(3) {
			row := fmt.Sprintf(`{"id":"%d-%d"`, i, j)
			for name, k := range was {
				values := shapes[k].values
				row += fmt.Sprintf(`,%q:%s`, name, values[random.IntN(len(values))])
			}
			InsertRows(t, store, now.Set.Entity("thing"), row+"}")
		}
		before := RowsOf(t, store, now.Set.Entity("thing"))
		next := map[string]int{}
		var fields []string
		for _, name := range []string{"a", "b", "c", "d"} {
			k, is := was[name]
			if !is || random.IntN(3) == 0 {
				k = random.IntN(len(shapes) - constrained)
				if name == "d" {
					k = len(shapes) - 1 - random.IntN(constrained)
				}
			}
			if random.IntN(4) > 0 {
				next[name] = k
				plain := name
				if strings.Contains(shapes[k].shape, "lifecycle") {
					plain += "?"
				}
				fields = append(fields, plain+": "+strings.ReplaceAll(shapes[k].shape, "NAME", name))
			}
		}
		after := Version{Fields: fields}.Compile(t)
		task := &migration.Task{Entities: after.Set.Entities}
		plan, err := store.Plan(t.Context(), task)
		if err != nil {
			t.Fatalf("%d: %v: %v", i, fields, err)
		}
		for _, s := range plan.Steps {
			flag, field, _ := strings.Cut(s.Flag, " ")
			switch flag {
			case migration.DropFlag:
				task.Drop = append(task.Drop, field)
			case migration.ConvertFlag:
				task.Convert = append(task.Convert, field)
			}
		}
		if plan, err = store.Plan(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		_, err = store.Migrate(t.Context(), task)
		var refused migration.Refused
		if errors.As(err, &refused) {
			if len(plan.Refused()) == 0 {
				t.Fatalf("%d: the plan refused nothing, and applying it did: %v\n%v\n%s", i, err, fields, before)
			}
			blocked++
			if err := store.Prepare(t.Context(), now.Set.Entities); err != nil {
				t.Fatalf("%d: back to the cards before: %v", i, err)
			}
			if rows := RowsOf(t, store, now.Set.Entity("thing")); rows != before {
				t.Fatalf("%d: a refused plan changed rows:\n%s\n%s", i, before, rows)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d: %v: %v\n%s", i, fields, err, before)
		}
		again, err := store.Plan(t.Context(), task)
		if err != nil || len(again.Steps) > 0 {
			t.Fatalf("%d: a second plan of %v has steps: %v %v", i, fields, again.Steps, err)
		}
		applied++
		rows := RowsOf(t, store, after.Set.Entity("thing"))
		same(t, before, rows, was, next)
		was, now = next, after
	}
	t.Logf("%d applied, %d refused", applied, blocked)
	if applied < n/5 || blocked < n/20 {
		t.Errorf("of %d changes %d were applied and %d refused: too few of one kind to show anything", n, applied, blocked)
	}
}

// same compares the fields that did not change, row by row.
func same(t *testing.T, before, after string, was, now map[string]int) {
	t.Helper()
	a, b := jsontext.Elements([]byte(before)), jsontext.Elements([]byte(after))
	var old, fresh []string
	for _, row := range a {
		old = append(old, string(row))
	}
	for _, row := range b {
		fresh = append(fresh, string(row))
	}
	if len(old) != len(fresh) {
		t.Fatalf("%d rows became %d", len(old), len(fresh))
	}
	for i := range old {
		for name, k := range was {
			if l, is := now[name]; is && l == k {
				x, y := jsontext.Get([]byte(old[i]), name), jsontext.Get([]byte(fresh[i]), name)
				if string(x) != string(y) {
					t.Fatalf("%s of row %s became %s", name, old[i], y)
				}
			}
		}
	}
}
