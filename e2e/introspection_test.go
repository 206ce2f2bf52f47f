package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/validation"
)

// everything is a schema with one of everything that introspection describes, of
// which cards give only a part.
const everything = `"""
What is here,
in two lines.
"""
schema { query: Query mutation: Change }

"A tag." directive @tag("Its name." name: String! = "a\"b\\ é 😀", old: Int @deprecated(reason: "use name")) repeatable on FIELD | QUERY
directive @plain on FRAGMENT_SPREAD | INLINE_FRAGMENT | VARIABLE_DEFINITION

type Query {
  "One thing."
  thing("By what." by: By!, size: Int = 3, kinds: [Kind!] = [BIG, SMALL], old: String @deprecated, box: Box = {n: 7, s: "x", list: [1.5, null]}): Thing
  all: [Thing!]! @deprecated(reason: "there are \"many\"\nof them")
  any: Any
  named(flag: Boolean = false, id: ID = "a", f: Float = -1.5e10, none: Int = null, lists: [[Int!]!] = [[1], []]): Named
}
type Change { touch(by: By): Boolean }
"Has a name." interface Named { name: String }
interface Titled implements Named { name: String "The title." title(upper: Boolean = true): String }
type Thing implements Named & Titled { name: String title(upper: Boolean = true): String when: When }
type Other { x: Int @deprecated }
"This or that." union Any = Thing | Other
"Sizes." enum Kind { BIG "Not big." SMALL TINY @deprecated(reason: "too small") }
"A time." scalar When @specifiedBy(url: "https://example.org/when")
scalar Loose
"One key." input By @oneOf { id: ID "By name." name: String }
input Box { n: Int! = 1, s: String = "a\"b\n\u0007", inner: Box, list: [Float] = [1.5, null], flag: Boolean @deprecated, loose: Loose = "x", kind: Kind = TINY }
`

// words is a card whose descriptions are hard to write down again.
const words = `title: word
description: "Quotes \"in\" it, a \\ and three \"\"\".\n\n  Indented, é 😀\n\ttabbed \u0007"
type: object
properties:
  id: { type: integer, x-kit: { role: { primary: true } } }
  text: { type: string, description: "  leading space", deprecated: true, x-kit: { lifecycle: { create: optional } } }
  kind: { type: string, enum: [noun, verb, null-ish], description: "One line\nand \"\"\" another" }
  size: { type: [integer, 'null'], deprecated: true, description: "\\", x-kit: { lifecycle: { create: optional } } }
required: [kind]
x-kit-version: 1
`

// TestIntrospection: what graphql-js 16 and 17 rebuild from all they can ask is the
// schema that is printed: descriptions, deprecations, defaults and directives included.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	dir := js(t)
	var queries map[string]string
	if err := json.Unmarshal([]byte(rebuild(t, dir, "queries")), &queries); err != nil {
		t.Fatal(err)
	}
	project := func(dir string) func(t *testing.T) (string, func(string) []byte) {
		return func(t *testing.T) (string, func(string) []byte) {
			printed := run(t, "", "schema", "--format", "graphql", "--dir", dir)
			if printed.code != 0 {
				t.Fatal(printed.stderr)
			}
			p := startGateway(t, dir, "--graphql-introspection=true")
			return printed.stdout, func(query string) []byte { return introspect(t, p.URL, query) }
		}
	}
	for name, schema := range map[string]func(t *testing.T) (string, func(string) []byte){
		"the shop":          project(filepath.Join(root, "examples", "shop")),
		"words":             project(folder(t, map[string]string{"entities/word.yaml": words, "frond.yaml": everybody})),
		"one of everything": func(t *testing.T) (string, func(string) []byte) { return everything, engineOf(t, everything) },
	} {
		t.Run(name, func(t *testing.T) {
			sdl, ask := schema(t)
			answers := map[string]json.RawMessage{}
			for version, query := range queries {
				answers[version] = ask(query)
			}
			text, err := json.Marshal(answers)
			if err != nil {
				t.Fatal(err)
			}
			files := t.TempDir()
			write := func(name string, text []byte) string {
				path := filepath.Join(files, name)
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			said := rebuild(t, dir, "compare", write("schema.graphql", []byte(sdl)), write("answers.json", text))
			if strings.Count(said, "ok   ") != 2 {
				t.Errorf("both versions have to answer:\n%s", said)
			}
		})
	}
}

// rebuild runs introspection.mjs and gives what it prints.
func rebuild(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("node", append([]string{"introspection.mjs"}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	return string(out)
}

func introspect(t testing.TB, url, query string) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url+"/graphql", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// engineOf answers the introspection of a schema that no cards gave.
func engineOf(t testing.TB, sdl string) func(query string) []byte {
	t.Helper()
	never := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic("called") })
	loaded, err := validation.LoadSchema(sdl)
	if err != nil {
		t.Fatal(err)
	}
	e, err := resolvers.NewEngine(&binding.Schema{AST: loaded}, never, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(query string) []byte {
		return e.Execute(context.Background(), &resolvers.Request{Query: query}).Body
	}
}
