package facade_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files again")

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
	_, err := compile.Project(p, nil)
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

func TestProjectIsNotChanged(t *testing.T) {
	p := storetest.Project(t)
	for range 2 { // a changed host is a new façade over the same project
		f := storetest.New(t, p, storetest.NewStore(), nil)
		if got := len(f.Catalog().Door("post").Computed); got != 1 {
			t.Errorf("%d computed fields", got)
		}
	}
}
