package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSpec reads docs/spec.md: every rule of testdata/rules.txt has a line, no line is of another rule,
// and every test that a row names exists.
func TestSpec(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	rules, err := os.ReadFile(filepath.Join("testdata", "rules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Fields(string(rules))
	rows := rowsOf(page)
	tests := map[string]map[string]bool{}
	for rule, held := range rows {
		if !slices.Contains(listed, rule) {
			t.Errorf("the row %s is not in the list of rules", rule)
		}
		for _, name := range strings.Split(held, ", ") {
			dir, fn, ok := strings.Cut(strings.Trim(name, "`"), ".")
			if !ok {
				t.Errorf("%s: %q is not a test; write package.TestName", rule, name)
				continue
			}
			if tests[dir] == nil {
				tests[dir] = testsIn(t, dir)
			}
			if !tests[dir][fn] {
				t.Errorf("%s: there is no %s in %s", rule, fn, dir)
			}
		}
	}
	for _, rule := range listed {
		if _, ok := rows[rule]; !ok {
			t.Errorf("the rule %s has no row", rule)
		}
	}
}

// ruleLine is a line of the lists: one or several rules, the rule in short, and its tests.
var ruleLine = regexp.MustCompile(`^- \*\*(.+?)\*\* .+: (.+)$`)

// rowsOf are the rules that the lists have, with the tests of each.
func rowsOf(page string) map[string]string {
	rows := map[string]string{}
	_, page, _ = strings.Cut(page, "\n## 1. ") // before it is the protocol for hosts
	for line := range strings.SplitSeq(page, "\n") {
		if m := ruleLine.FindStringSubmatch(line); m != nil {
			for _, rule := range strings.Split(m[1], ", ") {
				rows[rule] = m[2]
			}
		}
	}
	return rows
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)

// testsIn are the tests in a directory of the repository.
func testsIn(t *testing.T, dir string) map[string]bool {
	at := filepath.Join(root, filepath.FromSlash(dir))
	if dir == "frond" {
		at = root
	}
	files, err := filepath.Glob(filepath.Join(at, "*.go"))
	if err != nil || files == nil {
		t.Errorf("there is no directory %s", dir)
	}
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
	}
	return found
}
