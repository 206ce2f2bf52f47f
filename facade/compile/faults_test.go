package compile_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
)

var update = flag.Bool("update", false, "write the golden files")

// compiled compiles a project of these files.
func compiled(t *testing.T, files map[string]string) (*facade.Compiled, error) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	fronds, err := project.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return compile.Project(&facade.Project{Fronds: fronds}, nil)
}

const thing = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
`

// Every fault of a project is reported at once, with the file, the place in it and
// what to write instead.
func TestFaultsGolden(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct {
		name  string
		files map[string]string
	}{
		{"unknown keys of a frond.yaml", map[string]string{"entities/thing.yaml": thing, "frond.yaml": `
name: my frond
door: {}
doors:
  thing: {plural: Things!, colour: red, list: {default: 0, most: 5}, graphql: 1st}
  rpc: {operations: {ping: {kind: ask}}}
  "a b": true
facts: {}
`}},
		{"schedules", map[string]string{"fronds/a/entities/thing.yaml": thing, "fronds/b/entities/other.yaml": thing, "fronds/a/frond.yaml": `
doors:
  thing:
    operations:
      tidy: {kind: command}
      readAll: {kind: query}
      note: {kind: command, input: {type: object, properties: {text: {type: string}, more: {type: string}}, required: [text]}}
      optional: {kind: command, input: {type: object, properties: {text: {type: string}}, required: []}}
schedule:
  thing.optional: {cron: "0 3 * * *"}
  thing.tidy: {cron: "0 3 31 2 *", zone: Europe/Pariss}
  Thing.tidy: {cron: "0 3 * * *", zone: Europe/Paris, state: {user: {id: cron}}}
  THING.tidy: {cron: "0 3 * * *"}
  thing.readAll: {cron: "0 3 * * *"}
  thing.list: {cron: "0 3 * * *"}
  thing.note: {cron: "* * * *"}
  thing.delete: {cron: "* * * * *", zone: local}
  thing.mend: {cron: "60 * * * *", zone: ""}
  thing: {cron: "@daily"}
  other.create: {cron: "0 3 * * *"}
  nothing.create: {cron: 5, zone: 5, state: 5, every: day}
  thing.create: {zone: UTC}
  thing.update: daily
`}},
		{"operations", map[string]string{"entities/thing.yaml": thing, "views/small.yaml": `{of: thing, pick: [id]}`, "frond.yaml": `
doors:
  thing:
    operations:
      only: [list, remove]
      drop: false
      update: {kind: query, params: {type: object}}
      by-name: {kind: query}
      findSmall: {output: tiny, cardinality: some}
      countAll: {cardinality: many}
      makeOne: {output: small, cardinality: none}
      twice: {params: {type: object, properties: {id: {type: string}}}, input: {type: object, properties: {id: {type: strin}}}}
      shared: {params: {type: object, properties: {id: {type: string}}}, input: {type: object, properties: {id: {type: string}}}}
      odd: {input: 5, extra: 1}
      ping: {deprecated: ''}
  small: {operations: {ping: {}}}
  empty: {}
facts: [{name: a}, {name: a}, {schema: thing}, {name: b, schema: nowhere}, {name: c, shape: d}]
`}},
		{"broken texts beside each other", map[string]string{
			"fronds/a/entities/thing.yaml": "type: [",
			"fronds/b/entities/other.yaml": "type: object\nproperties: {id: {type: string}}",
			"fronds/c/frond.yaml":          "doors: {",
		}},
		{"cards inside a frond.yaml beside broken files", map[string]string{"entities/thing.yaml": "type: object\nproperties: {id: {type: strin}}", "frond.yaml": `
doors:
  thing:
    operations:
      publish:
        params: {type: object, properties: {id: {type: strin}}}
        query: {of: thing, pick: [nothing]}
        input: {type: object, properties: {at: {type: string, maxLenght: 3}, by: {type: string, x-kit: {role: {relation: {to: thing, kind: one}}}}}}
        output: thing
  health: {operations: {check: {output: {type: object, properties: {ok: {type: string, format: fine}}}}}}
facts: [{name: published, schema: {type: object, properties: {at: {type: string, minimum: 3, enum: []}}}}]
computed: {thing: {short: {type: text, value: name}, loud: {type: string, x-kit: {}, value: name}}}
`}},
		{"empty names", map[string]string{"entities/thing.yaml": thing, "frond.yaml": `
