package diff_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/diff.md")

// The tables of rules are between these lines of the page.
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
	var headings []string
	rows := map[string]string{}
	for _, r := range diff.Rules() {
		var surfaces []string
		for _, s := range r.Surfaces {
			surfaces = append(surfaces, string(s))
		}
		heading := strings.Join(surfaces, ", ")
		if _, seen := rows[heading]; !seen {
			headings = append(headings, heading)
		}
		level := string(r.Level)
		if r.Effect != "" {
			level += ", " + r.Effect
		}
		rows[heading] += fmt.Sprintf("| `%s` | %s | %s |\n", r.Name, level, r.About)
	}
	var b strings.Builder
	for _, heading := range headings {
		fmt.Fprintf(&b, "\n### On %s\n\n| rule | level | the change is that |\n|---|---|---|\n%s", heading, rows[heading])
	}
	b.WriteString("\n")
	if table == b.String() {
		return
	}
	if !*update {
		t.Fatalf("the tables of %s differ from the rules; run go test ./cmd/frond/diff -update", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644); err != nil { //nolint:gosec // a page of the project
		t.Fatal(err)
	}
}
