package house_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/go/packages"

	packaged "github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// snippet is a block of code that a page shows.
type snippet struct {
	place string // page:line
	text  string
}

// snippets returns the blocks of a language in README.md, docs/ and the examples.
func snippets(t *testing.T, language string) (found []snippet) {
	t.Helper()
	pages := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "examples/*/README.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var open *snippet
		for n, line := range strings.Split(string(text), "\n") {
			switch {
			case open == nil && line == "```"+language:
				open = &snippet{place: fmt.Sprintf("%s:%d", page, n+1)}
			case open != nil && line == "```":
				found = append(found, *open)
				open = nil
			case open != nil:
				open.text += line + "\n"
			}
		}
	}
	return found
}

// snippetImports are the packages that Go blocks name, by the name they use.
var snippetImports = map[string]string{
	"frond": module, "facade": module + "/facade", "gateway": module + "/gateway", "client": module + "/envelope/client",
	"access": module + "/facade/access", "kiterror": module + "/facade/kiterror",
	"catalog":    module + "/docs/snippets/catalog",
	"postgres":   module + "/store/postgres",
	"prometheus": module + "/gateway/prometheus",
	"jetstream":  "github.com/nats-io/nats.go/jetstream", "nats": "github.com/nats-io/nats.go",
	"context": "context", "embed": "embed", "fmt": "fmt", "http": "net/http", "strings": "strings", "testing": "testing", "time": "time",
}

// snippetNames declare what Go blocks use and a page describes in words.
var snippetNames = map[string]string{
	"after":    "var after facade.Position",
	"app":      "var app = frond.New(site)",
	"charge":   "func charge(context.Context, struct{ ID string }) (*Order, error) { return nil, nil }",
	"conn":     "var conn *nats.Conn",
	"ctx":      "var ctx context.Context",
	"keep":     "func keep(facade.Position) error { return nil }",
	"newApp":   "func newApp() *frond.App { return app }",
	"order":    `var order = frond.Door[Order](app, "order")`,
	"patch":    "var patch catalog.ProductPatch",
	"post":     `var post = frond.Door[Post](app, "post")`,
	"product":  "var product *catalog.Product",
	"project":  "var project *facade.Project",
	"publish":  "func publish(context.Context, struct{ ID string }) (*Post, error) { return nil, nil }",
	"search":   "var search interface{ Index(ctx context.Context, id, title, body string) }",
	"sessions": "var sessions interface {\n\tFind(string) (struct {\n\t\tID    string\n\t\tRoles []any\n\t}, bool)\n}",
	"shop":     "var shop *catalog.Client",
	"site":     "var site embed.FS",
	"slugOf":   "func slugOf(title string) string { return title }",
	"Invoice":  "type Invoice struct {\n\tID, OrderID string\n\tTotal       int\n}",
	"Order":    "type Order struct {\n\tID    string\n\tTotal int\n}",
	"Post":     "type Post struct{ ID, Title, Body, Status string }",
	"Show":     "type Show struct {\n\tID           string\n\tTaken, Seats int\n}",
	"Ticket":   "type Ticket struct{ ID, ShowID string }",
}

var (
	goDeclares  = regexp.MustCompile(`(?m)^(?:func|type|var|const) `)
	goEmbeds    = regexp.MustCompile(`(?m)^//go:embed .*\n`)
	goQualifier = regexp.MustCompile(`\b([a-z]+)\.[A-Z]`)
)

// snippetFile makes a file of a Go block: declarations as they are, statements in a function, with
// the imports and the names that it uses.
func snippetFile(text string) string {
	text = goEmbeds.ReplaceAllString(text, "")
	if !goDeclares.MatchString(text) {
		text = "func _() {\n" + text + "}\n"
	}
	declared := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for name, declaration := range snippetNames {
			uses := regexp.MustCompile(`(?:^|[^.\w"])` + name + `\b`)
			declares := regexp.MustCompile(`(?m)(?:^(?:func|type|var) |^\t?)` + name + `(?:\(| struct| embed|,? .*:= |, err := )`)
			if !declared[name] && uses.MatchString(text) && !declares.MatchString(text) {
				declared[name], grown = true, true
				text += "\n" + declaration + "\n"
			}
		}
	}
	var head strings.Builder
	head.WriteString("package snippet\n\n")
	var imported []string
	for _, m := range goQualifier.FindAllStringSubmatch(text, -1) {
		if path := snippetImports[m[1]]; path != "" && !slices.Contains(imported, path) {
			imported = append(imported, path)
			fmt.Fprintf(&head, "import %q\n", path)
		}
	}
	return head.String() + text
}

