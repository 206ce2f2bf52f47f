// Package testprogram builds and starts the programs that tests drive. Packages of tests alone
// import it.
package testprogram

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Folder names the variable of a folder that holds built programs: `make test` builds them before
// the first test, each under the last element of its package's path.
const Folder = "TEST_PROGRAMS"

// builds has a function for each package that this process has built: its program, or the error.
var builds sync.Map

// Build returns the path of the program of a main package, named from the root of the module, as
// "cmd/frond". `make build` would build the same program. Tests that run without `make test` build it at
// its first use, once for the process; a compiler has no time limit beside the one of the whole
// test.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	name := filepath.Base(pkg)
	if dir := os.Getenv(Folder); dir != "" {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%s has no %s: %v; `make programs` builds it", Folder, name, err)
		}
		return path
	}
	build, _ := builds.LoadOrStore(pkg, sync.OnceValues(func() (string, error) { return build(pkg, name) }))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func build(pkg, name string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "frond-test-programs-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "./"+pkg)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("%s does not build: %w\n%s", pkg, err, out)
	}
	return path, nil
}

// Clean removes the programs that this process has built. TestMain calls it after the last test.
func Clean() {
	builds.Range(func(_, build any) bool {
		if path, err := build.(func() (string, error))(); err == nil {
			_ = os.RemoveAll(filepath.Dir(path))
		}
		return true
	})
}

// moduleRoot returns the nearest folder, from this one up, that holds go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the test's folder")
		}
		dir = parent
	}
}
