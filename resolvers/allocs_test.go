//go:build !race

// Under the race detector pools lose what they keep at random, and nothing can be counted.

package resolvers_test

import (
	"context"
	"math"
	"testing"

	"github.com/frondhost/frond/resolvers"
)

// TestPageAllocations holds what the benchmark shows: the number of allocations
// does not grow with the rows.
func TestPageAllocations(t *testing.T) {
	rows := newHeld()
	engine, err := resolvers.NewEngine(heldSchema(t, rows), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	n := math.Inf(1)
	for range 3 { // the collector may empty the pools in the middle of a try
		n = min(n, testing.AllocsPerRun(100, func() {
			engine.Execute(ctx, &resolvers.Request{Query: page}).Release()
		}))
	}
	if n > 22 {
		t.Errorf("a page of 100 rows with a relation takes %.0f allocations, want 22 at most", n)
	}
}
