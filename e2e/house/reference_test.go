package house_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

var update = flag.Bool("update", false, "rewrite the lists of the reference")

// tables are the tables of keys that readers take, by the names that the pages of the
// reference give them.
func tables() map[string][]schema.Key {
	file, rule, fact := project.FrondKeys()
	card, keywords, axes := schema.CardKeys()
	return map[string][]schema.Key{
		"frond.yaml": file, "rule": rule, "fact": fact,
		"card": card, "schema": keywords, "axes": axes,
	}
}

// marked is a list in a page: <!-- keys: NAME PATH --> … <!-- end -->.
var marked = regexp.MustCompile(`(?s)(<!-- keys: (\S+) ?(\S*) -->\n).*?(<!-- end -->)`)

// TestReferenceHasEveryKey: each key that a reader takes stands in the reference, with
// what it means, its default and an example; nothing else stands there.
func TestReferenceHasEveryKey(t *testing.T) {
	pages := map[string][]string{
		"docs/frond-yaml.md": {"frond.yaml", "rule", "fact"},
		"docs/cards.md":      {"card", "schema", "axes"},
	}
	for page, names := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown := map[string]bool{}
		want := marked.ReplaceAllStringFunc(string(text), func(match string) string {
			m := marked.FindStringSubmatch(match)
			var path []string
			if m[3] != "" {
				path = strings.Split(m[3], ".")
			}
			keys := schema.Below(tables()[m[2]], path...)
			if keys == nil {
				t.Errorf("%s: there is no table %s %s", page, m[2], m[3])
			}
			return m[1] + keyList(keys, m[2], m[3], shown) + m[4]
		})
		for _, name := range names {
			eachKey(tables()[name], name+" ", func(path string, k schema.Key) {
				if !shown[path] {
					t.Errorf("%s does not show %s; add a list with <!-- keys: … -->", page, path)
				}
			})
		}
		if *update {
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want != string(text) {
			t.Errorf("%s is not what the readers take; run go test ./e2e/house -update", page)
		}
	}
}

// keyList writes the keys of one level: a list of examples, or a sentence where any name is a key.
func keyList(keys []schema.Key, name, prefix string, shown map[string]bool) string {
	if prefix != "" {
		prefix += "."
	}
	for _, k := range keys {
		shown[name+" "+prefix+k.Name] = true
	}
	if len(keys) == 1 && keys[0].Name[0] == '*' {
		return fmt.Sprintf("Any name, such as `%s`: %s\n", keys[0].Example, keys[0].About)
	}
	var b strings.Builder
	for _, k := range keys {
		named := ""
		if k.Name[0] == '*' || k.Name[0] == '^' {
			named = "any name, such as "
		}
		fmt.Fprintf(&b, "- %s`%s`: %s", named, k.Example, k.About)
		if k.Default != "" && k.Default != "none" && k.Default != "not" {
			fmt.Fprintf(&b, " Default: %s.", k.Default)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func eachKey(keys []schema.Key, prefix string, visit func(path string, k schema.Key)) {
	for _, k := range keys {
		visit(prefix+k.Name, k)
		eachKey(k.Keys, prefix+k.Name+".", visit)
	}
}

// TestKeysAreDocumented: every key of every table says what it means, by an example
// that its own form takes.
func TestKeysAreDocumented(t *testing.T) {
	for name, keys := range tables() {
		eachKey(keys, name+" ", func(path string, k schema.Key) {
			if k.About == "" || k.Example == "" {
				t.Errorf("%s has no sentence or no example", path)
			}
			if !strings.HasSuffix(k.About, ".") {
				t.Errorf("%s: %q is not a sentence", path, k.About)
			}
			if k.Form == "" && k.Keys == nil {
				t.Errorf("%s does not say what its value is", path)
			}
		})
	}
}

// TestFrondSchema: the JSON Schema of frond.yaml takes every frond.yaml of the project
// and the examples of every key, and refuses a key that the reader refuses.
func TestFrondSchema(t *testing.T) {
	valid := validator(t, project.FrondSchema())
	n := 0
	err := filepath.WalkDir("examples", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "frond.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		if err := valid(string(text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || n < 3 {
		t.Fatal(n, err)
	}
	file, rule, fact := project.FrondKeys()
	eachKey(file, "", func(path string, k schema.Key) {
		text := nested(path, k.Example)
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
	for _, k := range rule {
		if err := valid("collectors: {order: [{" + k.Example + "}]}"); err != nil {
			t.Errorf("%s: %v", k.Example, err)
		}
	}
	for _, k := range fact {
		if err := valid("facts: [{" + k.Example + "}]"); err != nil {
			t.Errorf("%s: %v", k.Example, err)
		}
	}
	for _, text := range []string{
		"door: {product: {}}", "doors: {product: {plurals: goods}}", "doors: {product: {operations: {publish: {kid: command}}}}",
		"collectors: {order: opened}", "collectors: {order: [{wenn: x}]}", "collectors: {order: [{allow: some}]}", "facts: [{nam: x}]", "surfaces: {soap: true}",
		"surfaces: {rest: {only: [a], except: [b]}}", "doors: {product: {list: {max: 0}}}",
	} {
		if valid(text) == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
}

// TestCardSchema: the JSON Schema of cards takes every card of the project and the
// examples of every key, and refuses misspelled ones.
func TestCardSchema(t *testing.T) {
	valid := validator(t, schema.CardSchema())
	n := 0
	for _, folder := range []string{"entities", "views"} {
		for _, deep := range []string{"examples/*/", "examples/*/site/", "examples/*/fronds/*/", "examples/*/site/fronds/*/"} {
			files, err := filepath.Glob(deep + folder + "/*.yaml")
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				n++
				if err := valid(string(text)); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d cards were looked at", n)
	}
	card, keywords, axes := schema.CardKeys()
	take := func(text string) {
		t.Helper()
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, k := range card {
		take("{" + k.Example + "}")
	}
	for _, k := range keywords {
		take("{properties: {a: {" + k.Example + "}}}")
		take("{properties: {a: {type: object, properties: {b: {" + k.Example + "}}}}}")
	}
	eachKey(axes, "", func(path string, k schema.Key) {
		take("{properties: {a: {x-kit: {" + nested(path, k.Example) + "}}}}")
	})
	for _, text := range []string{
		"{properties: {a: {maxLenght: 60}}}", "{properties: {a: {nullable: true}}}", "{property: {}}", "{properties: {a: {type: text}}}",
		"{properties: {a: {x-kit: {rol: {}}}}}", "{properties: {a: {x-kit: {role: {primary: yes please}}}}}", "{properties: {a: {x-kit: {lifecycle: {create: never}}}}}",
		"{properties: {a: {items: {minLenght: 1}}}}", "{properties: {a: {enum: []}}}", "{properties: {a: {properties: {b: {x-kit: {rol: {}}}}}}, x-kit-version: 2}",
	} {
		if valid(text) == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
}

// nested is a key with its example, under the names of its path.
func nested(path, example string) string {
	words := strings.Split(path, ".")
	words = words[:len(words)-1]
	for i := range words {
		if words[i] == "*" {
			words[i] = "product"
		}
	}
	return strings.Join(append(words, ""), ": {") + example + strings.Repeat("}", len(words))
}

// validator judges YAML by a JSON Schema.
func validator(t *testing.T, text []byte) func(yaml string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(yaml string) error {
		t.Helper()
		json, err := schema.ToJSON("x.yaml", []byte(yaml))
		if err != nil {
			t.Fatalf("%s: %v", yaml, err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(json))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
}
