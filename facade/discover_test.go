package facade_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestDiscoveryGolden(t *testing.T) {
	f := facadeOf(t, map[string]string{
		"fronds/library/entities/book.yaml": `
description: A book.
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuid}}}}
  title: {type: string}
  shelfNote: {type: string, x-kit: {boundary: {out: closed}, lifecycle: {create: optional}}}
  authorIds: {x-kit: {role: {relation: {to: writer, kind: many}}}}
`,
		"fronds/library/entities/writer.yaml": `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
`,
		"fronds/library/frond.yaml": `
doors:
  book: {operations: {only: [list, update, delete], lend: {params: {type: object, properties: {days: {type: integer}}, required: [days]}, output: book, description: Lends it out.}}}
  writer: false
  desk: {operations: {countVisitors: {query: {type: object, properties: {day: {type: string, format: date}}}}}}
facts: [{name: bookLent, schema: book}, {name: closed}]
`,
	}, nil)
	text := f.Catalog().Discovery().AppendJSON(nil)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	const golden = "testdata/discovery.json"
	if *update {
		if err := os.WriteFile(golden, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A consumer rebuilds every published card and judges by it (spec 1.5).
func TestDiscoveredCardsCompile(t *testing.T) {
	doc := storetest.Facade(t).Catalog().Discovery()
	n := 0
	for _, f := range doc.Fronds {
		for _, d := range f.Doors {
			for _, op := range d.Ops {
				for _, card := range []*schema.Card{op.Params, op.Query, op.Input, op.Output} {
					if card == nil {
						continue
					}
					n++
					var read schema.Card
					if err := json.Unmarshal(card.AppendJSON(nil), &read); err != nil {
						t.Errorf("%s.%s: %v", d.Name, op.Name, err)
					}
					if _, err := schema.Compile([]schema.Source{{Name: "x", View: true, Card: &read}}, nil, &schema.CompileOptions{Partial: true}); err != nil {
						t.Errorf("%s.%s: %v", d.Name, op.Name, err)
					}
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d cards are published", n)
	}
}

// TestWhatAnOperationTakes: of an operation of ours that names no card the document
// says that it takes nothing; of one of which nobody knows it says nothing. Who reads
// the document knows the same, a gateway in front of a gateway too.
func TestWhatAnOperationTakes(t *testing.T) {
	here := facadeOf(t, map[string]string{"fronds/desk/frond.yaml": `doors: {bell: {operations: {ring: {}, toll: {params: {type: object}}}}}`}, nil)
	first := here.Catalog().Discovery()
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
			f, err := facade.New(&facade.Project{Fronds: []*project.Frond{src}}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if op := f.Catalog().Door("bell").Operation("ring"); op.Open != c.open || op.Params != nil {
				t.Errorf("ring is open: %v, want %v; its params: %v", op.Open, c.open, op.Params)
			}
			if ring := f.Catalog().Door("bell").Operation("ring"); ring.Query != nil || c.known != first && ring.Input == nil && strings.Contains(string(c.known.AppendJSON(nil)), "times") {
				t.Errorf("ring takes the query %v and the body %v", ring.Query, ring.Input)
			}
			if toll := f.Catalog().Door("bell").Operation("toll"); toll != nil && toll.Params == nil {
				t.Error("toll takes any params, and they are gone")
			}
			c.known = f.Catalog().Discovery()
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
	f, err := facade.New(&facade.Project{Fronds: []*project.Frond{src}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]catalog.Kind{}
	for _, name := range []string{"post", "health"} {
		for _, op := range f.Catalog().Door(name).Operations {
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

// TestDiscoverySpellsViews: a consumer has the views that their author wrote, by their names and in
// their order; a card that stands inside an operation is none.
func TestDiscoverySpellsViews(t *testing.T) {
	files := map[string]string{
		"fronds/library/entities/book.yaml":  "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  title: {type: string}\n",
		"fronds/library/views/bookCard.yaml": "of: book\npick: [id]\n",
		"fronds/library/views/loanSlip.yaml": "type: object\nproperties: {days: {type: integer}}\n",
		"fronds/library/views/notShown.yaml": "type: object\nproperties: {days: {type: integer}}\n",
		"fronds/library/frond.yaml": `
doors:
  book: {operations: {lend: {params: {type: object, properties: {id: {type: string}}, required: [id]}, input: loanSlip, output: bookCard}, count: {query: {type: object, properties: {day: {type: string}}}}}}
`,
	}
	document, err := schema.ReadDiscovery(facadeOf(t, files, nil).Catalog().Discovery().AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	known := &document.Fronds[0]
	if diff := cmp.Diff([]string{"bookCard", "loanSlip"}, known.Views); diff != "" {
		t.Error("-want +got", diff)
	}
	var cards []string
	for _, c := range project.Discovered(known, "its host").Cards {
		cards = append(cards, c.Name)
	}
	if diff := cmp.Diff([]string{"book", "bookCard", "loanSlip"}, cards); diff != "" {
		t.Error("-want +got", diff)
	}
	known.Views = nil // of a host that does not say
	cards = nil
	for _, c := range project.Discovered(known, "its host").Cards {
		cards = append(cards, c.Name)
	}
	if diff := cmp.Diff([]string{"book", "booklendparams", "loanslip", "bookcard", "bookcountquery"}, cards); diff != "" {
		t.Error("-want +got", diff)
	}
}
