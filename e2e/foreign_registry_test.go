package e2e_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestRegistryIsDocumented: docs/remotes.md names what a consumer of our cards has to
// register (spec 2.2.3).
func TestRegistryIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "remotes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "### Consumers of another make")
	page, _, _ = strings.Cut(page, "\n## ")
	r := schema.Builtins()
	for _, name := range append(slices.Collect(maps.Keys(r.Generators)), slices.Collect(maps.Keys(r.Conversions))...) {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/remotes.md does not name %s", name)
		}
	}
}
