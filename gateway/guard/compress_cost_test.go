//go:build !race

// Under the race detector pools lose what they keep at random, and nothing can be counted.

package guard

import "testing"

// TestEncodersAreKept: an answer takes no encoder of its own, which is hundreds of
// kilobytes.
func TestEncodersAreKept(t *testing.T) {
	for _, accept := range []string{"", "gzip", "zstd"} {
		one := compressedOnce(accept, page(100))
		one() // the pool is filled
		if n := testing.AllocsPerRun(200, one); n > 6 {
			t.Errorf("%q: %v allocations an answer", accept, n)
		}
	}
}
