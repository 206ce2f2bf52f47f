//go:build !race

package main

import "testing"

// TestRemotePageAllocations: a page over two remotes takes three quarters at most of
// the allocations that a backend written by hand makes for it. What the remotes make
// for their answers is counted on both sides.
func TestRemotePageAllocations(t *testing.T) {
	dir := t.TempDir()
	stand(t, dir)
	count := func(c contestant) float64 {
		h, err := c.build(dir)
		if err != nil {
			t.Fatal(err)
		}
		run := askedBlog(-1).to(h)
		for range 20 { // connections form, pools fill
			run()
		}
		return testing.AllocsPerRun(100, run)
	}
	hand, ours := count(remoteServed[2]), count(remoteServed[6])
	if ours > hand*3/4 {
		t.Errorf("%s takes %.0f allocations, %s %.0f", remoteServed[6].name, ours, remoteServed[2].name, hand)
	} else {
		t.Logf("%s takes %.0f allocations, %s %.0f", remoteServed[6].name, ours, remoteServed[2].name, hand)
	}
}
