package schema

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKeywordsOfTheEngine: docs/cards.md names the keywords that jsonschema v6 judges, all and no others.
func TestKeywordsOfTheEngine(t *testing.T) {
	text, err := os.ReadFile("../docs/cards.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "; a field with ")
	list, _, _ = strings.Cut(list, " is judged by jsonschema v6")
	var named []string
	for _, m := range regexp.MustCompile("`([$a-zA-Z]+)`").FindAllStringSubmatch(list, -1) {
		if m[1] != "false" {
			named = append(named, m[1])
		}
	}
	if want := slices.Sorted(maps.Keys(applicators)); !slices.Equal(slices.Sorted(slices.Values(named)), want) {
		t.Errorf("docs/cards.md names %q, the engine judges %q", named, want)
	}
}
