//go:build !race

// Under the race detector pools lose what they keep at random, and nothing can be counted.

package main

import (
	"net/http"
	"testing"
)

// TestPageAllocations counts what the handler of the whole gateway allocates for a
// page of a hundred rows with a relation: the route, the request's JSON, the session,
// the engine, the façade, the statements and the answer's headers. What it takes to
// make a request without a socket, and to take the answer, is counted by a handler
// that does nothing, and left out.
func TestPageAllocations(t *testing.T) {
	gw, shut, err := open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	page := request{method: "POST", path: "/graphql", body: `{"query":"` + itemsWithMakers + `"}`}
	count := func(h http.Handler) float64 { return testing.AllocsPerRun(200, page.to(h)) }
	nothing := count(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("{}"))
	}))
	if n := count(gw.Handler()) - nothing; n >= 60 {
		t.Errorf("a page takes %.0f allocations, want fewer than 60", n)
	} else {
		t.Logf("%.0f allocations, and %.0f around them", n, nothing)
	}
}
