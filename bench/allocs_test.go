//go:build !race

// Under the race detector pools lose what they keep at random, and nothing can be counted.

package main

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestPageAllocations counts what the handler of the whole gateway allocates for a
// page of a hundred rows with a relation: the route, the request's JSON, the session,
// the engine, the façade, the statements and the answer's headers. What it takes to
// make a request without a socket, and to take the answer, is counted by a handler
// that does nothing, and left out.
func TestPageAllocations(t *testing.T) {
	bounded(t, request{method: "POST", path: "/graphql", body: `{"query":"` + itemsWithMakers + `"}`}, 49)
}

// TestRowAllocations counts the same for one row by its id over each surface, and for a request that
// reads no row.
func TestRowAllocations(t *testing.T) {
	for _, c := range []struct {
		name string
		row  request
		most float64
	}{
		{"REST", request{method: "GET", path: "/api/app/items/i042"}, 23},
		{"envelope", request{method: "POST", path: "/_kit/call", body: `{"jsonrpc":"2.0","id":1,"method":"item.findById","params":{"params":{"id":"i042"}}}`}, 31},
		{"GraphQL without rows", request{method: "POST", path: "/graphql", body: `{"query":"{__typename}"}`}, 17}, // two of them for the body and its length
		{"GraphQL", request{method: "POST", path: "/graphql", body: `{"query":"{ item(id: \"i042\") { id name } }"}`}, 30},
		{"GraphQL with a variable", request{method: "POST", path: "/graphql", body: `{"query":"query One($id: ID!) { item(id: $id) { id name } }","variables":{"id":"i042"}}`}, 35},
		{"update", request{method: "PATCH", path: "/api/app/items/i042", body: `{"name":"x"}`}, 52},
	} {
		t.Run(c.name, func(t *testing.T) { bounded(t, c.row, c.most) })
	}
}

// TestPostgresAllocations counts what the gateway allocates for the requests of postgres, from the
// request's JSON to the answer, with the statements on the wire.
func TestPostgresAllocations(t *testing.T) {
	dir := t.TempDir()
	cluster, err := startPostgres(dir, 500)
	if errors.Is(err, pgtest.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	h, err := gatewayOnPostgres(dir, gateway.Config{GraphQL: gateway.GraphQL{NoCoalesce: true}})
	if err != nil {
		t.Fatal(err)
	}
	for i, most := range []float64{122, 40, 58, 67} {
		r := blogRequests[i]
		t.Run(r.name, func(t *testing.T) { fewer(t, h, r.gateway(42), most) })
	}
}

// TestEquippedAllocations counts the allocations of the equipped gateway for one row, without the export of
// its spans, and those of the seal of a post.
func TestEquippedAllocations(t *testing.T) {
	for name, value := range map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_BSP_SCHEDULE_DELAY": "3600000"} { // no batch is sent
		t.Setenv(name, value)
	}
	row := request{method: "GET", path: "/api/app/posts/post00000000042"}
	for _, c := range []struct {
		sampler string
		most    float64
	}{{"always_off", 34}, {"always_on", 46}} {
		t.Run(c.sampler, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", c.sampler)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, sinkFile), []byte("http://127.0.0.1:9"), 0o600); err != nil {
				t.Fatal(err)
			}
			h, err := postGateway(dir, true)
			if err != nil {
				t.Fatal(err)
			}
			fewer(t, h, row, c.most)
		})
	}
	private, _, _, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := signing.ReadPrivate(private)
	if err != nil {
		t.Fatal(err)
	}
	signer, post := signing.NewSigner(key, "gateway"), []byte(`{"jsonrpc":"2.0","id":7,"method":"user.findByIds","params":{"query":{"ids":[1,2,30],"fields":["id","name"]}}}`)
	if n := testing.AllocsPerRun(100, func() { _, _ = signer.Seal(post, "blog", nil) }); n > 9 {
		t.Errorf("a seal takes %.0f allocations, want 9 at most", n)
	}
}

// bounded fails where the gateway's handler makes most allocations for a request, or more.
func bounded(t *testing.T, r request, most float64) {
	t.Helper()
	gw, shut, err := open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	fewer(t, gw.Handler(), r, most)
}

// fewer is bounded of a handler.
func fewer(t *testing.T, h http.Handler, r request, most float64) {
	t.Helper()
	count := func(h http.Handler) float64 { return testing.AllocsPerRun(200, r.to(h)) }
	nothing := count(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("{}"))
	}))
	if n := count(h) - nothing; n >= most {
		t.Errorf("it takes %.0f allocations, want fewer than %.0f", n, most)
	} else {
		t.Logf("%.0f allocations, and %.0f around them", n, nothing)
	}
}

// TestStartAllocations counts the allocations of a start with 1,000 cards over a file that has their tables, and
// measures the heap that the gateway keeps.
func TestStartAllocations(t *testing.T) {
	files, dir := thousandCards(), t.TempDir()
	start := func() (allocations, kept uint64) {
		var before, after, settled runtime.MemStats
		runtime.GC()
		runtime.GC() // the first one leaves what finalizers have
		runtime.ReadMemStats(&before)
		project, err := facade.Read(files)
		if err != nil {
			t.Fatal(err)
		}
		gw, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Dir: dir}, Undecided: true, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&settled)
		if err := gw.Close(); err != nil {
			t.Fatal(err)
		}
		return after.Mallocs - before.Mallocs, (settled.HeapAlloc - before.HeapAlloc) >> 20
	}
	start() // makes the tables
	allocations, kept := start()
	t.Logf("%d allocations, %d MiB kept", allocations, kept)
	// graphql-go's schema takes 1.3 million of the allocations and 27 MiB of the heap.
	if allocations > 4_600_000 {
		t.Errorf("a start takes %d allocations", allocations)
	}
	if kept > 78 {
		t.Errorf("a gateway keeps %d MiB", kept)
	}
}

// TestImportAllocations counts the allocations of an import for a new row: from the text of the file to the
// statement. Those that make the file are left out.
func TestImportAllocations(t *testing.T) {
	s, err := openItemsSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	*importRows = 2000
	n := 0
	count := func(do func(n int) error) float64 {
		return testing.AllocsPerRun(3, func() {
			n += *importRows
			if err := do(n); err != nil {
				t.Fatal(err)
			}
		}) / float64(*importRows)
	}
	file := count(func(n int) error { itemFile(n, *importRows); return nil })
	if each := count(s.imported) - file; each >= 13 {
		t.Errorf("a row takes %.1f allocations, want fewer than 13", each)
	} else {
		t.Logf("%.1f allocations for a row, and %.1f for its line", each, file)
	}
}
