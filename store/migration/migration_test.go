package migration_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/frondhost/frond/store/migration"
)

// table is a table with columns; those of a card have fields of the same names.
func table(name, entity string, columns ...string) *migration.Table {
	t := &migration.Table{Name: name, Entity: entity}
	for i, c := range columns {
		t.Columns = append(t.Columns, migration.Column{Name: c, Field: c, Kind: "string", Type: "TEXT", Primary: i == 0, NotNull: i == 0})
	}
	return t
}

func TestRename(t *testing.T) {
	rows := map[string]int64{"full": 3, "item": 3}
	for _, c := range []struct {
		name    string
		present []*migration.Table
		wanted  []*migration.Table
		names   []migration.Name
		steps   string // of the comparison afterwards
		refused string
	}{
		{"a table", []*migration.Table{table("item", "", "id")}, []*migration.Table{table("product", "product", "id")}, []migration.Name{{Table: "item", To: "product"}}, "rename-table", ""},
		{"done before", []*migration.Table{table("product", "", "id")}, []*migration.Table{table("product", "product", "id")}, []migration.Name{{Table: "item", To: "product"}}, "", ""},
		{"a new store", nil, []*migration.Table{table("product", "product", "id")}, []migration.Name{{Table: "item", To: "product"}}, "create-table", ""},
		{"a chain", []*migration.Table{table("a", "", "id", "x")}, []*migration.Table{table("c", "c", "id", "z")}, []migration.Name{{Table: "a", To: "b"}, {Table: "b", To: "c"}, {Table: "c", Column: "x", To: "y"}, {Table: "c", Column: "y", To: "z"}}, "rename-table rename-column", ""},
		{"the middle of a chain", []*migration.Table{table("b", "", "id")}, []*migration.Table{table("c", "c", "id")}, []migration.Name{{Table: "a", To: "b"}, {Table: "b", To: "c"}}, "rename-table", ""},
		{"an empty table has the name", []*migration.Table{table("item", "", "id"), table("product", "", "id")}, []*migration.Table{table("product", "product", "id")}, []migration.Name{{Table: "item", To: "product"}}, "rename-table", ""},
		{"both have rows", []*migration.Table{table("item", "", "id"), table("full", "", "id")}, []*migration.Table{table("full", "full", "id")}, []migration.Name{{Table: "item", To: "full"}}, "", "both are there: full has 3 rows and item has 3 rows"},
		{"an older program made it again", []*migration.Table{table("empty", "", "id"), table("full", "", "id")}, []*migration.Table{table("full", "full", "id")}, []migration.Name{{Table: "empty", To: "full"}}, "", ""},
		{"a slip", []*migration.Table{table("item", "", "id")}, []*migration.Table{table("product", "product", "id")}, []migration.Name{{Table: "itme", To: "product"}}, "create-table", "there is no table itme; name one of those that no card describes, which are item"},
		{"a slip in a field", []*migration.Table{table("item", "", "id", "name")}, []*migration.Table{table("item", "item", "id", "title")}, []migration.Name{{Table: "item", Column: "naem", To: "title"}}, "add-column drop-column", "the table has no column naem; name one of those that no card describes, which are name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := json.Marshal(c.present)
			present, refused, err := migration.Rename(c.present, c.wanted, c.names, func(t *migration.Table) (int64, error) { return rows[t.Name], nil })
			if err != nil {
				t.Fatal(err)
			}
			var ops []string
			for _, d := range migration.Compare(present, c.wanted) {
				ops = append(ops, d.Op)
			}
			if got := strings.Join(ops, " "); got != c.steps {
				t.Errorf("the steps are %q, want %q", got, c.steps)
			}
			if text := migration.Refused(refused).Error(); !strings.Contains(text, c.refused) || (c.refused == "") != (text == "") {
				t.Errorf("refused: %q, want %q", text, c.refused)
			}
			if now, _ := json.Marshal(c.present); string(now) != string(before) {
				t.Error("what was given has changed")
			}
		})
	}
}

// TestForeignKeysFollow: a foreign key to what was renamed is no difference.
func TestForeignKeysFollow(t *testing.T) {
	child := func(to, column string) *migration.Table {
		c := table("part", "part", "id", "of")
		c.Columns[1].References = migration.Reference{Table: to, Column: column, Rest: "CASCADE"}
		return c
	}
	present, _, err := migration.Rename([]*migration.Table{table("item", "", "id"), child("item", "id")}, []*migration.Table{table("product", "product", "key"), child("product", "key")},
		[]migration.Name{{Table: "item", To: "product"}, {Table: "product", Column: "id", To: "key"}}, func(*migration.Table) (int64, error) { return 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range migration.Compare(present, []*migration.Table{table("product", "product", "key"), child("product", "key")}) {
		if d.Op != migration.RenameTable && d.Op != migration.RenameColumn {
			t.Errorf("%s of %s", d.Op, d.Table.Name)
		}
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
