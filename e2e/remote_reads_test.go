package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// TestReadYourWrites: who was told that a write is done sees it in whatever they read
// next, over either surface, though equal reads of everybody's share their trips. The
// same test has to find a gateway out that lets a read join one that is under way.
func TestReadYourWrites(t *testing.T) {
	host, reads := countingHost()
	url, gw, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host)}})

	stale, asked := readYourWrites(t, url)
	if stale > 0 {
		t.Errorf("%d of %d reads did not see a write that was done", stale, asked)
	}
	var rode int64
	for _, r := range gw.Remotes() {
		rode += r.Calls.RodeAlong
	}
	if rode == 0 {
		t.Errorf("%d reads made %d at the host, and none shared its trip: that shows nothing", asked, reads.Load())
	}
	t.Logf("%d reads made %d at the host, %d shared a trip", asked, reads.Load(), rode)

	stale, asked = readYourWrites(t, served(t, joining(gw.Handler())))
	if stale == 0 {
		t.Errorf("reads that join one under way went unnoticed in %d", asked)
	}
	t.Logf("where reads join one under way, %d of %d are stale", stale, asked)
}

// countingHost has one note, whose pages every update counts up. Its reads take a
// moment after they have looked.
func countingHost() (*foreignHost, *atomic.Int64) {
	var pages, reads atomic.Int64
	row := func(n int64) map[string]any {
		return map[string]any{"id": "n1", "title": "One", "pages": n, "writerId": nil}
	}
	return &foreignHost{
		document: desk(foreignDoor("note", noteCard, append([]string{foreignOp("update", "command")}, noteReads...)...)),
		answers: map[string]func(invoked) any{
			"note.update": func(invoked) any { return row(pages.Add(1)) },
			"note.findById": func(invoked) any {
				n := pages.Load()
				reads.Add(1)
				time.Sleep(5 * time.Millisecond)
				return row(n)
			},
		},
	}, &reads
}

// readYourWrites writes and reads from many sides at once, and counts the reads that
// show less than what the reader had been told before.
func readYourWrites(t *testing.T, url string) (stale, asked int64) {
	t.Helper()
	var old, all atomic.Int64
	var workers sync.WaitGroup
	read := []inquiry{{graphql: `{ note(id: "n1") { pages } }`}, {rest: `GET /api/desk/notes/n1?fields=pages`}}
	write := []inquiry{{rest: `PATCH /api/desk/notes/n1 {"title":"x"}`}, {graphql: `mutation { updateNote(id: "n1", input: {title: "x"}) { pages } }`}}
	for worker := range 12 {
		workers.Go(func() {
			for i := range 50 {
				time.Sleep(rand.N(10 * time.Millisecond)) // or all of them go in step
				told := pagesIn(t, write[i%2].of(t, url))
				for j := range 2 {
					got := pagesIn(t, read[(worker+i+j)%2].of(t, url))
					all.Add(1)
					if got < told {
						old.Add(1)
					}
					told = max(told, got)
				}
			}
		})
	}
	workers.Wait()
	return old.Load(), all.Load()
}

func pagesIn(t *testing.T, text string) int {
	var answer struct {
		Pages      *int
		Note       *struct{ Pages int }
		UpdateNote *struct{ Pages int }
	}
	err := json.Unmarshal([]byte(text), &answer)
	switch {
	case answer.Pages != nil:
		return *answer.Pages
	case answer.Note != nil:
		return answer.Note.Pages
	case answer.UpdateNote != nil:
		return answer.UpdateNote.Pages
	}
	t.Errorf("no pages in %s: %v", text, err)
	return 0
}

// joining is the mistake: a request that reads gets the answer of an equal one that
// has begun before it.
func joining(h http.Handler) http.Handler {
	type flight struct {
		done     chan struct{}
		recorder *httptest.ResponseRecorder
	}
	var mu sync.Mutex
	flights := map[string]*flight{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Method == http.MethodPatch || bytes.Contains(body, []byte("mutation")) {
			h.ServeHTTP(w, r)
			return
		}
		key := fmt.Sprintf("%s %s %s", r.Method, r.URL, body)
		mu.Lock()
		f, under := flights[key]
		if !under {
			f = &flight{make(chan struct{}), httptest.NewRecorder()}
			flights[key] = f
		}
		mu.Unlock()
		if !under {
			h.ServeHTTP(f.recorder, r)
			mu.Lock()
			delete(flights, key)
			mu.Unlock()
			close(f.done)
		}
		<-f.done
		w.Header().Set("Content-Type", f.recorder.Header().Get("Content-Type"))
		w.WriteHeader(f.recorder.Code)
		_, _ = w.Write(f.recorder.Body.Bytes())
	})
}
