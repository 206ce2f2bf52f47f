package facade_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

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
		name   string
		files  map[string]string
		attach func(*facade.Project)
	}{
		{"unknown keys of a frond.yaml", map[string]string{"entities/thing.yaml": thing, "frond.yaml": `
name: my frond
door: {}
doors:
  thing: {plural: Things!, colour: red, list: {default: 0, most: 5}, graphql: 1st}
  rpc: {operations: {ping: {kind: ask}}}
  "a b": true
facts: {}
`}, nil},
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
`}, nil},
		{"broken texts beside each other", map[string]string{
			"fronds/a/entities/thing.yaml": "type: [",
			"fronds/b/entities/other.yaml": "type: object\nproperties: {id: {type: string}}",
			"fronds/c/frond.yaml":          "doors: {",
		}, nil},
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
`}, nil},
		{"empty names", map[string]string{"entities/thing.yaml": thing, "frond.yaml": `
doors: {thing: {operations: {'': {input: {type: object, properties: {a: {type: string}}}}}}}
computed: {thing: {'': {type: string, value: name}}, '': {a: {type: string, value: name}}}
facts: [{name: '', schema: {type: object, properties: {a: {type: string}}}}]
`}, nil},
		{"two owners", map[string]string{
			"fronds/a/entities/thing.yaml": thing, "fronds/b/entities/Thing.yaml": thing,
		}, nil},
		{"two owners of a door without rows", map[string]string{
			"fronds/a/frond.yaml": "doors: {health: {operations: {check: {}}}}", "fronds/b/frond.yaml": "doors: {Health: {operations: {check: {}}}}",
		}, nil},
		{"the door of another Frond's entity", map[string]string{
			"fronds/a/entities/thing.yaml": thing, "fronds/b/frond.yaml": "doors: {thing: {plural: things}}",
		}, nil},
		{"a plural claimed twice", map[string]string{
			"entities/box.yaml": thing, "entities/carton.yaml": thing, "frond.yaml": "doors: {carton: {plural: boxes}}",
		}, nil},
		{"two Fronds of one name", map[string]string{
			"fronds/a/entities/thing.yaml": thing, "fronds/b/entities/other.yaml": thing, "fronds/b/frond.yaml": "name: A",
		}, nil},
		{"an unknown generator", map[string]string{
			"entities/thing.yaml": strings.Replace(thing, "primary: true}", "primary: true}, lifecycle: {create: {generate: snowflake}}", 1),
		}, nil},
		{"seeds", map[string]string{
			"entities/thing.yaml": thing, "seeds/thing.yaml": "id: 1", "seeds/other.yaml": "[]",
		}, nil},
		{
			"what Go code attaches",
			map[string]string{"entities/thing.yaml": thing, "frond.yaml": "doors: {thing: {operations: {publish: {}, getName: {}}}, health: {operations: {check: {}}}}"},
			func(p *facade.Project) {
				h := func(context.Context, struct{}) (bool, error) { return true, nil }
				text := func(context.Context, []rows.Row) ([]string, error) { return nil, nil }
				c := access.CollectorFunc(own)
				facade.HandleCommand(p.Door("thong"), "publish", h)
				facade.HandleCommand(p.Door("thing"), "unpublish", h)
				facade.HandleQuery(p.Door("thing"), "publish", h)
				facade.HandleCommand(p.Door("thing"), "getName", h)
				facade.HandleCommand(p.Door("thing"), "publish", h)
				facade.HandleCommand(p.Door("Thing"), "publish", h)
				facade.Present(p.Door("thong"), "x", schema.Shape{}, text)
				facade.Present(p.Door("health"), "x", schema.Shape{}, text)
				facade.Present(p.Door("thing"), "name", schema.Shape{}, text)
				facade.Present(p.Door("thing"), "x y", schema.Shape{}, text)
				facade.Present(p.Door("thing"), "ok", schema.Shape{}, text, "nome")
				facade.Collect(p.Door("thong"), c)
				facade.Collect(p.Door("thing"), c)
				facade.Collect(p.Door("thing"), c)
			},
		},
	} {
		p := projectOf(t, c.files)
		if c.attach != nil {
			c.attach(p)
		}
		_, err := facade.New(p, nil, nil)
		if err == nil {
			t.Errorf("%s: no fault", c.name)
			continue
		}
		out.WriteString("# " + c.name + "\n" + err.Error() + "\n\n")
	}
	golden(t, "testdata/faults.txt", out.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string // Fronds and their cards, or the fault
	}{
		{"many Fronds", []string{"fronds/b/entities/x.yaml", "fronds/a/entities/y.yml", "fronds/a/views/z.json", "fronds/.git/config"}, "a: y z; b: x"},
		{"one at the root", []string{"entities/x.yaml", "seeds/x.yaml", "gateway.yaml"}, "app: x"},
		{"only a frond.yaml", []string{"frond.yaml"}, "app:"},
		{"other files are let be", []string{"entities/x.yaml", "entities/README.md", "entities/.hidden.yaml", "entities/deep/y.yaml"}, "app: x"},
		{"both", []string{"entities/x.yaml", "fronds/a/entities/y.yaml"}, ".: there are entities or a frond.yaml at the root, and a folder fronds/ beside them; move the ones at the root into a folder fronds/NAME/"},
		{"nothing", []string{"README.md"}, ".: there is no project in this folder: neither fronds/ nor entities/ is here; make a folder fronds/NAME/entities with one card per file"},
		{"a Frond that is described twice", []string{"frond.yaml", "frond.json"}, "frond.json: this Frond is described by frond.yaml as well; write everything into one of the two"},
		{"an empty Frond", []string{"fronds/a/README.md"}, "fronds/a: this Frond has neither entities nor a frond.yaml; put one card per file into fronds/a/entities, or remove the folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for _, name := range c.files {
				fsys[name] = &fstest.MapFile{Data: []byte("{}")}
			}
			p, err := facade.Read(fsys)
			var got string
			if err != nil {
				got = err.Error()
			} else {
				var all []string
				for _, f := range p.Fronds {
					line := f.Name + ":"
					for _, card := range f.Cards {
						line += " " + card.Name
					}
					all = append(all, line)
				}
				got = strings.Join(all, "; ")
			}
			if got != c.want {
				t.Errorf("got %s want %s", got, c.want)
			}
		})
	}
}

