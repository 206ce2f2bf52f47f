package postgres

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/store/postgres/engine"
)

// TestBookkeepingTables: the list has every table that a statement of this folder makes in the
// schema of the bookkeeping, and no other.
func TestBookkeepingTables(t *testing.T) {
	made := regexp.MustCompile("CREATE TABLE IF NOT EXISTS [`\"]\\s*\\+\\s*(?:engine\\.)?Bookkeeping\\s*\\+\\s*[`\"]\\.([a-z]+) ")
	var names []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range made.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	if diff := cmp.Diff(slices.Compact(names), engine.BookkeepingTables); diff != "" {
		t.Errorf("made (-), listed (+):\n%s", diff)
	}
}
