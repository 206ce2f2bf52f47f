package facade_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

const thing = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
`

// Every fault of what Go code attaches is reported at once, with what to write instead.
func TestFaultsOfGoCode(t *testing.T) {
	p := projectOf(t, map[string]string{"entities/thing.yaml": thing, "frond.yaml": "doors: {thing: {operations: {publish: {}, getName: {}}}, health: {operations: {check: {}}}}"})
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
	_, err := facade.New(p, nil, nil)
	if err == nil {
		t.Fatal("no fault")
	}
	golden(t, "testdata/faults.txt", "# what Go code attaches\n"+err.Error()+"\n\n")
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

func TestSeed(t *testing.T) {
	store := storetest.NewStore()
	f := storetest.New(t, storetest.Project(t), store, nil)
	must(t, f, "comment.delete", `{"id":6}`, "", "")
	if err := seed.Write(t.Context(), f); err != nil { // a second start
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
	err = seed.Write(t.Context(), f)
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
