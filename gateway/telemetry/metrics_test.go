package telemetry

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMetricsAreDocumented: the page has the table of families, each with its type and labels.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range families {
		labels := ""
		if len(m.Labels) > 0 {
			labels = "`" + strings.Join(m.Labels, "`, `") + "`"
		}
		want = append(want, fmt.Sprintf("| `%s` | %s | %s |", m.Name, m.Type, labels))
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `frond_") {
			got = append(got, strings.TrimSpace(strings.Join(strings.SplitAfter(line, " | ")[:3], "")))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/observability.md (-want +got):\n%s", diff)
	}
}
