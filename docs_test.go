package frond_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// records are the decision records by their numbers, the template aside.
func records(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("docs/decisions/[0-9][0-9][0-9]-*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no records", err)
	}
	of := map[string]string{}
	for _, file := range files {
		base := filepath.Base(file)
		if base == "000-template.md" {
			continue
		}
		if other, ok := of[base[:3]]; ok {
			t.Errorf("%s and %s have one number; renumber the later one", other, base)
		}
		of[base[:3]] = base
	}
	return of
}

// cited is a citation: "decision 171", "decisions 115, 116", "docs/decisions/220".
var cited = regexp.MustCompile(`(?i)\b(?:decisions?|records?)(?: records?)?[ /]\(?((?:\d{3}(?:, | and | to )?)+)\b`)

var number = regexp.MustCompile(`\d{3}`)

// TestCitedRecordsExist: every record that code or a document cites is there.
func TestCitedRecordsExist(t *testing.T) {
	of := records(t)
	n := 0
	eachText(t, func(name, text string) {
		for _, m := range cited.FindAllStringSubmatch(text, -1) {
			for _, no := range number.FindAllString(m[1], -1) {
				n++
				if of[no] == "" && no != "000" {
					t.Errorf("%s cites %q; there is no record %s, see docs/decisions/README.md", name, m[0], no)
				}
			}
		}
	})
	if n < 50 {
		t.Errorf("found only %d citations", n)
	}
}

// TestRecordsAreListed: the index has each record once, under its number.
func TestRecordsAreListed(t *testing.T) {
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for no, file := range records(t) {
		if n := strings.Count(string(index), "\n- ["+no+"]("+file+") "); n != 1 {
			t.Errorf("docs/decisions/README.md lists %s %d times; one line in the form of the others", file, n)
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
			if target.MatchString(m[1]) || path.Ext(m[1]) == ".go" {
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
