package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKill: what was acknowledged is there after a power cut. Eight clients create
// rows until the program is killed with SIGKILL; then it is started again.
func TestKill(t *testing.T) {
	t.Parallel()
	store := storeFor(t)
	dir := folder(t, map[string]string{"fronds/a/entities/thing.yaml": card("size: {type: integer}"), "fronds/a/frond.yaml": everybody})
	var acknowledged []string
	for round := range 2 {
		p := startGateway(t, dir, "--store", store)
		acknowledged = append(acknowledged, createUntilKilled(t, p, round)...)
	}
	if len(acknowledged) < 20 {
		t.Fatalf("only %d creates were acknowledged before the kills: the test shows nothing", len(acknowledged))
	}
	p := startGateway(t, dir, "--store", store)
	there := map[string]bool{}
	for after := ""; ; {
		res := send(t, "GET", p.URL+"/api/a/things?fields=id,size&limit=500"+after, "")
		page, _ := decode(t, res.Body).(map[string]any)
		items, ok := page["items"].([]any)
		if !ok {
			t.Fatalf("list: %d %s", res.Status, res.Body)
		}
		for _, item := range items {
			there[item.(map[string]any)["id"].(string)] = true
		}
		if page["hasMore"] != true {
			break
		}
		after = "&after=" + page["endCursor"].(string)
	}
	lost := 0
	for _, id := range acknowledged {
		if !there[id] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged rows are lost", lost, len(acknowledged))
	}
	t.Logf("%d acknowledged, %d there", len(acknowledged), len(there))
}

// createUntilKilled is the ids of the creates that were acknowledged with 201.
func createUntilKilled(t *testing.T, p *program, round int) []string {
	var mu sync.Mutex
	var ids []string
	const enough = 100 // to be killed in the middle of more
	reached := make(chan struct{})
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for i := 0; ; i++ {
				id := fmt.Sprintf("t-%d-%d-%d", round, c, i)
				res, err := http.Post(p.URL+"/api/a/things", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"name":"n","size":%d}`, id, i)))
				if err != nil {
					return // killed
				}
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if err == nil && res.StatusCode == http.StatusCreated {
					mu.Lock()
					if ids = append(ids, id); len(ids) == enough {
						close(reached)
					}
					mu.Unlock()
				}
			}
		}()
	}
	select {
	case <-reached:
	case <-p.exited:
	case <-time.After(time.Minute):
		t.Errorf("there are no %d creates within a minute", enough)
	}
	p.kill()
	clients.Wait()
	return ids
}

// TestRestart: a second start finds the rows of the first and does not seed again.
func TestRestart(t *testing.T) {
	t.Parallel()
	store := storeFor(t)
	dir := folder(t, map[string]string{
		"fronds/a/entities/thing.yaml": card(),
		"fronds/a/frond.yaml":          everybody,
		"fronds/a/seeds/thing.yaml":    "- {id: t-1, name: One}\n- {id: t-2, name: Two}\n",
	})
	p := startGateway(t, dir, "--store", store)
	if res := send(t, "DELETE", p.URL+"/api/a/things/t-1", ""); res.Status != 204 {
		t.Fatalf("delete: %d %s", res.Status, res.Body)
	}
	p.stop(t)
	p = startGateway(t, dir, "--store", store)
	res := send(t, "GET", p.URL+"/api/a/things?fields=id", "")
	if !strings.HasPrefix(string(res.Body), `{"items":[{"id":"t-2"}],"total":1,`) {
		t.Errorf("after the restart: %s", res.Body)
	}
}
