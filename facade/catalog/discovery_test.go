package catalog_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

var update = flag.Bool("update", false, "write the golden files")

// catalogOf is the catalog of a project of these files.
func catalogOf(t *testing.T, files map[string]string) *catalog.Catalog {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	fronds, err := project.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	c, err := compile.Project(&facade.Project{Fronds: fronds}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Catalog
}

func TestDiscoveryGolden(t *testing.T) {
	c := catalogOf(t, map[string]string{
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
	})
	text := c.Discovery().AppendJSON(nil)
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
	document, err := schema.ReadDiscovery(catalogOf(t, files).Discovery().AppendJSON(nil))
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
