package house_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// eachText visits every text file that a person edits: sources, documents, the files of
// the build. Names have slashes and begin at the root.
func eachText(t *testing.T, visit func(name, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "dist", ".dist", "bin", "out", "testdata":
				return fs.SkipDir
			}
			return nil
		}
		switch ext := filepath.Ext(name); {
		case ext == ".go", ext == ".md", ext == ".yaml", ext == ".yml", ext == ".py", ext == ".js", ext == ".mjs", ext == "":
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			visit(filepath.ToSlash(name), string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// maxRecords is how many decision records there may be. A choice joins the record of its theme.
const maxRecords = 40

// records returns the names of the decision records, without the index and the template.
func records(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		if base := filepath.Base(file); base != "README.md" && base != "template.md" {
			names = append(names, base)
		}
	}
	if len(names) == 0 || len(names) > maxRecords {
		t.Errorf("there are %d decision records, %d may be; fold the new one into its theme", len(names), maxRecords)
	}
	return names
}

// cited matches a citation: "docs/decisions/judge.md".
var cited = regexp.MustCompile(`\bdecisions/([A-Za-z0-9-]+\.md)`)

// TestCitedRecordsExist fails for a citation without its record, in code and in documents.
func TestCitedRecordsExist(t *testing.T) {
	n := 0
	eachText(t, func(name, text string) {
		for _, m := range cited.FindAllStringSubmatch(text, -1) {
			n++
			if _, err := os.Stat("docs/decisions/" + m[1]); err != nil {
				t.Errorf("%s cites %s; docs/decisions/README.md lists the records", name, m[0])
			}
		}
	})
	if n < 50 {
		t.Errorf("found only %d citations", n)
	}
}

// numbered matches a record by a number: records have names.
var numbered = regexp.MustCompile(`\bdecisions?[\s/]+[0-9]{2,3}\b`)

// TestRecordsAreCitedByName fails for a record that a comment cites by a number.
func TestRecordsAreCitedByName(t *testing.T) {
	eachText(t, func(name, text string) {
		if m := numbered.FindString(text); m != "" {
			t.Errorf("%s cites %q; write the record's file, such as docs/decisions/sqlite.md", name, m)
		}
	})
}

// citedPage matches a page of docs/ in a comment or a message: "docs/atomic.md".
var citedPage = regexp.MustCompile(`\bdocs/[A-Za-z0-9-]+\.md`)

// TestCitedPagesExist fails for a page that code cites and docs/ does not have.
func TestCitedPagesExist(t *testing.T) {
	n := 0
	eachText(t, func(name, text string) {
		if filepath.Ext(name) != ".go" {
			return // [TestLinks] follows those of documents
		}
		for _, page := range citedPage.FindAllString(text, -1) {
			n++
			if _, err := os.Stat(page); err != nil {
				t.Errorf("%s cites %s, which does not exist", name, page)
			}
		}
	})
	if n < 50 {
		t.Errorf("found only %d citations", n)
	}
}

// TestRecordsAreListed fails for a record that the index lists not exactly once, and for one
// that lacks a part of the template.
func TestRecordsAreListed(t *testing.T) {
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range records(t) {
		text, err := os.ReadFile("docs/decisions/" + file)
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(string(text), "\n")
		if line := "\n- [" + strings.TrimPrefix(title, "# ") + "](" + file + ")\n"; strings.Count(string(index), line) != 1 {
			t.Errorf("docs/decisions/README.md does not have the line %q once", strings.TrimSpace(line))
		}
		if file == "dependencies.md" {
			continue // a list of modules
		}
		for _, part := range []string{"\n**Context.**", "\n**Choice", "\n**Why.**", "\n**Cost"} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %s; see template.md", file, strings.TrimSpace(part))
			}
		}
	}
}

// TestMapIsWhole: docs/README.md leads to every page of docs/.
func TestMapIsWhole(t *testing.T) {
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(string(index), "]("+name) {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

var (
	fence  = regexp.MustCompile("(?ms)^ *(```+|~~~+).*?^ *(```+|~~~+) *$")
	code   = regexp.MustCompile("`[^`\n]*`")
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	target = regexp.MustCompile(`^[a-z]+:`)
)

// TestLinks: every relative link of every document leads to a file, and to a heading
// where it names one.
func TestLinks(t *testing.T) {
	eachText(t, func(name, text string) {
		if path.Ext(name) != ".md" {
			return
		}
		text = code.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if target.MatchString(m[1]) {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
				continue
			}
			if heading != "" && !headings(t, to)[heading] {
				t.Errorf("%s: %s has no heading %s", name, to, heading)
			}
		}
	})
}

// headings are the anchors of a document, made as GitHub makes them.
func headings(t *testing.T, name string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]bool{}
	for line := range strings.Lines(fence.ReplaceAllString(string(text), "")) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		of[strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.Trim(line, "# \n"))] = true
	}
	return of
}

var (
	goFile     = regexp.MustCompile("`((?:[a-z0-9_.-]+/)+[a-z0-9_*]+\\.(?:go|mjs|py))`")
	identifier = regexp.MustCompile("[`*(]((?:[a-z0-9]+/)*)([a-z0-9]+)\\.([A-Z][A-Za-z0-9]*)")
)

