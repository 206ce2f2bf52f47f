package migration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// table is a table with columns, as a database has it.
func table(name string, columns ...string) *migration.Table {
	t := &migration.Table{Name: name}
	for _, c := range columns {
		t.Columns = append(t.Columns, migration.Column{Name: c})
	}
	return t
}

// entity compiles an entity with text fields.
func entity(t testing.TB, name string, fields ...string) *schema.Entity {
	t.Helper()
	card := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	for _, f := range fields {
		card += "  " + f + ": {type: [string, 'null']}\n"
	}
	set, err := schema.Compile([]schema.Source{{File: name + ".yaml", Name: name, Data: []byte(card + "required: [id]\nx-kit-version: 1\n")}}, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Entities[0]
}

// TestResolve: what the cards call a table or a column leads to the one that has it, had it, or is
// new.
func TestResolve(t *testing.T) {
	tables := func(lines ...string) (all []catalog.Renamed) {
		for i := 0; i < len(lines); i += 2 {
			all = append(all, catalog.Renamed{Entity: lines[i], To: lines[i+1]})
		}
		return all
	}
	fields := func(lines ...string) (all []catalog.Renamed) {
		for i := 0; i < len(lines); i += 2 {
			all = append(all, catalog.Renamed{Entity: "product", Field: lines[i], To: lines[i+1]})
		}
		return all
	}
	called := func(table, column string, names ...string) migration.Called {
		return migration.Called{Table: table, Column: column, Names: names, At: "2026-01-02T03:04:05Z"}
	}
	product := func(columns ...string) []*migration.Table {
		return []*migration.Table{table("product", append([]string{"id"}, columns...)...)}
	}
	for _, c := range []struct {
		name    string
		present []*migration.Table
		ledger  []migration.Called
		entity  []string // and its fields
		renamed []catalog.Renamed
		want    string // the table and its columns
		steps   string
		refused string
		written string // entries without a step
	}{
		{"a table", []*migration.Table{table("item", "id")}, nil, []string{"product"}, tables("item", "product"), "item id", "rename item to product", "", ""},
		{"a table that was renamed", []*migration.Table{table("item", "id")}, []migration.Called{called("item", "", "item", "product")}, []string{"product"}, tables("item", "product"), "item id", "", "", ""},
		{"without its line", []*migration.Table{table("item", "id")}, []migration.Called{called("item", "", "item", "product")}, []string{"product"}, nil, "item id", "", "", ""},
		{"older cards", []*migration.Table{table("item", "id")}, []migration.Called{called("item", "", "item", "product")}, []string{"item"}, nil, "item id", "", "", ""},
		{"an older program has renamed the table itself", []*migration.Table{table("product", "id")}, nil, []string{"product"}, tables("item", "product"), "product id", "", "", "product: item product"},
		{"and then older cards", []*migration.Table{table("product", "id")}, []migration.Called{called("product", "", "item", "product")}, []string{"item"}, nil, "product id", "", "", ""},
		{"an older program has renamed what the ledger has", []*migration.Table{table("product", "id", "qty")}, []migration.Called{called("item", "", "item", "product"), called("item", "qty", "count", "amount")}, []string{"product", "amount"}, nil, "product id qty", "", "", "product: item product; product.qty: count amount"},
		{"a new store", nil, nil, []string{"product"}, tables("item", "product"), "product id", "", "", "product: item product"},
		{"a chain", []*migration.Table{table("a", "id")}, nil, []string{"c"}, tables("b", "c", "a", "b"), "a id", "rename a to c", "", ""},
		{"the middle of a chain", []*migration.Table{table("b", "id")}, nil, []string{"c"}, tables("a", "b", "b", "c"), "b id", "rename b to c", "", ""},
		{"an empty table has the name", []*migration.Table{table("full", "id"), table("empty", "id")}, nil, []string{"empty"}, tables("full", "empty"), "full id", "rename full to empty", "", ""},
		{"both have rows", []*migration.Table{table("full", "id"), table("full2", "id")}, nil, []string{"full2"}, tables("full", "full2"), "full2 id", "", "both are there: full2 has 3 rows and full has 3 rows", ""},
		{"an older program made it again", []*migration.Table{table("empty", "id"), table("full", "id")}, nil, []string{"full"}, tables("empty", "full"), "full id", "", "", ""},
		{"a slip", []*migration.Table{table("item", "id")}, nil, []string{"product"}, tables("itme", "product"), "product id", "", "there is no table itme; name one of those that no card describes, which are item", "product: itme product"},
		{"older cards behind an older program that has renamed the table itself", []*migration.Table{table("full2", "id")}, nil, []string{"item"}, nil, "item id", "", "newer cards have given the name full2 to a table of this store, at 2026-01-02T03:04:05Z", ""},
		{"and with the line that it asks for", []*migration.Table{table("full2", "id")}, nil, []string{"item"}, tables("full2", "item"), "full2 id", "rename full2 to item", "", ""},
		{"the name is used again", []*migration.Table{table("item", "id")}, []migration.Called{called("item", "", "item", "product")}, []string{"item"}, tables("item", "product"), "item id", "", "", ""},

		{"a field", product("name"), nil, []string{"product", "title"}, fields("name", "title"), "product id name", "rename name to title", "", ""},
		{"a field back", product("name"), []migration.Called{called("product", "name", "name", "title")}, []string{"product", "name"}, fields("title", "name"), "product id name", "rename title to name", "", ""},
		{"a field that was renamed back", product("name"), []migration.Called{called("product", "name", "title", "name")}, []string{"product", "title"}, nil, "product id name", "", "", ""},
		{"a slip in a field", product("name"), nil, []string{"product", "title"}, fields("naem", "title"), "product id title", "", "the table has no column naem; name one of those that no card describes, which are name", "product.title: naem title"},
		{"a new field under a name of before", product("name"), []migration.Called{called("product", "name", "name", "title")}, []string{"product", "title", "name"}, nil, "product id name name_2", "", "", "product.name_2: name"},
		{"the next start", product("name", "name_2"), []migration.Called{called("product", "name", "name", "title"), called("product", "name_2", "name")}, []string{"product", "title", "name"}, nil, "product id name name_2", "", "", ""},
		{"cards from before", product("name", "name_2"), []migration.Called{called("product", "name", "name", "title"), called("product", "name_2", "name")}, []string{"product", "name"}, nil, "product id name_2", "", "newer cards call that column title since 2026-01-02T03:04:05Z, and have another field called name", ""},
		{"names that changed places", product("a", "b"), []migration.Called{called("product", "a", "a", "t", "b"), called("product", "b", "b", "a")}, []string{"product", "a", "b"}, nil, "product id b a", "", "", ""},
		{"a column that is gone", product("other"), []migration.Called{called("product", "name", "name", "title")}, []string{"product", "other", "name"}, nil, "product id other name", "", "", "product.name: name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := entity(t, c.entity[0], c.entity[1:]...)
			task := &migration.Task{Entities: []*schema.Entity{e}, Changes: catalog.SchemaChanges{Renamed: c.renamed}}
			plain := func(name string) string { return name }
			names, renamed, refused, err := migration.Resolve(task, migration.Naming{Table: plain, Column: plain}, c.present, migration.Ledger{Names: c.ledger, History: func() ([]migration.Entry, error) {
				return []migration.Entry{{At: "2026-01-02T03:04:05Z", Steps: []migration.Applied{{Op: "rename-table", Entity: "full2"}}}}, nil
			}}, func(table string) (int64, error) {
				return map[string]int64{"full": 3, "full2": 3, "item": 3}[table], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got := names.Table(e.Key)
			for _, p := range e.Fields {
				got += " " + names.Column(e.Key, p.Name)
			}
			if got != c.want {
				t.Errorf("the table and its columns are %q, want %q", got, c.want)
			}
			var steps, written []string
			for _, s := range renamed {
				steps = append(steps, s.Does)
			}
			if text := strings.Join(steps, "; "); text != c.steps {
				t.Errorf("the steps are %q, want %q", text, c.steps)
			}
			if text := migration.Refused(refused).Error(); !strings.Contains(text, c.refused) || (c.refused == "") != (text == "") {
				t.Errorf("refused: %q, want %q", text, c.refused)
			}
			for _, w := range names.Unwritten() {
				written = append(written, strings.TrimSuffix(w.Table+"."+w.Column, ".")+": "+strings.Join(w.Names, " "))
			}
			if text := strings.Join(written, "; "); text != c.written {
				t.Errorf("written: %q, want %q", text, c.written)
			}
		})
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct{ from, to, value, want string }{
		{"number", "integer", "2.7", "2"},
		{"number", "integer", "1e300", ""},
		{"integer", "number", "7", "7"},
		{"string", "integer", `"12"`, "12"},
		{"string", "integer", `" 12 "`, "12"},
		{"string", "integer", `"12 apples"`, ""},
		{"string", "integer", `"1.5"`, ""},
		{"string", "number", `"1.5"`, "1.5"},
		{"string", "boolean", `"true"`, "true"},
		{"string", "boolean", `"yes"`, ""},
		{"boolean", "string", "true", `"true"`},
		{"json", "string", `{"a":1}`, `"{\"a\":1}"`},
		{"integer", "decimal", "7", `"7"`},
		{"date", "string", `"2024-01-01"`, `"2024-01-01"`},
		{"string", "json", `"x"`, `"x"`},
		{"boolean", "integer", "true", "none"},
	} {
		how := migration.Convert(c.from, c.to)
		got := "none"
		if how != nil {
			value, ok := how(json.RawMessage(c.value))
			if got = string(value); !ok {
				got = ""
			}
		}
		if got != c.want {
			t.Errorf("%s of %s as %s is %q, want %q", c.value, c.from, c.to, got, c.want)
		}
	}
}

// A plan is read as text or as JSON, and says what waits for which flag.
func ExamplePlan() {
	task := &migration.Task{}
	step := migration.Step{Op: migration.DropColumn, Entity: "product", Field: "colour", Table: "product", Column: "colour", Does: "drop the column", Start: migration.Leaves}
	step.Drop(task, 2)
	plan := &migration.Plan{}
	plan.Add(step)
	_ = plan.WriteText(os.Stdout)
	fmt.Println(len(plan.Refused()))
	// Output:
	// loses   drop-column         product.colour        drop the column
	//         refused: 2 rows hold a value in it; declare the field again, empty the column first, or run frond migrate apply --drop product.colour
	//         a start leaves it as it is
	// 1
}
