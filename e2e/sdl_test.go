package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSDL prints the schemas of the examples: the same text at every start, and one
// that graphql-js 16 and 17 build and find valid.
func TestSDL(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"shop": shopDir, "blog": filepath.Join(root, "examples", "blog", "site")} {
		t.Run(name, func(t *testing.T) {
			first := ""
			for range 20 { // maps are walked in another order each time
				out := run(t, "", "schema", "--dir", dir, "--format", "graphql")
				if out.code != 0 {
					t.Fatal(out.stderr)
				}
				if first == "" {
					first = out.stdout
				}
				if out.stdout != first {
					t.Fatal("the SDL is another one at another start")
				}
			}
			scripts := js(t)
			file := filepath.Join(t.TempDir(), "schema.graphql")
			write(t, filepath.Dir(file), map[string]string{"schema.graphql": first})
			versions, _ := node(t, scripts, "sdl.mjs", file)
			if lines := strings.Fields(versions); len(lines) != 2 || !strings.HasPrefix(lines[0], "16.") || !strings.HasPrefix(lines[1], "17.") {
				t.Errorf("built by %q", versions)
			}
		})
	}
}
