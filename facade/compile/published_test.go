package compile_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// TestPublishedFieldsStateTypes: every field of every card that rpc.discover and a bundle
// publish states a type, over all projects of the repository. Consumers of another make rebuild a
// field by its type.
func TestPublishedFieldsStateTypes(t *testing.T) {
	t.Parallel()
	projects, fields := 0, 0
	for name, files := range allProjects(t) {
		fronds, err := project.Read(files)
		if err != nil {
			continue // the project of a test of faults
		}
		f, err := compile.Project(&facade.Project{Fronds: fronds}, &compile.Options{Unregistered: func(schema.Fault) {}, Incomplete: true})
		if err != nil {
			continue
		}
		projects++
		for what, text := range map[string]json.RawMessage{"discovery": f.Catalog.Discovery().AppendJSON(nil), "bundle": f.Catalog.Set.Bundle()} {
			fields += typedFields(t, name+" "+what, text)
		}
	}
	if projects < 12 || fields < 2000 {
		t.Errorf("only %d projects with %d fields were looked at", projects, fields)
	}
}

// typedFields reports the members of properties, at any depth of a text, without a type. It
// returns how many fields there are.
func typedFields(t *testing.T, at string, text json.RawMessage) (n int) {
	t.Helper()
	for i, item := range jsontext.Elements(text) {
		n += typedFields(t, at+"/"+string(rune('0'+i%10)), item)
	}
	for name, value := range jsontext.Members(text) {
		if name == "properties" && jsontext.KindOf(value) == jsontext.Object {
			for field, shape := range jsontext.Members(value) {
				n++
				if kind := jsontext.KindOf(shape); kind != jsontext.False && jsontext.Get(shape, "type") == nil {
					t.Errorf("%s: the field %s states no type: %s", at, field, shape)
				}
				n += typedFields(t, at+"/"+field, shape)
			}
			continue
		}
		if name != "$defs" || jsontext.Get(text, "title") == nil { // the definitions of an author's card are no fields
			n += typedFields(t, at+"/"+name, value)
		}
	}
	return n
}

// allProjects are the projects of the repository by their folder or file: examples, the fixtures
// of tests, and those that txtar files hold.
func allProjects(t *testing.T) map[string]fs.FS {
	t.Helper()
	all := map[string]fs.FS{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() && (d.Name() == "fronds" || d.Name() == "entities" && filepath.Base(filepath.Dir(filepath.Dir(path))) != "fronds"):
			all[path] = os.DirFS(filepath.Dir(path))
		case strings.HasSuffix(path, ".txtar"):
			archive, err := txtar.ParseFile(path)
			if err != nil {
				return err
			}
			files := fstest.MapFS{}
			for _, f := range archive.Files {
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			if len(files) > 0 {
				all[path] = files
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
