package contract_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// FuzzTexts writes the Go and the TypeScript of a host that says what it likes: texts
// stay in their comments and strings, so that no declaration is there but ours.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"a thing", "*/ export const evil = 1; /*", "\nvar evil = 1\n", "\r\nfunc evil() {}", "`", "\"", "\u2028evil", "//go:embed x", "a,b", "\\", "${evil}", "-", "\x00"} {
		f.Add(seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, description, word, member string) {
		quote := func(s string) string {
			text, _ := json.Marshal(s) //nolint:errchkjson // strings always are JSON
			return string(text)
		}
		document := `{"fronds":[{"name":"f","doors":[{"name":"thing","ops":[{"name":"findById","kind":"query","description":` + quote(description) + `}],"schema":{"title":"thing","description":` + quote(description) +
			`,"type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"kind":{"type":"string","description":` + quote(description) + `,"enum":[` + quote(word) + `]},"in":{"type":"object","properties":{` + quote(member) + `:{"type":"string"}}}}}}],"facts":[]}]}`
		read, err := schema.ReadDiscovery([]byte(document))
		if err != nil {
			t.Skip()
		}
		src := project.Discovered(&read.Fronds[0], "f")
		src.Remote = "elsewhere"
		compiled, err := compile.Project(&facade.Project{Fronds: []*project.Frond{src}}, nil)
		if err != nil {
			t.Skip()
		}
		model, err := contract.Read(compiled.Catalog, "f")
		if err != nil {
			t.Fatal(err)
		}
		files, err := model.Go("f")
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "contract.go", files["contract.go"], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, is := d.(*ast.GenDecl); is && g.Tok == token.VAR {
				for _, s := range g.Specs {
					if name := s.(*ast.ValueSpec).Names[0].Name; !strings.Contains(" contract bundle judging _ ", " "+name+" ") {
						t.Errorf("a variable %s is declared", name)
					}
				}
			}
		}
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:") && !strings.HasPrefix(c.Text, "//go:embed contract.json") && !strings.HasPrefix(c.Text, "//go:embed bundle.json") {
					t.Errorf("there is a directive %s", c.Text)
				}
			}
		}
		npm, err := model.TypeScript()
		if err != nil {
			t.Fatal(err)
		}
		_, types, _ := strings.Cut(string(npm["index.d.ts"]), "ClientOptions): Client;\n")
		// Brackets are even where no text has left its place.
		rest := stripped(types)
		if strings.Contains(rest, "evil =") || strings.Contains(rest, "evil(") || strings.Count(rest, "{") != strings.Count(rest, "}") || strings.ContainsAny(rest, "*/`\\\x00") {
			t.Errorf("a text leaves its place:\n%s", rest)
		}
	})
}

// stripped is TypeScript without its comments and strings, read as a compiler does.
func stripped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += 2 + end + 2
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String()
}
