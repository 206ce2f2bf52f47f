//go:build !race

package main

import (
	"strings"
	"testing"
)

// TestRemotePageAllocations: a page over two remotes takes half at most of the allocations that a
// backend written by hand makes for it, and hardly more for a hundred rows than for ten. What the
// remotes make for their answers is counted on both sides.
func TestRemotePageAllocations(t *testing.T) {
	dir := t.TempDir()
	stand(t, dir)
	count := func(c contestant, q request) float64 {
		h, err := c.build(dir)
		if err != nil {
			t.Fatal(err)
		}
		run := q.to(h)
		for range 20 { // connections form, pools fill
			run()
		}
		return testing.AllocsPerRun(100, run)
	}
	hand, gateway := remoteServed[2], remoteServed[6]
	page := askedBlog(-1)
	ten := page
	ten.body = strings.Replace(page.body, "first: 100", "first: 10", 1)
	byHand, ours, few := count(hand, page), count(gateway, page), count(gateway, ten)
	if ours > byHand/2 || ours > few+10 {
		t.Errorf("%s takes %.0f allocations, %.0f for ten rows, %s %.0f", gateway.name, ours, few, hand.name, byHand)
	} else {
		t.Logf("%s takes %.0f allocations, %.0f for ten rows, %s %.0f", gateway.name, ours, few, hand.name, byHand)
	}
}
