package client_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/frondhost/frond/client"
)

// need returns when the client's packages are installed (`make js`); else the test is
// skipped, and in CI it fails.
func need(t *testing.T) {
	t.Helper()
	_, err := os.Stat(filepath.Join("node_modules", ".package-lock.json"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// TestDist: dist is what the sources become.
func TestDist(t *testing.T) {
	need(t)
	out := t.TempDir()
	if said, err := exec.Command("node", "build.mjs", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	built, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range built {
		want, _ := os.ReadFile(filepath.Join(out, f.Name()))
		if got, err := fs.ReadFile(client.Files, "dist/"+f.Name()); err != nil || string(got) != string(want) {
			t.Errorf("dist/%s is not what its source becomes (%v); run npm run build", f.Name(), err)
		}
	}
	if kept, _ := fs.ReadDir(client.Files, "dist"); len(kept) != len(built) {
		t.Errorf("dist has %d files, %d are made", len(kept), len(built))
	}
}
