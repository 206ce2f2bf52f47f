package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden runs every archive of a folder: files whose names begin with want are
// what run answers for the others, by their names.
func golden(t *testing.T, folder string, run func(t *testing.T, files []txtar.File) map[string]string) {
	archives, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no golden files in %s (%v)", folder, err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var in []txtar.File
			want := map[string]string{}
			for _, f := range a.Files {
				if strings.HasPrefix(f.Name, "want") {
					want[f.Name] = string(f.Data)
				} else {
					in = append(in, f)
				}
			}
			got := run(t, in)
			if *update {
				a.Files = in
				for _, name := range []string{"want.faults", "want.cards", "want.bundle", "want.json", "want.left"} {
					if text, ok := got[name]; ok {
						a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("not what the golden file has (-want +got); run with -update to take it over:\n%s", diff)
			}
		})
	}
}

// sourcesOf are the cards of an archive: entities/… and views/…, at the root or in
// a folder that is the Frond.
func sourcesOf(files []txtar.File) []schema.Source {
	var sources []schema.Source
	for _, f := range files {
		dir := path.Dir(f.Name)
		src := schema.Source{
			File: f.Name,
			Name: strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name)),
			View: path.Base(dir) == "views",
			Data: f.Data,
		}
		if frond := path.Dir(dir); frond != "." {
			src.Frond = frond
		}
		sources = append(sources, src)
	}
	return sources
}

// faultsOf is an error as a golden file has it.
func faultsOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var faults schema.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("the error is a %T, want Faults: %v", err, err)
	}
	var b strings.Builder
	for _, f := range faults {
		if f.Message == "" {
			t.Errorf("a fault without a message: %+v", f)
		}
		b.WriteString(f.Error() + "\n")
	}
	return b.String()
}

// TestFaults holds every fault of a set of cards, with file, pointer and remedy.
func TestFaults(t *testing.T) {
	golden(t, "faults", func(t *testing.T, files []txtar.File) map[string]string {
		_, err := schema.Compile(sourcesOf(files), schema.Builtins(), &schema.CompileOptions{Remote: map[string]bool{"far": true}})
		if err == nil {
			t.Error("no fault was found")
		}
		return map[string]string{"want.faults": faultsOf(t, err)}
	})
}

// TestCards holds what compiled cards look like when they leave the process.
func TestCards(t *testing.T) {
	golden(t, "cards", func(t *testing.T, files []txtar.File) map[string]string {
		set, err := schema.Compile(sourcesOf(files), schema.Builtins(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var cards strings.Builder
		for _, e := range append(append([]*schema.Entity{}, set.Entities...), set.Views...) {
			cards.WriteString("# " + e.Name + "\n" + indent(t, e.Card.AppendJSON(nil)))
		}
		// spec 2.4: a bundle read again is the same set of cards.
		bundle := set.Bundle()
		sources, err := schema.ReadBundle(bundle)
		if err != nil {
			t.Fatal(err)
		}
		again, err := schema.Compile(sources, schema.Builtins(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(bundle), string(again.Bundle())); diff != "" {
			t.Errorf("the bundle changed on its way (-sent +read):\n%s", diff)
		}
		return map[string]string{"want.cards": cards.String()}
	})
}

// TestDiscovery holds the discovery document, written and read.
func TestDiscovery(t *testing.T) {
	golden(t, "discovery", func(t *testing.T, files []txtar.File) map[string]string {
		d, err := schema.ReadDiscovery(files[0].Data)
		if err != nil {
			return map[string]string{"want.faults": faultsOf(t, err)}
		}
		text := d.AppendJSON(nil)
		again, err := schema.ReadDiscovery(text)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"want.json": indent(t, text)}
		for i := range d.Fronds {
			if ignored := d.Fronds[i].Ignored.Err(); ignored != nil {
				want["want.left"] += faultsOf(t, ignored)
			}
			d.Fronds[i].Ignored = nil
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Errorf("the document changed on its way (-written +read):\n%s", diff)
		}
		return want
	})
}

func indent(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatalf("this is not JSON: %v\n%s", err, text)
	}
	b.WriteByte('\n')
	return b.String()
}