func TestFrondIsNamedByItsFile(t *testing.T) {
	f := facadeOf(t, map[string]string{"entities/thing.yaml": thing, "frond.yaml": "name: tools"}, nil)
	if got := f.Catalog().Fronds[0].Name; got != "tools" {
		t.Error(got)
	}
	if got := f.Catalog().Door("THING").Frond.Name; got != "tools" {
		t.Error(got)
	}
}

func TestOperationsOfADoor(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"", "list findById findByIds create update delete"},
		{"{only: [list, findById]}", "list findById findByIds"},
		{"{only: [list]}", "list"},
		{"{only: [findByIds]}", "findByIds"},
		{"{findById: false}", "list create update delete"},
		{"{findByIds: false, delete: false}", "list findById create update"},
		{"{only: [create], mark: {}, listMarks: {}}", "create mark listMarks"},
	} {
		files := map[string]string{"entities/thing.yaml": thing}
		if c.config != "" {
			files["frond.yaml"] = "doors: {thing: {operations: " + c.config + "}}"
		}
		f := facadeOf(t, files, nil)
		var names []string
		for _, op := range f.Catalog().Door("thing").Operations {
			names = append(names, op.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: got %s want %s", c.config, got, c.want)
		}
	}
}

// spec 4.2.4: the kind follows the name, at a word boundary.
func TestKindOf(t *testing.T) {
	for name, want := range map[string]catalog.Kind{
		"list": catalog.Query, "listAll": catalog.Query, "find": catalog.Query, "findByID": catalog.Query, "get_it": catalog.Query,
		"get2": catalog.Query, "search": catalog.Query, "countWords": catalog.Query, "existsHere": catalog.Query, "stats": catalog.Query,
		"listen": catalog.Command, "finder": catalog.Command, "getaway": catalog.Command, "publish": catalog.Command,
		"create": catalog.Command, "counter": catalog.Command, "List": catalog.Command, "": catalog.Command, "reset": catalog.Command,
	} {
		if got := catalog.KindOf(name); got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
}

func TestSeed(t *testing.T) {
	store := storetest.NewStore()
	f := storetest.New(t, storetest.Project(t), store, nil)
	must(t, f, "comment.delete", `{"id":6}`, "", "")
	if err := f.Seed(t.Context()); err != nil { // a second start
		t.Fatal(err)
	}
	if got := ids(t, must(t, f, "comment.list", "", "", "")); got != "1 2 3 4 5" {
		t.Errorf("seeds were written again: %s", got)
	}
}

// Rows that others point at are written first, whatever the order of the files and
// of the rows in them.
func TestSeedOrder(t *testing.T) {
	p := projectOf(t, map[string]string{
		"entities/a.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, zId: {type: string, x-kit: {role: {relation: {to: z, kind: one}}}}}}`,
		"entities/z.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, parentId: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}, role: {relation: {to: z, kind: one}}}}}}`,
		"seeds/a.yaml":    `[{id: a1, zId: leaf}]`,
		"seeds/z.yaml":    `[{id: leaf, parentId: branch}, {id: branch, parentId: root}, {id: root}, {id: other, parentId: root}]`,
	})
	store := &writing{Store: storetest.NewStore()}
	storetest.New(t, p, store, nil)
	if got, want := strings.Join(store.ids, " "), `"root" "branch" "leaf" "other" "a1"`; got != want {
		t.Errorf("written %s, want %s", got, want)
	}
}

// writing remembers what was written.
type writing struct {
	facade.Store
	ids []string
}

func (s *writing) Insert(ctx context.Context, e *schema.Entity, found []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	for _, r := range found {
		s.ids = append(s.ids, string(r.Get("id")))
	}
	return s.Store.Insert(ctx, e, found, terms, sel)
}

func TestSeedRefusals(t *testing.T) {
	p := projectOf(t, map[string]string{
		"entities/thing.yaml": strings.Replace(thing, "name: {type: string}", "name: {type: string, minLength: 2, x-kit: {role: {unique: [[name]]}}}\n  other: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}, role: {relation: {to: thing, kind: one}}}}", 1),
		"seeds/thing.yaml":    `[{id: a, name: x, colour: red}, {id: b, name: bb}, {id: b, name: bb, other: nowhere}, 5]`,
	})
	store := storetest.NewStore()
	f, err := facade.New(p, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Seed(t.Context())
	if err == nil {
		t.Fatal("no fault")
	}
	want := `seeds/thing.yaml#/0/colour: colour is not part of the card; leave it out
seeds/thing.yaml#/0/name: name must have at least 2 characters
seeds/thing.yaml#/3: must be an object
seeds/thing.yaml#/2/id: id is taken by row 1; give every row its own
seeds/thing.yaml#/2/name: name is taken by row 1; give every row its own
seeds/thing.yaml#/2/other: other names a thing that is not among the seeds; add the row, or name one that is there`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := ids(t, must(t, f, "thing.list", "", "", "")); got != "" {
		t.Errorf("rows were written all the same: %s", got)
	}
}

func TestProjectIsNotChanged(t *testing.T) {
	p := storetest.Project(t)
	for range 2 { // a changed host is a new façade over the same project
		f := storetest.New(t, p, storetest.NewStore(), nil)
		if got := len(f.Catalog().Door("post").Computed); got != 1 {
			t.Errorf("%d computed fields", got)
		}
	}
}
