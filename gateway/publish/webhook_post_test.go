package publish

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/facts/delivery/deliverytest"
)

// TestAnswers: what an answer means, and that a receiver can neither redirect, nor hold up, nor
// flood the sender; and what a reason does not have in it.
func TestAnswers(t *testing.T) {
	var elsewhere, sent atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/silent":
			<-release
		case "/drip": // a status, and a body that never ends
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-release
		case "/flood":
			w.WriteHeader(http.StatusOK)
			for chunk := make([]byte, 1<<16); r.Context().Err() == nil; sent.Add(1) {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/head":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/cut":
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.Close()
		case "/created":
			w.WriteHeader(http.StatusCreated)
		case "/hunter2":
			http.Error(w, "hunter2 of the receiver", http.StatusTeapot)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	trusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(trusted.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	e := deliverytest.Event(1, 1)
	for url, want := range map[string]answer{
		server.URL + "/created":              {verdict: delivered},
		server.URL + "/redirect":             {verdict: again, reason: "the receiver answered 307; redirects are not followed"},
		server.URL + "/silent":               {verdict: again, reason: "the receiver did not answer in time"},
		server.URL + "/drip":                 {verdict: delivered},
		server.URL + "/flood":                {verdict: delivered},
		server.URL + "/head":                 {verdict: again, reason: "the connection broke before the answer"},
		server.URL + "/cut":                  {verdict: again, reason: "the connection broke before the answer"},
		server.URL + "/hunter2?key=hunter2":  {verdict: again, reason: "the receiver answered 418"},
		closed.URL + "/hunter2":              {verdict: again, reason: "the receiver cannot be connected to"},
		trusted.URL + "/hunter2":             {verdict: again, reason: "the receiver's TLS is not accepted"},
		"http://hunter2.invalid/":            {verdict: again, reason: "the receiver's name cannot be resolved"},
		"https://[::ffff:169.254.169.254]/x": {verdict: again, reason: errRefused.Error()},
	} {
		// One that never ends is cut off; the others have as long as a busy machine takes.
		timeout := time.Minute
		if strings.HasSuffix(url, "/silent") || strings.HasSuffix(url, "/drip") {
			timeout = 2 * time.Second
		}
		h := hookOf(t, hookConfig{URL: url, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: timeout}, hookOptions{})
		got := h.post(t.Context(), &e)
		if got != want || strings.Contains(got.reason, "hunter2") || strings.Contains(got.reason, "127.0.0.1") {
			t.Errorf("%s: %+v, want %+v", url, got, want)
		}
	}
	if elsewhere.Load() != 0 {
		t.Error("a redirect was followed")
	}
	if n := sent.Load(); n > 1000 { // what fits into the buffers of two sockets
		t.Errorf("%d KiB of an answer were read", n*64)
	}
	h := hookOf(t, hookConfig{URL: server.URL}, hookOptions{Writer: delivery.CloudEvents{Outward: func(*facade.Event) (*facade.Event, error) { return nil, errors.New("hunter2") }}})
	if got := h.post(t.Context(), &e); got.verdict != again || strings.Contains(got.reason, "hunter2") {
		t.Errorf("an event that cannot be written: %+v", got)
	}
}

// TestSameBytes: every attempt of an event has the same id and body, and a signature of its own
// time.
func TestSameBytes(t *testing.T) {
	var mu sync.Mutex
	var bodies, ids []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies, ids = append(bodies, string(body)), append(ids, r.Header.Get("Webhook-Id"))
	}))
	t.Cleanup(server.Close)
	h := hookOf(t, hookConfig{URL: server.URL, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, hookOptions{})
	e := deliverytest.Event(1, 1)
	for range 2 {
		h.post(t.Context(), &e)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(bodies) != 2 || bodies[0] != bodies[1] || ids[0] != ids[1] || ids[0] != e.ID {
		t.Errorf("%q %q", bodies, ids)
	}
}
