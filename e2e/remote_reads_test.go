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

// TestReadYourWrites: a caller whose write was answered sees it in every later read,
// over either surface, though equal reads of all callers share their calls.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	host := newHeldHost()
	url, gw, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host.foreignHost)}})
	rode := func() (n int64) {
		for _, r := range gw.Remotes() {
			n += r.Calls.Joined
		}
		return n
	}
	stale, asked := readYourWrites(t, url)
	if stale > 0 {
		t.Errorf("%d of %d reads did not see a write that was done", stale, asked)
	}
	for by := time.Now().Add(time.Minute); rode() == 0; { // reads that share nothing show nothing
		if time.Now().After(by) {
			t.Fatal("equal reads at once share no trip")
		}
		more, _ := readYourWrites(t, url)
		stale += more
	}
	t.Logf("%d reads made %d at the host, %d shared a trip", asked, host.reads.Load(), rode())
}

// TestReadsDoNotJoinWhatRuns: a read has looked at the row at the host and is on its way
// back; the row is written, and whoever wrote it reads. The same read of a gateway that
// lets it join the one under way is stale.
func TestReadsDoNotJoinWhatRuns(t *testing.T) {
	t.Parallel()
	for _, joins := range []bool{false, true} {
		host := newHeldHost()
		url, gw, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host.foreignHost)}})
		joined := make(chan struct{}, 1)
		if joins {
			url = served(t, joining(gw.Handler(), joined))
		}
		read := inquiry{graphql: `{ note(id: "n1") { pages } }`}
		release := host.holdNext()
		var all sync.WaitGroup
		all.Go(func() { read.of(t, url) })
		<-host.looked
		answered := pagesIn(t, inquiry{rest: `PATCH /api/desk/notes/n1 {"title":"x"}`}.of(t, url))
		var got int
		all.Go(func() { got = pagesIn(t, read.of(t, url)) })
		if joins {
			<-joined
		}
		release()
		all.Wait()
		if stale := got < answered; stale != joins {
			t.Errorf("who was told %d reads %d; where reads join what runs: %t", answered, got, joins)
		}
	}
}

// heldHost has one note, whose pages every update counts up. Its reads take a moment
// after they have looked, or as long as the test likes.
type heldHost struct {
	*foreignHost
	pages, reads atomic.Int64
	looked       chan struct{} // by a read that is held
	held         atomic.Pointer[chan struct{}]
}

func newHeldHost() *heldHost {
	h := &heldHost{looked: make(chan struct{})}
	row := func(n int64) map[string]any {
		return map[string]any{"id": "n1", "title": "One", "pages": n, "writerId": nil}
	}
	h.foreignHost = &foreignHost{
		document: desk(foreignDoor("note", noteCard, append([]string{foreignOp("update", "command")}, noteReads...)...)),
		answers: map[string]func(invoked) any{
			"note.update": func(invoked) any { return row(h.pages.Add(1)) },
			"note.findById": func(invoked) any {
				n := h.pages.Load()
				h.reads.Add(1)
				if hold := h.held.Swap(nil); hold != nil {
					h.looked <- struct{}{}
					<-*hold
				} else {
					time.Sleep(5 * time.Millisecond)
				}
				return row(n)
			},
		},
	}
	return h
}

// holdNext holds the next read when it has looked, until release.
func (h *heldHost) holdNext() (release func()) {
	hold := make(chan struct{})
	h.held.Store(&hold)
	return func() { close(hold) }
}

// readYourWrites writes and reads from many sides at once, and counts the reads that
// show less than what the reader had been answered before.
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
				answered := pagesIn(t, write[i%2].of(t, url))
				for j := range 2 {
					got := pagesIn(t, read[(worker+i+j)%2].of(t, url))
					all.Add(1)
					if got < answered {
						old.Add(1)
					}
					answered = max(answered, got)
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
// has begun before it. It reports each that does.
func joining(h http.Handler, joined chan<- struct{}) http.Handler {
	type shared struct {
		done     chan struct{}
		recorder *httptest.ResponseRecorder
	}
	var mu sync.Mutex
	running := map[string]*shared{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Method == http.MethodPatch || bytes.Contains(body, []byte("mutation")) {
			h.ServeHTTP(w, r)
			return
		}
		key := fmt.Sprintf("%s %s %s", r.Method, r.URL, body)
		mu.Lock()
		f, under := running[key]
		if !under {
			f = &shared{make(chan struct{}), httptest.NewRecorder()}
			running[key] = f
		}
		mu.Unlock()
		if !under {
			h.ServeHTTP(f.recorder, r)
			mu.Lock()
			delete(running, key)
			mu.Unlock()
			close(f.done)
		} else {
			joined <- struct{}{}
		}
		<-f.done
		w.Header().Set("Content-Type", f.recorder.Header().Get("Content-Type"))
		w.WriteHeader(f.recorder.Code)
		_, _ = w.Write(f.recorder.Body.Bytes())
	})
}
