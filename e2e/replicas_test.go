package e2e_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestReadReplicas: a gateway reads a replica whose replay is paused and resumed. On every
// surface, a client that echoes X-Frond-Consistency never reads older than it wrote, and one
// that does not is shown what the replica has.
func TestReadReplicas(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{Replicas: 1})
	name := cluster.Database(t)
	replica := cluster.Replicas[0]
	dir := folder(t, map[string]string{
		"fronds/a/entities/thing.yaml": card("size: {type: integer}"), "fronds/a/frond.yaml": everybody,
		"gateway.yaml": fmt.Sprintf("store: {url: %q, replicas: [%q], lateBy: 1h}\n", cluster.Primary.URL(name), replica.URL(name)),
	})
	var gateways []string // a token of one holds on the other
	for range 2 {
		gateways = append(gateways, start(t, exec.Command(binary(t), "gateway", dir, "--listen", "127.0.0.1:0")).URL)
	}
	if res := send(t, "POST", gateways[0]+"/api/a/things", `{"id":"t","name":"n","size":0}`); res.Status != 201 {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	reads := map[string]func(url string, headers ...string) string{
		"REST": func(url string, headers ...string) string {
			return string(send(t, "GET", url+"/api/a/things/t?fields=size", "", headers...).Body)
		},
		"GraphQL": func(url string, headers ...string) string {
			return string(send(t, "POST", url+"/graphql", `{"query":"{ thing(id: \"t\") { size } }"}`, headers...).Body)
		},
		"envelope": func(url string, headers ...string) string {
			return string(send(t, "POST", url+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"thing.findById","params":{"params":{"id":"t"},"query":{"fields":["size"]}}}`, headers...).Body)
		},
	}
	writes := []struct {
		surface string
		write   func(url string, size int, headers ...string) reply
	}{
		{"REST", func(url string, size int, headers ...string) reply {
			return send(t, "PATCH", url+"/api/a/things/t", fmt.Sprintf(`{"size":%d}`, size), headers...)
		}},
		{"GraphQL", func(url string, size int, headers ...string) reply {
			return send(t, "POST", url+"/graphql", fmt.Sprintf(`{"query":"mutation { updateThing(id: \"t\", input: {size: %d}) { size } }"}`, size), headers...)
		}},
		{"envelope", func(url string, size int, headers ...string) reply {
			return send(t, "POST", url+"/_kit/call", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"thing.update","params":{"params":{"id":"t"},"body":{"size":%d}}}`, size), headers...)
		}},
	}
	shows := func(body string, size int) bool { return strings.Contains(body, fmt.Sprintf(`"size":%d`, size)) }
	waitFor(t, "rows in the replica", func() bool {
		got, err := replica.Query(name, "(select count(*) from thing)")
		return err == nil && got == "1"
	})
	pgtest.Pause(t, replica)
	header := "Accept: */*" // nothing was written yet
	for i, w := range writes {
		size := i + 1
		res := w.write(gateways[i%2], size, header)
		if header = "X-Frond-Consistency: " + res.Header.Get("X-Frond-Consistency"); res.Status != http.StatusOK || !strings.Contains(header, ".") {
			t.Fatalf("%s: %d %s with %q", w.surface, res.Status, res.Body, header)
		}
		for surface, read := range reads {
			for range 20 {
				for _, url := range gateways {
					if got := read(url, header); !shows(got, size) {
						t.Fatalf("written over %s, read over %s with the token: %s, want %d", w.surface, surface, got, size)
					}
				}
			}
			waitFor(t, "reads of the replica over "+surface, func() bool { return shows(read(gateways[0]), 0) })
		}
	}
	pgtest.Resume(t, replica)
	for surface, read := range reads {
		waitFor(t, "reads of the replica that has caught up, over "+surface, func() bool { return shows(read(gateways[1]), len(writes)) })
	}

	// A text that nobody issued is refused in the form of each surface, and a read answers no token.
	for surface, read := range reads {
		if got := read(gateways[0], "X-Frond-Consistency: soon"); !strings.Contains(got, "BAD_REQUEST") || !strings.Contains(got, "leave it out") {
			t.Errorf("%s: %s", surface, got)
		}
	}
	if res := send(t, "GET", gateways[0]+"/api/a/things/t", "", header); res.Header.Get("X-Frond-Consistency") != "" {
		t.Errorf("a read answers a token: %v", res.Header)
	}
	// Without the replica all reads are the primary's.
	if err := replica.Kill(); err != nil {
		t.Fatal(err)
	}
	for surface, read := range reads {
		if got := read(gateways[0]); !shows(got, len(writes)) {
			t.Errorf("without the replica, over %s: %s", surface, got)
		}
	}
}
