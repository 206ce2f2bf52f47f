package envelope_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
)

// TestTableOfFailures holds the table in docs/remotes.md to the one in the code, row by row.
func TestTableOfFailures(t *testing.T) {
	text, err := os.ReadFile("../docs/remotes.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(cells[2], "`") {
			continue
		}
		row := strings.Trim(cells[2], " `")
		for _, cell := range cells[3:6] {
			word, _, _ := strings.Cut(strings.TrimSpace(cell), ",")
			row += " " + word
		}
		rows = append(rows, row)
	}
	if diff := cmp.Diff(envelope.Fates(), rows); diff != "" {
		t.Errorf("(-code +docs):\n%s", diff)
	}
}
