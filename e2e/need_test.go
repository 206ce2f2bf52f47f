package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// need is for tests that drive other people's programs. Where one is not installed
// the test is skipped, and in CI, which installs them all, it fails.
func need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, tool+" is not here")
		}
	}
}

// js is e2e/js, with the packages that its lock file names (`make js` installs them).
func js(t testing.TB) string {
	t.Helper()
	need(t, "node")
	dir := filepath.Join(root, "e2e", "js")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
		missing(t, "e2e/js/node_modules is not here; `make js` installs it")
	}
	return dir
}

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s, and CI has to have it", what)
	}
	t.Skip(what)
}