// TestGoSnippetsCompile type-checks every Go block of the documents.
func TestGoSnippetsCompile(t *testing.T) {
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string][]byte{}
	for name, text := range catalogPackage(t) {
		overlay[filepath.Join(dir, "docs/snippets/catalog", name)] = []byte(goEmbeds.ReplaceAllString(text, ""))
	}
	blocks := snippets(t, "go")
	if len(blocks) < 10 {
		t.Fatalf("the documents have only %d blocks of Go", len(blocks))
	}
	var patterns []string
	for i, s := range blocks {
		folder := fmt.Sprintf("docs/snippets/s%02d", i)
		overlay[filepath.Join(dir, folder, "snippet.go")] = []byte(snippetFile(s.text))
		patterns = append(patterns, "./"+folder)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedExportFile,
		Overlay: overlay,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded) != len(blocks) {
		t.Fatalf("%d packages were loaded for %d blocks", len(loaded), len(blocks))
	}
	for _, p := range loaded {
		var i int
		if _, err := fmt.Sscanf(filepath.Base(p.PkgPath), "s%d", &i); err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Errors {
			if strings.Contains(e.Msg, "declared and not used") {
				continue // a page shows how a value is got
			}
			t.Errorf("%s: %s\n%s", blocks[i].place, e.Msg, snippetFile(blocks[i].text))
		}
	}
}

// catalogPackage returns the Go files of the shop's contract, as frond build-frond writes them.
func catalogPackage(t *testing.T) map[string]string {
	t.Helper()
	project, err := facade.Read(os.DirFS("examples/shop"))
	if err != nil {
		t.Fatal(err)
	}
	host, err := gateway.Open(t.Context(), project, &gateway.Options{
		Config: gateway.Config{Store: "memory", Mode: gateway.Development}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	model, err := packaged.Read(host.Catalog(), "catalog")
	if err != nil {
		t.Fatal(err)
	}
	files, err := model.Packages(packaged.PackageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, text := range files {
		if file, ok := strings.CutPrefix(name, "go/"); ok && strings.HasSuffix(file, ".go") {
			out[file] = string(text)
		}
	}
	return out
}

// TestYAMLSnippetsAreValid judges every YAML block of the documents by the JSON Schemas that
// editors use: it is a card, a frond.yaml, a gateway.yaml, the rules of a door, a field, or a
// file of seeds.
func TestYAMLSnippetsAreValid(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	kinds := map[string]*jsonschema.Schema{}
	for name, text := range map[string][]byte{"card": schema.CardSchema(), "frond.yaml": project.FrondSchema(), "gateway.yaml": gateway.ConfigSchema()} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource(name+".json", doc); err != nil {
			t.Fatal(err)
		}
		if kinds[name], err = compiler.Compile(name + ".json"); err != nil {
			t.Fatal(err)
		}
	}
	blocks := snippets(t, "yaml")
	if len(blocks) < 40 {
		t.Fatalf("the documents have only %d blocks of YAML", len(blocks))
	}
	for _, s := range blocks {
		text := s.text
		if strings.HasPrefix(text, "  ") {
			text = "collectors:\n" + text
		}
		if err := validYAML(kinds, text); err != nil && validYAML(kinds, "properties:\n  "+strings.ReplaceAll(text, "\n", "\n  ")) != nil {
			t.Errorf("%s: %v", s.place, err)
		}
	}
}

// validYAML returns nil where one of the schemas accepts the text, else the errors of all.
func validYAML(kinds map[string]*jsonschema.Schema, text string) error {
	asJSON, err := schema.ToJSON("snippet.yaml", []byte(text))
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
	if err != nil {
		return err
	}
	if _, rows := doc.([]any); rows {
		return nil // seeds
	}
	var all []string
	for name, kind := range kinds {
		err := kind.Validate(doc)
		if err == nil {
			return nil
		}
		all = append(all, fmt.Sprintf("as a %s: %v", name, err))
	}
	return fmt.Errorf("%s", strings.Join(all, "\n"))
}
