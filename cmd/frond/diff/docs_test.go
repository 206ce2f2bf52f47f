package diff_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
)

var update = flag.Bool("update", false, "rewrite the table of docs/diff.md")

// The table of rules stands between these lines of the page.
const (
	page  = "../../../docs/diff.md"
	begin = "<!-- rules -->\n"
	end   = "<!-- end -->\n"
)

// TestPage: docs/diff.md lists every rule with its level, its surfaces and its way out.
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
	var b strings.Builder
	b.WriteString("\n| rule | level | surfaces | the change is that | way out |\n|---|---|---|---|---|\n")
	for _, r := range diff.Rules() {
		var surfaces []string
		for _, s := range r.Surfaces {
			surfaces = append(surfaces, string(s))
		}
		on := strings.Join(surfaces, ", ")
		if r.Effect != "" {
			on += ", " + r.Effect
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.Name, r.Level, on, r.About, r.WayOut)
	}
	b.WriteString("\n")
	if table == b.String() {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not that of the rules; run go test ./cmd/frond/diff -update", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644); err != nil { //nolint:gosec // a page of the project
		t.Fatal(err)
	}
}