doors: {thing: {operations: {'': {input: {type: object, properties: {a: {type: string}}}}}}}
computed: {thing: {'': {type: string, value: name}}, '': {a: {type: string, value: name}}}
facts: [{name: '', schema: {type: object, properties: {a: {type: string}}}}]
`}},
		{"two owners", map[string]string{
			"fronds/a/entities/thing.yaml": thing, "fronds/b/entities/Thing.yaml": thing,
		}},
		{"two owners of a door without rows", map[string]string{
			"fronds/a/frond.yaml": "doors: {health: {operations: {check: {}}}}", "fronds/b/frond.yaml": "doors: {Health: {operations: {check: {}}}}",
		}},
		{"the door of another Frond's entity", map[string]string{
			"fronds/a/entities/thing.yaml": thing, "fronds/b/frond.yaml": "doors: {thing: {plural: things}}",
		}},
		{"a plural claimed twice", map[string]string{
			"entities/box.yaml": thing, "entities/carton.yaml": thing, "frond.yaml": "doors: {carton: {plural: boxes}}",
		}},
		{"two Fronds of one name", map[string]string{
			"fronds/a/entities/thing.yaml": thing, "fronds/b/entities/other.yaml": thing, "fronds/b/frond.yaml": "name: A",
		}},
		{"an unknown generator", map[string]string{
			"entities/thing.yaml": strings.Replace(thing, "primary: true}", "primary: true}, lifecycle: {create: {generate: snowflake}}", 1),
		}},
		{"seeds", map[string]string{
			"entities/thing.yaml": thing, "seeds/thing.yaml": "id: 1", "seeds/other.yaml": "[]",
		}},
	} {
		_, err := compiled(t, c.files)
		if err == nil {
			t.Errorf("%s: no fault", c.name)
			continue
		}
		out.WriteString("# " + c.name + "\n" + err.Error() + "\n\n")
	}
	if *update {
		if err := os.WriteFile("testdata/faults.txt", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFrondIsNamedByItsFile(t *testing.T) {
	f, err := compiled(t, map[string]string{"entities/thing.yaml": thing, "frond.yaml": "name: tools"})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Catalog.Fronds[0].Name; got != "tools" {
		t.Error(got)
	}
	if got := f.Catalog.Door("THING").Frond.Name; got != "tools" {
		t.Error(got)
	}
}

func TestOperationsOfADoor(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"", "list findById findByIds aggregate create update delete"},
		{"{only: [list, findById]}", "list findById findByIds aggregate"},
		{"{only: [list]}", "list aggregate"},
		{"{only: [findByIds]}", "findByIds"},
		{"{findById: false}", "list aggregate create update delete"},
		{"{findByIds: false, delete: false}", "list findById aggregate create update"},
		{"{aggregate: false}", "list findById findByIds create update delete"},
		{"{list: false}", "findById findByIds create update delete"},
		{"{only: [aggregate]}", "aggregate"},
		{"{only: [list], aggregate: {kind: query}}", "list aggregate"},
		{"{only: [create], mark: {}, listMarks: {}}", "create mark listMarks"},
	} {
		files := map[string]string{"entities/thing.yaml": thing}
		if c.config != "" {
			files["frond.yaml"] = "doors: {thing: {operations: " + c.config + "}}"
		}
		f, err := compiled(t, files)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, op := range f.Catalog.Door("thing").Operations {
			names = append(names, op.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: got %s want %s", c.config, got, c.want)
		}
	}
}

// TestNameOfFiles: a project without files may give an entity the name under which files are kept.
func TestNameOfFiles(t *testing.T) {
	name := catalog.FileEntity().Name
	files := map[string]string{"entities/" + name + ".yaml": thing, "frond.yaml": "name: tools"}
	if _, err := compiled(t, files); err != nil {
		t.Error(err)
	}
	files["frond.yaml"] = "files: {" + name + ".name: {types: [image/png]}}"
	if _, err := compiled(t, files); err == nil || !strings.Contains(err.Error(), "give the entity of the project another name") {
		t.Errorf("with files: %v", err)
	}
}
