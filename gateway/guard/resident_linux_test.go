package guard

import (
	"bytes"
	"fmt"
	"os"
	"slices"
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

// TestUnchanged reads a system's text: a changed mapping, one that can be written and those of other
// files are not in the list.
func TestUnchanged(t *testing.T) {
	const text = `00400000-00401000 r-xp 00000000 fe:00 7                          /bin/frond
Size:                  4 kB
Anonymous:             0 kB
00401000-00402000 r--p 00001000 fe:00 7                          /bin/frond
Anonymous:             4 kB
00402000-00403000 rw-p 00002000 fe:00 7                          /bin/frond
Anonymous:             0 kB
00403000-00404000 r--p 00003000 fe:00 7                          /bin/frond
Anonymous:             0 kB
00404000-00405000 r--p 00000000 fe:00 8                          /lib/other
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0 
Anonymous:             0 kB
`
	if got, want := unchanged(text, "/bin/frond"), []mapping{{0x400000, 0x401000}, {0x403000, 0x404000}}; !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}
