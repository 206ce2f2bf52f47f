package contract_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden holds what a Frond becomes: testdata/NAME.txtar has its files, and behind
// them the Go and the TypeScript that are written of it.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("there are no golden files", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var given []txtar.File
			for _, f := range archive.Files {
				if strings.HasPrefix(f.Name, "fronds/") {
					given = append(given, f)
				}
			}
			golden := &txtar.Archive{Comment: archive.Comment, Files: given}
			model := read(t, golden)
			code, err := model.Go("golden")
			if err != nil {
				t.Fatal(err)
			}
			npm, err := model.TypeScript()
			if err != nil {
				t.Fatal(err)
			}
			golden.Files = append(golden.Files,
				txtar.File{Name: "contract.go", Data: code["contract.go"]},
				txtar.File{Name: "index.d.ts", Data: npm["index.d.ts"]},
				txtar.File{Name: "index.js", Data: npm["index.js"]},
				txtar.File{Name: "client.d.ts", Data: npm["client.d.ts"]},
				txtar.File{Name: "client.js", Data: npm["client.js"]},
				txtar.File{Name: "graphql-names.js", Data: npm["graphql-names.js"]},
				txtar.File{Name: "query.d.ts", Data: npm["query.d.ts"]},
				txtar.File{Name: "query.js", Data: npm["query.js"]},
			)
			text := txtar.Format(golden)
			if *update {
				if err := os.WriteFile(name, text, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(txtar.Format(archive)), "\n"), strings.Split(string(text), "\n")); diff != "" {
				t.Errorf("%s (-golden), `go test ./cmd/frond/contract -update` writes it anew:\n%s", name, diff)
			}
		})
	}
}

// read is the model of the archive's first Frond.
func read(t *testing.T, archive *txtar.Archive) *contract.Model {
	t.Helper()
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.Compiled(t, project)
	model, err := contract.Read(f.Catalog, f.Catalog.Fronds[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestLayout is a round trip: the discovery of a Frond, written down and read again, is
// the same.
func TestLayout(t *testing.T) {
	for _, c := range []string{"names", "shapes"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", c+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := txtar.FS(archive)
		if err != nil {
			t.Fatal(err)
		}
		source, err := facade.Read(files)
		if err != nil {
			t.Fatal(err)
		}
		near := storetest.Compiled(t, source)
		frond := near.Catalog.Discovery().Fronds[0]
		written, err := contract.Layout(&frond)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "fronds", frond.Name)
		plan, err := contract.NewPlan(dir, project.SyncedFile, written, &frond)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Apply(); err != nil {
			t.Fatal(err)
		}
		read, err := facade.Read(os.DirFS(filepath.Dir(filepath.Dir(dir))))
		if err != nil {
			t.Fatal(err)
		}
		read.Fronds[0].Remote = "http://127.0.0.1:1"
		far := storetest.Compiled(t, read)
		if c == "shapes" {
			hides(t, far.Catalog)
		}
		again := far.Catalog.Discovery().Fronds[0]
		if changes := contract.Changes(&frond, &again); len(changes) > 0 {
			t.Errorf("%s: read again, it tells something else: %v", c, changes)
		}
	}
}

// hides: the surfaces of a host that was read show the operations of the Frond's own surfaces.
func hides(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	for surface, hidden := range map[catalog.Surface][]string{catalog.OnREST: {"thing.old", "pulse.check"}, catalog.OnGraphQL: {"thing.upsert"}, catalog.OnEnvelope: nil} {
		view, err := c.Surface(surface)
		if err != nil {
			t.Fatal(err)
		}
		var missing []string
		for _, d := range c.Fronds[0].Doors {
			for _, op := range d.Operations {
				if _, shown := view.Find(d.Name, op.Name); shown == nil {
					missing = append(missing, d.Name+"."+op.Name)
				}
			}
		}
		if !slices.Equal(missing, hidden) {
			t.Errorf("%s does not show %q, want %q", surface, missing, hidden)
		}
	}
}

func TestPackageOptions(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "names.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	model := read(t, archive)
	for _, c := range []struct {
		options contract.PackageOptions
		want    string // of the refusal; "": none
	}{
		{contract.PackageOptions{}, ""},
		{contract.PackageOptions{Version: "1.4.0-rc.1", Module: "example.com/a/b", NPM: "@a/b"}, ""},
		{contract.PackageOptions{Version: "1.4"}, `the version cannot be "1.4"`},
		{contract.PackageOptions{Version: "01.4.0"}, "the version cannot be"},
		{contract.PackageOptions{Module: "a b"}, `a Go module cannot be called "a b"`},
		{contract.PackageOptions{Module: "../a"}, "a Go module cannot be called"},
		{contract.PackageOptions{Module: "a\n\nreplace x => y"}, "a Go module cannot be called"},
		{contract.PackageOptions{NPM: "A"}, `an npm package cannot be called "A"`},
		{contract.PackageOptions{NPM: `a","scripts":{"install":"x"},"b":"`}, "an npm package cannot be called"},
	} {
		_, err := model.Packages(c.options)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.options, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v, want %s", c.options, err, c.want)
		}
	}
}

func TestGoNames(t *testing.T) {
	for name, want := range map[string]string{
		"id": "ID", "categoryId": "CategoryID", "companionIds": "CompanionIDs", "order-line": "OrderLine", "SKU": "Sku", "httpStatus": "HTTPStatus",
		"2fast": "X2fast", "": "X", "über": "Xber", "日本": "X", "de-DE": "DeDe",
	} {
		if got := contract.GoName(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"catalog": "catalog", "order-lines": "orderlines", "Go": "frondgo", "main": "frondmain", "3d": "frond3d", "…": "frond"} {
		if got := contract.GoPackage(name); got != want {
			t.Errorf("the package of %q is %s, want %s", name, got, want)
		}
	}
}
