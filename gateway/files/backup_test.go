package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBackup: a copy has the bytes of every file as they were sent, and a second one copies the new files alone.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	_, fake := NewFakeS3(t)
	for name, url := range map[string]string{"folder": "file://" + filepath.ToSlash(dir), "s3": fake} {
		s, to := opened(t, url), filepath.Join(t.TempDir(), "copy")
		write := func(key, text string) {
			t.Helper()
			if err := s.Write(t.Context(), key, "text/plain", strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		backup := func(copied int, bytes int64) {
			t.Helper()
			if n, size, err := Backup(t.Context(), url, LinkedBuckets, to); err != nil || n != copied || size != bytes {
				t.Errorf("%s: %d files of %d bytes are copied, %v; want %d of %d", name, n, size, err, copied, bytes)
			}
		}
		write("a/original", "one")
		write("b/original", "three")
		write("b/20x20", "small")
		write("c/sent", "not checked")
		backup(2, 8)
		write("d/original", "four")
		backup(1, 4)
		backup(0, 0)
		if text, err := os.ReadFile(filepath.Join(to, "b", original)); err != nil || string(text) != "three" {
			t.Errorf("%s: b is %q, %v", name, text, err)
		}
		if all, _ := filepath.Glob(filepath.Join(to, "*", "*")); len(all) != 3 {
			t.Errorf("%s: the copy has %q", name, all)
		}
	}
}
