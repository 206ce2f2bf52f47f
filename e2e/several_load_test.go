package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// severalLoad writes through several gateways as docs/growing.md describes it: what
// gets no answer, or a 503, is sent again to the next gateway.
type severalLoad struct {
	gateways []string // their URLs
	patience time.Duration

	stop   atomic.Bool
	turn   atomic.Int64
	resent atomic.Int64
	slow   atomic.Int64 // the longest time that one operation took, in ns

	mu       sync.Mutex
	created  map[string]bool // acknowledged
	counts   map[string]int  // by the id of the row that counts, what was acknowledged
	failures []string
}

// run lets workers write until stopped is called, which waits for them.
func (l *severalLoad) run(workers int) (stopped func()) {
	l.created, l.counts = map[string]bool{}, map[string]int{}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			counter := fmt.Sprintf("count-%d", w)
			if !l.create(counter, 0) {
				return
			}
			l.note(func() { l.counts[counter] = 0 })
			for i := 0; !l.stop.Load(); i++ {
				began := time.Now()
				if ok := l.create(fmt.Sprintf("row-%d-%d", w, i), i) && l.count(counter); !ok {
					return
				}
				if took := int64(time.Since(began)); took > l.slow.Load() {
					l.slow.Store(took)
				}
			}
		})
	}
	return func() {
		l.stop.Store(true)
		all.Wait()
	}
}

func (l *severalLoad) note(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
}

func (l *severalLoad) fail(format string, args ...any) bool {
	l.note(func() { l.failures = append(l.failures, fmt.Sprintf(format, args...)) })
	return false
}

// failed says whether something went wrong.
func (l *severalLoad) failed() (is bool) {
	l.note(func() { is = len(l.failures) > 0 })
	return is
}

// done is how many operations were acknowledged.
func (l *severalLoad) done() (n int) {
	l.note(func() {
		n = len(l.created)
		for _, c := range l.counts {
			n += c
		}
	})
	return n
}

// create creates a row under an id of the client's own. Sent again it may be refused as a
// duplicate: then the first one was written.
func (l *severalLoad) create(id string, size int) bool {
	res := l.send("POST", "/api/a/things", fmt.Sprintf(`{"id":%q,"name":"n","size":%d}`, id, size), "")
	switch {
	case res.status == 201, res.status == 409 && res.tries > 1:
		l.note(func() { l.created[id] = true })
		return true
	}
	return l.fail("create %s: %s", id, res)
}

// count adds one to a row that only this worker writes, on condition of the row's version.
// Sent again it may be refused: the row then shows whether the first one was written.
func (l *severalLoad) count(id string) bool {
	row := l.send("GET", "/api/a/things/"+id, "", "")
	if row.status != 200 {
		return l.fail("read %s: %s", id, row)
	}
	var was, is struct{ Size int }
	_ = json.Unmarshal(row.body, &was)
	for {
		res := l.send("PATCH", "/api/a/things/"+id, fmt.Sprintf(`{"size":%d}`, was.Size+1), row.etag)
		if res.status == 412 && res.tries > 1 {
			now := l.send("GET", "/api/a/things/"+id, "", "")
			_ = json.Unmarshal(now.body, &is)
			if now.status == 200 && is.Size == was.Size { // it was not written; nobody else writes the row
				row = now
				continue
			}
			if now.status != 200 || is.Size != was.Size+1 {
				return l.fail("count %s: %d became %s", id, was.Size, now)
			}
		} else if res.status != 200 {
			return l.fail("count %s: %s", id, res)
		}
		l.note(func() { l.counts[id]++ })
		return true
	}
}

// severalAnswer is the last answer to a request that was sent tries times.
type severalAnswer struct {
	status, tries int
	body          []byte
	etag          string
	err           error
}

func (a severalAnswer) String() string {
	return fmt.Sprintf("%d after %d tries: %s %v", a.status, a.tries, a.body, a.err)
}

// severalClient has a time limit for each try, since a gateway may be in the middle of a
// failover.
var severalClient = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// send sends a request until a gateway answers it.
func (l *severalLoad) send(method, path, body, version string) (a severalAnswer) {
	for deadline := time.Now().Add(l.patience); ; time.Sleep(20 * time.Millisecond) {
		a.tries++
		if a.tries > 1 {
			l.resent.Add(1)
		}
		url := l.gateways[int(l.turn.Add(1))%len(l.gateways)]
		req, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			a.err = err
			return a
		}
		req.Header.Set("Content-Type", "application/json")
		if version != "" {
			req.Header.Set("If-Match", version)
		}
		var res *http.Response
		if res, a.err = severalClient.Do(req); a.err == nil {
			a.status, a.etag = res.StatusCode, res.Header.Get("ETag")
			a.body, a.err = io.ReadAll(res.Body)
			_ = res.Body.Close()
		}
		if a.err == nil && a.status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			return a
		}
	}
}

// verify holds what the gateways serve to what was acknowledged: every row is there, none
// twice, and each counter counts what was acknowledged.
func (l *severalLoad) verify(t *testing.T) {
	t.Helper()
	for _, f := range l.failures {
		t.Error(f)
	}
	there := map[string]int{}
	sizes := map[string]int{}
	for after := ""; ; {
		res := l.send("GET", "/api/a/things?fields=id,size&limit=500"+after, "", "")
		var page struct {
			Items []struct {
				ID   string
				Size int
			}
			HasMore   bool
			EndCursor string
		}
		if err := json.Unmarshal(res.body, &page); err != nil || res.status != 200 {
			t.Fatalf("list: %s", res)
		}
		for _, item := range page.Items {
			there[item.ID]++
			sizes[item.ID] = item.Size
		}
		if !page.HasMore {
			break
		}
		after = "&after=" + page.EndCursor
	}
	for id := range l.created {
		if there[id] != 1 {
			t.Errorf("%s was acknowledged and is there %d times", id, there[id])
		}
	}
	for id := range there {
		if !l.created[id] {
			t.Errorf("%s is there and was not acknowledged", id)
		}
	}
	for id, n := range l.counts {
		if sizes[id] != n {
			t.Errorf("%s counts %d; %d were acknowledged", id, sizes[id], n)
		}
	}
	t.Logf("%d rows and %d counters, %d requests sent again, the longest two operations took %s",
		len(there), len(l.counts), l.resent.Load(), time.Duration(l.slow.Load()).Round(time.Millisecond))
}