// TestNamedCodeExists: the Go files and the exported identifiers that a page names are
// there: `facade/path.go`, `facade.Call`.
func TestNamedCodeExists(t *testing.T) {
	exported := exportedNames(t)
	eachText(t, func(name, text string) {
		if path.Ext(name) != ".md" || name == "docs/design.md" || path.Dir(name) != "." && path.Dir(name) != "docs" {
			return // the design also has what is not built, and records what was
		}
		for _, m := range goFile.FindAllStringSubmatch(text, -1) {
			if files, err := filepath.Glob(m[1]); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		for _, m := range identifier.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if m[1] == "" && (m[2] == "client" || m[2] == "catalog") {
				continue // a variable, and the generated package of the shop's Frond, of the examples
			}
			if names, ours := exported[m[2]]; ours && !names[m[3]] {
				t.Errorf("%s names %s.%s, which is not there", name, m[2], m[3])
			}
		}
	})
}

// exportedNames are the exported names of our packages, tests included, by the name of the
// package; those of several packages with one name are together.
func exportedNames(t *testing.T) map[string]map[string]bool {
	t.Helper()
	names := map[string]map[string]bool{}
	for _, f := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), f.name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := path.Base(f.pkg)
		if f.pkg == "." || f.pkg == "" {
			pkg = "frond"
		}
		if names[pkg] == nil {
			names[pkg] = map[string]bool{}
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				names[pkg][d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						names[pkg][s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[pkg][n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// hop is a step of docs/walk.md: a link to a file, then a function of it in code.
var hop = regexp.MustCompile("\\[([a-z0-9_/]+\\.go)\\]\\(\\.\\./([a-z0-9_/]+\\.go)\\) `([A-Za-z]+)`")

// TestWalk: each file that docs/walk.md leads to has the function it names, and no
// surface is further from the store and back than twelve hops.
func TestWalk(t *testing.T) {
	text, err := os.ReadFile("docs/walk.md")
	if err != nil {
		t.Fatal(err)
	}
	const path = "## The path" // the hops that every surface has
	hops, shared, surfaces, heading := 0, 0, 0, ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "## "):
			heading, hops = strings.TrimSpace(line), 0
		case line[0] >= '1' && line[0] <= '9':
			if heading == path {
				shared++
			} else if hops++; hops == 1 {
				surfaces++
			} else if shared+hops > 12 {
				t.Errorf("%s: more than twelve hops", heading)
			}
			if !hop.MatchString(line) {
				t.Errorf("%s: %q has no file and function", heading, strings.TrimSpace(line))
			}
		}
		for _, m := range hop.FindAllStringSubmatch(line, -1) {
			source, err := os.ReadFile(m[2])
			switch {
			case m[1] != m[2]:
				t.Errorf("%s: %s leads to %s", heading, m[1], m[2])
			case err != nil:
				t.Errorf("%s: %v", heading, err)
			case !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + m[3] + `[\[(]`).Match(source):
				t.Errorf("%s: %s has no function %s", heading, m[1], m[3])
			}
		}
	}
	if surfaces != 4 || shared == 0 {
		t.Errorf("docs/walk.md walks from %d surfaces over %d shared hops, want 4 over some", surfaces, shared)
	}
}

var (
	// known marks a list of CONTRIBUTING.md: the Go files that know one of these words.
	known    = regexp.MustCompile(`(?s)<!-- files that know: ([^>]+) -->\n(.*?)(?:\n#|\z)`)
	goTarget = regexp.MustCompile(`\]\(([a-z0-9_/]+\.go)\)`)
)

// TestListsOfFiles: the lists of CONTRIBUTING.md have every Go file of the product that
// knows their example, and no other.
func TestListsOfFiles(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	lists := known.FindAllStringSubmatch(string(text), -1)
	if len(lists) < 4 {
		t.Errorf("CONTRIBUTING.md has %d lists of files", len(lists))
	}
	for _, list := range lists {
		words := strings.Fields(list[1])
		var listed []string
		for _, m := range goTarget.FindAllStringSubmatch(list[2], -1) {
			listed = append(listed, m[1])
		}
		for _, f := range sources(t) {
			own := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(strings.Split(f.pkg, "/"), w) })
			if strings.HasSuffix(f.name, "_test.go") || own || beside(f.pkg) || !knows(t, f.name, words) {
				continue
			}
			if i := slices.Index(listed, f.name); i >= 0 {
				listed = slices.Delete(listed, i, i+1)
			} else {
				t.Errorf("CONTRIBUTING.md, %s: %s knows it too; list it", list[1], f.name)
			}
		}
		for _, name := range listed {
			t.Errorf("CONTRIBUTING.md, %s: %s does not know it", list[1], name)
		}
	}
}

// knows reports whether the code of a file, its comments aside, has one of the words: as a
// whole string or the end of an import path, or, if the word has a capital, as an identifier
// or as a word in a string.
func knows(t *testing.T, name string, words []string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile(name, -1, len(text)), text, nil, 0)
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return false
		case token.IDENT:
			if strings.ToLower(lit) != lit && slices.Contains(words, lit) {
				return true
			}
		case token.STRING:
			plain := strings.Trim(lit, "\"`")
			for _, w := range words {
				if plain == w || strings.HasPrefix(plain, module) && strings.HasSuffix(plain, "/"+w) {
					return true
				}
				if strings.ToLower(w) != w && slices.Contains(strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) }), w) {
					return true
				}
			}
		}
	}
}
