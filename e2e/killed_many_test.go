package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

var manyKills = flag.Int("many-kills", 3, "how often TestKilledInWritesOfMany and TestKilledInNestedWrites kill the gateway; a short run kills it once")

// TestKilledInWritesOfMany kills the gateway with SIGKILL in the middle of writes of many rows: each is
// there whole or not at all afterwards, and those that were acknowledged are there.
func TestKilledInWritesOfMany(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		dir := folder(t, map[string]string{
			"frond.yaml":          "name: a\ncollectors: {'*': open}\nchanges: [part]\nmany: {part: '*'}\n",
			"entities/set.yaml":   "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\nrequired: [id]\n",
			"entities/part.yaml":  "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  batch: {type: string, x-kit: {role: {index: true}}}\n  round: {type: integer}\nrequired: [id, batch, round]\n",
			"entities/piece.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  setId: {type: string, x-kit: {role: {relation: {to: set, kind: one}}}}\nrequired: [id, setId]\n",
		})
		k := &killed{whole: map[string]int{}}
		for round := range inShort(*manyKills, 1) {
			p := startGateway(t, dir, "--store", store)
			var wg sync.WaitGroup
			enough := make(chan struct{})
			var once sync.Once
			for i, write := range []func(p *program, round, i int) bool{k.createMany, k.createMany, k.atomic, k.atomic, k.imported, k.updateMany} {
				wg.Go(func() {
					for n := 0; write(p, round, 1000*i+n); n++ {
						if n == 4 {
							once.Do(func() { close(enough) })
						}
					}
				})
			}
			select {
			case <-enough:
			case <-p.exited:
			case <-time.After(time.Minute):
				t.Error("no kind of write was made four times within a minute")
			}
			time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond) // anywhere in a write
			p.kill()
			wg.Wait()
		}
		k.check(t, startGateway(t, dir, "--store", store))
	})
}

// killed notes the writes that were acknowledged.
type killed struct {
	mu    sync.Mutex
	whole map[string]int // batches with their rows
}

// send makes a write; false: the gateway is gone. An acknowledged one is noted as batch.
func (k *killed) send(p *program, method, path, body, batch string, rows int) bool {
	media := "application/json"
	if strings.Contains(path, "/import") {
		media = "application/x-ndjson"
	}
	status := answeredWith(p, method, path, media, body)
	if status/100 == 2 && batch != "" {
		k.mu.Lock()
		k.whole[batch] = rows
		k.mu.Unlock()
	}
	return status != 0
}

