package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/storetest"
)

// countingStore counts the reads that a request may still do, refuses the others as each store
// does, and notes who has sent them.
type countingStore struct {
	facade.Store
	mu      sync.Mutex
	reads   int
	callers map[any]bool
}

func (s *countingStore) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	caller, request := facade.RequestOf(ctx).Shares()
	exhausted := facade.RequestOf(ctx).Exhausted()
	s.mu.Lock()
	if exhausted == nil {
		s.reads++
	}
	if request != nil {
		s.callers[caller] = true
	}
	s.mu.Unlock()
	if exhausted != nil {
		return nil, exhausted
	}
	return s.Store.Find(ctx, q)
}

// countedReads is a gateway over a counting store whose requests may work for so long.
func countedReads(t *testing.T, work time.Duration) (*gateway.Gateway, *countingStore) {
	t.Helper()
	store := &countingStore{Store: storetest.NewStore(), callers: map[any]bool{}}
	opts := quiet(gateway.Options{Store: store, Config: gateway.Config{Limits: gateway.Limits{Work: work}}})
	gw, err := gateway.New(notes(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw, store
}

// TestWorkOfARequest sends requests of many parts: beyond limits.work parts are refused, whatever
// they are, and the store does not read for them. A part costs 50 µs, a condition 10 µs. Parts that
// run at once may spend everything before the first of them reads, so the order of the parts
// decides how many of them are read, up to a bound.
func TestWorkOfARequest(t *testing.T) {
	frames := func(n int, query string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"note.list","params":{"query":%s}}`, i, query)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	conditions := `{"filter":{"or":[` + strings.TrimSuffix(strings.Repeat(`{"id":{"eq":"x"}},`, 100), ",") + `]}}`
	roots := make([]string, 15)
	for i := range roots {
		roots[i] = fmt.Sprintf(`r%d: notes(first: %d) { total }`, i, i+1)
	}
	query, _ := json.Marshal(map[string]string{"query": "{ " + strings.Join(roots, " ") + " }"})
	for _, c := range []struct {
		name, path, body string
		work             time.Duration
		parts, reads     int // reads: at most
	}{
		{"frames of a batch", "/_kit/call", frames(100, `{"limit":1}`), 500 * time.Microsecond, 100, 9},
		{"frames with conditions", "/_kit/call", frames(20, conditions), 10 * time.Millisecond, 20, 4},
		{"fields of a document", "/graphql", string(query), 250 * time.Microsecond, 15, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			gw, store := countedReads(t, c.work)
			w := askHandler(gw.Handler(), "POST", c.path, c.body)
			if n := strings.Count(w.Body.String(), `"limits.work"`); n+store.reads != c.parts || store.reads > c.reads {
				t.Errorf("%d of %d parts are refused, %d are read, want at most %d: %d %.300s", n, c.parts, store.reads, c.reads, w.Code, w.Body)
			}
			if !strings.Contains(w.Body.String(), "UNPROCESSABLE_ENTITY") {
				t.Errorf("%.300s", w.Body)
			}
			// The next request has its own.
			if w := askHandler(gw.Handler(), "GET", "/api/app/notes", ""); w.Code != 200 {
				t.Errorf("afterwards: %d %s", w.Code, w.Body)
			}
		})
	}
}

// TestWorkIsNotBounded where it is switched off.
func TestWorkIsNotBounded(t *testing.T) {
	gw, store := countedReads(t, -1)
	w := askHandler(gw.Handler(), "POST", "/_kit/call", "["+strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"note.list"},`, 100), ",")+"]")
	if store.reads != 100 || strings.Contains(w.Body.String(), "error") {
		t.Errorf("%d reads: %.200s", store.reads, w.Body)
	}
}

// TestCallersShareByAddress: the store learns who has sent a request, whatever the surface.
func TestCallersShareByAddress(t *testing.T) {
	gw, store := countedReads(t, 0)
	for _, from := range []string{"192.0.2.1:1000", "192.0.2.1:2000", "192.0.2.2:1000", "[2001:db8::1]:1", "[2001:db8::2]:2"} {
		for _, c := range [][2]string{{"/graphql", `{"query":"{ notes { items { id } } }"}`}, {"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"note.list"}`}} {
			r := httptest.NewRequest("POST", "http://127.0.0.1"+c[0], strings.NewReader(c[1]))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = from
			gw.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	if want := map[any]bool{"at 192.0.2.1": true, "at 192.0.2.2": true, "at 2001:db8::/64": true}; fmt.Sprint(store.callers) != fmt.Sprint(want) {
		t.Errorf("callers %v, want %v", store.callers, want)
	}
}

// read counts the bytes that were read of a body.
type readBody struct {
	*strings.Reader
	n int
}

func (r *readBody) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

// TestBodiesAreRefusedWhileTheyAreRead: a body of very many values, and one that is nested very
// deep, is not read to its end, and nothing of it is parsed.
func TestBodiesAreRefusedWhileTheyAreRead(t *testing.T) {
	const size = 1 << 20
	conditions := strings.Repeat(`{"title":{"eq":"x"}},`, size/21-10)
	deep := strings.Repeat("[", size-100)
	gw, store := countedReads(t, 0)
	for _, c := range []struct {
		name, path, body string
		status           int
	}{
		{"conditions in variables", "/graphql", `{"query":"{ notes { total } }","variables":{"f":[` + conditions, http.StatusRequestEntityTooLarge},
		{"conditions in a frame", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"note.list","params":{"query":{"filter":{"or":[` + conditions, http.StatusRequestEntityTooLarge},
		{"values in a row", "/api/app/notes", `{"id":"n","title":[` + conditions, http.StatusRequestEntityTooLarge},
		{"nested in variables", "/graphql", `{"variables":` + deep, http.StatusBadRequest},
		{"nested in a frame", "/_kit/call", deep, http.StatusBadRequest},
		{"nested in a row", "/api/app/notes", deep, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, length := range []int64{-1, int64(len(c.body))} {
				body := &readBody{Reader: strings.NewReader(c.body)}
				r := httptest.NewRequest("POST", "http://127.0.0.1"+c.path, io.NopCloser(body))
				r.Header.Set("Content-Type", "application/json")
				r.ContentLength = length
				w := httptest.NewRecorder()
				gw.Handler().ServeHTTP(w, r)
				if w.Code != c.status || body.n > size*3/4 {
					t.Errorf("%d after %d bytes of %d: %.200s", w.Code, body.n, len(c.body), w.Body)
				}
			}
		})
	}
	if store.reads != 0 {
		t.Errorf("%d reads", store.reads)
	}
}
