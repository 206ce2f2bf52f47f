package diff_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
)

var update = flag.Bool("update", false, "rewrite the lists of docs/diff.md")

// The lists of rules are between these lines of the page.
const (
	page  = "../../../docs/diff.md"
	begin = "<!-- rules -->\n"
	end   = "<!-- end -->\n"
)

// TestPage: docs/diff.md lists every rule under its surfaces, with its level and its meaning.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no lines %q and %q", page, begin, end)
	}
	var headings, levels []string
	rows := map[string]string{} // by heading and level
	for _, r := range diff.Rules() {
		var surfaces []string
		for _, s := range r.Surfaces {
			surfaces = append(surfaces, string(s))
		}
		heading := strings.Join(surfaces, ", ")
		if !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
		level := string(r.Level)
		if r.Effect != "" {
			level += ", " + r.Effect
		}
		if !slices.Contains(levels, level) {
			levels = append(levels, level)
		}
		rows[heading+level] += fmt.Sprintf("- `%s`: %s\n", r.Name, r.About)
	}
	slices.Sort(levels) // breaking, dangerous, safe
	var b strings.Builder
	for _, heading := range headings {
		fmt.Fprintf(&b, "\n### On %s\n", heading)
		for _, level := range levels {
			if list := rows[heading+level]; list != "" {
				fmt.Fprintf(&b, "\n**%s**\n\n%s", level, list)
			}
		}
	}
	b.WriteString("\n")
	if table == b.String() {
		return
	}
	if !*update {
		t.Fatalf("the lists of %s differ from the rules; run go test ./cmd/frond/diff -update", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644); err != nil { //nolint:gosec // a page of the project
		t.Fatal(err)
	}
}
