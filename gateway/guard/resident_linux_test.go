package guard

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// TestForgetStart compares the pages of the program that are in memory before and after.
func TestForgetStart(t *testing.T) {
	pages := func() (kb int) {
		text, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, behind, _ := bytes.Cut(text, []byte("RssFile:"))
		if _, err := fmt.Sscan(string(behind), &kb); err != nil {
			t.Fatal(err)
		}
		return kb
	}
	before := pages()
	ForgetStart()
	if after := pages(); after > before/2 {
		t.Errorf("%d kB of the program are in memory, of %d before", after, before)
	}
}