// answeredWith makes a request and returns the status of its whole answer; 0: the gateway is gone.
func answeredWith(p *program, method, path, media, body string) int {
	req, err := http.NewRequest(method, p.URL+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", media)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	return res.StatusCode
}

// parts are the rows of a batch, joined by a separator.
func parts(batch string, n int, separator string) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"%s-%d","batch":%q,"round":0}`, batch, i, batch)
	}
	return strings.Join(rows, separator)
}

func (k *killed) createMany(p *program, round, i int) bool {
	batch := fmt.Sprintf("create-%d-%d", round, i)
	return k.send(p, http.MethodPost, "/api/a/parts", "["+parts(batch, 40, ",")+"]", batch, 40)
}

func (k *killed) imported(p *program, round, i int) bool {
	batch := fmt.Sprintf("import-%d-%d", round, i)
	return k.send(p, http.MethodPost, "/api/a/parts/import?by=id", parts(batch, 60, "\n"), batch, 60)
}

func (k *killed) atomic(p *program, round, i int) bool {
	batch := fmt.Sprintf("atomic-%d-%d", round, i)
	calls := []string{fmt.Sprintf(`{"method":"set.create","params":{"body":{"id":%q}}}`, batch)}
	for n := range 5 {
		calls = append(calls, fmt.Sprintf(`{"method":"piece.create","params":{"body":{"id":"%s-%d","setId":{"$result":"0.id"}}}}`, batch, n))
	}
	return k.send(p, http.MethodPost, "/api/atomic", `{"calls":[`+strings.Join(calls, ",")+`]}`, batch, 5)
}

// updateMany gives all rows of a batch one number.
func (k *killed) updateMany(p *program, round, i int) bool {
	batch := fmt.Sprintf("update-%d", round)
	if i%1000 == 0 && !k.send(p, http.MethodPost, "/api/a/parts", "["+parts(batch, 30, ",")+"]", batch, 30) {
		return false
	}
	return k.send(p, http.MethodPatch, "/api/a/parts?filter[batch]="+batch, fmt.Sprintf(`{"round":%d}`, i+1), "", 0)
}

// check counts the rows of each batch.
func (k *killed) check(t *testing.T, p *program) {
	batches := map[string]int{}
	rounds := map[string]float64{}
	for _, row := range allRows(t, p, "parts") {
		batch := row["batch"].(string)
		if n, seen := rounds[batch]; seen && n != row["round"] {
			t.Errorf("the rows of %s are of rounds %v and %v", batch, n, row["round"])
		}
		rounds[batch] = row["round"].(float64)
		batches[batch]++
	}
	for _, row := range allRows(t, p, "sets") {
		batches[row["id"].(string)] = 0
	}
	for _, row := range allRows(t, p, "pieces") {
		batches[row["setId"].(string)]++
	}
	sizes := map[string]int{"create": 40, "import": 60, "atomic": 5, "update": 30}
	for batch, n := range batches {
		if kind, _, _ := strings.Cut(batch, "-"); n != sizes[kind] {
			t.Errorf("%s has %d rows, want %d", batch, n, sizes[kind])
		}
	}
	for batch, n := range k.whole {
		if batches[batch] != n {
			t.Errorf("%s was acknowledged with %d rows, and has %d", batch, n, batches[batch])
		}
	}
	t.Logf("%d acknowledged, %d there", len(k.whole), len(batches))
	if len(k.whole) < 5*inShort(*manyKills, 1) {
		t.Errorf("only %d writes were acknowledged", len(k.whole))
	}
}

// allRows are all rows of a door.
func allRows(t *testing.T, p *program, plural string) (all []map[string]any) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, p.URL+"/api/a/"+plural, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/x-ndjson")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for lines := json.NewDecoder(res.Body); ; {
		var row map[string]any
		if err := lines.Decode(&row); err == io.EOF {
			return all
		} else if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, err)
		}
		all = append(all, row)
	}
}

// TestImportBreaksOff closes the connection in the middle of an import: whole batches stay, nothing half, and
// the same import again writes the rest.
func TestImportBreaksOff(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		dir := folder(t, map[string]string{
			"frond.yaml":         "name: a\ncollectors: {'*': open}\nmany: {part: [import]}\n",
			"entities/part.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  batch: {type: string}\n  round: {type: integer}\nrequired: [id, batch, round]\n",
		})
		p := startGateway(t, dir, "--store", store)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		body, to := io.Pipe()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/api/a/parts/import?by=id", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-ndjson")
		ended := make(chan error, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err == nil {
				res.Body.Close()
			}
			ended <- err
		}()
		file := parts("file", 4700, "\n")
		// The transport and the gateway hold less than a batch, so that those before it are written or under way.
		if _, err := io.WriteString(to, file[:len(file)*3/4]); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); len(allRows(t, p, "parts")) < 1000; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 30*time.Second {
				t.Fatalf("no batch is stored after half a minute\n%s", p.stderr())
			}
		}
		cancel()
		_ = to.CloseWithError(context.Canceled) // the transport waits for the body
		if err := <-ended; err == nil {
			t.Error("the import that broke off was answered")
		}
		// The batch under way may still commit. The gateway logs the request when it has ended.
		for begun := time.Now(); !strings.Contains(p.stderr(), "/api/a/parts/import"); time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > 30*time.Second {
				t.Fatalf("the import has not ended after half a minute\n%s", p.stderr())
			}
		}
		kept := len(allRows(t, p, "parts"))
		if kept == 0 || kept%1000 != 0 || kept > 4000 {
			t.Errorf("%d rows are stored", kept)
		}
		res := send(t, http.MethodPost, p.URL+"/api/a/parts/import?by=id", file, "Content-Type: application/x-ndjson")
		want := fmt.Sprintf(`{"created":%d,"updated":%d,"rows":4700,"complete":true,"faults":[]}`, 4700-kept, kept)
		if string(res.Body) != want || len(allRows(t, p, "parts")) != 4700 {
			t.Errorf("again: %d %s, want %s", res.Status, res.Body, want)
		}
	})
}
