package house_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// maxTracked is the largest size of a tracked file, in bytes.
const maxTracked = 1_000_000

// largeFiles names the tracked files that may be larger, each with the reason.
var largeFiles = map[string]string{}

// TestTrackedFilesAreSmall fails when git tracks a file over maxTracked: a built
// program, a database or a recording that was added by mistake.
func TestTrackedFilesAreSmall(t *testing.T) {
	for _, name := range tracked(t) {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > maxTracked && largeFiles[name] == "" {
			t.Errorf("%s: %d bytes are tracked, %d may be; remove it with git rm --cached and ignore it, or name it in largeFiles", name, info.Size(), maxTracked)
		}
	}
}

// tracked lists the files that git tracks and the working tree has. Without git the test
// is skipped, in CI it fails.
func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("this folder is not a git checkout: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	if len(files) < 100 {
		t.Fatalf("git lists only %d files", len(files))
	}
	return slices.DeleteFunc(files, func(name string) bool {
		_, err := os.Lstat(name)
		return err != nil
	})
}
