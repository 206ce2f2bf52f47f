package compile_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// TestReadSynced reads a folder that a host's word was written into: what its list
// takes and which operations are open stand in no card.
func TestReadSynced(t *testing.T) {
	files := fstest.MapFS{
		"fronds/depot/frond.json":         {Data: []byte(`{"doors":{"item":{"operations":{"only":["list"],"findByIds":false,"pick":{}}}}}`)},
		"fronds/depot/entities/item.json": {Data: []byte(`{"type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}}`)},
		"fronds/depot/synced.json":        {Data: []byte(syncedFile)},
	}
	fronds, err := project.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	fronds[0].Remote = "http://127.0.0.1:1"
	f, err := compile.Project(&facade.Project{Fronds: fronds}, nil)
	if err != nil {
		t.Fatal(err)
	}
	door := f.Catalog.Door("item")
	if list := door.Operation("list"); list.Takes("filter") || !list.Takes("limit") {
		t.Error("the list takes what its host does not")
	}
	if !door.Operation("pick").Open {
		t.Error("nobody says what pick takes, and yet it is not open")
	}
}

const syncedFile = `{"note":"n","files":{"frond.json":"sha256:00"},"told":{"x-kit-version":1,"fronds":[{"name":"depot","doors":[{"name":"item","ops":[{"name":"list","kind":"query"},{"name":"pick"}],"schema":{"title":"item","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}}}]}]}}`

// TestWhatAnOperationTakes: of an operation of ours that names no card the document
// says that it takes nothing; of one of which nobody knows it says nothing. Who reads
// the document knows the same, a gateway in front of a gateway too.
func TestWhatAnOperationTakes(t *testing.T) {
	here, err := compiled(t, map[string]string{"fronds/desk/frond.yaml": `doors: {bell: {operations: {ring: {}, toll: {params: {type: object}}}}}`})
	if err != nil {
		t.Fatal(err)
	}
	first := here.Catalog.Discovery()
	if got := string(first.AppendJSON(nil)); !strings.Contains(got, `{"name":"ring","kind":"command","params":{"type":"object","properties":{},"required":[]}`) {
		t.Errorf("the document is %s", got)
	}
	read := func(ops string) *schema.Discovery {
		t.Helper()
		d, err := schema.ReadDiscovery([]byte(`{"fronds":[{"name":"desk","doors":[{"name":"bell","ops":[` + ops + `]}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const input = `{"name":"ring","input":{"type":"object","properties":{"times":{"type":"integer"}}}}`
	for _, c := range []struct {
		known *schema.Discovery
		open  bool
	}{
		{first, false},
		{read(`{"name":"ring","cardinality":"none"}`), true},
		{read(input), true}, // input closes the body alone
		{read(input + `,{"name":"find","params":{"type":"object","properties":{"id":{"type":"string"}}}}`), false},
		{read(input + `,{"name":"find","query":{"type":"object","properties":{"q":{"type":"string"}}}}`), false},
	} {
		for range 2 { // and again, of what that one describes
			src := project.Discovered(&c.known.Fronds[0], "there")
			src.Remote = "there"
			f, err := compile.Project(&facade.Project{Fronds: []*project.Frond{src}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if op := f.Catalog.Door("bell").Operation("ring"); op.Open != c.open || op.Params != nil {
				t.Errorf("ring is open: %v, want %v; its params: %v", op.Open, c.open, op.Params)
			}
			if ring := f.Catalog.Door("bell").Operation("ring"); ring.Query != nil || c.known != first && ring.Input == nil && strings.Contains(string(c.known.AppendJSON(nil)), "times") {
				t.Errorf("ring takes the query %v and the body %v", ring.Query, ring.Input)
			}
			if toll := f.Catalog.Door("bell").Operation("toll"); toll != nil && toll.Params == nil {
				t.Error("toll takes any params, and they are gone")
			}
			c.known = f.Catalog.Discovery()
		}
	}
}

// TestKindsOfADocumentWithoutThem: where a document gives no kind, the name says it
// (spec 4.2.4), with a card and without; where it gives one, that holds.
func TestKindsOfADocumentWithoutThem(t *testing.T) {
	const document = `{"x-kit-version":1,"fronds":[{"name":"press","doors":[
		{"name":"post","schema":{"title":"post","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}},
		 "ops":[{"name":"list"},{"name":"create"},{"name":"searchAll"},{"name":"listen"},{"name":"publish"},{"name":"getRid","kind":"command"},{"name":"peek","kind":"query"}]},
		{"name":"health","ops":[{"name":"stats"},{"name":"reset"}]}]}]}`
	known, err := schema.ReadDiscovery([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	src := project.Discovered(&known.Fronds[0], "rpc.discover")
	src.Remote = "http://127.0.0.1:1"
	f, err := compile.Project(&facade.Project{Fronds: []*project.Frond{src}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]catalog.Kind{}
	for _, name := range []string{"post", "health"} {
		for _, op := range f.Catalog.Door(name).Operations {
			got[name+"."+op.Name] = op.Kind
		}
	}
	want := map[string]catalog.Kind{
		"post.list": catalog.Query, "post.create": catalog.Command, "post.searchAll": catalog.Query, "post.listen": catalog.Command, "post.publish": catalog.Command,
		"post.getRid": catalog.Command, "post.peek": catalog.Query, "health.stats": catalog.Query, "health.reset": catalog.Command,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
