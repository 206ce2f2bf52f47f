package projection_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/validation"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// build builds the schema of a façade, the error as the builder says it.
func build(f *facade.Facade, opts *projection.Options) (*binding.Schema, error) {
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), opts); err != nil {
		return nil, err
	}
	return b.Build()
}

// facadeOf compiles the files of an archive, those with a slash in their names, as a project.
func facadeOf(tb testing.TB, files []txtar.File) *facade.Facade {
	tb.Helper()
	fsys := fstest.MapFS{}
	for _, f := range files {
		if strings.Contains(f.Name, "/") {
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(tb, p), storetest.NewStore(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// TestGolden holds what cards become: each archive has a project, and the SDL or
// the faults that come of it.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := txtar.File{Name: "schema.graphql"}
			if s, err := build(facadeOf(t, a.Files), nil); err != nil {
				out.Name, out.Data = "faults", []byte(err.Error()+"\n")
			} else {
				out.Data = []byte(s.SDL())
			}
			last := len(a.Files) - 1
			if *update {
				if strings.Contains(a.Files[last].Name, "/") {
					a.Files = append(a.Files, out)
				} else {
					a.Files[last] = out
				}
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(a.Files[last].Name+"\n"+string(a.Files[last].Data), out.Name+"\n"+string(out.Data)); d != "" {
				t.Errorf("-want +got (go test ./projection -update writes it anew)\n%s", d)
			}
		})
	}
}

// TestGoldenFixture is the same for the project all rooms test with: its
// presenters are Go, which an archive cannot hold.
func TestGoldenFixture(t *testing.T) {
	s, err := build(storetest.Facade(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	const name = "testdata/storetest.graphql"
	if *update {
		if err := os.WriteFile(name, []byte(s.SDL()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), s.SDL()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestBuildsTheSameTwice: graphql-go keeps its members in maps, and none of their
// disorder reaches the SDL.
func TestBuildsTheSameTwice(t *testing.T) {
	f := storetest.Facade(t)
	first, err := build(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := build(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(first.SDL(), again.SDL()); d != "" {
			t.Fatal(d)
		}
	}
}

// TestTypesAreThoseOfTheSDL: documents are validated against the types that the SDL has.
func TestTypesAreThoseOfTheSDL(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	projects := map[string]*facade.Facade{"storetest": storetest.Facade(t)}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if a.Files[len(a.Files)-1].Name != "faults" {
			projects[filepath.Base(name)] = facadeOf(t, a.Files)
		}
	}
	for name, f := range projects {
		for _, semantic := range []bool{false, true} {
			s, err := build(f, &projection.Options{SemanticNonNull: semantic})
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := validation.LoadSchema(s.SDL())
			if err != nil {
				t.Fatal(err)
			}
			for _, is := range []*ast.Schema{loaded, s.AST} { // gqlparser lists objects as their own possible types
				maps.DeleteFunc(is.PossibleTypes, func(name string, _ []*ast.Definition) bool { return !is.Types[name].IsAbstractType() })
			}
			if d := cmp.Diff(loaded, s.AST, cmp.FilterPath(func(p cmp.Path) bool {
				field := p.Last().String()
				return strings.HasSuffix(field, "Position") || strings.HasSuffix(field, "Positions") || strings.HasSuffix(field, "Comment") || strings.HasSuffix(field, "Definition") || field == ".Location"
			}, cmp.Ignore()), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s: -the SDL +validated\n%s", name, d)
			}
		}
	}
}

// TestOddCards: graphql-go takes each schema that the build took. A name that it would refuse is a fault with a
// remedy at the card.
func TestOddCards(t *testing.T) {
	for field, refused := range map[string]bool{
		"{type: string, enum: ['true', 'false', 'null']}":             false,
		"{type: string, enum: ['__x', b]}":                            false,
		"{type: string, enum: ['']}":                                  false,
		"{type: string, enum: ['a b', é]}":                            false,
		"{type: string, enum: [A, a, A_]}":                            false,
		"{const: 'x y'}":                                              false,
		"{type: 'null'}":                                              false,
		"{type: object}":                                              false,
		"{type: object, properties: {}}":                              false,
		"{type: object, properties: {}, additionalProperties: false}": false,
		"{type: object, properties: {__x: {type: string}}}":           true,
		"{type: object, properties: {a-b: {type: string}}}":           true,
		"{type: array}":                                               false,
		"{type: array, items: {type: array, items: {type: object, properties: {x: {type: object, properties: {}}}}}}": false,
		"{oneOf: [{type: string}, {type: object, properties: {x: {type: integer}}}]}":                                 false,
	} {
		for _, id := range []string{"string", "integer"} {
			text := "properties:\n  id: {type: " + id + ", x-kit: {role: {primary: true}}}\n  odd: " + field + "\n"
			s, err := build(facadeOf(t, []txtar.File{{Name: "entities/thing.yaml", Data: []byte(text)}}), nil)
			switch {
			case err != nil && !refused, err == nil && refused:
				t.Errorf("%s: %v", field, err)
			case refused && !(strings.Contains(err.Error(), "entities/thing.yaml#/properties/odd: ") && strings.Contains(err.Error(), "rename the field odd of thing")):
				t.Errorf("%s: %v names no remedy", field, err)
			case !refused && s.GraphQL().Type("Thing") == nil:
				t.Errorf("%s: there is no type Thing", field)
			}
		}
	}
}

// TestRoundTrip: gqlparser reads the SDL, writes it in its own hand, and what that
// says is the same again: nothing in it was lost on the reader.
func TestRoundTrip(t *testing.T) {
	s, err := build(storetest.Facade(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	written := func(sdl string) string {
		loaded, err := validation.LoadSchema(sdl)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		formatter.NewFormatter(&out).FormatSchema(loaded)
		return out.String()
	}
	theirs := written(s.SDL())
	if d := cmp.Diff(theirs, written(theirs)); d != "" {
		t.Error(d)
	}
	for name := range s.GraphQL().TypeMap() {
		if s.AST.Types[name] == nil {
			t.Errorf("graphql-go has a type %s that the SDL does not", name)
		}
	}
	for name, def := range s.AST.Types {
		if !def.BuiltIn && s.GraphQL().Type(name) == nil {
			t.Errorf("the SDL has a type %s that graphql-go does not", name)
		}
	}
}
