package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitGo builds the program that frond init writes, and has it print its flags.
func TestInitGo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hotel")
	if r := run(t, "", "init", dir, "--frond", "bookings", "--empty", "--go"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(mod), "\nrequire")
	write(t, dir, map[string]string{"go.mod": text + "\n" + requireThis(t)})
	copyFile(t, filepath.Join(root, "go.sum"), filepath.Join(dir, "go.sum"))
	goTool(t, dir, nil, "build", "-ldflags=-s -w", "-o", "hotel", ".")
	if help := tool(t, dir, nil, "./hotel", "--help"); !strings.Contains(help, "--listen") {
		t.Error(help)
	}
}
