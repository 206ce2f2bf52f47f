package kiterror

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCodesOfThePage: the page for hosts has every code with its status, and no other.
func TestCodesOfThePage(t *testing.T) {
	text, err := os.ReadFile("../../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	got := map[Code]int{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z_]{4,}) \| (\d{3}) \|`).FindAllStringSubmatch(string(text), -1) {
		got[Code(m[1])], _ = strconv.Atoi(m[2])
	}
	if diff := cmp.Diff(statuses, got); diff != "" {
		t.Errorf("docs/spec.md (-want +got):\n%s", diff)
	}
}
