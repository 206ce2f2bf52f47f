package engine

import (
	"os"
	"strings"
	"testing"
)

// TestFilesOfNoBytes: a store that lost its content is refused, and one that was interrupted
// while it was made is finished.
func TestFilesOfNoBytes(t *testing.T) {
	path := t.TempDir() + "/store.db"
	empty := func(name string) {
		t.Helper()
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	empty(path)
	if d, err := Open(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), "restore it from a backup, or remove the file") {
		t.Fatalf("a file of 0 bytes opens: %v, %v", d, err)
	}
	empty(path + making) // a process was ended before it had marked the file
	if err := database(t, Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + making); err == nil {
		t.Error("the mark of an unfinished file stays beside a store")
	}
	if err := database(t, Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the store is %v, %v", info, err)
	}
}
